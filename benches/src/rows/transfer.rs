//! Large bodies: how fast they go out and come in.

use crate::bare::Bare;
use crate::client::{Client, LARGE, Side, expect};
use crate::ours::Ours;
use crate::peer::Peer;
use crate::report::{Row, mebibytes_a_second};
use crate::rounds::{Measured, Spent};
use crate::{Result, answers};

const ROUNDS: usize = 15;

pub(crate) fn run(url: &str) -> Result<Vec<Row>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (ours, bare, peer) = (
        Ours::connect(url)?,
        Bare::connect(url)?,
        Peer::connect(url)?,
    );
    let query = Measured::alternate(&Side::ALL, ROUNDS, 1, |side| {
        let (spent, bytes) = Spent::on(|| match side {
            Side::Ours => runtime.block_on(ours.query_table()),
            Side::Bare => runtime.block_on(bare.query_table()),
            Side::Peer => runtime.block_on(peer.query_table()),
        })?;
        expect(bytes, LARGE)?;
        Ok(spent)
    })?;
    let insert = Measured::alternate(&Side::ALL, ROUNDS, 1, |side| {
        let (spent, version) = Spent::on(|| match side {
            Side::Ours => runtime.block_on(ours.insert_into_table()),
            Side::Bare => runtime.block_on(bare.insert_into_table()),
            Side::Peer => runtime.block_on(peer.insert_into_table()),
        })?;
        expect(version, Some(answers::INSERTED))?;
        Ok(spent)
    })?;
    let figure = |spent: Spent| LARGE as f64 / spent.wall.as_secs_f64();
    let row = |work, measured| {
        Row::measured(work, measured, figure, mebibytes_a_second).at_least(0.95, Side::Bare)
    };
    Ok(vec![
        row("query of 256 MiB, bytes a second", &query),
        row("insert of 256 MiB, bytes a second", &insert),
    ])
}
