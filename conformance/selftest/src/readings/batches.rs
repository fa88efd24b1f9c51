//! Batches and commits.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::versions::is_as_asked;
use crate::interpose::{BATCH, COMMIT, Received, error, interpose, json_of, ok, strings};
use crate::reading::{Reading, reading};

pub(super) const AGAIN: &[Reading] = &[SAME_BATCH_IS_DONE];
pub(super) const TABLES: &[Reading] = &[ENTRY_TWICE_IS_ONE, ONE_VERSION_OF_A_TABLE];
pub(super) const TWICE: &[Reading] = &[CONTENTION, VERSION_TWICE_IS_INVALID];
pub(super) const SIZES: &[Reading] = &[EMPTY_IS_DONE, SMALL_BATCHES];
pub(super) const COMMITS: &[Reading] = &[NOT_OF_ITS_OWN];

const SAME_BATCH_IS_DONE: Reading = reading(
    "same-batch-is-done",
    "A batch of entries that are all there word for word is answered 200 with them.",
    &["BAT-13"],
    |honest| {
        interpose(honest, async |honest, received| {
            let Some(entries) = received.entries() else {
                return honest.answer(received).await;
            };
            let answer = honest.answer(received).await;
            if answer.status() != StatusCode::CONFLICT {
                return answer;
            }
            let mut stored = Vec::new();
            for create in &entries {
                let version = create["version"].as_i64().unwrap_or_default();
                let id = strings(&create["id"]);
                match honest.entry(&id, &create["branch"], version).await {
                    Some(entry) if is_as_asked(&entry, create) => stored.push(entry),
                    _ => return answer,
                }
            }
            ok(&json!({ "versions": stored }))
        })
    },
);

fn same_version(one: &Value, other: &Value) -> bool {
    ["id", "branch", "version"]
        .iter()
        .all(|field| one[*field] == other[*field])
}

fn same_table(one: &Value, other: &Value) -> bool {
    ["id", "branch"]
        .iter()
        .all(|field| one[*field] == other[*field])
}

/// Whether two entries of a batch are alike in this way.
fn two_are(received: &Received, alike: fn(&Value, &Value) -> bool) -> bool {
    let entries = received.entries().unwrap_or_default();
    let mut pairs = (1..).zip(&entries);
    pairs.any(|(next, entry)| entries[next..].iter().any(|other| alike(entry, other)))
}

const ONE_VERSION_OF_A_TABLE: Reading = reading(
    "one-version-of-a-table",
    "A batch with several versions of one table is refused.",
    &["BAT-5"],
    |honest| {
        interpose(honest, async |honest, received| {
            match two_are(&received, same_table) {
                true => error(StatusCode::BAD_REQUEST, 13),
                false => honest.answer(received).await,
            }
        })
    },
);

const VERSION_TWICE_IS_INVALID: Reading = reading(
    "version-twice-is-invalid",
    "A batch with one version twice is invalid, and no conflict.",
    &["BAT-4"],
    |honest| {
        interpose(honest, async |honest, received| {
            match two_are(&received, same_version) {
                true => error(StatusCode::BAD_REQUEST, 13),
                false => honest.answer(received).await,
            }
        })
    },
);

const ENTRY_TWICE_IS_ONE: Reading = reading(
    "entry-twice-is-one",
    "An entry that stands twice in a batch word for word is created once.",
    &["BAT-4"],
    |honest| {
        interpose(honest, async |honest, received| {
            let entries = received.entries().unwrap_or_default();
            let mut once: Vec<&Value> = Vec::new();
            let mut places = Vec::new();
            for entry in &entries {
                let place = once.iter().position(|other| *other == entry);
                places.push(place.unwrap_or(once.len()));
                if place.is_none() {
                    once.push(entry);
                }
            }
            if once.len() == entries.len() {
                return honest.answer(received).await;
            }
            let request = received
                .clone()
                .with_body(|body| body["entries"] = json!(once));
            let answer = honest.answer(request).await;
            if answer.status() != StatusCode::OK {
                return answer;
            }
            let mut body = json_of(answer).await;
            let versions: Vec<&Value> = places.iter().map(|n| &body["versions"][*n]).collect();
            body["versions"] = json!(versions);
            ok(&body)
        })
    },
);

const EMPTY_IS_DONE: Reading = reading(
    "empty-batch-is-done",
    "A batch without entries and a commit without operations are answered 200.",
    &["BAT-11"],
    |honest| {
        interpose(honest, async |honest, received| {
            let (field, answer) = match received.uri.path() {
                BATCH => ("entries", json!({ "versions": [] })),
                COMMIT => ("operations", json!({ "results": [] })),
                _ => return honest.answer(received).await,
            };
            let body = received.json();
            let empty = body[field].as_array().is_some_and(Vec::is_empty);
            let refused = honest.answer(received).await;
            match empty && refused.status() == StatusCode::BAD_REQUEST {
                true => ok(&answer),
                false => refused,
            }
        })
    },
);

const SMALL_BATCHES: Reading = reading(
    "batches-of-at-most-500",
    "A batch of more than 500 entries is answered 413.",
    &["BAT-12"],
    |honest| {
        interpose(honest, async |honest, received| {
            match received
                .entries()
                .is_some_and(|entries| entries.len() > 500)
            {
                true => error(StatusCode::PAYLOAD_TOO_LARGE, 13),
                false => honest.answer(received).await,
            }
        })
    },
);

const CONTENTION: Reading = reading(
    "conflicts-are-contention",
    "A batch or commit in conflict is answered with code 14, whatever it is in conflict with.",
    &["ERR-3", "BAT-2"],
    |honest| {
        interpose(honest, async |honest, received| {
            let concerned = [BATCH, COMMIT].contains(&received.uri.path());
            let answer = honest.answer(received).await;
            match concerned && answer.status() == StatusCode::CONFLICT {
                true => error(StatusCode::CONFLICT, 14),
                false => answer,
            }
        })
    },
);

const NOT_OF_ITS_OWN: Reading = reading(
    "commit-of-what-it-makes",
    "A commit that makes a table and does more with it is refused.",
    &["COM-5"],
    |honest| {
        interpose(honest, async |honest, received| {
            let operations = received.operations().unwrap_or_default();
            let mut made: Vec<&Value> = Vec::new();
            for operation in &operations {
                let kinds = operation.as_object().into_iter().flatten();
                for (kind, of) in kinds {
                    if made.contains(&&of["id"]) && kind != "declare_table" {
                        return error(StatusCode::BAD_REQUEST, 13);
                    }
                    if kind == "declare_table" {
                        made.push(&of["id"]);
                    }
                }
            }
            honest.answer(received).await
        })
    },
);
