//! Faults of changing rows.

use std::time::Duration;

use axum::http::StatusCode;
use axum::response::IntoResponse;
use lance_namespace_suite::rows::Frame;
use serde_json::{Value, json};

use super::{edit, misanswer, misread, mutant};
use crate::data_plane;
use crate::interpose::{interpose, ok};
use crate::mutant::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    mutant(
        "insert-is-answered-before-it-is-stored",
        "An insert is answered at once and stored a while later.",
        &["data/insert-appends", "data/count-is-of-what-matches"],
        &["DATA-3", "DATA-5"],
        |honest| {
            interpose(data_plane::over(honest), async |honest, received| {
                if received.table("/insert").is_none() {
                    return honest.answer(received).await;
                }
                let rows = Frame::read(&received.body).map_or(0, |frame| frame.rows.len());
                tokio::spawn(async move {
                    tokio::time::sleep(Duration::from_millis(400)).await;
                    honest.answer(received).await
                });
                ok(&json!({ "num_inserted_rows": rows }))
            })
        },
    ),
    mutant(
        "insert-overwrites-as-it-appends",
        "An insert appends, also where it is to overwrite.",
        &["data/insert-overwrites"],
        &["DATA-3"],
        |honest| {
            misread(honest, "/insert", |received| {
                edit::query(received, "mode", None);
            })
        },
    ),
    mutant(
        "unknown-columns-are-dropped",
        "What an insert has and the table has not is dropped without a word.",
        &["data/rows-of-another-schema-are-refused"],
        &["DATA-9"],
        |honest| {
            misread(honest, "/insert", |received| {
                edit::rows(received, |frame| {
                    let kept = Frame::of(&[]).columns;
                    let known: Vec<bool> = frame
                        .columns
                        .iter()
                        .map(|column| kept.contains(column))
                        .collect();
                    let mut places = known.iter();
                    frame.columns.retain(|_| places.next() == Some(&true));
                    for row in &mut frame.rows {
                        let mut places = known.iter();
                        row.retain(|_| places.next() == Some(&true));
                    }
                });
            })
        },
    ),
    mutant(
        "broken-streams-carry-no-rows",
        "A body that is no Arrow stream is taken for one without rows.",
        &["data/broken-stream-is-refused"],
        &["DATA-8"],
        |honest| {
            interpose(data_plane::over(honest), async |honest, mut received| {
                let writes = ["/create", "/insert", "/merge_insert"];
                let write = writes.iter().any(|write| received.table(write).is_some());
                if write && Frame::read(&received.body).is_err() {
                    received.body = Frame::of(&[]).stream().unwrap_or_default();
                }
                honest.answer(received).await
            })
        },
    ),
    mutant(
        "update-sets-every-row",
        "An update sets every row, whatever its predicate.",
        &["data/update-sets-what-matches"],
        &["DATA-12"],
        |honest| {
            misread(honest, "/update", |received| {
                edit::without_field(received, "predicate");
            })
        },
    ),
    mutant(
        "update-counts-nothing",
        "An update says that it set no row.",
        &["data/update-sets-what-matches"],
        &["DATA-12"],
        |honest| {
            misanswer(honest, "/update", |body| {
                if body["updated_rows"].is_number() {
                    body["updated_rows"] = json!(0);
                }
            })
        },
    ),
    mutant(
        "delete-takes-one-more",
        "A delete of what is below a number takes the number, too.",
        &["data/delete-takes-what-matches"],
        &["DATA-13"],
        |honest| {
            misread(honest, "/delete", |received| {
                edit::json(received, |body| {
                    let predicate = body["predicate"].as_str().unwrap_or_default();
                    body["predicate"] = json!(predicate.replace("< ", "<= "));
                });
            })
        },
    ),
    mutant(
        "merge-inserts-unasked",
        "A merge inserts the rows that match none, also where it is not to.",
        &["data/merge-does-what-is-asked"],
        &["DATA-10"],
        |honest| {
            misread(honest, "/merge_insert", |received| {
                edit::query(received, "when_not_matched_insert_all", Some("true"));
            })
        },
    ),
    mutant(
        "merge-miscounts",
        "A merge counts the rows that it updated as inserted, too.",
        &["data/merge-does-what-is-asked"],
        &["DATA-10"],
        |honest| {
            misanswer(honest, "/merge_insert", |body| {
                let count = |field: &str| body[field].as_u64().unwrap_or_default();
                let sum = count("num_inserted_rows") + count("num_updated_rows");
                body["num_inserted_rows"] = json!(sum);
            })
        },
    ),
    mutant(
        "merge-deletes-nothing",
        "A merge leaves the rows that its stream lacks, also where it is to delete them.",
        &["data/merge-deletes-what-the-stream-lacks"],
        &["DATA-10"],
        |honest| {
            misread(honest, "/merge_insert", |received| {
                edit::query(received, "when_not_matched_by_source_delete", None);
            })
        },
    ),
    mutant(
        "merge-on-nothing-inserts",
        "A merge on no column, or on one that is not there, inserts all of its rows.",
        &["data/refused-merge-changes-nothing"],
        &["DATA-10"],
        |honest| {
            misread(honest, "/merge_insert", |received| {
                if received.query("on").as_deref() != Some("id") {
                    let path = received.uri.path().replace("/merge_insert", "/insert");
                    edit::address(received, &path);
                }
            })
        },
    ),
    mutant(
        "versions-begin-anew",
        "Every write answers that it made version 1.",
        &["data/each-write-makes-a-version"],
        &["DATA-14"],
        |honest| {
            interpose(data_plane::over(honest), async |honest, received| {
                let path = received.uri.path().to_owned();
                let answer = honest.answer(received).await;
                let writes = ["/insert", "/update", "/delete"];
                let write = writes.iter().any(|write| path.ends_with(write));
                if !write || path.contains("/version/") || !answer.status().is_success() {
                    return answer;
                }
                super::said(answer, |body| body["version"] = json!(1)).await
            })
        },
    ),
    mutant(
        "restore-restores-nothing",
        "A restore is answered and not done.",
        &["data/restore-brings-a-version-back"],
        &["DATA-15"],
        |honest| {
            interpose(data_plane::over(honest), async |honest, received| {
                if received.table("/restore").is_some() {
                    return ok(&json!({ "transaction_id": "restored" }));
                }
                honest.answer(received).await
            })
        },
    ),
    mutant(
        "branches-write-to-main",
        "Writes go to main, whichever branch they are for.",
        &["data/branch-writes-stay-off-main"],
        &["DATA-28"],
        |honest| {
            interpose(data_plane::over(honest), async |honest, mut received| {
                if received.table("/branches/create").is_none() {
                    edit::query(&mut received, "branch", None);
                    if received.json().is_object() {
                        edit::without_field(&mut received, "branch");
                    }
                }
                honest.answer(received).await
            })
        },
    ),
    mutant(
        "jobs-without-an-id",
        "A job that fills a column has an empty id.",
        &["data/backfill-is-a-job"],
        &["DATA-26"],
        |honest| {
            interpose(data_plane::over(honest), async |honest, received| {
                let job = received.uri.path().ends_with("/backfill_column");
                let answer = honest.answer(received).await;
                if !job || !answer.status().is_success() {
                    return answer;
                }
                (StatusCode::ACCEPTED, ok(&json!({ "job_id": "" }))).into_response()
            })
        },
    ),
    mutant(
        "views-are-created-again",
        "A view that exists is created again.",
        &["data/view-is-created-once-and-refreshed"],
        &["DATA-27"],
        |honest| {
            interpose(data_plane::over(honest), async |honest, received| {
                let path = received.uri.path();
                let view = path.starts_with("/v1/materialized_view/") && path.ends_with("/create");
                let answer = honest.answer(received).await;
                if view && answer.status() == StatusCode::CONFLICT {
                    let body: Value = json!({ "version": 1 });
                    return (StatusCode::CREATED, ok(&body)).into_response();
                }
                answer
            })
        },
    ),
];
