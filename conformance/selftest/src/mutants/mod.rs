//! The mutants, by what they break.

mod batches;
mod listings;
pub mod recovery;
pub mod replicas;
mod versions;

use crate::mutant::Mutant;

/// Every mutant.
pub fn all() -> impl Iterator<Item = &'static Mutant> {
    let kinds = [versions::MUTANTS, batches::MUTANTS, listings::MUTANTS];
    kinds.into_iter().flatten()
}
