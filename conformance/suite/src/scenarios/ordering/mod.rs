//! Ordering: lists in order, pages that hold everything once, and reads that never go back.

mod answers;
mod changes;
mod deletes;
mod order;
mod pages;
mod reads;
mod siblings;
mod writers;

use crate::scenario::Scenario;

pub(super) const SCENARIOS: &[&[Scenario]] = &[
    order::SCENARIOS,
    pages::SCENARIOS,
    changes::SCENARIOS,
    answers::SCENARIOS,
    reads::SCENARIOS,
    writers::SCENARIOS,
    deletes::SCENARIOS,
    siblings::SCENARIOS,
];
