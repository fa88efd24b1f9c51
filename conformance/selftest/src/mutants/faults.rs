//! Faults that show when a connection breaks: axum drops what works for a client that is gone.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use serde_json::{Value, json};
use tokio::time::sleep;
use tower::ServiceExt;

use crate::interpose::{Honest, Received, interpose, json_of, ok};
use crate::mutant::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    BATCH_STOPS_WHEN_THE_CLIENT_IS_GONE,
    BATCH_OF_WHAT_HAS_COME,
    REFUSED_BATCH_IS_TAKEN_BACK,
    REPEATED_BATCH_REPLACES,
    UNANSWERED_CREATE_IS_A_DRAFT,
    UNANSWERED_CREATE_IS_REAPED,
    CREATE_OF_A_GONE_CLIENT_COMES_LATE,
    COMMIT_STOPS_WHEN_THE_CLIENT_IS_GONE,
    REFUSED_COMMIT_IS_TAKEN_BACK,
    REPEATED_COMMIT_REPLACES,
    UNFINISHED_DECLARE_IS_LISTED,
    DECLARE_AGAIN_IS_A_SUCCESS,
    UNFINISHED_DEREGISTER_IS_LISTED,
    UNFINISHED_DELETE_IS_LISTED,
];

const BATCH: &str = "/v1/table/version/batch-create";
const COMMIT: &str = "/v1/table/batch-commit";

/// How long a server needs for a step, so that a connection breaks in the middle.
const STEP: Duration = Duration::from_millis(2);

/// Names that listings show besides what is there.
type Ghosts = Arc<Mutex<BTreeSet<Vec<String>>>>;

/// Does this when the work for a client is dropped before its end, since the client is gone.
struct IfGone<F: FnOnce()>(Option<F>);

impl<F: FnOnce()> IfGone<F> {
    fn then(work: F) -> Self {
        Self(Some(work))
    }

    /// The work has come to its end.
    fn done(mut self) {
        self.0 = None;
    }
}

impl<F: FnOnce()> Drop for IfGone<F> {
    fn drop(&mut self) {
        if let Some(work) = self.0.take() {
            work();
        }
    }
}

fn insert(ghosts: &Ghosts, id: Vec<String>) {
    ghosts
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(id);
}

fn contains(ghosts: &Ghosts, id: &[String]) -> bool {
    ghosts
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .contains(id)
}

fn id_of(entry: &Value) -> Vec<String> {
    let parts = entry["id"].as_array().into_iter().flatten();
    parts
        .filter_map(|part| Some(part.as_str()?.to_owned()))
        .collect()
}

async fn delete(honest: &Honest, id: &[String], version: &Value) {
    let end = version.as_i64().unwrap_or_default() + 1;
    let ranges = json!({ "ranges": [{ "start_version": version, "end_version": end }] });
    honest.on_table(id, "/version/delete", &ranges).await;
}

/// Deletes the version of an entry, if it is there, and creates it.
async fn replace(honest: &Honest, id: &[String], entry: &Value) -> Response {
    delete(honest, id, &entry["version"]).await;
    honest.on_table(id, "/version/create", entry).await
}

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

const UNANSWERED_CREATE_IS_A_DRAFT: Mutant = Mutant {
    name: "unanswered-create-is-a-draft",
    does: "A version whose client hung up before the answer is replaced by the next create of it.",
    scenarios: &["faults/create-again-after-a-lost-answer"],
    breaks: &["VER-1", "VER-2"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let drafts = Ghosts::default();
        interpose(honest, move |honest, received| {
            let drafts = Arc::clone(&drafts);
            async move {
                let Some(id) = received.table("/version/create") else {
                    return honest.answer(received).await;
                };
                if contains(&drafts, &id) {
                    return replace(&honest, &id, &received.json()).await;
                }
                let answer = honest.answer(received).await;
                let unanswered = IfGone::then(|| insert(&drafts, id));
                sleep(2 * STEP).await;
                unanswered.done();
                answer
            }
        })
    },
};

const UNANSWERED_CREATE_IS_REAPED: Mutant = Mutant {
    name: "unanswered-create-is-reaped",
    does: "A version whose client hung up before the answer is there for a while, and then removed.",
    scenarios: &[
        "faults/create-again-after-a-lost-answer",
        "faults/creates-over-connections-that-break",
    ],
    breaks: &["ORD-7"],
    may_break: &["ORD-6"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(id) = received.table("/version/create") else {
                return honest.answer(received).await;
            };
            let version = received.json()["version"].clone();
            let answer = honest.answer(received).await;
            let reaper = IfGone::then(|| {
                tokio::spawn(async move {
                    sleep(20 * STEP).await;
                    delete(&honest, &id, &version).await;
                });
            });
            sleep(2 * STEP).await;
            reaper.done();
            answer
        })
    },
};

const CREATE_OF_A_GONE_CLIENT_COMES_LATE: Mutant = Mutant {
    name: "create-of-a-gone-client-comes-late",
    does: "The create of a client that hung up is queued, and done later whatever is there by then.",
    scenarios: &["faults/create-after-a-client-that-is-gone"],
    breaks: &["VER-4"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(id) = received.table("/version/create") else {
                return honest.answer(received).await;
            };
            let body = received.json();
            let queued = IfGone::then(|| {
                let honest = honest.clone();
                tokio::spawn(async move {
                    sleep(20 * STEP).await;
                    replace(&honest, &id, &body).await;
                });
            });
            sleep(STEP).await;
            let answer = honest.answer(received).await;
            queued.done();
            answer
        })
    },
};

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
    received.named("/v1/namespace/", "/table/list")
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

const UNFINISHED_DELETE_IS_LISTED: Mutant = Mutant {
    name: "unfinished-delete-is-listed",
    does: "Versions whose client hangs up while they are deleted are gone, and are listed still.",
    scenarios: &["faults/delete-with-a-lost-answer"],
    breaks: &["VER-13"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let stale = Ghosts::default();
        interpose(honest, move |honest, received| {
            let stale = Arc::clone(&stale);
            async move {
                if let Some(id) = received.table("/version/list") {
                    let answer = honest.answer(received).await;
                    if !contains(&stale, &id) {
                        return answer;
                    }
                    let mut body = json_of(answer).await;
                    if let Some(versions) = body["versions"].as_array_mut() {
                        let mut gone = versions.first().cloned().unwrap_or_default();
                        gone["version"] = json!(1);
                        versions.insert(0, gone);
                    }
                    return ok(&body);
                }
                let Some(id) = received.table("/version/delete") else {
                    return honest.answer(received).await;
                };
                let answer = honest.answer(received).await;
                let unfinished = IfGone::then(|| insert(&stale, id));
                sleep(2 * STEP).await;
                unfinished.done();
                answer
            }
        })
    },
};
