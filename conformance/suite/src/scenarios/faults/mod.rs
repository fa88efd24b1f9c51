//! Faults: connections break, and what a server was asked for is done whole or not at all.

mod batches;
mod commits;
mod creates;
mod histories;
mod tables;

use std::time::Duration;

use crate::scenario::Scenario;
use crate::wire::Exchange;

pub(super) const SCENARIOS: &[&[Scenario]] = &[
    creates::SCENARIOS,
    batches::SCENARIOS,
    commits::SCENARIOS,
    tables::SCENARIOS,
    histories::SCENARIOS,
];

/// At how many moments of the server's work a connection ends.
const MOMENTS: u32 = 8;

/// How long the server took for this.
fn took(exchange: &Exchange) -> Duration {
    exchange.ended() - exchange.started()
}
