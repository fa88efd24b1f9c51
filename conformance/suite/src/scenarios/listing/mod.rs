//! Listings: what they hold, of which namespace, and by which names.

mod all_tables;
mod children;
mod declared;
mod pages;

use crate::scenario::Scenario;

pub(super) const SCENARIOS: &[&[Scenario]] = &[
    children::SCENARIOS,
    declared::SCENARIOS,
    all_tables::SCENARIOS,
    pages::SCENARIOS,
];
