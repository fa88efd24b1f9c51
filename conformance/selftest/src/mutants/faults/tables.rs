//! Declares and deregistrations whose connection breaks.

use std::sync::{Arc, PoisonError};

use axum::Router;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tokio::time::sleep;

use super::{Ghosts, IfGone, STEP, insert};
use crate::interpose::{Received, interpose, json_of, ok};
use crate::mutant::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    UNFINISHED_DECLARE_IS_LISTED,
    DECLARE_AGAIN_IS_A_SUCCESS,
    UNFINISHED_DEREGISTER_IS_LISTED,
];

/// A server whose listings of tables show what was left half done; `done` says whether the
/// operation itself is done before the client is found to be gone.
fn half_done_tables(honest: Router, suffix: &'static str, done: bool) -> Router {
    let ghosts = Ghosts::default();
    interpose(honest, move |honest, received| {
        let ghosts = Arc::clone(&ghosts);
        async move {
            if let Some(namespace) = namespace_listed(&received) {
                let answer = honest.answer(received).await;
                return with_ghosts(answer, &ghosts, &namespace).await;
            }
            let Some(id) = received.table(suffix) else {
                return honest.answer(received).await;
            };
            let unfinished = IfGone::then(|| insert(&ghosts, id));
            let answer = if done {
                let answer = honest.answer(received).await;
                sleep(2 * STEP).await;
                answer
            } else {
                sleep(2 * STEP).await;
                honest.answer(received).await
            };
            unfinished.done();
            answer
        }
    })
}

/// The namespace whose tables a request lists.
fn namespace_listed(received: &Received) -> Option<Vec<String>> {
    received.parts("/v1/namespace/", "/table/list")
}

async fn with_ghosts(answer: Response, ghosts: &Ghosts, namespace: &[String]) -> Response {
    let status = answer.status();
    let mut body = json_of(answer).await;
    let ghosts = ghosts.lock().unwrap_or_else(PoisonError::into_inner);
    let ghosts = ghosts
        .iter()
        .filter_map(|id| id.split_last())
        .filter(|(_, parent)| *parent == namespace)
        .map(|(name, _)| json!(name));
    if let Some(tables) = body["tables"].as_array_mut() {
        for ghost in ghosts {
            if !tables.contains(&ghost) {
                tables.push(ghost);
            }
        }
    }
    (status, ok(&body)).into_response()
}

const UNFINISHED_DECLARE_IS_LISTED: Mutant = Mutant {
    name: "unfinished-declare-is-listed",
    does: "A table whose client hangs up while it is declared is listed, and is not there.",
    scenarios: &["faults/declare-with-a-lost-answer"],
    breaks: &["TBL-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| half_done_tables(honest, "/declare", false),
};

const DECLARE_AGAIN_IS_A_SUCCESS: Mutant = Mutant {
    name: "declare-again-is-a-success",
    does: "A table that exists is declared again with a success, as if that were a repetition.",
    scenarios: &["faults/declare-with-a-lost-answer"],
    breaks: &["TBL-2"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(id) = received.table("/declare") else {
                return honest.answer(received).await;
            };
            let answer = honest.answer(received).await;
            if answer.status() != StatusCode::CONFLICT {
                return answer;
            }
            let described = honest
                .on_table(&id, "/describe", &json!({ "id": id }))
                .await;
            ok(&json!({ "location": json_of(described).await["location"] }))
        })
    },
};

const UNFINISHED_DEREGISTER_IS_LISTED: Mutant = Mutant {
    name: "unfinished-deregister-is-listed",
    does: "A table whose client hangs up while it is deregistered is gone, and is listed still.",
    scenarios: &["faults/deregister-with-a-lost-answer"],
    breaks: &["TBL-4"],
    may_break: &[],
    warns: &[],
    wrap: |honest| half_done_tables(honest, "/deregister", true),
};
