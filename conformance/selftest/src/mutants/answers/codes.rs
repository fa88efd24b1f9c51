//! Faults of all errors: their statuses, codes and bodies.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::interpose::{Received, error, interpose, json_of, misrefuse, ok};
use crate::mutant::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    EVERY_ERROR_IS_A_SERVER_ERROR,
    NOT_FOUND_SAYS_NOTHING,
    ERRORS_ARE_PAGES,
    CODE_IS_A_TEXT,
    MISSING_NAMESPACE_IS_A_TABLE,
    EVERY_CONFLICT_IS_INVALID,
    MISSING_PARTS_ARE_TABLES,
];

fn any(_: &Received) -> bool {
    true
}

const EVERY_ERROR_IS_A_SERVER_ERROR: Mutant = Mutant {
    name: "every-error-is-a-server-error",
    does: "Whatever cannot be done is answered 500 with the code of an internal error.",
    scenarios: &["errors/*"],
    breaks: &["ERR-4", "ERR-7", "ERR-8"],
    may_break: &["REST-10"],
    warns: &["ERR-2", "ERR-3", "ERR-5"],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let answer = honest.answer(received).await;
            match answer.status().is_client_error() {
                true => error(StatusCode::INTERNAL_SERVER_ERROR, 18),
                false => answer,
            }
        })
    },
};

const NOT_FOUND_SAYS_NOTHING: Mutant = Mutant {
    name: "not-found-says-nothing",
    does: "What is not found is answered 404 without a body.",
    scenarios: &["errors/missing-*", "put-if-not-exists/*-is-not-found"],
    breaks: &[],
    may_break: &[],
    warns: &["ERR-2", "VER-8", "VER-11"],
    wrap: |honest| {
        misrefuse(honest, any, StatusCode::NOT_FOUND, |_| {
            StatusCode::NOT_FOUND.into_response()
        })
    },
};

/// What stands between client and server answers in its place.
fn page(status: StatusCode) -> Response {
    let text = format!("<html><head><title>{status}</title></head><body></body></html>");
    (status, [(header::CONTENT_TYPE, "text/html")], text).into_response()
}

const ERRORS_ARE_PAGES: Mutant = Mutant {
    name: "errors-are-pages",
    does: "A conflict is told in HTML.",
    scenarios: &["errors/taken-names-are-conflicts"],
    breaks: &["REST-6"],
    may_break: &[],
    warns: &["ERR-3"],
    wrap: |honest| {
        misrefuse(honest, any, StatusCode::CONFLICT, |_| {
            page(StatusCode::CONFLICT)
        })
    },
};

const CODE_IS_A_TEXT: Mutant = Mutant {
    name: "code-is-a-text",
    does: "The code of an error is a text of digits.",
    scenarios: &["errors/missing-table-is-not-found"],
    breaks: &["REST-6"],
    may_break: &[],
    warns: &["ERR-2"],
    wrap: |honest| {
        misrefuse(honest, any, StatusCode::NOT_FOUND, |mut body| {
            body["code"] = json!(body["code"].to_string());
            (StatusCode::NOT_FOUND, ok(&body)).into_response()
        })
    },
};

fn with_code(mut body: Value, from: i64, to: i64) -> Response {
    if body["code"] == from {
        body["code"] = json!(to);
    }
    (StatusCode::NOT_FOUND, ok(&body)).into_response()
}

const MISSING_NAMESPACE_IS_A_TABLE: Mutant = Mutant {
    name: "missing-namespace-is-a-table",
    does: "A namespace that is not there has the code of a table that is not there.",
    scenarios: &["errors/missing-namespace-is-not-found"],
    breaks: &[],
    may_break: &[],
    warns: &["ERR-2", "REST-8"],
    wrap: |honest| {
        misrefuse(honest, any, StatusCode::NOT_FOUND, |body| {
            with_code(body, 1, 4)
        })
    },
};

const MISSING_PARTS_ARE_TABLES: Mutant = Mutant {
    name: "missing-parts-are-tables",
    does: "A tag, branch, version or transaction that is not there has the code of a table.",
    scenarios: &["errors/missing-*"],
    breaks: &[],
    may_break: &[],
    warns: &["ERR-2"],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let answer = honest.answer(received).await;
            if answer.status() != StatusCode::NOT_FOUND {
                return answer;
            }
            let mut body = json_of(answer).await;
            if matches!(body["code"].as_i64(), Some(8 | 10 | 11 | 22)) {
                body["code"] = json!(4);
            }
            (StatusCode::NOT_FOUND, ok(&body)).into_response()
        })
    },
};

const EVERY_CONFLICT_IS_INVALID: Mutant = Mutant {
    name: "every-conflict-is-invalid",
    does: "What exists already is an invalid request, 400 with code 13.",
    scenarios: &[
        "errors/*-are-conflicts",
        "errors/non-empty-namespace-is-not-dropped",
    ],
    breaks: &[],
    may_break: &[],
    warns: &["ERR-3"],
    wrap: |honest| {
        misrefuse(honest, any, StatusCode::CONFLICT, |_| {
            error(StatusCode::BAD_REQUEST, 13)
        })
    },
};
