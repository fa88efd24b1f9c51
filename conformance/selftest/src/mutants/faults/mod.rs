//! Faults that show when a connection breaks: axum drops what works for a client that is gone.

mod batches;
mod commits;
mod tables;
mod versions;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::response::Response;
use serde_json::{Value, json};

use crate::interpose::Honest;
use crate::mutant::Mutant;

pub(super) const MUTANTS: &[&[Mutant]] = &[
    batches::MUTANTS,
    commits::MUTANTS,
    versions::MUTANTS,
    tables::MUTANTS,
];

/// How long a server needs for a step, so that a connection breaks in the middle.
const STEP: Duration = Duration::from_millis(10);

/// How much later a server does what it has put off.
const LATER: Duration = Duration::from_millis(40);

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
