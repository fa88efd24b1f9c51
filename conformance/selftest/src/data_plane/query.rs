//! Operations that read rows.

use arrow_schema::DataType;
use axum::http::header;
use axum::response::IntoResponse;
use lance_namespace_suite::rows::{FILE, Frame};
use serde_json::{Value, json};

use super::expression::Filter;
use super::snapshot::{Snapshot, Stored};
use super::tables::{Tables, branch_of};
use super::{Answered, Problem};
use crate::interpose::ok;

pub(super) fn count(tables: &Tables, id: &[String], body: &Value) -> Answered {
    let snapshot = tables.at(id, &branch_of(body), body["version"].as_i64())?;
    let filter = Filter::read(snapshot, body["predicate"].as_str())?;
    let rows = snapshot.rows.iter().filter(|row| filter.matches(row));
    Ok(ok(&json!(rows.count())))
}

pub(super) fn query(tables: &Tables, id: &[String], body: &Value) -> Answered {
    let snapshot = tables.at(id, &branch_of(body), body["version"].as_i64())?;
    let frame = found(snapshot, body)?;
    let file = frame
        .file()
        .map_err(|error| Problem::invalid(error.to_string()))?;
    Ok(([(header::CONTENT_TYPE, FILE)], file).into_response())
}

pub(super) fn explain(tables: &Tables, id: &[String], body: &Value) -> Answered {
    let query = &body["query"];
    let snapshot = tables.at(id, &branch_of(body), query["version"].as_i64())?;
    let frame = found(snapshot, query)?;
    Ok(ok(&json!(format!(
        "look at {} rows, answer {}",
        snapshot.rows.len(),
        frame.rows.len()
    ))))
}

pub(super) fn stats(tables: &Tables, id: &[String], body: &Value) -> Answered {
    let snapshot = tables.at(id, &branch_of(body), None)?;
    let rows = snapshot.rows.len();
    let names = ["min", "max", "mean", "p25", "p50", "p75", "p99"];
    let lengths: Value = names
        .iter()
        .map(|name| ((*name).to_owned(), json!(rows)))
        .collect();
    Ok(ok(&json!({
        "total_bytes": rows * 32,
        "num_rows": rows,
        "num_indices": snapshot.indexes.len(),
        "fragment_stats": { "num_fragments": 1, "num_small_fragments": 1, "lengths": lengths },
    })))
}

/// The rows that a query asks for.
fn found(snapshot: &Snapshot, query: &Value) -> Result<Frame, Problem> {
    let k = query["k"]
        .as_u64()
        .ok_or_else(|| Problem::invalid("k is missing"))?;
    let filter = Filter::read(snapshot, query["filter"].as_str())?;
    let mut rows: Vec<(&Stored, Option<f64>)> =
        snapshot.rows.iter().map(|row| (row, None)).collect();
    let first = query["prefilter"] == true;
    if first {
        rows.retain(|(row, _)| filter.matches(row));
    }
    let (k, skip) = (
        usize::try_from(k).unwrap_or(usize::MAX),
        usize::try_from(query["offset"].as_u64().unwrap_or_default()).unwrap_or(usize::MAX),
    );
    if let Some(vector) = query["vector"]["single_vector"].as_array() {
        rank(snapshot, &mut rows, vector, query["vector_column"].as_str())?;
        if !first {
            rows.truncate(k.saturating_add(skip));
        }
    }
    rows.retain(|(row, _)| filter.matches(row));
    let rows: Vec<_> = rows.into_iter().skip(skip).take(k).collect();
    shown(snapshot, &rows, query)
}

/// Puts rows in the order of their distance from a vector.
fn rank(
    snapshot: &Snapshot,
    rows: &mut [(&Stored, Option<f64>)],
    vector: &[Value],
    column: Option<&str>,
) -> Result<(), Problem> {
    let column = snapshot.column(column.unwrap_or("vector"))?;
    let DataType::FixedSizeList(_, length) = snapshot.columns[column].1 else {
        return Err(Problem::invalid("the column holds no vectors"));
    };
    if usize::try_from(length) != Ok(vector.len()) {
        return Err(Problem::invalid(format!("vectors have {length} numbers")));
    }
    for (row, distance) in rows.iter_mut() {
        let items = row.values[column].as_array().into_iter().flatten();
        let squares = items.zip(vector).map(|(one, other)| {
            let apart = one.as_f64().unwrap_or_default() - other.as_f64().unwrap_or_default();
            apart * apart
        });
        *distance = Some(squares.sum());
    }
    rows.sort_by(|(_, one), (_, other)| {
        let order = one.partial_cmp(other);
        order.unwrap_or(std::cmp::Ordering::Equal)
    });
    Ok(())
}

/// The columns that a query asks for, of these rows.
fn shown(
    snapshot: &Snapshot,
    rows: &[(&Stored, Option<f64>)],
    query: &Value,
) -> Result<Frame, Problem> {
    let columns = &query["columns"];
    let mut chosen: Vec<(String, usize)> = Vec::new();
    if let Some(aliases) = columns["column_aliases"].as_object() {
        for (alias, path) in aliases {
            let path = path.as_str().unwrap_or_default();
            chosen.push((alias.clone(), snapshot.column(path)?));
        }
    } else if let Some(names) = columns["column_names"].as_array() {
        for name in names.iter().filter_map(Value::as_str) {
            chosen.push((name.to_owned(), snapshot.column(name)?));
        }
    } else {
        let all = snapshot.columns.iter().enumerate();
        chosen.extend(all.map(|(at, (name, _))| (name.clone(), at)));
    }
    let mut frame = Frame {
        columns: chosen
            .iter()
            .map(|(name, at)| (name.clone(), snapshot.columns[*at].1.clone()))
            .collect(),
        rows: rows
            .iter()
            .map(|(row, _)| {
                chosen
                    .iter()
                    .map(|(_, at)| row.values[*at].clone())
                    .collect()
            })
            .collect(),
    };
    if rows.iter().any(|(_, distance)| distance.is_some()) {
        let column = ("_distance".to_owned(), DataType::Float32);
        frame.columns.push(column);
        for (values, (_, distance)) in frame.rows.iter_mut().zip(rows) {
            values.push(json!(distance));
        }
    }
    if query["with_row_id"] == true {
        frame.columns.push(("_rowid".to_owned(), DataType::UInt64));
        for (values, (row, _)) in frame.rows.iter_mut().zip(rows) {
            values.push(json!(row.row_id));
        }
    }
    Ok(frame)
}
