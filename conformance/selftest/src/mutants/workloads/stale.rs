//! Reads that are answered from a copy.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::StatusCode;
use serde_json::Value;

use crate::interpose::{interpose, json_of, ok};
use crate::mutant::Mutant;

/// For how many reads a copy is used.
const READS: usize = 6;

/// Copies of answers, by what was asked.
#[derive(Clone, Default)]
struct Copies(Arc<Mutex<HashMap<String, (Value, usize)>>>);

impl Copies {
    /// A copy of the answer to this; none if it is not there or was used up.
    fn get(&self, asked: &str, reads: usize) -> Option<Value> {
        let mut copies = self.lock();
        let (copy, used) = copies.get_mut(asked)?;
        *used += 1;
        (*used <= reads).then(|| copy.clone())
    }

    fn put(&self, asked: String, copy: Value) {
        self.lock().insert(asked, (copy, 0));
    }

    fn forget(&self, asked: &str) {
        self.lock().remove(asked);
    }

    fn forget_all(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, (Value, usize)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) const FIRST_PAGE_IS_AN_OLD_COPY: Mutant = Mutant {
    name: "first-page-is-an-old-copy",
    does: "The first page of a list of versions is kept, for the next few readers.",
    scenarios: &["histories/readers-of-every-kind"],
    breaks: &["ORD-7"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let copies = Copies::default();
        interpose(honest, move |honest, received| {
            let copies = copies.clone();
            async move {
                let first = received.table("/version/list").is_some()
                    && received.query("limit").is_some()
                    && received.query("page_token").is_none();
                if !first {
                    return honest.answer(received).await;
                }
                let asked = received.uri.to_string();
                if let Some(copy) = copies.get(&asked, READS) {
                    return ok(&copy);
                }
                let answer = honest.answer(received).await;
                if answer.status() != StatusCode::OK {
                    return answer;
                }
                let page = json_of(answer).await;
                copies.put(asked, page.clone());
                ok(&page)
            }
        })
    },
};

pub(super) const BATCHES_LEAVE_THE_CACHE_AS_IT_IS: Mutant = Mutant {
    name: "batches-leave-the-cache-as-it-is",
    does: "The latest version of each table is kept, and forgotten when anything but a batch or a \
           commit changes the table.",
    scenarios: &["histories/everything-at-once"],
    breaks: &["ORD-7"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let copies = Copies::default();
        interpose(honest, move |honest, received| {
            let copies = copies.clone();
            async move {
                let described = received.table("/version/describe");
                let latest = described.filter(|_| received.json()["version"].is_null());
                let Some(table) = latest.map(|table| table.join("$")) else {
                    let changed = ["/version/create", "/version/delete"];
                    let changed = changed.iter().find_map(|suffix| received.table(suffix));
                    let removed = ["/deregister", "/drop", "/declare"];
                    let removed = removed
                        .iter()
                        .any(|suffix| received.table(suffix).is_some());
                    let answer = honest.answer(received).await;
                    if let Some(table) = changed {
                        copies.forget(&table.join("$"));
                    } else if removed {
                        copies.forget_all();
                    }
                    return answer;
                };
                if let Some(copy) = copies.get(&table, usize::MAX) {
                    return ok(&copy);
                }
                let answer = honest.answer(received).await;
                if answer.status() != StatusCode::OK {
                    return answer;
                }
                let latest = json_of(answer).await;
                copies.put(table, latest.clone());
                ok(&latest)
            }
        })
    },
};
