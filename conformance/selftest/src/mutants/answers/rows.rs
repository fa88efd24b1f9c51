//! Data planes that do something with what is not there, or make what exists.

use axum::Router;
use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::data_plane;
use crate::interpose::{interpose, ok};
use crate::mutant::{Mutant, breaking};

pub(super) const MUTANTS: &[Mutant] = &[
    mutant(
        "restore-of-nothing-succeeds",
        "Restoring a version that is not there is answered 200.",
        &["errors/missing-version-of-rows-is-not-found"],
        &["ERR-2"],
        |honest| succeeding(honest, "/restore", StatusCode::NOT_FOUND),
    ),
    mutant(
        "missing-branch-has-no-rows",
        "The count of a branch that is not there is answered 200.",
        &["errors/missing-branch-of-rows-is-not-found"],
        &["ERR-2"],
        counting,
    ),
    mutant(
        "missing-column-is-dropped",
        "Dropping a column that is not there is answered 200.",
        &["errors/missing-column-is-not-found"],
        &["ERR-2"],
        |honest| succeeding(honest, "/drop_columns", StatusCode::NOT_FOUND),
    ),
    mutant(
        "missing-index-has-statistics",
        "The statistics of an index that is not there are answered 200.",
        &["errors/missing-index-is-not-found"],
        &["ERR-2"],
        |honest| succeeding(honest, "/index/ghost/stats", StatusCode::NOT_FOUND),
    ),
    mutant(
        "table-with-rows-is-created-again",
        "Creating a table that exists is answered 200, as if it were new.",
        &["errors/existing-tables-with-rows-are-conflicts"],
        &["ERR-3"],
        |honest| succeeding(honest, "/create", StatusCode::CONFLICT),
    ),
];

const fn mutant(
    name: &'static str,
    does: &'static str,
    scenarios: &'static [&'static str],
    breaks: &'static [&'static str],
    wrap: fn(Router) -> Router,
) -> Mutant {
    Mutant {
        may_break: &["REST-9"],
        ..breaking(name, does, scenarios, breaks, wrap)
    }
}

/// Answers 200 where the operation, whose route ends so, was refused with this status.
fn succeeding(honest: Router, route: &'static str, status: StatusCode) -> Router {
    refused(
        honest,
        route,
        status,
        json!({ "version": 1, "location": "memory://somewhere" }),
    )
}

fn counting(honest: Router) -> Router {
    refused(honest, "/count_rows", StatusCode::NOT_FOUND, json!(0))
}

fn refused(honest: Router, route: &'static str, status: StatusCode, body: Value) -> Router {
    interpose(data_plane::over(honest), move |honest, received| {
        let concerned = received.is(route);
        let body = body.clone();
        async move {
            let answer = honest.answer(received).await;
            match concerned && answer.status() == status {
                true => ok(&body),
                false => answer,
            }
        }
    })
}
