//! Put-if-not-exists: a version is created once, by one client, and stays as it is.

mod create;
mod race;

use crate::scenario::Scenario;

pub(super) const SCENARIOS: &[&[Scenario]] = &[create::SCENARIOS, race::SCENARIOS];
