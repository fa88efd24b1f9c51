//! Recovery: the server is killed while clients are at work, and started again on its data.
//!
//! Each scenario starts a server of its own for that; none kills the one that others are played on.

mod batches;
mod history;
mod operations;

use crate::scenario::Scenario;

pub(super) const SCENARIOS: &[&[Scenario]] = &[
    batches::SCENARIOS,
    operations::SCENARIOS,
    history::SCENARIOS,
];
