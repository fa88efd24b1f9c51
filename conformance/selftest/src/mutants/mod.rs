//! The mutants, by what they break.

mod batches;
mod listings;
mod versions;
mod workloads;

use crate::mutant::Mutant;

/// Every mutant.
pub fn all() -> impl Iterator<Item = &'static Mutant> {
    let kinds = [
        versions::MUTANTS,
        batches::MUTANTS,
        listings::MUTANTS,
        workloads::MUTANTS,
    ];
    kinds.into_iter().flatten()
}
