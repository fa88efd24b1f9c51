//! Operations that write.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use lance_namespace_suite::rows::Frame;
use serde_json::{Value, json};

use super::expression::{Expression, Filter};
use super::snapshot::Snapshot;
use super::tables::{Tables, branch_of};
use super::{Answered, Problem, text};
use crate::interpose::{Honest, Received, json_of, ok};

/// The rows that a request carries.
pub(super) fn frame(received: &Received) -> Result<Frame, Problem> {
    Frame::read(&received.body).map_err(|error| Problem::invalid(error.to_string()))
}

/// A mode's name, without regard to its spelling.
fn mode(received: &Received) -> String {
    let mode = received.query("mode").unwrap_or_default();
    mode.replace('_', "").to_lowercase()
}

pub(super) async fn create(
    tables: &mut Tables,
    honest: &Honest,
    received: &Received,
    id: &[String],
) -> Answered {
    let snapshot = Snapshot::of(frame(received)?);
    match mode(received).as_str() {
        "" | "create" => {}
        "existok" if tables.has(id) => return Ok(ok(&json!({}))),
        "existok" => {}
        "overwrite" => tables.remove(id),
        other => return Err(Problem::invalid(format!("{other} is no mode"))),
    }
    let version = tables.make(honest, id, snapshot).await?;
    let described = honest.on_table(id, "/describe", &json!({})).await;
    let location = json_of(described).await["location"].take();
    Ok(ok(&json!({ "version": version, "location": location })))
}

/// Makes a table that is only declared of its first rows; none if it has rows.
pub(super) async fn first_rows(
    tables: &mut Tables,
    honest: &Honest,
    id: &[String],
    branch: &str,
    rows: &Frame,
) -> Result<Option<i64>, Problem> {
    if tables.has(id) || !branch.is_empty() {
        return Ok(None);
    }
    let described = honest.on_table(id, "/describe", &json!({})).await;
    if described.status() != StatusCode::OK {
        return Err(Problem::no_table());
    }
    let version = tables.make(honest, id, Snapshot::of(rows.clone())).await?;
    Ok(Some(version))
}

pub(super) async fn insert(
    tables: &mut Tables,
    honest: &Honest,
    received: &Received,
    id: &[String],
) -> Answered {
    let rows = frame(received)?;
    let branch = received.query("branch").unwrap_or_default();
    let count = rows.rows.len();
    let version = match first_rows(tables, honest, id, &branch, &rows).await? {
        Some(version) => version,
        None => {
            let mut snapshot = tables.at(id, &branch, None)?.clone();
            let rows = snapshot.fit(rows)?;
            match mode(received).as_str() {
                "" | "append" => {}
                "overwrite" => snapshot.rows.clear(),
                other => return Err(Problem::invalid(format!("{other} is no mode"))),
            }
            snapshot.append(rows);
            tables.commit(honest, id, &branch, snapshot).await?
        }
    };
    Ok(ok(
        &json!({ "num_inserted_rows": count, "version": version }),
    ))
}

pub(super) async fn update(
    tables: &mut Tables,
    honest: &Honest,
    id: &[String],
    body: &Value,
) -> Answered {
    let branch = branch_of(body);
    let mut snapshot = tables.at(id, &branch, None)?.clone();
    let filter = Filter::read(&snapshot, body["predicate"].as_str())?;
    let pairs = body["updates"]
        .as_array()
        .filter(|updates| !updates.is_empty())
        .ok_or_else(|| Problem::invalid("updates is missing"))?;
    let mut updates = Vec::new();
    for pair in pairs {
        let (Some(path), Some(sql)) = (pair[0].as_str(), pair[1].as_str()) else {
            return Err(Problem::invalid("an update is no pair of texts"));
        };
        updates.push((snapshot.column(path)?, Expression::read(&snapshot, sql)?));
    }
    let mut count = 0;
    for row in snapshot.rows.iter_mut().filter(|row| filter.matches(row)) {
        let before = row.clone();
        for (column, expression) in &updates {
            row.values[*column] = expression.value(&before);
        }
        count += 1;
    }
    let version = tables.commit(honest, id, &branch, snapshot).await?;
    Ok(ok(&json!({ "updated_rows": count, "version": version })))
}

pub(super) async fn delete(
    tables: &mut Tables,
    honest: &Honest,
    id: &[String],
    body: &Value,
) -> Answered {
    let branch = branch_of(body);
    let mut snapshot = tables.at(id, &branch, None)?.clone();
    let filter = Filter::read(&snapshot, Some(text(body, "predicate")?))?;
    snapshot.rows.retain(|row| !filter.matches(row));
    let version = tables.commit(honest, id, &branch, snapshot).await?;
    Ok(ok(&json!({ "version": version })))
}

pub(super) async fn restore(
    tables: &mut Tables,
    honest: &Honest,
    id: &[String],
    body: &Value,
) -> Answered {
    let branch = branch_of(body);
    let version = body["version"]
        .as_i64()
        .ok_or_else(|| Problem::invalid("version is missing"))?;
    let snapshot = tables.at(id, &branch, Some(version))?.clone();
    tables.commit(honest, id, &branch, snapshot).await?;
    Ok(ok(&json!({ "transaction_id": "restored" })))
}

pub(super) async fn add_columns(
    tables: &mut Tables,
    honest: &Honest,
    id: &[String],
    body: &Value,
) -> Answered {
    let branch = branch_of(body);
    let mut snapshot = tables.at(id, &branch, None)?.clone();
    for entry in entries(body, "new_columns")? {
        let name = text(entry, "name")?;
        if snapshot.column(name).is_ok() {
            return Err(Problem::invalid(format!("there is a column {name}")));
        }
        let sql = text(entry, "expression").or_else(|_| text(entry, "computed"))?;
        let expression = Expression::read(&snapshot, sql)?;
        let kind = match &expression {
            Expression::Literal(Value::String(_)) => arrow_schema::DataType::Utf8,
            Expression::Column(column) => snapshot.columns[*column].1.clone(),
            _ => arrow_schema::DataType::Int64,
        };
        // A computed column is filled by a backfill.
        let later = entry["computed"].is_string();
        for row in &mut snapshot.rows {
            let value = if later {
                Value::Null
            } else {
                expression.value(row)
            };
            row.values.push(value);
        }
        if later {
            snapshot.computed.insert(name.to_owned(), sql.to_owned());
        }
        snapshot.columns.push((name.to_owned(), kind));
    }
    let version = tables.commit(honest, id, &branch, snapshot).await?;
    Ok(ok(&json!({ "version": version })))
}

pub(super) async fn alter_columns(
    tables: &mut Tables,
    honest: &Honest,
    id: &[String],
    body: &Value,
) -> Answered {
    let branch = branch_of(body);
    let mut snapshot = tables.at(id, &branch, None)?.clone();
    for entry in entries(body, "alterations")? {
        let column = snapshot.column(text(entry, "path")?)?;
        if let Some(name) = entry["rename"].as_str() {
            if snapshot.column(name).is_ok() {
                return Err(Problem::invalid(format!("there is a column {name}")));
            }
            name.clone_into(&mut snapshot.columns[column].0);
        }
    }
    let version = tables.commit(honest, id, &branch, snapshot).await?;
    Ok(ok(&json!({ "version": version })))
}

pub(super) async fn drop_columns(
    tables: &mut Tables,
    honest: &Honest,
    id: &[String],
    body: &Value,
) -> Answered {
    let branch = branch_of(body);
    let mut snapshot = tables.at(id, &branch, None)?.clone();
    for name in entries(body, "columns")? {
        let column = snapshot.column(name.as_str().unwrap_or_default())?;
        snapshot.columns.remove(column);
        for row in &mut snapshot.rows {
            row.values.remove(column);
        }
    }
    let version = tables.commit(honest, id, &branch, snapshot).await?;
    Ok(ok(&json!({ "version": version })))
}

/// The job is done before its id is answered.
pub(super) async fn backfill(
    tables: &mut Tables,
    honest: &Honest,
    id: &[String],
    body: &Value,
) -> Answered {
    let branch = branch_of(body);
    let mut snapshot = tables.at(id, &branch, None)?.clone();
    let name = text(body, "column")?;
    let column = snapshot.column(name)?;
    let Some(sql) = snapshot.computed.get(name) else {
        return Err(Problem::invalid(format!("{name} is no computed column")));
    };
    let expression = Expression::read(&snapshot, sql)?;
    for row in &mut snapshot.rows {
        row.values[column] = expression.value(row);
    }
    let version = tables.commit(honest, id, &branch, snapshot).await?;
    Ok(accepted(
        &json!({ "job_id": format!("backfill-{version}") }),
    ))
}

fn accepted(body: &Value) -> Response {
    (StatusCode::ACCEPTED, ok(body)).into_response()
}

pub(super) async fn schema_metadata(
    tables: &mut Tables,
    honest: &Honest,
    id: &[String],
    branch: &str,
    body: Value,
) -> Answered {
    let mut snapshot = tables.at(id, branch, None)?.clone();
    snapshot.metadata = serde_json::from_value(body)
        .map_err(|error| Problem::invalid(format!("no map of texts: {error}")))?;
    let metadata = json!(snapshot.metadata);
    tables.commit(honest, id, branch, snapshot).await?;
    Ok(ok(&metadata))
}

pub(super) async fn field_metadata(
    tables: &mut Tables,
    honest: &Honest,
    id: &[String],
    body: &Value,
) -> Answered {
    let branch = branch_of(body);
    let mut snapshot = tables.at(id, &branch, None)?.clone();
    let mut fields = json!({});
    for entry in entries(body, "updates")? {
        let path = text(entry, "path")?;
        snapshot.column(path)?;
        let metadata = snapshot.field_metadata.entry(path.to_owned()).or_default();
        if entry["replace"] == true {
            metadata.clear();
        }
        for (key, value) in entry["metadata"].as_object().into_iter().flatten() {
            match value.as_str() {
                Some(value) => metadata.insert(key.clone(), value.to_owned()),
                None => metadata.remove(key),
            };
        }
        fields[path] = json!(metadata);
    }
    let version = tables.commit(honest, id, &branch, snapshot).await?;
    Ok(ok(&json!({ "version": version, "fields": fields })))
}

fn entries<'a>(body: &'a Value, field: &str) -> Result<&'a Vec<Value>, Problem> {
    body[field]
        .as_array()
        .ok_or_else(|| Problem::invalid(format!("{field} is no list")))
}
