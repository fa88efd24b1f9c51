//! Branches: where they begin, and that they stay apart. What put-if-not-exists asks of them stands
//! with that family.

mod apart;
mod race;
mod refused;
mod source;

use crate::scenario::Scenario;

pub(super) const SCENARIOS: &[&[Scenario]] = &[
    source::SCENARIOS,
    refused::SCENARIOS,
    apart::SCENARIOS,
    race::SCENARIOS,
];
