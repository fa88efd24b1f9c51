//! Batches whose connection breaks.

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use futures::StreamExt;
use serde_json::{Value, json};
use tokio::time::sleep;
use tower::ServiceExt;

use super::{STEP, delete, id_of, replace};
use crate::interpose::{interpose, json_of, ok};
use crate::mutant::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    BATCH_STOPS_WHEN_THE_CLIENT_IS_GONE,
    BATCH_OF_WHAT_HAS_COME,
    REFUSED_BATCH_IS_TAKEN_BACK,
    REPEATED_BATCH_REPLACES,
];

const BATCH: &str = "/v1/table/version/batch-create";

const BATCH_STOPS_WHEN_THE_CLIENT_IS_GONE: Mutant = Mutant {
    name: "batch-stops-when-the-client-is-gone",
    does: "A batch is one create after the other, and ends where the client hangs up.",
    scenarios: &[
        "faults/broken-off-batch-is-whole-or-nothing",
        "faults/batches-over-connections-that-break",
    ],
    breaks: &["BAT-9", "ORD-7"],
    may_break: &["ORD-6"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            if received.uri.path() != BATCH {
                return honest.answer(received).await;
            }
            let body = received.json();
            let mut versions: Vec<Value> = Vec::new();
            for entry in body["entries"].as_array().into_iter().flatten() {
                let created = honest
                    .on_table(&id_of(entry), "/version/create", entry)
                    .await;
                if created.status() != StatusCode::OK {
                    return created;
                }
                versions.push(json_of(created).await["version"].take());
                sleep(STEP).await;
            }
            ok(&json!({ "versions": versions }))
        })
    },
};

const BATCH_OF_WHAT_HAS_COME: Mutant = Mutant {
    name: "batch-of-what-has-come",
    does: "Of a batch that breaks off on its way, the entries that have come are created.",
    scenarios: &["faults/broken-off-batch-is-whole-or-nothing"],
    breaks: &["BAT-9"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        Router::new().fallback(move |request: Request| {
            let honest = honest.clone();
            // It works on when the client is gone.
            let answer = tokio::spawn(async move {
                let (parts, body) = request.into_parts();
                let mut body = body.into_data_stream();
                let mut read = String::new();
                while let Some(Ok(bytes)) = body.next().await {
                    read.push_str(&String::from_utf8_lossy(&bytes));
                }
                if parts.uri.path() == BATCH && serde_json::from_str::<Value>(&read).is_err() {
                    read = so_far(&read);
                }
                let request = Request::from_parts(parts, Body::from(read));
                match honest.oneshot(request).await {
                    Ok(response) => response,
                    Err(never) => match never {},
                }
            });
            async move {
                answer
                    .await
                    .unwrap_or_else(|e| e.to_string().into_response())
            }
        })
    },
};

/// The entries of a batch that are whole in what was read of it.
fn so_far(read: &str) -> String {
    let ends = read.match_indices('}').map(|(at, _)| at + 1);
    let closed = ends.map(|end| format!("{}]}}", &read[..end]));
    let mut valid: Vec<String> = closed
        .filter(|text| serde_json::from_str::<Value>(text).is_ok())
        .collect();
    valid.pop().unwrap_or_default()
}

const REFUSED_BATCH_IS_TAKEN_BACK: Mutant = Mutant {
    name: "refused-batch-is-taken-back",
    does: "A batch is one create after the other; where one fails, those before it are deleted, \
           unless the client is gone by then.",
    scenarios: &["faults/broken-off-refused-batch-leaves-nothing"],
    breaks: &["BAT-2"],
    may_break: &["BAT-9"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            if received.uri.path() != BATCH {
                return honest.answer(received).await;
            }
            let body = received.json();
            let mut created = Vec::new();
            for entry in body["entries"].as_array().into_iter().flatten() {
                let id = id_of(entry);
                let answer = honest.on_table(&id, "/version/create", entry).await;
                if answer.status() == StatusCode::OK {
                    created.push((id, entry["version"].clone()));
                    sleep(STEP).await;
                    continue;
                }
                for (id, version) in created {
                    delete(&honest, &id, &version).await;
                    sleep(STEP).await;
                }
                return answer;
            }
            ok(&json!({ "versions": [] }))
        })
    },
};

const REPEATED_BATCH_REPLACES: Mutant = Mutant {
    name: "repeated-batch-replaces",
    does: "A batch whose versions are all there is taken for the repetition of one, and done again.",
    scenarios: &["faults/batch-again-after-a-lost-answer"],
    breaks: &["BAT-1", "BAT-2"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            if received.uri.path() != BATCH {
                return honest.answer(received).await;
            }
            let body = received.json();
            let answer = honest.answer(received).await;
            if answer.status() != StatusCode::CONFLICT {
                return answer;
            }
            let mut versions: Vec<Value> = Vec::new();
            for entry in body["entries"].as_array().into_iter().flatten() {
                let created = replace(&honest, &id_of(entry), entry).await;
                versions.push(json_of(created).await["version"].take());
            }
            ok(&json!({ "versions": versions }))
        })
    },
};
