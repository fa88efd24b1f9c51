//! The mutants, by what they break.

mod batches;
mod identifiers;
mod listing;
mod listings;
mod namespaces;
mod tables;
mod versions;

use crate::mutant::Mutant;

/// Every mutant.
pub fn all() -> impl Iterator<Item = &'static Mutant> {
    let kinds = [
        versions::MUTANTS,
        batches::MUTANTS,
        listings::MUTANTS,
        namespaces::MUTANTS,
        tables::MUTANTS,
        listing::MUTANTS,
        identifiers::MUTANTS,
    ];
    kinds.into_iter().flatten()
}
