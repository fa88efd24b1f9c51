//! Large bodies: how fast they go out and come in.

use crate::bare::Bare;
use crate::client::{Client, LARGE, Side, expect};
use crate::ours::Ours;
use crate::peer::Peer;
use crate::report::{Row, mebibytes_a_second, millis};
use crate::rounds::{Measured, Spent};
use crate::{Result, answers};

const ROUNDS: usize = 15;
const SLICES: usize = 3;

pub(crate) fn run(url: &str) -> Result<Vec<Row>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (ours, bare, peer) = (
        Ours::connect(url)?,
        Bare::connect(url)?,
        Peer::connect(url)?,
    );
    let query = Measured::alternate(&Side::ALL, ROUNDS, SLICES, |side| {
        let (spent, bytes) = Spent::on(|| match side {
            Side::Ours => runtime.block_on(ours.query_table()),
            Side::Bare => runtime.block_on(bare.query_table()),
            Side::Peer => runtime.block_on(peer.query_table()),
        })?;
        expect(bytes, LARGE)?;
        Ok(spent)
    })?;
    let insert = Measured::alternate(&Side::ALL, ROUNDS, SLICES, |side| {
        let (spent, version) = Spent::on(|| match side {
            Side::Ours => runtime.block_on(ours.insert_into_table()),
            Side::Bare => runtime.block_on(bare.insert_into_table()),
            Side::Peer => runtime.block_on(peer.insert_into_table()),
        })?;
        expect(version, Some(answers::INSERTED))?;
        Ok(spent)
    })?;
    let speed = |spent: Spent| (SLICES as u64 * LARGE) as f64 / spent.wall.as_secs_f64();
    let cost = |spent: Spent| spent.cpu.as_secs_f64() / SLICES as f64;
    let mut rows = Vec::new();
    for (name, measured) in [("query", &query), ("insert", &insert)] {
        let work = format!("{name} of 256 MiB, bytes a second");
        let row = Row::measured(&work, measured, speed, mebibytes_a_second);
        rows.push(row.at_least(0.95, Side::Bare));
        let work = format!("{name} of 256 MiB, CPU time");
        rows.push(Row::measured(&work, measured, cost, millis));
    }
    Ok(rows)
}
