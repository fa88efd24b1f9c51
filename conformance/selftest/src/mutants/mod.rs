//! The mutants, by what they break.

mod batches;
mod faults;
mod listings;
mod versions;

use crate::mutant::Mutant;

/// Every mutant.
pub fn all() -> impl Iterator<Item = &'static Mutant> {
    let kinds = [
        versions::MUTANTS,
        batches::MUTANTS,
        listings::MUTANTS,
        faults::MUTANTS,
    ];
    kinds.into_iter().flatten()
}
