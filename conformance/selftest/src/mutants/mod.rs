//! The mutants, by what they break.

mod answers;
mod authentication;
mod batches;
mod branches;
mod commits;
mod data;
mod deletes;
mod errors;
mod faults;
mod histories;
mod identifiers;
mod listing;
mod listings;
mod namespaces;
mod reads;
pub mod recovery;
mod renames;
pub mod replicas;
mod requests;
mod tables;
mod tags;
mod transactions;
mod versions;
mod workloads;

use crate::mutant::Mutant;

/// Every mutant.
pub fn all() -> impl Iterator<Item = &'static Mutant> {
    let kinds = [
        versions::MUTANTS,
        batches::MUTANTS,
        listings::MUTANTS,
        namespaces::MUTANTS,
        tables::MUTANTS,
        renames::MUTANTS,
        listing::MUTANTS,
        identifiers::MUTANTS,
        histories::MUTANTS,
        tags::MUTANTS,
        branches::MUTANTS,
        transactions::MUTANTS,
        authentication::MUTANTS,
        workloads::MUTANTS,
        requests::MUTANTS,
        deletes::MUTANTS,
        reads::MUTANTS,
        commits::MUTANTS,
        errors::MUTANTS,
    ];
    kinds
        .into_iter()
        .chain(faults::MUTANTS.iter().copied())
        .chain(answers::MUTANTS.iter().copied())
        .chain(data::MUTANTS)
        .flatten()
}
