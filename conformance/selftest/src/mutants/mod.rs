//! The mutants, by what they break.

mod batches;
mod faults;
mod listings;
mod versions;

use crate::mutant::Mutant;

/// Every mutant.
pub fn all() -> impl Iterator<Item = &'static Mutant> {
    let kinds = [versions::MUTANTS, batches::MUTANTS, listings::MUTANTS];
    kinds
        .into_iter()
        .chain(faults::MUTANTS.iter().copied())
        .flatten()
}
