//! Errors: what cannot be done is refused with the status and code of its kind, by every operation,
//! and changes nothing.

mod invalid;
mod malformed;
mod missing;
mod missing_parts;
mod routes;
mod taken;
mod tolerated;

use crate::scenario::Scenario;

pub(super) const SCENARIOS: &[&[Scenario]] = &[
    missing::SCENARIOS,
    missing_parts::SCENARIOS,
    taken::SCENARIOS,
    malformed::SCENARIOS,
    invalid::SCENARIOS,
    tolerated::SCENARIOS,
    routes::SCENARIOS,
];
