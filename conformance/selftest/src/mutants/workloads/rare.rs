//! Faults that come once in 200 requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::Bytes;
use axum::http::StatusCode;
use serde_json::json;

use super::racing::answered;
use super::{entry, numbers, parts};
use crate::interpose::{interpose, json_of, ok};
use crate::mutant::Mutant;

/// Counts requests, and says when one is due to go wrong.
#[derive(Clone, Default)]
struct Rarely(Arc<AtomicUsize>);

impl Rarely {
    /// Another request has come; whether it is due.
    fn is_due(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) >= 199
    }

    /// One went wrong.
    fn done(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

pub(super) const CREATE_IS_NOT_STORED: Mutant = Mutant {
    name: "one-create-in-200-is-not-stored",
    does: "One create in 200 is answered 200, and nothing is stored.",
    scenarios: &["histories/*"],
    breaks: &[],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        let rarely = Rarely::default();
        interpose(honest, move |honest, received| {
            let rarely = rarely.clone();
            async move {
                let Some(table) = received.table("/version/create") else {
                    return honest.answer(received).await;
                };
                let new = received.json();
                let version = new["version"].as_i64().unwrap_or_default();
                if rarely.is_due() && entry(&honest, &table, version).await.is_none() {
                    rarely.done();
                    return ok(&json!({ "version": answered(&new) }));
                }
                honest.answer(received).await
            }
        })
    },
};

pub(super) const BATCH_LEAVES_OUT_ITS_LAST_ENTRY: Mutant = Mutant {
    name: "one-batch-in-200-leaves-out-its-last-entry",
    does: "One batch in 200 is answered 200, and its last entry is not stored.",
    scenarios: &["histories/*"],
    breaks: &[],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        let rarely = Rarely::default();
        interpose(honest, move |honest, mut received| {
            let rarely = rarely.clone();
            async move {
                let batch = received.uri.path() == "/v1/table/version/batch-create";
                if !batch || !rarely.is_due() {
                    return honest.answer(received).await;
                }
                let mut entries = match received.json()["entries"].as_array() {
                    Some(entries) => entries.clone(),
                    None => return honest.answer(received).await,
                };
                for new in &entries {
                    let version = new["version"].as_i64().unwrap_or_default();
                    if entry(&honest, &parts(&new["id"]), version).await.is_some() {
                        return honest.answer(received).await;
                    }
                }
                let all: Vec<_> = entries.iter().map(answered).collect();
                entries.pop();
                received.body = Bytes::from(json!({ "entries": entries }).to_string());
                let created = honest.answer(received).await;
                if created.status() != StatusCode::OK {
                    return created;
                }
                rarely.done();
                ok(&json!({ "versions": all }))
            }
        })
    },
};

pub(super) const LATEST_IS_THE_VERSION_BELOW: Mutant = Mutant {
    name: "one-latest-in-200-is-the-version-below",
    does: "One describe of the latest version in 200 answers the one below it.",
    scenarios: &["histories/*"],
    breaks: &["ORD-7"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let rarely = Rarely::default();
        interpose(honest, move |honest, received| {
            let rarely = rarely.clone();
            async move {
                let table = received.table("/version/describe");
                let Some(table) = table.filter(|_| received.json()["version"].is_null()) else {
                    return honest.answer(received).await;
                };
                let mut below = None;
                if rarely.is_due() {
                    let mut numbers = numbers(&honest, &table).await;
                    numbers.sort_unstable();
                    numbers.pop();
                    below = numbers.pop();
                }
                let Some(below) = below else {
                    return honest.answer(received).await;
                };
                rarely.done();
                let body = json!({ "version": below });
                let described = honest.on_table(&table, "/version/describe", &body).await;
                if described.status() != StatusCode::OK {
                    return described;
                }
                ok(&json_of(described).await)
            }
        })
    },
};
