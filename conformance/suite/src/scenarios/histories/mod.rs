//! Histories: workloads drawn from the seed, and whether one order explains every answer. What each
//! is good for stands in [`crate::workload`].

mod batches;
mod namespaces;
mod versions;

use crate::scenario::Scenario;

pub(super) const SCENARIOS: &[&[Scenario]] = &[
    versions::SCENARIOS,
    batches::SCENARIOS,
    namespaces::SCENARIOS,
];
