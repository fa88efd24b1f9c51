//! Faults of batches.

use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde_json::{Value, json};

use crate::interpose::{interpose, json_of, ok};
use crate::mutant::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[BATCH_WITHOUT_A_TRANSACTION, EVERY_BATCH_IS_INVALID];

const BATCH_WITHOUT_A_TRANSACTION: Mutant = Mutant {
    name: "batch-without-a-transaction",
    does: "A batch is one create after the other, and stops at the first that fails.",
    scenarios: &["atomicity/*"],
    breaks: &[
        "BAT-1", "BAT-2", "BAT-3", "BAT-4", "BAT-6", "BAT-7", "BAT-8",
    ],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            if received.uri.path() != "/v1/table/version/batch-create" {
                return honest.answer(received).await;
            }
            let body = received.json();
            let mut versions: Vec<Value> = Vec::new();
            for entry in body["entries"].as_array().into_iter().flatten() {
                let id: Vec<String> = entry["id"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(|part| Some(part.as_str()?.to_owned()))
                    .collect();
                let created = honest.on_table(&id, "/version/create", entry).await;
                if created.status() != StatusCode::OK {
                    return created;
                }
                versions.push(json_of(created).await["version"].take());
            }
            ok(&json!({ "versions": versions }))
        })
    },
};

const EVERY_BATCH_IS_INVALID: Mutant = Mutant {
    name: "every-batch-is-invalid",
    does: "Every batch is refused as invalid: the operation is there, and of no use.",
    scenarios: &["atomicity/batch-creates-every-entry"],
    breaks: &["BAT-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            if received.uri.path() != "/v1/table/version/batch-create" {
                return honest.answer(received).await;
            }
            let body = json!({ "code": 13, "error": "no batch is good enough" });
            (StatusCode::BAD_REQUEST, ok(&body)).into_response()
        })
    },
};
