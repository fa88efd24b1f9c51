//! Faults of errors: statuses and codes.

use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde_json::json;

use crate::interpose::{Received, error, interpose, json_of, misanswer, misrefuse, ok};
use crate::mutant::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    CONFLICT_IS_A_SERVER_ERROR,
    CONFLICT_IS_INVALID,
    NOT_FOUND_IS_A_SERVER_ERROR,
    NOT_FOUND_IS_A_CONFLICT,
    INVALID_IS_UNPROCESSABLE,
    NOT_FOUND_HAS_ONE_CODE,
    CONFLICT_IS_OF_A_TABLE,
    ERRORS_ARE_PLAIN_TEXT,
    STATUS_AND_CODE_DISAGREE,
    CREATED_IS_201,
    ANSWER_LACKS_THE_VERSION,
    BATCHES_ARE_NOT_IMPLEMENTED,
    UNKNOWN_NAMESPACE_IS_INVALID,
];

fn of_versions(received: &Received) -> bool {
    received.uri.path().contains("/version/")
}

const CONFLICT_IS_A_SERVER_ERROR: Mutant = Mutant {
    name: "conflict-is-a-server-error",
    does: "A create of a version that exists is answered 500.",
    scenarios: &[
        "put-if-not-exists/*-is-refused",
        "put-if-not-exists/one-winner-of-the-*",
    ],
    breaks: &["VER-2", "VER-4"],
    may_break: &[
        "BAT-2", "VER-12", "VER-5", "VER-6", "BAT-13", "ORD-6", "ORD-7",
    ],
    warns: &[],
    wrap: |honest| {
        misrefuse(honest, of_versions, StatusCode::CONFLICT, |_| {
            error(StatusCode::INTERNAL_SERVER_ERROR, 18)
        })
    },
};

const CONFLICT_IS_INVALID: Mutant = Mutant {
    name: "conflict-is-invalid",
    does: "A create of a version that exists is answered 400.",
    scenarios: &[
        "put-if-not-exists/*-is-refused",
        "put-if-not-exists/one-winner-of-the-*",
    ],
    breaks: &["VER-2", "VER-4"],
    may_break: &["BAT-2", "VER-12", "ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        misrefuse(honest, of_versions, StatusCode::CONFLICT, |_| {
            error(StatusCode::BAD_REQUEST, 13)
        })
    },
};

const NOT_FOUND_IS_A_SERVER_ERROR: Mutant = Mutant {
    name: "not-found-is-a-server-error",
    does: "What asks for a version or a table that does not exist is answered 500.",
    scenarios: &["put-if-not-exists/*-is-not-found"],
    breaks: &["VER-11", "VER-8"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        misrefuse(honest, of_versions, StatusCode::NOT_FOUND, |_| {
            error(StatusCode::INTERNAL_SERVER_ERROR, 18)
        })
    },
};

const NOT_FOUND_IS_A_CONFLICT: Mutant = Mutant {
    name: "not-found-is-a-conflict",
    does: "Whatever the storage says no to is answered 409, a missing table or version among it.",
    scenarios: &["put-if-not-exists/*-is-not-found"],
    breaks: &["VER-11", "VER-8"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        misrefuse(honest, of_versions, StatusCode::NOT_FOUND, |_| {
            error(StatusCode::CONFLICT, 14)
        })
    },
};

const INVALID_IS_UNPROCESSABLE: Mutant = Mutant {
    name: "invalid-is-unprocessable",
    does: "A request that is invalid is answered 422.",
    scenarios: &["put-if-not-exists/malformed-create-is-invalid"],
    breaks: &["VER-9"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        misrefuse(honest, of_versions, StatusCode::BAD_REQUEST, |_| {
            error(StatusCode::UNPROCESSABLE_ENTITY, 13)
        })
    },
};

const NOT_FOUND_HAS_ONE_CODE: Mutant = Mutant {
    name: "not-found-has-one-code",
    does: "Whatever is not found has the code of a transaction that is not.",
    scenarios: &["put-if-not-exists/*-is-not-found"],
    breaks: &[],
    may_break: &[],
    warns: &["VER-11", "VER-8"],
    wrap: |honest| {
        misrefuse(honest, of_versions, StatusCode::NOT_FOUND, |_| {
            error(StatusCode::NOT_FOUND, 10)
        })
    },
};

const CONFLICT_IS_OF_A_TABLE: Mutant = Mutant {
    name: "conflict-is-of-a-table",
    does: "A version that exists is told by the code of a table that exists.",
    scenarios: &["put-if-not-exists/second-create-is-refused"],
    breaks: &[],
    may_break: &[],
    warns: &["VER-2"],
    wrap: |honest| {
        misrefuse(honest, of_versions, StatusCode::CONFLICT, |_| {
            error(StatusCode::CONFLICT, 5)
        })
    },
};

const ERRORS_ARE_PLAIN_TEXT: Mutant = Mutant {
    name: "errors-are-plain-text",
    does: "A version that is not there is told in plain text.",
    scenarios: &["put-if-not-exists/missing-version-is-not-found"],
    breaks: &["REST-6"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        misrefuse(honest, of_versions, StatusCode::NOT_FOUND, |body| {
            let text = body["error"].as_str().unwrap_or_default().to_owned();
            (StatusCode::NOT_FOUND, text).into_response()
        })
    },
};

const STATUS_AND_CODE_DISAGREE: Mutant = Mutant {
    name: "status-and-code-disagree",
    does: "Invalid requests are answered 400 with the code of an internal error.",
    scenarios: &["put-if-not-exists/malformed-create-is-invalid"],
    breaks: &[],
    may_break: &[],
    warns: &["REST-7", "VER-9"],
    wrap: |honest| {
        misrefuse(honest, of_versions, StatusCode::BAD_REQUEST, |_| {
            error(StatusCode::BAD_REQUEST, 18)
        })
    },
};

const CREATED_IS_201: Mutant = Mutant {
    name: "created-is-201",
    does: "A version that was created is answered 201.",
    scenarios: &["put-if-not-exists/created-version-is-there"],
    breaks: &[],
    may_break: &[],
    warns: &["REST-9"],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let create = received.is("/version/create");
            let mut answer = honest.answer(received).await;
            if create && answer.status() == StatusCode::OK {
                *answer.status_mut() = StatusCode::CREATED;
            }
            answer
        })
    },
};

const ANSWER_LACKS_THE_VERSION: Mutant = Mutant {
    name: "answer-lacks-the-version",
    does: "Describe answers the entry without its number.",
    scenarios: &["put-if-not-exists/created-version-is-there"],
    breaks: &["REST-9"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        let describe = |received: &Received| received.is("/version/describe");
        misanswer(honest, describe, |body| {
            if let Some(entry) = body["version"].as_object_mut() {
                entry.remove("version");
            }
        })
    },
};

const BATCHES_ARE_NOT_IMPLEMENTED: Mutant = Mutant {
    name: "batches-are-not-implemented",
    does: "Batches and commits are answered 501, with the code of an internal error.",
    scenarios: &["atomicity/*", "put-if-not-exists/created-version-is-there"],
    breaks: &[],
    may_break: &[],
    warns: &["REST-12"],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let many = received.is("/batch-create") || received.is("/batch-commit");
            match many {
                true => {
                    let body = json!({ "code": 18, "error": "not implemented" });
                    (StatusCode::NOT_IMPLEMENTED, ok(&body)).into_response()
                }
                false => honest.answer(received).await,
            }
        })
    },
};

const UNKNOWN_NAMESPACE_IS_INVALID: Mutant = Mutant {
    name: "unknown-namespace-is-invalid",
    does: "A table in a namespace that does not exist is an invalid name.",
    scenarios: &["put-if-not-exists/unknown-namespace-is-not-found"],
    breaks: &["VER-8"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let versions = of_versions(&received);
            let answer = honest.answer(received).await;
            if !versions || answer.status() != StatusCode::NOT_FOUND {
                return answer;
            }
            let body = json_of(answer).await;
            match body["code"] == 1 {
                true => error(StatusCode::BAD_REQUEST, 13),
                false => (StatusCode::NOT_FOUND, ok(&body)).into_response(),
            }
        })
    },
};
