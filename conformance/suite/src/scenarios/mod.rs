//! The scenarios, by family. A module holds steps and checks, and nothing else.

mod atomicity;
mod authentication;
mod branches;
mod data;
mod errors;
mod faults;
mod histories;
mod identifiers;
mod isolation;
mod listing;
mod namespaces;
mod ordering;
mod put_if_not_exists;
mod recovery;
mod replicas;
mod tables;
mod tags;
mod transactions;

use crate::scenario::Scenario;

/// The scenario that looks at what all others have touched, and is played after them.
pub(crate) const LAST: &str = isolation::CANARY;

/// Every scenario, with its number.
pub fn all() -> impl Iterator<Item = (usize, &'static Scenario)> {
    // Isolation comes last: it looks at what the others have touched.
    let families = [
        put_if_not_exists::SCENARIOS,
        atomicity::SCENARIOS,
        ordering::SCENARIOS,
        namespaces::SCENARIOS,
        tables::SCENARIOS,
        listing::SCENARIOS,
        identifiers::SCENARIOS,
        faults::SCENARIOS,
        tags::SCENARIOS,
        branches::SCENARIOS,
        transactions::SCENARIOS,
        authentication::SCENARIOS,
        histories::SCENARIOS,
        recovery::SCENARIOS,
        replicas::SCENARIOS,
        data::SCENARIOS,
        errors::SCENARIOS,
        &[isolation::SCENARIOS],
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
