//! Tables: declared, described, listed, registered, renamed, removed.

mod declare;
mod describe;
mod races;
mod register;
mod remove;
mod rename;

use crate::scenario::Scenario;

pub(super) const SCENARIOS: &[&[Scenario]] = &[
    declare::SCENARIOS,
    describe::SCENARIOS,
    remove::SCENARIOS,
    register::SCENARIOS,
    rename::SCENARIOS,
    races::SCENARIOS,
];
