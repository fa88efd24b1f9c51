//! Faults of what is answered where something cannot be done, whatever the operation.

mod bodies;
mod codes;
mod missing;
mod rows;
mod taken;

use crate::mutant::Mutant;

pub(super) const MUTANTS: &[&[Mutant]] = &[
    codes::MUTANTS,
    missing::MUTANTS,
    taken::MUTANTS,
    bodies::MUTANTS,
    rows::MUTANTS,
];
