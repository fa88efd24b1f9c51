//! The scenarios, by family. A module holds steps and checks, and nothing else.

mod atomicity;
mod ordering;
mod put_if_not_exists;

use crate::scenario::Scenario;

/// Every scenario, with its number.
pub fn all() -> impl Iterator<Item = (usize, &'static Scenario)> {
    let families: [&'static [&'static [Scenario]]; 3] = [
        put_if_not_exists::SCENARIOS,
        atomicity::SCENARIOS,
        ordering::SCENARIOS,
    ];
    families
        .into_iter()
        .flatten()
        .flat_map(|module| module.iter())
        .enumerate()
        .map(|(index, scenario)| (index + 1, scenario))
}

/// The scenario of this name, with its number.
#[must_use]
pub fn find(id: &str) -> Option<(usize, &'static Scenario)> {
    all().find(|(_, scenario)| scenario.id == id)
}
