//! Atomicity: many versions or operations at once, all of them or none.

use crate::scenario::Scenario;

pub(super) const SCENARIOS: &[&[Scenario]] = &[];
