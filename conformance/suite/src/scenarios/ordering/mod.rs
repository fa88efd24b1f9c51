//! Ordering: lists in order, pages that hold everything once, and reads that never go back.

use crate::scenario::Scenario;

pub(super) const SCENARIOS: &[&[Scenario]] = &[];
