//! Histories: workloads drawn from the seed, and whether one order explains every answer. What each
//! is good for stands in [`crate::workload`].

mod namespaces;

use crate::scenario::Scenario;

pub(super) const SCENARIOS: &[&[Scenario]] = &[namespaces::SCENARIOS];
