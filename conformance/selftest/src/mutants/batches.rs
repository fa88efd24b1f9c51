//! Faults of batches.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::interpose::{interpose, json_of, ok};
use crate::mutant::Mutant;

/// A batch is one create after the other, and stops at the first that fails.
pub(super) const BATCH_WITHOUT_A_TRANSACTION: Mutant = Mutant {
    name: "batch-without-a-transaction",
    scenarios: "atomicity/*",
    breaks: &[
        "BAT-1", "BAT-2", "BAT-3", "BAT-4", "BAT-6", "BAT-7", "BAT-8",
    ],
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
