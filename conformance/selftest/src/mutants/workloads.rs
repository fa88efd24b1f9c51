//! Faults that show only where many clients do many things at once, or once in a long while.

mod racing;
mod rare;
mod stale;

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::interpose::{Honest, json_of};
use crate::mutant::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    racing::NAMESPACE_IS_DROPPED_LATER,
    racing::BATCH_LOCKS_TABLE_BY_TABLE,
    racing::BATCH_LEAVES_OUT_TABLES_THAT_ARE_GONE,
    racing::SLOW_CREATE_WRITES_OVER_A_QUICK_ONE,
    racing::DELETE_WRITES_BACK_WHAT_IT_READ,
    racing::DROP_TAKES_VERSIONS_BY_PREFIX,
    rare::CREATE_IS_NOT_STORED,
    rare::BATCH_LEAVES_OUT_ITS_LAST_ENTRY,
    rare::LATEST_IS_THE_VERSION_BELOW,
    stale::FIRST_PAGE_IS_AN_OLD_COPY,
    stale::BATCHES_LEAVE_THE_CACHE_AS_IT_IS,
];

/// As long as it takes another request to come in between.
async fn a_moment() {
    sleep(Duration::from_millis(5)).await;
}

/// The parts of an identifier.
fn parts(id: &Value) -> Vec<String> {
    let parts = id.as_array().into_iter().flatten();
    parts
        .filter_map(|part| Some(part.as_str()?.to_owned()))
        .collect()
}

/// The numbers of a table's versions.
async fn numbers(honest: &Honest, table: &[String]) -> Vec<i64> {
    let listed = honest.on_table(table, "/version/list", &json!({})).await;
    let body = json_of(listed).await;
    let versions = body["versions"].as_array().into_iter().flatten();
    versions
        .filter_map(|entry| entry["version"].as_i64())
        .collect()
}

/// The entry of a version; none if it is not there.
async fn entry(honest: &Honest, table: &[String], version: i64) -> Option<Value> {
    let body = json!({ "version": version });
    let described = honest.on_table(table, "/version/describe", &body).await;
    match json_of(described).await["version"].take() {
        entry @ Value::Object(_) => Some(entry),
        _ => None,
    }
}

/// Deletes a version.
async fn delete(honest: &Honest, table: &[String], version: i64) {
    let range = json!({ "start_version": version, "end_version": version + 1 });
    let body = json!({ "ranges": [range] });
    honest.on_table(table, "/version/delete", &body).await;
}
