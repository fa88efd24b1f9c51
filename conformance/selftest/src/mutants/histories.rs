//! Faults that show in what several clients were told, and in no single answer.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::interpose::{Honest, Received, interpose, json_of, ok};
use crate::mutant::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    RANGE_DELETED_ONE_BY_ONE,
    STALE_LATEST_NOW_AND_THEN,
    CREATED_VERSION_LOST_LATER,
    BATCH_IN_TWO_HALVES,
    STORED_THOUGH_REFUSED,
];

/// Long enough for other clients to get between.
const MOMENT: Duration = Duration::from_millis(1);

const RANGE_DELETED_ONE_BY_ONE: Mutant = Mutant {
    name: "range-deleted-one-by-one",
    does: "A range of versions is deleted one after the other, from either end; each is counted once.",
    scenarios: &["put-if-not-exists/deletes-at-once-count-each-version-once"],
    breaks: &[],
    may_break: &[],
    warns: &["ORD-6"],
    wrap: |honest| {
        let count = Arc::new(AtomicUsize::new(0));
        interpose(honest, move |honest, received| {
            let backwards = count.fetch_add(1, Ordering::Relaxed) % 2 == 1;
            one_by_one(honest, received, backwards)
        })
    },
};

async fn one_by_one(honest: Honest, received: Received, backwards: bool) -> Response {
    let Some(table) = received.table("/version/delete") else {
        return honest.answer(received).await;
    };
    let body = received.json();
    let ranges = body["ranges"].as_array().cloned().unwrap_or_default();
    let bounds: Option<Vec<(i64, i64)>> = ranges
        .iter()
        .map(|range| {
            let bound = |name: &str| range[name].as_i64();
            let (start, end) = (bound("start_version")?, bound("end_version")?);
            (0 <= start && start <= end).then_some((start, end))
        })
        .collect();
    let Some(bounds) = bounds else {
        return honest.answer(received).await;
    };
    let versions = bounds.into_iter().flat_map(|(start, end)| start..end);
    let mut versions: Vec<i64> = versions.collect();
    if backwards {
        versions.reverse();
    }
    let mut count = 0;
    for version in versions {
        let one = json!({
            "branch": body["branch"],
            "ranges": [{ "start_version": version, "end_version": version + 1 }],
        });
        let deleted = honest.on_table(&table, "/version/delete", &one).await;
        if !deleted.status().is_success() {
            return deleted;
        }
        count += json_of(deleted).await["deleted_count"]
            .as_i64()
            .unwrap_or(0);
    }
    ok(&json!({ "deleted_count": count }))
}

const STALE_LATEST_NOW_AND_THEN: Mutant = Mutant {
    name: "stale-latest-now-and-then",
    does: "Every 20th time the latest version is described, the answer is that of the time before.",
    scenarios: &["ordering/contending-writers-make-one-history"],
    breaks: &["ORD-7"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let last: Arc<Mutex<HashMap<Vec<String>, Value>>> = Arc::default();
        let count = Arc::new(AtomicUsize::new(0));
        interpose(honest, move |honest, received| {
            let (last, count) = (Arc::clone(&last), Arc::clone(&count));
            async move {
                let table = received.table("/version/describe");
                let named = !received.json()["version"].is_null();
                let Some(table) = table.filter(|_| !named) else {
                    return honest.answer(received).await;
                };
                let answer = honest.answer(received).await;
                if !answer.status().is_success() {
                    return answer;
                }
                let body = json_of(answer).await;
                let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
                let before = last.insert(table, body.clone());
                let is_stale = count.fetch_add(1, Ordering::Relaxed) % 20 == 19;
                ok(before.as_ref().filter(|_| is_stale).unwrap_or(&body))
            }
        })
    },
};

const CREATED_VERSION_LOST_LATER: Mutant = Mutant {
    name: "created-version-lost-later",
    does: "Every 60th version is acknowledged, seen for a while, and then lost.",
    scenarios: &["ordering/contending-writers-make-one-history"],
    breaks: &["ORD-6"],
    may_break: &["ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let table = received.table("/version/create");
            let version = received.json()["version"].as_i64().unwrap_or(1);
            let answer = honest.answer(received).await;
            if let Some(table) = table.filter(|_| version % 60 == 0)
                && answer.status().is_success()
            {
                tokio::spawn(async move {
                    tokio::time::sleep(20 * MOMENT).await;
                    let range = json!({ "start_version": version, "end_version": version + 1 });
                    let body = json!({ "ranges": [range] });
                    honest.on_table(&table, "/version/delete", &body).await;
                });
            }
            answer
        })
    },
};

const BATCH_IN_TWO_HALVES: Mutant = Mutant {
    name: "batch-in-two-halves",
    does: "A batch is stored in two steps, the second a moment after the first.",
    scenarios: &[
        "atomicity/no-reader-sees-half-a-batch",
        "atomicity/no-listing-shows-half-a-batch",
    ],
    breaks: &["BAT-7", "ORD-7"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            if received.uri.path() != "/v1/table/version/batch-create" {
                return honest.answer(received).await;
            }
            let entries = received.json()["entries"].as_array().cloned();
            let entries = entries.unwrap_or_default();
            let (first, second) = entries.split_at(entries.len() / 2);
            let mut versions = Vec::new();
            for half in [first, second] {
                let body = json!({ "entries": half });
                let created = honest.answer(received.with(&body)).await;
                if !created.status().is_success() {
                    return created;
                }
                if let Value::Array(created) = json_of(created).await["versions"].take() {
                    versions.extend(created);
                }
                tokio::time::sleep(20 * MOMENT).await;
            }
            ok(&json!({ "versions": versions }))
        })
    },
};

const STORED_THOUGH_REFUSED: Mutant = Mutant {
    name: "stored-though-refused",
    does: "One create in 40 is stored, and its client is told that another one was first.",
    scenarios: &["ordering/contending-writers-make-one-history"],
    breaks: &["ORD-6", "ORD-7"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let count = Arc::new(AtomicUsize::new(0));
        interpose(honest, move |honest, received| {
            let count = Arc::clone(&count);
            async move {
                let create = received.table("/version/create").is_some();
                let answer = honest.answer(received).await;
                if !create || !answer.status().is_success() {
                    return answer;
                }
                if count.fetch_add(1, Ordering::Relaxed) % 40 != 39 {
                    return answer;
                }
                let body = json!({ "code": 14, "error": "another writer was first" });
                (StatusCode::CONFLICT, ok(&body)).into_response()
            }
        })
    },
};
