//! Commits whose connection breaks.

use axum::http::StatusCode;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{STEP, id_of, replace};
use crate::interpose::{interpose, json_of, ok};
use crate::mutant::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    COMMIT_STOPS_WHEN_THE_CLIENT_IS_GONE,
    REFUSED_COMMIT_IS_TAKEN_BACK,
    REPEATED_COMMIT_REPLACES,
];

const COMMIT: &str = "/v1/table/batch-commit";

const COMMIT_STOPS_WHEN_THE_CLIENT_IS_GONE: Mutant = Mutant {
    name: "commit-stops-when-the-client-is-gone",
    does: "A commit is one operation after the other, and ends where the client hangs up.",
    scenarios: &["faults/broken-off-commit-is-whole-or-nothing"],
    breaks: &["COM-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            if received.uri.path() != COMMIT {
                return honest.answer(received).await;
            }
            let body = received.json();
            let mut results: Vec<Value> = Vec::new();
            for operation in body["operations"].as_array().into_iter().flatten() {
                let commit = json!({ "operations": [operation] });
                let done = honest.answer(received.with(&commit)).await;
                if done.status() != StatusCode::OK {
                    return done;
                }
                results.push(json_of(done).await["results"][0].take());
                sleep(STEP).await;
            }
            ok(&json!({ "results": results }))
        })
    },
};

const REFUSED_COMMIT_IS_TAKEN_BACK: Mutant = Mutant {
    name: "refused-commit-is-taken-back",
    does: "The tables of a commit are declared first; where the rest fails, they are deregistered, \
           unless the client is gone by then.",
    scenarios: &["faults/broken-off-refused-commit-is-never-seen"],
    breaks: &["COM-4"],
    may_break: &["COM-1"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            if received.uri.path() != COMMIT {
                return honest.answer(received).await;
            }
            let body = received.json();
            let operations = body["operations"].as_array().cloned().unwrap_or_default();
            let (declares, others): (Vec<Value>, Vec<Value>) = operations
                .into_iter()
                .partition(|operation| !operation["declare_table"].is_null());
            let mut declared = Vec::new();
            for operation in declares {
                let commit = json!({ "operations": [operation] });
                let done = honest.answer(received.with(&commit)).await;
                if done.status() == StatusCode::OK {
                    declared.push(id_of(&operation["declare_table"]));
                    sleep(STEP).await;
                    continue;
                }
                for id in declared {
                    let body = json!({ "id": id });
                    honest.on_table(&id, "/deregister", &body).await;
                }
                return done;
            }
            honest
                .answer(received.with(&json!({ "operations": others })))
                .await
        })
    },
};

const REPEATED_COMMIT_REPLACES: Mutant = Mutant {
    name: "repeated-commit-replaces",
    does: "A commit that conflicts is taken for a repetition, and its versions are created again.",
    scenarios: &["faults/commit-again-after-a-lost-answer"],
    breaks: &["COM-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            if received.uri.path() != COMMIT {
                return honest.answer(received).await;
            }
            let body = received.json();
            let answer = honest.answer(received).await;
            if answer.status() == StatusCode::OK {
                return answer;
            }
            for operation in body["operations"].as_array().into_iter().flatten() {
                let create = &operation["create_table_version"];
                if !create.is_null() {
                    replace(&honest, &id_of(create), create).await;
                }
            }
            answer
        })
    },
};
