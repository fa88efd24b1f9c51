//! Faults of columns, indexes and metadata.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::{edit, misanswer, misread, mutant};
use crate::data_plane;
use crate::interpose::{interpose, ok};
use crate::mutant::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    mutant(
        "added-column-is-empty",
        "A column that is added by an expression has no values.",
        &["data/added-column-has-its-values"],
        &["DATA-16"],
        |honest| {
            misread(honest, "/add_columns", |received| {
                edit::json(received, |body| {
                    let expression = body["new_columns"][0]["expression"].take();
                    body["new_columns"][0]["computed"] = expression;
                });
            })
        },
    ),
    mutant(
        "rename-keeps-the-old-column",
        "A renamed column is there under both names.",
        &["data/renamed-column-keeps-its-values"],
        &["DATA-17"],
        |honest| {
            misread(honest, "/alter_columns", |received| {
                edit::json(received, |body| {
                    let alteration = body["alterations"][0].take();
                    *body = json!({ "new_columns": [{
                        "name": alteration["rename"],
                        "expression": alteration["path"],
                    }] });
                });
                let path = received.uri.path().replace("alter_columns", "add_columns");
                edit::address(received, &path);
            })
        },
    ),
    mutant(
        "another-column-is-dropped",
        "The column before the one that is named is dropped.",
        &["data/dropped-column-is-gone"],
        &["DATA-18"],
        |honest| {
            misread(honest, "/drop_columns", |received| {
                edit::json(received, |body| {
                    if body["columns"] == json!(["vector"]) {
                        body["columns"] = json!(["name"]);
                    }
                });
            })
        },
    ),
    mutant(
        "missing-columns-are-passed-over",
        "Of the columns that are to be dropped, those that are there are.",
        &["data/missing-column-is-not-found"],
        &["DATA-19"],
        |honest| {
            interpose(data_plane::over(honest), async |honest, received| {
                let body = received.json();
                let table = received.table("/drop_columns");
                let answer = honest.answer(received).await;
                match table {
                    Some(id) if answer.status() == StatusCode::NOT_FOUND => {
                        for column in body["columns"].as_array().into_iter().flatten() {
                            let one = json!({ "columns": [column] });
                            honest.on_table(&id, "/drop_columns", &one).await;
                        }
                        ok(&json!({ "version": 1 }))
                    }
                    _ => answer,
                }
            })
        },
    ),
    mutant(
        "index-of-another-column",
        "Every index is listed as one on the names.",
        &["data/index-appears-*", "data/vector-index-appears"],
        &["DATA-20"],
        |honest| {
            misanswer(honest, "/index/list", |body| {
                let indexes = body["indexes"].as_array_mut();
                for index in indexes.into_iter().flatten() {
                    index["columns"] = json!(["name"]);
                }
            })
        },
    ),
    mutant(
        "index-is-not-dropped",
        "The drop of an index is answered and not done.",
        &["data/dropped-index-is-gone"],
        &["DATA-21"],
        |honest| {
            interpose(data_plane::over(honest), async |honest, received| {
                let path = received.uri.path();
                if path.contains("/index/") && path.ends_with("/drop") {
                    return ok(&json!({ "transaction_id": "dropped" }));
                }
                honest.answer(received).await
            })
        },
    ),
    mutant(
        "schema-metadata-is-merged",
        "New schema metadata is merged into the old.",
        &["data/schema-metadata-is-replaced"],
        &["DATA-24"],
        |honest| {
            let kept = Arc::new(Mutex::new(BTreeMap::<String, Value>::new()));
            interpose(data_plane::over(honest), move |honest, mut received| {
                let path = received.uri.path().to_owned();
                if path.ends_with("/schema_metadata/update") {
                    edit::json(&mut received, |body| {
                        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                        let merged = kept.entry(path).or_insert_with(|| json!({}));
                        for (key, value) in body.as_object().into_iter().flatten() {
                            merged[key] = value.clone();
                        }
                        *body = merged.clone();
                    });
                }
                async move { honest.answer(received).await }
            })
        },
    ),
    mutant(
        "field-metadata-is-never-replaced",
        "New field metadata is merged into the old, also where it is to replace it.",
        &["data/field-metadata-is-merged"],
        &["DATA-25"],
        |honest| {
            misread(honest, "/update_field_metadata", |received| {
                edit::json(received, |body| {
                    body["updates"][0]["replace"] = json!(false);
                });
            })
        },
    ),
];
