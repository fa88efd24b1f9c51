//! Faults of creating tables.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::StatusCode;
use axum::response::IntoResponse;
use lance_namespace_suite::rows::Frame;
use serde_json::json;

use super::{edit, misanswer, misread, mutant};
use crate::data_plane;
use crate::interpose::{interpose, ok};
use crate::mutant::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    mutant(
        "create-keeps-the-first-ten-rows",
        "A create keeps the first ten rows of its stream and drops the others.",
        &["data/created-table-has-its-rows"],
        &["DATA-1", "DATA-5"],
        |honest| {
            misread(honest, "/create", |received| {
                edit::rows(received, |frame| frame.rows.truncate(10));
            })
        },
    ),
    mutant(
        "empty-stream-is-refused",
        "A create with a stream without rows is refused as invalid.",
        &["data/empty-stream-makes-an-empty-table"],
        &["DATA-1"],
        |honest| {
            interpose(data_plane::over(honest), async |honest, received| {
                let create = received.table("/create").is_some();
                let empty = Frame::read(&received.body).is_ok_and(|frame| frame.rows.is_empty());
                if !create || !empty {
                    return honest.answer(received).await;
                }
                let body = json!({ "code": 13, "error": "there are no rows" });
                (StatusCode::BAD_REQUEST, ok(&body)).into_response()
            })
        },
    ),
    mutant(
        "exist-ok-replaces-the-table",
        "A create in mode ExistOk puts its rows in place of the table's.",
        &["data/mode-decides-over-an-existing-table"],
        &["DATA-2"],
        |honest| {
            misread(honest, "/create", |received| {
                let mode = received.query("mode").unwrap_or_default();
                if mode.replace('_', "").eq_ignore_ascii_case("existok") {
                    edit::query(received, "mode", Some("overwrite"));
                }
            })
        },
    ),
    mutant(
        "mode-names-in-pascal-case-only",
        "A create reads the names of modes in PascalCase only.",
        &["data/mode-decides-over-an-existing-table"],
        &["DATA-2"],
        |honest| {
            interpose(data_plane::over(honest), async |honest, received| {
                let mode = received.query("mode").unwrap_or_default();
                let known = ["", "Create", "ExistOk", "Overwrite"].contains(&mode.as_str());
                if received.table("/create").is_none() || known {
                    return honest.answer(received).await;
                }
                let body = json!({ "code": 13, "error": "no such mode" });
                (StatusCode::BAD_REQUEST, ok(&body)).into_response()
            })
        },
    ),
    mutant(
        "declared-table-blocks-its-rows",
        "An insert into a table that is only declared is refused, since the table exists.",
        &["data/declared-table-takes-rows"],
        &["DATA-4"],
        |honest| {
            interpose(data_plane::over(honest), async |honest, received| {
                if let Some(id) = received.table("/insert") {
                    let counted = honest.on_table(&id, "/count_rows", &json!({})).await;
                    if counted.status() == StatusCode::NOT_FOUND {
                        let body = json!({ "code": 5, "error": "the table exists" });
                        return (StatusCode::CONFLICT, ok(&body)).into_response();
                    }
                }
                honest.answer(received).await
            })
        },
    ),
    mutant(
        "declared-for-ever",
        "A table that was declared is described as only declared, also when it has rows.",
        &["data/declared-table-takes-rows"],
        &["DATA-4"],
        |honest| {
            misanswer(honest, "/describe", |body| {
                body["is_only_declared"] = json!(true);
            })
        },
    ),
    mutant(
        "rows-are-kept-by-the-last-name",
        "Rows go to the first table of the name, whatever its namespace.",
        &["data/tables-of-one-name-keep-apart"],
        &["REST-11"],
        |honest| {
            let first = Arc::new(Mutex::new(BTreeMap::<String, String>::new()));
            interpose(data_plane::over(honest), move |honest, mut received| {
                let path = received.uri.path().to_owned();
                let moved = path.strip_prefix("/v1/table/").and_then(|rest| {
                    let (id, operation) = rest.split_once('/')?;
                    let name = id.rsplit("%24").next()?.to_owned();
                    let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                    if operation == "create" {
                        first.entry(name).or_insert_with(|| id.to_owned());
                        return None;
                    }
                    let owner = first.get(&name)?;
                    matches!(operation, "insert" | "delete")
                        .then(|| format!("/v1/table/{owner}/{operation}"))
                });
                if let Some(path) = moved {
                    edit::address(&mut received, &path);
                    edit::without_field(&mut received, "id");
                }
                async move { honest.answer(received).await }
            })
        },
    ),
];
