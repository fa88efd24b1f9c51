//! The mutants, by what they break.

mod batches;
mod commits;
mod deletes;
mod errors;
mod listings;
mod reads;
mod requests;
mod versions;

use crate::mutant::Mutant;

/// Every mutant.
pub fn all() -> impl Iterator<Item = &'static Mutant> {
    let kinds = [
        versions::MUTANTS,
        requests::MUTANTS,
        deletes::MUTANTS,
        reads::MUTANTS,
        batches::MUTANTS,
        commits::MUTANTS,
        listings::MUTANTS,
        errors::MUTANTS,
    ];
    kinds.into_iter().flatten()
}
