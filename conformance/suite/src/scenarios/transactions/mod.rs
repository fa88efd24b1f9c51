//! Transactions: what writes name, and what can be altered of it.

mod actions;
mod all_or_none;
mod names;

use crate::scenario::Scenario;

pub(super) const SCENARIOS: &[&[Scenario]] =
    &[names::SCENARIOS, actions::SCENARIOS, all_or_none::SCENARIOS];
