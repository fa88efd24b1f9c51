//! Servers that stumble over what a request carries, or how it is sent.

use axum::http::{Method, StatusCode, header};
use axum::response::IntoResponse;
use serde_json::{Value, json};

use crate::interpose::{Received, error, interpose, misread, misrefuse, ok};
use crate::mutant::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    BROKEN_JSON_IS_A_SERVER_ERROR,
    BROKEN_BODY_IS_AN_EMPTY_ONE,
    REFUSED_BROKEN_BODY_DROPS,
    MISSING_NAME_IS_MADE_UP,
    NUMBERS_ARE_NAMES,
    UNKNOWN_MODE_IS_THE_DEFAULT,
    EMPTY_NAME_IS_A_NAME,
    UNKNOWN_FIELD_IS_A_SERVER_ERROR,
    NULL_IS_A_WRONG_TYPE,
    OTHER_TYPE_IS_A_SERVER_ERROR,
    LONG_BODY_IS_A_SERVER_ERROR,
    UNKNOWN_PATH_SUCCEEDS,
    GET_DROPS,
    HEAD_IS_A_SERVER_ERROR,
];

fn is_json(received: &Received) -> bool {
    serde_json::from_slice::<Value>(&received.body).is_ok()
}

fn broken(received: &Received) -> bool {
    let stream = "application/vnd.apache.arrow.stream";
    let kind = received.headers.get(header::CONTENT_TYPE);
    !received.body.is_empty()
        && !is_json(received)
        && kind.is_none_or(|kind| kind.as_bytes() != stream.as_bytes())
}

const BROKEN_JSON_IS_A_SERVER_ERROR: Mutant = Mutant {
    name: "broken-json-is-a-server-error",
    does: "A body that is no JSON is answered 500.",
    scenarios: &["errors/broken-body-is-invalid"],
    breaks: &["ERR-4"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| match broken(&received) {
            true => error(StatusCode::INTERNAL_SERVER_ERROR, 18),
            false => honest.answer(received).await,
        })
    },
};

const BROKEN_BODY_IS_AN_EMPTY_ONE: Mutant = Mutant {
    name: "broken-body-is-an-empty-one",
    does: "A body that is no JSON counts as none.",
    scenarios: &["errors/broken-body-is-invalid"],
    breaks: &[],
    may_break: &[],
    warns: &["ERR-4"],
    wrap: |honest| misread(honest, broken, |received| received.with(&json!({}))),
};

const REFUSED_BROKEN_BODY_DROPS: Mutant = Mutant {
    name: "refused-broken-body-deregisters",
    does: "A table is deregistered by the route alone, and then the body is found to be broken.",
    scenarios: &["errors/broken-body-is-invalid"],
    breaks: &["ERR-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            if let Some(id) = received.table("/deregister")
                && broken(&received)
            {
                honest.on_table(&id, "/deregister", &json!({})).await;
                return error(StatusCode::BAD_REQUEST, 13);
            }
            honest.answer(received).await
        })
    },
};

const MISSING_NAME_IS_MADE_UP: Mutant = Mutant {
    name: "missing-name-is-made-up",
    does: "A rename without a new name renames the table to a name of the server's own.",
    scenarios: &["errors/missing-field-is-invalid"],
    breaks: &["ERR-4"],
    may_break: &["ERR-1"],
    warns: &[],
    wrap: |honest| {
        let rename = |received: &Received| received.is("/rename");
        misread(honest, rename, |received| {
            received.with_body(|body| {
                if body["new_table_name"].is_null() {
                    body["new_table_name"] = json!("renamed");
                }
            })
        })
    },
};

const NUMBERS_ARE_NAMES: Mutant = Mutant {
    name: "numbers-are-names",
    does: "A branch whose name comes as a number is created.",
    scenarios: &["errors/wrong-type-is-invalid"],
    breaks: &["ERR-4"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let creates = received.is("/branches/create");
            match creates && received.json()["name"].is_number() {
                true => ok(&json!({})),
                false => honest.answer(received).await,
            }
        })
    },
};

const UNKNOWN_MODE_IS_THE_DEFAULT: Mutant = Mutant {
    name: "unknown-mode-is-the-default",
    does: "A mode that is none is passed over.",
    scenarios: &["errors/unknown-word-is-invalid"],
    breaks: &[],
    may_break: &[],
    warns: &["ERR-5"],
    wrap: |honest| {
        let any = |received: &Received| received.json()["mode"] == "NoSuchWord";
        misread(honest, any, |received| {
            received.with_body(|body| body["mode"] = Value::Null)
        })
    },
};

const EMPTY_NAME_IS_A_NAME: Mutant = Mutant {
    name: "empty-name-is-a-name",
    does: "A table can be renamed to nothing.",
    scenarios: &["errors/empty-name-is-invalid"],
    breaks: &[],
    may_break: &[],
    warns: &["ERR-5"],
    wrap: |honest| {
        let rename =
            |received: &Received| received.is("/rename") && received.json()["new_table_name"] == "";
        misrefuse(honest, rename, StatusCode::BAD_REQUEST, |_| ok(&json!({})))
    },
};

const UNKNOWN_FIELD_IS_A_SERVER_ERROR: Mutant = Mutant {
    name: "unknown-field-is-a-server-error",
    does: "A field that the server does not know makes it fail.",
    scenarios: &["errors/unknown-fields-are-no-server-error"],
    breaks: &["REST-10"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let known = received.json().get("conformance_unknown").is_none();
            match known {
                true => honest.answer(received).await,
                false => error(StatusCode::INTERNAL_SERVER_ERROR, 18),
            }
        })
    },
};

const NULL_IS_A_WRONG_TYPE: Mutant = Mutant {
    name: "null-is-a-wrong-type",
    does: "A null in an optional field of a namespace or table is refused as invalid.",
    scenarios: &["errors/null-is-absence"],
    breaks: &[],
    may_break: &[],
    warns: &["ERR-6"],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let body = received.json();
            let null = body
                .as_object()
                .is_some_and(|fields| fields.values().any(Value::is_null));
            match null {
                true => error(StatusCode::BAD_REQUEST, 13),
                false => honest.answer(received).await,
            }
        })
    },
};

const OTHER_TYPE_IS_A_SERVER_ERROR: Mutant = Mutant {
    name: "other-content-type-is-a-server-error",
    does: "A body that is not said to be JSON is answered 500.",
    scenarios: &["errors/odd-bodies-are-no-server-error"],
    breaks: &["ERR-7"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let kind = received.headers.get(header::CONTENT_TYPE);
            let text = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/"));
            match text {
                true => error(StatusCode::INTERNAL_SERVER_ERROR, 18),
                false => honest.answer(received).await,
            }
        })
    },
};

const LONG_BODY_IS_A_SERVER_ERROR: Mutant = Mutant {
    name: "long-body-is-a-server-error",
    does: "A body of more than 16 MiB is answered 500.",
    scenarios: &["errors/huge-body-is-no-server-error"],
    breaks: &["ERR-7"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            match received.body.len() > 16 << 20 {
                true => error(StatusCode::INTERNAL_SERVER_ERROR, 18),
                false => honest.answer(received).await,
            }
        })
    },
};

const UNKNOWN_PATH_SUCCEEDS: Mutant = Mutant {
    name: "unknown-path-succeeds",
    does: "Whatever is asked at a path that is no operation is answered 200.",
    scenarios: &["errors/unknown-path-is-not-found"],
    breaks: &["ERR-8"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let answer = honest.answer(received).await;
            let json = answer
                .headers()
                .get(header::CONTENT_TYPE)
                .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
            match answer.status() == StatusCode::NOT_FOUND && !json {
                true => StatusCode::OK.into_response(),
                false => answer,
            }
        })
    },
};

const GET_DROPS: Mutant = Mutant {
    name: "get-drops",
    does: "A table is dropped by a GET, which anybody's link can send.",
    scenarios: &["errors/other-methods-do-nothing"],
    breaks: &["ERR-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let get = |received: &Received| {
            received.method == Method::GET && received.table("/drop").is_some()
        };
        misread(honest, get, |mut received| {
            received.method = Method::POST;
            received
        })
    },
};

const HEAD_IS_A_SERVER_ERROR: Mutant = Mutant {
    name: "head-is-a-server-error",
    does: "A HEAD where only POST is known makes the server fail.",
    scenarios: &["errors/other-methods-do-nothing"],
    breaks: &["ERR-8"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            match received.method == Method::HEAD {
                true => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
                false => honest.answer(received).await,
            }
        })
    },
};
