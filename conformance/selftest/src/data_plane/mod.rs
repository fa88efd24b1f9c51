//! An honest data plane in memory, before the router of the reference server, which has none.
//!
//! Names, versions, branches and tags stay with the reference server. Here are the rows: each write
//! makes a snapshot of the table and a version of the same number there. Filters and expressions
//! are few: what the scenarios of the family `data` ask for.

mod body;
mod expression;
mod indexes;
mod merge;
mod query;
mod snapshot;
mod tables;
mod writes;

use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::data_plane::tables::Tables;
use crate::interpose::{Honest, Received, interpose, ok};

/// Why an operation is not carried out: status, code, and words.
#[derive(Debug)]
struct Problem(StatusCode, i64, String);

impl Problem {
    fn invalid(words: impl Into<String>) -> Self {
        Self(StatusCode::BAD_REQUEST, 13, words.into())
    }

    fn no_table() -> Self {
        Self(StatusCode::NOT_FOUND, 4, "no such table".to_owned())
    }

    fn no_column(name: &str) -> Self {
        Self(StatusCode::NOT_FOUND, 12, format!("no column {name}"))
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Self(status, code, words) = self;
        (status, ok(&json!({ "code": code, "error": words }))).into_response()
    }
}

/// The router with a data plane before it.
pub fn over(honest: Router) -> Router {
    let tables = Arc::new(Mutex::new(Tables::default()));
    interpose(honest, move |honest, received| {
        let tables = Arc::clone(&tables);
        async move {
            // One operation at a time: what is read is what was written.
            let mut tables = tables.lock().await;
            answer(&mut tables, honest, received).await
        }
    })
}

async fn answer(tables: &mut Tables, honest: Honest, received: Received) -> Response {
    let path = received.uri.path().to_owned();
    let answered = if let Some(rest) = path.strip_prefix("/v1/materialized_view/") {
        match rest.split_once('/') {
            Some((_, operation)) => {
                let route = format!("/{operation}");
                match received.parts("/v1/materialized_view/", &route) {
                    Some(id) => match not_admitted(&honest, &received).await {
                        Some(refused) => return refused,
                        None => views(tables, &honest, &received, &id, operation).await,
                    },
                    None => return honest.answer(received).await,
                }
            }
            None => return honest.answer(received).await,
        }
    } else {
        match on_a_table(tables, &honest, &received).await {
            Some(answered) => answered,
            None => return tables.pass(honest, received).await,
        }
    };
    answered.unwrap_or_else(IntoResponse::into_response)
}

type Answered = Result<Response, Problem>;

/// The answer to an operation on rows; none if it is no such operation.
async fn on_a_table(tables: &mut Tables, honest: &Honest, received: &Received) -> Option<Answered> {
    let path = received.uri.path().strip_prefix("/v1/table/")?;
    let (_, operation) = path.split_once('/')?;
    let id = received.table(&format!("/{operation}"))?;
    if !is_ours(operation) {
        return None;
    }
    if let Some(refused) = not_admitted(honest, received).await {
        return Some(Ok(refused));
    }
    if let Err(problem) = body::check(operation, received) {
        return Some(Err(problem));
    }
    let body = received.json();
    let named = body.get("id").filter(|named| !named.is_null());
    if operation != "schema_metadata/update" && named.is_some_and(|named| *named != json!(id)) {
        let words = "the id in the body is not the route's";
        return Some(Err(Problem::invalid(words)));
    }
    Some(match operation {
        "create" => writes::create(tables, honest, received, &id).await,
        "insert" => writes::insert(tables, honest, received, &id).await,
        "merge_insert" => merge::merge(tables, honest, received, &id).await,
        "update" => writes::update(tables, honest, &id, &body).await,
        "delete" => writes::delete(tables, honest, &id, &body).await,
        "restore" => writes::restore(tables, honest, &id, &body).await,
        "add_columns" => writes::add_columns(tables, honest, &id, &body).await,
        "alter_columns" => writes::alter_columns(tables, honest, &id, &body).await,
        "drop_columns" => writes::drop_columns(tables, honest, &id, &body).await,
        "backfill_column" => writes::backfill(tables, honest, &id, &body).await,
        "schema_metadata/update" => {
            let branch = received.query("branch").unwrap_or_default();
            writes::schema_metadata(tables, honest, &id, &branch, body).await
        }
        "update_field_metadata" => writes::field_metadata(tables, honest, &id, &body).await,
        "count_rows" => query::count(tables, &id, &body),
        "query" => query::query(tables, &id, &body),
        "explain_plan" => query::explain(tables, &id, &body),
        "analyze_plan" => query::query(tables, &id, &body).map(|_| ok(&json!("a search: 1 ms"))),
        "stats" => query::stats(tables, &id, &body),
        "create_index" | "create_scalar_index" => indexes::create(tables, honest, &id, &body).await,
        "index/list" => indexes::list(tables, &id, &body),
        _ => {
            let (name, what) = operation.strip_prefix("index/")?.rsplit_once('/')?;
            match what {
                "stats" => indexes::stats(tables, &id, &body, name),
                "drop" => indexes::drop_one(tables, honest, &id, name).await,
                _ => return None,
            }
        }
    })
}

/// What the reference server answers to who may ask it for nothing.
async fn not_admitted(honest: &Honest, received: &Received) -> Option<Response> {
    let answer = honest.answer(received.clone()).await;
    let refused = [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN];
    refused.contains(&answer.status()).then_some(answer)
}

fn is_ours(operation: &str) -> bool {
    matches!(
        operation,
        "create"
            | "insert"
            | "merge_insert"
            | "update"
            | "delete"
            | "restore"
            | "add_columns"
            | "alter_columns"
            | "drop_columns"
            | "backfill_column"
            | "schema_metadata/update"
            | "update_field_metadata"
            | "count_rows"
            | "query"
            | "explain_plan"
            | "analyze_plan"
            | "stats"
            | "create_index"
            | "create_scalar_index"
    ) || operation.starts_with("index/")
}

/// Views are tables without rows, with a mark.
async fn views(
    tables: &mut Tables,
    honest: &Honest,
    received: &Received,
    id: &[String],
    operation: &str,
) -> Answered {
    match operation {
        "create" => {
            let body = received.json();
            if ["kind", "source_query", "output_schema"]
                .iter()
                .any(|field| !body[*field].is_string())
            {
                return Err(Problem::invalid("a view lacks a field"));
            }
            tables
                .make(honest, id, snapshot::Snapshot::default())
                .await?;
            tables.views.insert(id.to_vec());
            Ok((StatusCode::CREATED, ok(&json!({ "version": 1 }))).into_response())
        }
        "refresh" if tables.views.contains(id) => {
            let body = json!({ "job_id": format!("refresh-{}", id.join("-")) });
            Ok((StatusCode::ACCEPTED, ok(&body)).into_response())
        }
        _ => Err(Problem::no_table()),
    }
}

/// The text in a field of a body.
fn text<'a>(body: &'a Value, field: &str) -> Result<&'a str, Problem> {
    body[field]
        .as_str()
        .ok_or_else(|| Problem::invalid(format!("{field} is no text")))
}
