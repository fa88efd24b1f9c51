//! The decoding of a long listing by each client's models, without any HTTP.

use std::hint::black_box;

use lance_namespace_client::models as ours;
use lance_namespace_reqwest_client::models as peer;
use serde::de::DeserializeOwned;

use crate::client::{Side, expect};
use crate::report::{Row, millis};
use crate::rounds::{Measured, Spent};
use crate::{Result, answers, bare};

const ROUNDS: usize = 21;
const SLICES: usize = 4;

pub(crate) fn run() -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (metadata, work) in [
        (false, "models of 10,000 versions from JSON, CPU time"),
        (true, "models of 10,000 versions with metadata, CPU time"),
    ] {
        let body = answers::versions(metadata);
        let measured = Measured::alternate(&Side::ALL, ROUNDS, SLICES, |side| once(side, &body))?;
        let figure = |spent: Spent| spent.cpu.as_secs_f64() / SLICES as f64;
        rows.push(Row::measured(work, &measured, figure, millis).at_most(1.0, Side::Peer));
    }
    Ok(rows)
}

/// Decodes a listing with the models of one client.
pub(crate) fn once(side: Side, body: &[u8]) -> Result<Spent> {
    match side {
        Side::Ours => decode(body, |answer: &ours::ListTableVersionsResponse| {
            answer.versions.len()
        }),
        Side::Bare => decode(body, |answer: &bare::ListTableVersionsResponse| {
            answer.versions.len()
        }),
        Side::Peer => decode(body, |answer: &peer::ListTableVersionsResponse| {
            answer.versions.len()
        }),
    }
}

/// Decodes a body; what was decoded is dropped when the time has been taken.
fn decode<T: DeserializeOwned>(body: &[u8], length: impl Fn(&T) -> usize) -> Result<Spent> {
    let (spent, answer) = Spent::on(|| Ok(serde_json::from_slice::<T>(black_box(body))?))?;
    expect(length(&answer), answers::VERSIONS)?;
    Ok(spent)
}
