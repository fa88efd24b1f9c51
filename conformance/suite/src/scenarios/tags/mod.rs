//! Tags: names for versions, of one table each.

mod apart;
mod names;
mod race;
mod refused;

use crate::scenario::Scenario;

pub(super) const SCENARIOS: &[&[Scenario]] = &[
    names::SCENARIOS,
    refused::SCENARIOS,
    apart::SCENARIOS,
    race::SCENARIOS,
];
