//! Atomicity: many versions or operations at once, all of them or none.

mod batch;
mod commit;
mod races;
mod readers;
mod refused_batch;
mod refused_commit;

use crate::scenario::Scenario;

pub(super) const SCENARIOS: &[&[Scenario]] = &[
    batch::SCENARIOS,
    refused_batch::SCENARIOS,
    readers::SCENARIOS,
    races::SCENARIOS,
    commit::SCENARIOS,
    refused_commit::SCENARIOS,
];
