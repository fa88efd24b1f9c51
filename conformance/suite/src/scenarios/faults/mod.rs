//! Faults: connections break, and what a server was asked for is done whole or not at all.

mod batches;
mod commits;
mod creates;
mod histories;
mod tables;

use std::sync::Arc;
use std::time::Duration;

use crate::exchange::Exchange;
use crate::proxy::Fault;
use crate::scenario::Scenario;
use crate::stage::Stage;

pub(super) const SCENARIOS: &[&[Scenario]] = &[
    creates::SCENARIOS,
    batches::SCENARIOS,
    commits::SCENARIOS,
    tables::SCENARIOS,
    histories::SCENARIOS,
];

/// At how many moments of the server's work a connection ends.
const MOMENTS: u32 = 8;

/// How often the server is asked without breaking the connection, to learn how long it takes.
const WHOLE: i64 = 3;

/// How long the server takes: the shortest of these, since others may have waited for something else.
fn took(exchanges: &[Arc<Exchange>]) -> Duration {
    let times = exchanges.iter().map(|each| each.ended() - each.started());
    times.min().unwrap_or_default()
}

/// The ways to break a connection in which only the answer is lost.
fn answer_lost(s: &Stage, took: Duration) -> Vec<Fault> {
    let mut breaks = s.breaks(took, MOMENTS / 2);
    breaks.retain(|fault| fault.may_be_carried_out());
    breaks
}
