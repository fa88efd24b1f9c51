//! Namespaces: created, described, listed, dropped.

mod create;
mod drop;
mod modes;
mod races;

use crate::scenario::Scenario;

pub(super) const SCENARIOS: &[&[Scenario]] = &[
    create::SCENARIOS,
    modes::SCENARIOS,
    drop::SCENARIOS,
    races::SCENARIOS,
];
