//! Data: rows that are written are read again, as they were written and nothing else.

mod branches;
mod change;
mod columns;
mod count;
mod create;
mod indexes;
mod insert;
mod merge;
mod metadata;
mod missing;
mod query;
mod race;
mod search;
mod versions;
mod views;

use crate::scenario::Scenario;

pub(super) const SCENARIOS: &[&[Scenario]] = &[
    create::SCENARIOS,
    insert::SCENARIOS,
    count::SCENARIOS,
    query::SCENARIOS,
    search::SCENARIOS,
    change::SCENARIOS,
    merge::SCENARIOS,
    versions::SCENARIOS,
    columns::SCENARIOS,
    indexes::SCENARIOS,
    metadata::SCENARIOS,
    views::SCENARIOS,
    branches::SCENARIOS,
    missing::SCENARIOS,
    race::SCENARIOS,
];
