//! Faults of single versions.

use axum::http::StatusCode;
use serde_json::json;

use crate::interpose::interpose;
use crate::mutant::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[CREATE_OVERWRITES];

const CREATE_OVERWRITES: Mutant = Mutant {
    name: "create-overwrites",
    does: "A create of a version that exists replaces it, and succeeds.",
    scenarios: &["put-if-not-exists/*"],
    breaks: &["VER-1", "VER-12", "VER-2", "VER-3", "VER-4", "VER-7"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(table) = received.table("/version/create") else {
                return honest.answer(received).await;
            };
            let body = received.json();
            let answer = honest.answer(received).await;
            if answer.status() != StatusCode::CONFLICT {
                return answer;
            }
            let version = body["version"].as_i64().unwrap_or_default();
            let delete = json!({
                "branch": body["branch"],
                "ranges": [{ "start_version": version, "end_version": version + 1 }],
            });
            honest.on_table(&table, "/version/delete", &delete).await;
            honest.on_table(&table, "/version/create", &body).await
        })
    },
};
