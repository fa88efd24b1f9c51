//! Services of two nodes over one catalog that do not hear of each other in time.
//!
//! Each node has its own layer, with a state of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Bytes, to_bytes};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;

use crate::interpose::{Honest, Received, interpose, ok};

/// A service of two nodes that is broken in one way.
#[derive(Clone, Copy)]
pub struct TwoNodes {
    /// What the service does, in kebab case.
    pub name: &'static str,
    /// What the service does, in one sentence.
    pub does: &'static str,
    /// The scenarios that are played against it, as patterns.
    pub scenarios: &'static [&'static str],
    /// The requirements that the suite must report as broken.
    pub breaks: &'static [&'static str],
    /// The requirements that it must warn of.
    pub warns: &'static [&'static str],
    /// Puts the fault before each node.
    pub wrap: fn(Router) -> Router,
}

impl std::fmt::Debug for TwoNodes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TwoNodes")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Every service of two nodes.
pub const MUTANTS: &[TwoNodes] = &[
    TwoNodes {
        name: "nodes-with-caches-of-their-own",
        does: "Each node keeps answers about versions for two seconds, unless it writes itself.",
        scenarios: &["replicas/*"],
        breaks: &[],
        warns: &["VER-1", "ORD-7"],
        wrap: |honest| cached(honest, Duration::from_secs(2)),
    },
    TwoNodes {
        name: "node-that-never-looks-again",
        does: "Each node keeps answers about versions for good, unless it writes itself.",
        scenarios: &["replicas/created-version-is-found-at-another"],
        breaks: &[],
        warns: &["VER-1"],
        wrap: |honest| cached(honest, Duration::MAX),
    },
    TwoNodes {
        name: "put-if-not-exists-of-each-node",
        does: "A node refuses a version only if it has created it itself, and else replaces it.",
        scenarios: &["replicas/*"],
        breaks: &["VER-2", "VER-3", "VER-4"],
        warns: &[],
        wrap: replaces_what_others_created,
    },
    TwoNodes {
        name: "names-of-each-node",
        does: "A node refuses a declare only if it has declared the table itself.",
        scenarios: &["replicas/*"],
        breaks: &["TBL-7"],
        warns: &[],
        wrap: declares_what_others_declared,
    },
];

/// Answers that a node has given, each with its time.
type Cache = Arc<Mutex<BTreeMap<(String, Bytes), (Instant, StatusCode, Bytes)>>>;

fn cached(honest: Router, kept: Duration) -> Router {
    let cache = Cache::default();
    interpose(honest, move |honest, received| {
        let cache = Arc::clone(&cache);
        async move { from_cache(&cache, kept, honest, received).await }
    })
}

async fn from_cache(cache: &Cache, kept: Duration, honest: Honest, received: Received) -> Response {
    let path = received.uri.path();
    let reads = ["/version/describe", "/version/list"];
    if !reads.iter().any(|read| path.ends_with(read)) {
        let writes = path.contains("/version/");
        let answer = honest.answer(received).await;
        if writes {
            lock(cache).clear();
        }
        return answer;
    }
    let key = (received.uri.to_string(), received.body.clone());
    let known = lock(cache).get(&key).cloned();
    if let Some((since, status, body)) = known
        && since.elapsed() < kept
    {
        return as_json(status, body);
    }
    let answer = honest.answer(received).await;
    let status = answer.status();
    let body = to_bytes(answer.into_body(), usize::MAX)
        .await
        .unwrap_or_default();
    lock(cache).insert(key, (Instant::now(), status, body.clone()));
    as_json(status, body)
}

fn as_json(status: StatusCode, body: Bytes) -> Response {
    let body = serde_json::from_slice(&body).unwrap_or_default();
    let mut response = ok(&body);
    *response.status_mut() = status;
    response
}

/// What a node has made itself.
type Own = Arc<Mutex<BTreeSet<(Vec<String>, i64)>>>;

fn replaces_what_others_created(honest: Router) -> Router {
    let own = Own::default();
    interpose(honest, move |honest, received| {
        let own = Arc::clone(&own);
        async move {
            let Some(table) = received.table("/version/create") else {
                return honest.answer(received).await;
            };
            let body = received.json();
            let version = body["version"].as_i64().unwrap_or_default();
            let others = lock(&own).insert((table.clone(), version));
            let answer = honest.answer(received).await;
            if answer.status() != StatusCode::CONFLICT || !others {
                return answer;
            }
            let range = json!({ "start_version": version, "end_version": version + 1 });
            let delete = json!({ "ranges": [range] });
            honest.on_table(&table, "/version/delete", &delete).await;
            honest.on_table(&table, "/version/create", &body).await
        }
    })
}

fn declares_what_others_declared(honest: Router) -> Router {
    let own = Own::default();
    interpose(honest, move |honest, received| {
        let own = Arc::clone(&own);
        async move {
            let Some(table) = received.table("/declare") else {
                return honest.answer(received).await;
            };
            let others = lock(&own).insert((table.clone(), 0));
            let answer = honest.answer(received).await;
            if answer.status() != StatusCode::CONFLICT || !others {
                return answer;
            }
            ok(&json!({ "location": "memory://of-another-node" }))
        }
    })
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
