//! What one request does while another is not done yet.

use axum::body::Bytes;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use super::{a_moment, delete, entry, numbers, parts};
use crate::interpose::{Honest, Received, interpose, json_of, ok};
use crate::mutant::Mutant;

pub(super) const NAMESPACE_IS_DROPPED_LATER: Mutant = Mutant {
    name: "namespace-is-dropped-later",
    does: "A namespace is looked at whether it is empty, and dropped with all in it a moment later.",
    scenarios: &["histories/drop-of-a-namespace-races-declares"],
    breaks: &["NS-5"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let path = received.uri.path().to_owned();
            let Some(namespace) = path
                .strip_prefix("/v1/namespace/")
                .and_then(|rest| rest.strip_suffix("/drop"))
            else {
                return honest.answer(received).await;
            };
            let dropped = honest.answer(received).await;
            if dropped.status() != StatusCode::OK {
                return dropped;
            }
            // It was empty. Until the drop is done it is there.
            let create = format!("/v1/namespace/{namespace}/create");
            honest.post(&create, &json!({})).await;
            a_moment().await;
            honest.post(&path, &json!({ "behavior": "Cascade" })).await;
            dropped
        })
    },
};

pub(super) const BATCH_LOCKS_TABLE_BY_TABLE: Mutant = Mutant {
    name: "batch-locks-table-by-table",
    does: "A batch makes sure that no entry conflicts, then locks one table after the other and \
           writes there; where it finds another's version, it stops.",
    scenarios: &["histories/batches-in-opposite-order"],
    breaks: &["ORD-7"],
    may_break: &["ORD-6"],
    warns: &[],
    wrap: |honest| interpose(honest, table_by_table),
};

async fn table_by_table(honest: Honest, received: Received) -> Response {
    if received.uri.path() != "/v1/table/version/batch-create" {
        return honest.answer(received).await;
    }
    let body = received.json();
    let entries = body["entries"].as_array().cloned().unwrap_or_default();
    for new in &entries {
        let version = new["version"].as_i64().unwrap_or_default();
        if entry(&honest, &parts(&new["id"]), version).await.is_some() {
            // The honest server says how it conflicts.
            return honest.answer(received).await;
        }
    }
    let mut versions = Vec::new();
    for new in &entries {
        let created = honest
            .on_table(&parts(&new["id"]), "/version/create", new)
            .await;
        if created.status() != StatusCode::OK {
            return created;
        }
        versions.push(json_of(created).await["version"].take());
        a_moment().await;
    }
    ok(&json!({ "versions": versions }))
}

pub(super) const BATCH_LEAVES_OUT_TABLES_THAT_ARE_GONE: Mutant = Mutant {
    name: "batch-leaves-out-tables-that-are-gone",
    does: "A batch leaves out the tables that are deregistered before it comes to write.",
    scenarios: &["histories/batches-against-single-operations"],
    breaks: &[],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| interpose(honest, without_what_is_gone),
};

async fn without_what_is_gone(honest: Honest, mut received: Received) -> Response {
    if received.uri.path() != "/v1/table/version/batch-create" {
        return honest.answer(received).await;
    }
    let body = received.json();
    let entries = body["entries"].as_array().cloned().unwrap_or_default();
    a_moment().await;
    let mut there = Vec::new();
    for new in &entries {
        let table = parts(&new["id"]);
        let exists = honest.on_table(&table, "/exists", &json!({})).await;
        if exists.status() == StatusCode::OK {
            there.push(new.clone());
        }
    }
    if there.len() == entries.len() || there.is_empty() {
        return honest.answer(received).await;
    }
    received.body = Bytes::from(json!({ "entries": there }).to_string());
    let created = honest.answer(received).await;
    if created.status() != StatusCode::OK {
        return created;
    }
    // The answer is as it was prepared, with all entries.
    ok(&json!({ "versions": entries.iter().map(answered).collect::<Vec<_>>() }))
}

/// A created entry as an answer shows it.
pub(super) fn answered(new: &Value) -> Value {
    let mut entry = new.clone();
    if let Value::Object(fields) = &mut entry {
        fields.remove("id");
        fields.remove("naming_scheme");
    }
    entry
}

pub(super) const SLOW_CREATE_WRITES_OVER_A_QUICK_ONE: Mutant = Mutant {
    name: "slow-create-writes-over-a-quick-one",
    does: "A create that found its version free writes it, whoever has written it meanwhile.",
    scenarios: &["histories/races-for-versions"],
    breaks: &[],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(table) = received.table("/version/create") else {
                return honest.answer(received).await;
            };
            let new = received.json();
            let version = new["version"].as_i64().unwrap_or_default();
            if entry(&honest, &table, version).await.is_none() {
                tokio::task::yield_now().await;
                delete(&honest, &table, version).await;
            }
            honest.answer(received).await
        })
    },
};

pub(super) const DELETE_WRITES_BACK_WHAT_IT_READ: Mutant = Mutant {
    name: "delete-writes-back-what-it-read",
    does: "A delete reads all versions of a table and writes back those that stay: what was deleted \
           meanwhile is there again.",
    scenarios: &["histories/versions-come-and-go"],
    breaks: &["ORD-7"],
    may_break: &["ORD-6"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(table) = received.table("/version/delete") else {
                return honest.answer(received).await;
            };
            let mut read = Vec::new();
            for version in numbers(&honest, &table).await {
                read.extend(entry(&honest, &table, version).await);
            }
            let ranges = received.json()["ranges"].clone();
            a_moment().await;
            let deleted = honest.answer(received).await;
            for stays in read.iter().filter(|entry| !is_in(&ranges, entry)) {
                // One that is still there is refused.
                honest.on_table(&table, "/version/create", stays).await;
            }
            deleted
        })
    },
};

/// Whether an entry lies in one of these ranges.
fn is_in(ranges: &Value, entry: &Value) -> bool {
    let version = entry["version"].as_i64();
    let mut ranges = ranges.as_array().into_iter().flatten();
    ranges.any(|range| {
        let end = range["end_version"].as_i64();
        version >= range["start_version"].as_i64() && (end == Some(-1) || version < end)
    })
}

pub(super) const DROP_TAKES_VERSIONS_BY_PREFIX: Mutant = Mutant {
    name: "drop-takes-versions-by-prefix",
    does: "Dropping a table deletes the versions of all whose names begin with its name.",
    scenarios: &["histories/siblings-around-a-table"],
    breaks: &[],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(mut table) = received.table("/drop") else {
                return honest.answer(received).await;
            };
            let dropped = honest.answer(received).await;
            if dropped.status() == StatusCode::OK
                && let Some(name) = table.pop()
            {
                let all = json!({ "ranges": [{ "start_version": 0, "end_version": -1 }] });
                for longer in ["10", "0", "00"] {
                    let mut other = table.clone();
                    other.push(format!("{name}{longer}"));
                    honest.on_table(&other, "/version/delete", &all).await;
                }
            }
            dropped
        })
    },
};
