//! The same listing as a call: sending, reading and decoding.

use crate::bare::Bare;
use crate::client::{Client, Side, expect};
use crate::ours::Ours;
use crate::peer::Peer;
use crate::report::{Row, millis};
use crate::rounds::{Measured, Spent};
use crate::{Result, answers};

const ROUNDS: usize = 21;
const SLICES: usize = 4;

pub(crate) fn run(url: &str) -> Result<Vec<Row>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (ours, bare, peer) = (
        Ours::connect(url)?,
        Bare::connect(url)?,
        Peer::connect(url)?,
    );
    let measured = Measured::alternate(&Side::ALL, ROUNDS, SLICES, |side| {
        let (spent, versions) = Spent::on(|| match side {
            Side::Ours => runtime.block_on(ours.list_table_versions()),
            Side::Bare => runtime.block_on(bare.list_table_versions()),
            Side::Peer => runtime.block_on(peer.list_table_versions()),
        })?;
        expect(versions, answers::VERSIONS)?;
        Ok(spent)
    })?;
    let figure = |spent: Spent| spent.cpu.as_secs_f64() / SLICES as f64;
    Ok(vec![
        Row::measured(
            "list_table_versions of 10,000 with metadata, CPU time a call",
            &measured,
            figure,
            millis,
        )
        .at_most(1.0, Side::Peer),
    ])
}
