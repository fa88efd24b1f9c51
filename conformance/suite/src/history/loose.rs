//! Histories in which a delete of several versions need not be done at one point.
//!
//! The protocol says of batches and commits that they are atomic; of a delete it says how many
//! versions it may take, and not that they go at once.

use std::collections::{BTreeMap, BTreeSet};

use lance_namespace_history::operation::{
    Answer, Call, History, Ledger, Operation, Outcome as Told, Range,
};

use super::entries::{Recording, puts};

/// The same recording, with each delete as one for each version that was ever sent; none if there is
/// no delete that takes more than one.
pub(super) fn loosened(recording: &Recording) -> Option<Recording> {
    let history = &recording.history;
    let mut sent: BTreeMap<&Ledger, BTreeSet<i64>> = BTreeMap::new();
    for put in history.operations.iter().flat_map(|each| puts(&each.call)) {
        let versions = sent.entry(&put.ledger).or_default();
        versions.insert(put.entry.version);
    }
    let mut loose = Recording {
        history: History {
            initial: history.initial.clone(),
            operations: Vec::with_capacity(history.operations.len()),
        },
        exchanges: Vec::with_capacity(recording.exchanges.len()),
    };
    for (operation, exchange) in history.operations.iter().zip(&recording.exchanges) {
        let parts = parts(operation, &sent).unwrap_or_else(|| vec![operation.clone()]);
        for part in parts {
            loose.history.operations.push(part);
            loose.exchanges.push(exchange.clone());
        }
    }
    (loose.exchanges.len() > recording.exchanges.len()).then_some(loose)
}

/// A delete of several versions, version by version. Each of these was there, or not.
fn parts(operation: &Operation, sent: &BTreeMap<&Ledger, BTreeSet<i64>>) -> Option<Vec<Operation>> {
    let Call::DeleteVersions { ledger, ranges } = &operation.call else {
        return None;
    };
    let outcome = match operation.outcome {
        Told::Ok(_) => Told::Ok(Answer::Deleted(None)),
        Told::Unknown => Told::Unknown,
        Told::Refused(_) => return None,
    };
    let holds = |version: i64| {
        let mut ranges = ranges.iter();
        ranges.any(|range| range.start <= version && range.end.is_none_or(|end| version < end))
    };
    let versions = sent.get(ledger)?.iter().filter(|version| holds(**version));
    let parts: Vec<Operation> = versions
        .map(|version| Operation {
            call: Call::DeleteVersions {
                ledger: ledger.clone(),
                ranges: vec![Range {
                    start: *version,
                    end: Some(version.saturating_add(1)),
                }],
            },
            outcome: outcome.clone(),
            ..operation.clone()
        })
        .collect();
    (parts.len() > 1).then_some(parts)
}
