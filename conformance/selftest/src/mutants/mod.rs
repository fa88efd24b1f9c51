//! The mutants, by what they break.

mod batches;
mod listings;
mod versions;

use crate::mutant::Mutant;

/// Every mutant.
pub const MUTANTS: &[Mutant] = &[
    versions::CREATE_OVERWRITES,
    batches::BATCH_WITHOUT_A_TRANSACTION,
    batches::EVERY_BATCH_IS_INVALID,
    listings::VERSIONS_SORTED_AS_TEXT,
    listings::VERSIONS_CUT_WITHOUT_A_TOKEN,
];
