//! One call after the other: what the client costs where the server costs nothing.

use crate::Result;
use crate::bare::Bare;
use crate::client::{Client, Side, describe};
use crate::ours::Ours;
use crate::peer::Peer;
use crate::report::{Row, micros};
use crate::rounds::{Measured, Spent};

const ROUNDS: usize = 15;
const SLICES: usize = 12;
/// The calls of one slice.
const CALLS: usize = 500;

pub(crate) fn run(url: &str) -> Result<Vec<Row>> {
    // The client's connections run on this thread too, so that the process's time is all of theirs.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (ours, bare, peer) = (
        Ours::connect(url)?,
        Bare::connect(url)?,
        Peer::connect(url)?,
    );
    let measured = Measured::alternate(&Side::ALL, ROUNDS, SLICES, |side| {
        let (spent, ()) = Spent::on(|| match side {
            Side::Ours => runtime.block_on(describe(&ours, CALLS)),
            Side::Bare => runtime.block_on(describe(&bare, CALLS)),
            Side::Peer => runtime.block_on(describe(&peer, CALLS)),
        })?;
        Ok(spent)
    })?;
    let figure = |spent: Spent| spent.cpu.as_secs_f64() / (SLICES * CALLS) as f64;
    Ok(vec![
        Row::measured("describe_table, CPU time a call", &measured, figure, micros)
            .at_most(1.05, Side::Bare)
            .below(Side::Peer),
    ])
}
