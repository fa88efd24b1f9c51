//! Faults of reading rows.

use axum::body::to_bytes;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use lance_namespace_suite::rows::{FILE, Frame};
use serde_json::{Value, json};

use super::{edit, misanswer, misread, mutant};
use crate::data_plane;
use crate::interpose::{interpose, json_of, ok};
use crate::mutant::Mutant;

/// Answers of these tests are far smaller.
const LONGEST: usize = 1 << 24;

pub(super) const MUTANTS: &[Mutant] = &[
    mutant(
        "count-forgets-its-predicate",
        "A count is of all rows, whatever its predicate.",
        &["data/count-is-of-what-matches"],
        &["DATA-5"],
        |honest| {
            misread(honest, "/count_rows", |received| {
                edit::without_field(received, "predicate");
            })
        },
    ),
    mutant(
        "reads-are-of-the-latest-version",
        "Counts and queries are of the latest version, whichever they ask for.",
        &["data/count-of-a-version", "data/query-of-a-version"],
        &["DATA-11"],
        |honest| {
            interpose(data_plane::over(honest), async |honest, mut received| {
                let path = received.uri.path();
                if path.ends_with("/count_rows") || path.ends_with("/query") {
                    edit::without_field(&mut received, "version");
                }
                honest.answer(received).await
            })
        },
    ),
    mutant(
        "filters-are-ignored",
        "A query answers all rows, whatever its filter.",
        &[
            "data/query-answers-what-matches",
            "data/index-appears-and-changes-no-answer",
        ],
        &["DATA-6", "DATA-20"],
        |honest| {
            misread(honest, "/query", |received| {
                edit::without_field(received, "filter");
            })
        },
    ),
    mutant(
        "queries-answer-every-column",
        "A query answers all columns, whichever it asks for.",
        &["data/query-answers-the-columns-asked-for"],
        &["DATA-6"],
        |honest| {
            misread(honest, "/query", |received| {
                edit::without_field(received, "columns");
            })
        },
    ),
    mutant(
        "offset-is-ignored",
        "A query skips no rows, however many it is to skip.",
        &["data/query-is-cut-and-skips"],
        &["DATA-6"],
        |honest| {
            misread(honest, "/query", |received| {
                edit::without_field(received, "offset");
            })
        },
    ),
    mutant(
        "answers-are-cut-by-one",
        "A query answers one row less than it asks for.",
        &["data/query-is-cut-and-skips", "data/search-*"],
        &["DATA-6", "DATA-7"],
        |honest| {
            misread(honest, "/query", |received| {
                edit::json(received, |body| {
                    let k = body["k"].as_u64().unwrap_or_default();
                    body["k"] = json!(k.saturating_sub(1));
                });
            })
        },
    ),
    mutant(
        "answers-are-text",
        "A query answers its rows as JSON.",
        &["data/query-answers-what-matches"],
        &["DATA-6"],
        |honest| {
            interpose(data_plane::over(honest), async |honest, received| {
                let query = received.uri.path().ends_with("/query");
                let answer = honest.answer(received).await;
                if !query || !answer.status().is_success() {
                    return answer;
                }
                match frame_of(answer).await {
                    Some(frame) => ok(&Value::Array(frame.objects())),
                    None => ok(&json!([])),
                }
            })
        },
    ),
    mutant(
        "row-ids-begin-anew",
        "The row ids of a query are the places of rows in groups of four.",
        &["data/rows-have-ids-of-their-own"],
        &["DATA-6"],
        |honest| {
            interpose(data_plane::over(honest), async |honest, received| {
                let asked = received.json()["with_row_id"] == true;
                let answer = honest.answer(received).await;
                if !asked || !answer.status().is_success() {
                    return answer;
                }
                let Some(mut frame) = frame_of(answer).await else {
                    return ok(&json!([]));
                };
                for (place, row) in frame.rows.iter_mut().enumerate() {
                    if let Some(row_id) = row.last_mut() {
                        *row_id = json!(place % 4);
                    }
                }
                let file = frame.file().unwrap_or_default();
                ([(header::CONTENT_TYPE, FILE)], file).into_response()
            })
        },
    ),
    mutant(
        "search-answers-the-first-rows",
        "A search answers the first rows of the table, near or far.",
        &["data/search-*"],
        &["DATA-7"],
        |honest| {
            misread(honest, "/query", |received| {
                edit::json(received, |body| body["vector"] = Value::Null);
            })
        },
    ),
    mutant(
        "search-filters-last",
        "A search filters what it found, also where it is to filter first.",
        &["data/search-filters-first"],
        &["DATA-7"],
        |honest| {
            misread(honest, "/query", |received| {
                edit::without_field(received, "prefilter");
            })
        },
    ),
    mutant(
        "statistics-count-deleted-rows",
        "The statistics count the rows that were deleted, too.",
        &["data/statistics-count-the-rows"],
        &["DATA-22"],
        |honest| {
            interpose(data_plane::over(honest), async |honest, received| {
                let Some(id) = received.table("/stats") else {
                    return honest.answer(received).await;
                };
                let mut most = 0;
                for version in 1.. {
                    let body = json!({ "version": version });
                    let counted = honest.on_table(&id, "/count_rows", &body).await;
                    if counted.status() != StatusCode::OK {
                        break;
                    }
                    let counted = json_of(counted).await.as_u64();
                    most = most.max(counted.unwrap_or_default());
                }
                let answer = honest.answer(received).await;
                if !answer.status().is_success() {
                    return answer;
                }
                let mut body = json_of(answer).await;
                body["num_rows"] = json!(most);
                ok(&body)
            })
        },
    ),
    mutant(
        "plans-are-empty",
        "The plan of a query is an empty text.",
        &["data/plans-are-texts"],
        &["DATA-23"],
        |honest| {
            misanswer(honest, "e_plan", |body| {
                *body = json!("");
            })
        },
    ),
    mutant(
        "missing-tables-are-empty",
        "A table that is not there counts as an empty one.",
        &[
            "data/unknown-table-is-not-found",
            "data/dropped-table-leaves-no-rows",
        ],
        &["DATA-29"],
        |honest| {
            interpose(data_plane::over(honest), async |honest, received| {
                let count = received.uri.path().ends_with("/count_rows");
                let answer = honest.answer(received).await;
                if count && answer.status() == StatusCode::NOT_FOUND {
                    return ok(&json!(0));
                }
                answer
            })
        },
    ),
    mutant(
        "described-at-its-first-version",
        "A table is described in detail as it was first.",
        &["data/detailed-description-is-whole"],
        &["DATA-14"],
        |honest| {
            misanswer(honest, "/describe", |body| {
                if body["version"].is_number() {
                    body["version"] = json!(1);
                }
            })
        },
    ),
];

async fn frame_of(answer: Response) -> Option<Frame> {
    let body = to_bytes(answer.into_body(), LONGEST).await.ok()?;
    Frame::read(&body).ok()
}
