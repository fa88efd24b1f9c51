//! Indexes: they are listed, and change no answer.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::snapshot::Index;
use super::tables::{Tables, branch_of};
use super::{Answered, Problem, text};
use crate::interpose::{Honest, ok};

fn no_index(name: &str) -> Problem {
    Problem(StatusCode::NOT_FOUND, 6, format!("no index {name}"))
}

pub(super) async fn create(
    tables: &mut Tables,
    honest: &Honest,
    id: &[String],
    body: &Value,
) -> Answered {
    let branch = branch_of(body);
    let mut snapshot = tables.at(id, &branch, None)?.clone();
    let column = text(body, "column")?;
    snapshot.column(column)?;
    let kind = text(body, "index_type")?;
    let name = match body["name"].as_str() {
        Some(name) => name.to_owned(),
        None => format!("{column}_idx"),
    };
    if snapshot.indexes.contains_key(&name) {
        let words = format!("there is an index {name}");
        return Err(Problem(StatusCode::CONFLICT, 7, words));
    }
    let index = Index {
        column: column.to_owned(),
        kind: kind.to_owned(),
        rows: snapshot.rows.len(),
    };
    snapshot.indexes.insert(name, index);
    tables.commit(honest, id, &branch, snapshot).await?;
    Ok(ok(&json!({ "transaction_id": "indexed" })))
}

pub(super) fn list(tables: &Tables, id: &[String], body: &Value) -> Answered {
    let snapshot = tables.at(id, &branch_of(body), body["version"].as_i64())?;
    let indexes: Vec<Value> = snapshot
        .indexes
        .iter()
        .map(|(name, index)| {
            json!({
                "index_name": name,
                "index_uuid": format!("{name}-{}", index.column),
                "columns": [index.column],
                "status": "SUCCEEDED",
                "index_type": index.kind,
            })
        })
        .collect();
    Ok(ok(&json!({ "indexes": indexes })))
}

pub(super) fn stats(tables: &Tables, id: &[String], body: &Value, name: &str) -> Answered {
    let snapshot = tables.at(id, &branch_of(body), body["version"].as_i64())?;
    let index = snapshot.indexes.get(name).ok_or_else(|| no_index(name))?;
    let indexed = index.rows.min(snapshot.rows.len());
    Ok(ok(&json!({
        "index_type": index.kind,
        "num_indexed_rows": indexed,
        "num_unindexed_rows": snapshot.rows.len() - indexed,
    })))
}

pub(super) async fn drop_one(
    tables: &mut Tables,
    honest: &Honest,
    id: &[String],
    name: &str,
) -> Answered {
    let mut snapshot = tables.at(id, "", None)?.clone();
    if snapshot.indexes.remove(name).is_none() {
        return Err(no_index(name));
    }
    tables.commit(honest, id, "", snapshot).await?;
    Ok(ok(&json!({ "transaction_id": "dropped" })))
}
