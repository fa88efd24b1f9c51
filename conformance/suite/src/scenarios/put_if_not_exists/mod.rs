//! Put-if-not-exists: a version is created once, by one client, and stays as it is.

mod again;
mod branches;
mod choice;
mod create;
mod delete;
mod describe;
mod fields;
mod race;
mod readers;
mod refused;

use crate::scenario::Scenario;

pub(super) const SCENARIOS: &[&[Scenario]] = &[
    create::SCENARIOS,
    again::SCENARIOS,
    readers::SCENARIOS,
    race::SCENARIOS,
    describe::SCENARIOS,
    fields::SCENARIOS,
    refused::SCENARIOS,
    delete::SCENARIOS,
    choice::SCENARIOS,
    branches::SCENARIOS,
];
