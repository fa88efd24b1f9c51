//! How requests are refused, and which are.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use serde_json::{Value, json};

use crate::interpose::{error, interpose, interpose_with, json_parts, misrefuse, ok, reword};
use crate::naming::{Kind, Named};
use crate::reading::{Reading, reading};

pub(super) const RACES: &[Reading] = &[RACES_ARE_CONTENTION];
pub(super) const MISSING: &[Reading] = &[NAMESPACE_TO_DROP_IS_INVALID, TABLE_BELOW_NOTHING];
pub(super) const BODIES: &[Reading] = &[PLAIN_TEXT, EMPTY_BODY_IS_INVALID];
pub(super) const LACKS: &[Reading] = &[NO_CASCADE, NO_OVERWRITE_OF_REGISTRATIONS];
pub(super) const ERRORS: &[Reading] = &[FORBIDDEN, CODE_ALONE];

/// A table, or else a namespace, and its identifier.
type Name = (bool, Vec<String>);

/// What is under way about each name: a number, and whether another has made it meanwhile.
#[derive(Default)]
struct UnderWay {
    last: u64,
    by_name: BTreeMap<Name, Vec<(u64, bool)>>,
}

const RACES_ARE_CONTENTION: Reading = reading(
    "races-are-contention",
    "Who loses a race for a name is answered code 14; who comes later, that the name exists.",
    &["NS-1", "TBL-7", "DATA-2"],
    |honest| {
        let state = Mutex::new(UnderWay::default());
        interpose_with(honest, state, async |honest, received, state| {
            let named = Named::of(&received).filter(|named| {
                named.makes()
                    || named.asks(Kind::Table, "create")
                    || named.asks(Kind::Table, "register")
            });
            let Some(named) = named else {
                return honest.answer(received).await;
            };
            let name = (named.kind == Kind::Table, named.id);
            let ticket = {
                let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
                state.last += 1;
                let ticket = state.last;
                let of_name = state.by_name.entry(name.clone()).or_default();
                of_name.push((ticket, false));
                ticket
            };
            let answer = honest.answer(received).await;
            let lost = {
                let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
                let of_name = state.by_name.entry(name).or_default();
                let mine = of_name.iter().position(|(number, _)| *number == ticket);
                let lost = mine.is_some_and(|place| of_name.swap_remove(place).1);
                if answer.status().is_success() {
                    of_name.iter_mut().for_each(|(_, lost)| *lost = true);
                }
                lost
            };
            match lost && answer.status() == StatusCode::CONFLICT {
                true => error(StatusCode::CONFLICT, 14),
                false => answer,
            }
        })
    },
);

const NAMESPACE_TO_DROP_IS_INVALID: Reading = reading(
    "namespace-to-drop-is-invalid",
    "DropNamespace of a namespace that is not there is a 400 with code 1.",
    &["NS-6", "ERR-2"],
    |honest| {
        misrefuse(
            honest,
            |received| Named::of(received).is_some_and(|named| named.asks(Kind::Namespace, "drop")),
            StatusCode::NOT_FOUND,
            |body| (StatusCode::BAD_REQUEST, ok(&body)).into_response(),
        )
    },
);

const TABLE_BELOW_NOTHING: Reading = reading(
    "table-below-nothing",
    "What is asked of a table in a namespace that is not there finds no table, and no namespace.",
    &["VER-8", "ERR-2"],
    |honest| {
        reword(honest, |received, body| {
            let makes = Named::of(received)
                .is_none_or(|named| named.makes() || named.kind == Kind::Namespace);
            let makes = makes || received.is("/register") || received.is("/create");
            let version = received.is("/version/create");
            // Of a rename it may be the namespace that the table is to go to.
            if (!makes || version) && !received.is("/rename") && body["code"] == 1 {
                body["code"] = json!(4);
            }
        })
    },
);

const EMPTY_BODY_IS_INVALID: Reading = reading(
    "empty-body-is-invalid",
    "A body that is empty where one is declared is refused.",
    &["ERR-7"],
    |honest| {
        interpose(honest, async |honest, received| {
            let declared = ["/describe", "/exists", "/declare", "/version/create"];
            let declared = declared.iter().any(|action| received.is(action));
            match declared && received.body.is_empty() {
                true => error(StatusCode::BAD_REQUEST, 13),
                false => honest.answer(received).await,
            }
        })
    },
);

/// Whether a field of the body names this choice, however it is spelled.
fn chooses(body: &Value, field: &str, choice: &str) -> bool {
    body[field]
        .as_str()
        .is_some_and(|text| text.eq_ignore_ascii_case(choice))
}

const NO_CASCADE: Reading = reading(
    "no-cascade",
    "DropNamespace with behaviour Cascade is not supported.",
    &["NS-7"],
    |honest| {
        interpose(honest, async |honest, received| {
            let drops =
                Named::of(&received).is_some_and(|named| named.asks(Kind::Namespace, "drop"));
            match drops && chooses(&received.json(), "behavior", "cascade") {
                true => error(StatusCode::NOT_ACCEPTABLE, 0),
                false => honest.answer(received).await,
            }
        })
    },
);

const NO_OVERWRITE_OF_REGISTRATIONS: Reading = reading(
    "no-overwrite-of-registrations",
    "RegisterTable in mode Overwrite is not supported.",
    &["TBL-5"],
    |honest| {
        interpose(honest, async |honest, received| {
            let registers = received.is("/register");
            match registers && chooses(&received.json(), "mode", "overwrite") {
                true => error(StatusCode::NOT_ACCEPTABLE, 0),
                false => honest.answer(received).await,
            }
        })
    },
);

const PLAIN_TEXT: Reading = reading(
    "plain-text-of-middleware",
    "What is no JSON is refused in plain text, before anybody looks what it is about.",
    &["REST-6", "ERR-4"],
    |honest| {
        interpose(honest, async |honest, received| {
            let says = received.headers.get(header::CONTENT_TYPE);
            let json = says.is_some_and(|says| says.as_bytes().starts_with(b"application/json"));
            let parsed = serde_json::from_slice::<Value>(&received.body);
            match json && !received.body.is_empty() && parsed.is_err() {
                true => (StatusCode::BAD_REQUEST, "this is no JSON").into_response(),
                false => honest.answer(received).await,
            }
        })
    },
);

const FORBIDDEN: Reading = reading(
    "forbidden",
    "Who is not known is answered 403 with code 15.",
    &["AUTH-1"],
    |honest| {
        let any = |_: &crate::interpose::Received| true;
        misrefuse(honest, any, StatusCode::UNAUTHORIZED, |_| {
            error(StatusCode::FORBIDDEN, 15)
        })
    },
);

const CODE_ALONE: Reading = reading(
    "code-alone",
    "An error has its code, and no words.",
    &["REST-6"],
    |honest| {
        interpose(honest, async |honest, received| {
            let answer = honest.answer(received).await;
            if answer.status().is_success() {
                return answer;
            }
            match json_parts(answer).await {
                Ok((parts, body)) => {
                    let code = json!({ "code": body["code"] });
                    (parts.status, parts.headers, code.to_string()).into_response()
                }
                Err(other) => other,
            }
        })
    },
);
