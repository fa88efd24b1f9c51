//! Many callers of one client at once.

use crate::Result;
use crate::bare::Bare;
use crate::client::{Client, Side, describe};
use crate::ours::Ours;
use crate::peer::Peer;
use crate::report::{Row, a_second, micros};
use crate::rounds::{Measured, Spent};

const ROUNDS: usize = 15;
const SLICES: usize = 6;
const CALLERS: usize = 64;
/// The calls of each caller in one slice.
const CALLS: usize = 25;

pub(crate) fn run(url: &str) -> Result<Vec<Row>> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let (ours, bare, peer) = (
        Ours::connect(url)?,
        Bare::connect(url)?,
        Peer::connect(url)?,
    );
    let measured = Measured::alternate(&Side::ALL, ROUNDS, SLICES, |side| {
        let (spent, ()) = Spent::on(|| match side {
            Side::Ours => runtime.block_on(at_once(&ours)),
            Side::Bare => runtime.block_on(at_once(&bare)),
            Side::Peer => runtime.block_on(at_once(&peer)),
        })?;
        Ok(spent)
    })?;
    let calls = (SLICES * CALLERS * CALLS) as f64;
    Ok(vec![
        Row::measured(
            "64 callers of describe_table, calls a second",
            &measured,
            |spent| calls / spent.wall.as_secs_f64(),
            a_second,
        )
        .at_least(0.97, Side::Bare)
        .above(Side::Peer),
        Row::measured(
            "64 callers of describe_table, CPU time a call",
            &measured,
            |spent| spent.cpu.as_secs_f64() / calls,
            micros,
        ),
    ])
}

async fn at_once(client: &impl Client) -> Result<()> {
    let mut callers = tokio::task::JoinSet::new();
    for _ in 0..CALLERS {
        let client = client.clone();
        callers.spawn(async move { describe(&client, CALLS).await });
    }
    while let Some(done) = callers.join_next().await {
        done??;
    }
    Ok(())
}
