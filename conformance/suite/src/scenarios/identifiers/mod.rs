//! Identifiers: in routes and bodies, joined by any delimiter, with any characters.

mod delimiters;
mod dots;
mod look_alikes;
mod names;
mod route;

use crate::scenario::Scenario;

pub(super) const SCENARIOS: &[&[Scenario]] = &[
    route::SCENARIOS,
    delimiters::SCENARIOS,
    names::SCENARIOS,
    look_alikes::SCENARIOS,
    dots::SCENARIOS,
];
