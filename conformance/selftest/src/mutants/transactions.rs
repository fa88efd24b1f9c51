//! Faults of transactions.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::interpose::{Honest, Received, interpose, ok};
use crate::mutant::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    ACTIONS_ONE_AFTER_THE_OTHER,
    ONLY_THE_FIRST_ACTION,
    UNKNOWN_TRANSACTION_HAS_SUCCEEDED,
    ALTER_OF_AN_UNKNOWN_TRANSACTION_SUCCEEDS,
    SET_IGNORES_ITS_MODE,
    SKIP_NEVER_SETS,
    UNSET_IGNORES_ITS_MODE,
    MODES_ARE_READ_IN_ONE_CASE,
];

/// Whether the request is for `/v1/transaction/{id}/` and this.
fn asks_for(received: &Received, operation: &str) -> bool {
    let path = received.uri.path();
    path.starts_with("/v1/transaction/") && path.ends_with(operation)
}

const ACTIONS_ONE_AFTER_THE_OTHER: Mutant = Mutant {
    name: "actions-one-after-the-other",
    does: "An alter applies one action after the other, and stops at the first that fails.",
    scenarios: &["transactions/*"],
    breaks: &["TX-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| interpose(honest, one_after_the_other),
};

async fn one_after_the_other(honest: Honest, received: Received) -> Response {
    let actions = match received.json()["actions"].take() {
        Value::Array(actions) if actions.len() > 1 && asks_for(&received, "/alter") => actions,
        _ => return honest.answer(received).await,
    };
    let mut answer = StatusCode::OK.into_response();
    for action in actions {
        let alter = Received {
            method: received.method.clone(),
            uri: received.uri.clone(),
            headers: received.headers.clone(),
            body: received.body.clone(),
        };
        let alter = alter.with(&json!({ "actions": [action] }));
        answer = honest.answer(alter).await;
        if !answer.status().is_success() {
            return answer;
        }
        tokio::task::yield_now().await;
    }
    answer
}

const ONLY_THE_FIRST_ACTION: Mutant = Mutant {
    name: "only-the-first-action",
    does: "An alter applies the first of its actions, and succeeds.",
    scenarios: &["transactions/alter-applies-*", "transactions/a-failing-*"],
    breaks: &["TX-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let mut body = received.json();
            match body["actions"].as_array_mut() {
                Some(actions) if asks_for(&received, "/alter") => {
                    actions.truncate(1);
                    honest.answer(received.with(&body)).await
                }
                _ => honest.answer(received).await,
            }
        })
    },
};

const UNKNOWN_TRANSACTION_HAS_SUCCEEDED: Mutant = Mutant {
    name: "unknown-transaction-has-succeeded",
    does: "A transaction that is not known is described as one that has succeeded.",
    scenarios: &["transactions/*"],
    breaks: &["TX-2"],
    may_break: &[],
    warns: &[],
    wrap: |honest| answers_for_the_unknown(honest, "/describe"),
};

const ALTER_OF_AN_UNKNOWN_TRANSACTION_SUCCEEDS: Mutant = Mutant {
    name: "alter-of-an-unknown-transaction-succeeds",
    does: "An alter of a transaction that is not known is answered 200.",
    scenarios: &["transactions/*"],
    breaks: &["TX-2"],
    may_break: &[],
    warns: &[],
    wrap: |honest| answers_for_the_unknown(honest, "/alter"),
};

fn answers_for_the_unknown(honest: axum::Router, operation: &'static str) -> axum::Router {
    interpose(honest, move |honest, received| async move {
        let asked = asks_for(&received, operation);
        let answer = honest.answer(received).await;
        match answer.status() {
            StatusCode::NOT_FOUND if asked => ok(&json!({ "status": "Succeeded" })),
            _ => answer,
        }
    })
}

const SET_IGNORES_ITS_MODE: Mutant = Mutant {
    name: "set-ignores-its-mode",
    does: "Setting a property overwrites it, whatever the mode.",
    scenarios: &["transactions/set-*"],
    breaks: &["TX-3"],
    may_break: &[],
    warns: &[],
    wrap: |honest| without_modes(honest, "setPropertyAction"),
};

const SKIP_NEVER_SETS: Mutant = Mutant {
    name: "skip-never-sets",
    does: "Setting a property in mode Skip passes over it, whether or not it exists.",
    scenarios: &["transactions/set-*"],
    breaks: &["TX-3"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let mut body = received.json();
            let skips = |action: &Value| {
                let mode = action["setPropertyAction"]["mode"].as_str();
                mode.is_some_and(|mode| mode.eq_ignore_ascii_case("skip"))
            };
            match body["actions"].as_array_mut() {
                Some(actions) if asks_for(&received, "/alter") => {
                    for action in actions.iter_mut().filter(|action| skips(action)) {
                        let key = action["setPropertyAction"]["key"].take();
                        *action = json!({ "unsetPropertyAction": { "key": nothing_like(&key) } });
                    }
                    honest.answer(received.with(&body)).await
                }
                _ => honest.answer(received).await,
            }
        })
    },
};

/// A key that no property has.
fn nothing_like(key: &Value) -> String {
    format!("no {key}")
}

const UNSET_IGNORES_ITS_MODE: Mutant = Mutant {
    name: "unset-ignores-its-mode",
    does: "Unsetting a property that does not exist passes over it, whatever the mode.",
    scenarios: &["transactions/unset-*", "transactions/a-failing-*"],
    breaks: &["TX-1", "TX-4"],
    may_break: &[],
    warns: &[],
    wrap: |honest| without_modes(honest, "unsetPropertyAction"),
};

fn without_modes(honest: axum::Router, kind: &'static str) -> axum::Router {
    interpose(honest, move |honest, received| async move {
        let mut body = received.json();
        for action in body["actions"].as_array_mut().into_iter().flatten() {
            if action[kind].is_object() {
                action[kind]["mode"] = Value::Null;
            }
        }
        match body["actions"].is_array() {
            true => honest.answer(received.with(&body)).await,
            false => honest.answer(received).await,
        }
    })
}

const MODES_ARE_READ_IN_ONE_CASE: Mutant = Mutant {
    name: "modes-are-read-in-one-case",
    does: "A mode whose name is not in PascalCase is refused as unknown.",
    scenarios: &["transactions/*"],
    breaks: &["TX-5"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let body = received.json();
            let actions = body["actions"].as_array().into_iter().flatten();
            let mut modes = actions
                .flat_map(|action| action.as_object().into_iter().flatten())
                .filter_map(|(_, action)| action["mode"].as_str());
            if modes.all(|mode| ["Overwrite", "Skip", "Fail", "Perhaps"].contains(&mode)) {
                return honest.answer(received).await;
            }
            let body = json!({ "code": 13, "error": "there is no such mode" });
            (StatusCode::BAD_REQUEST, ok(&body)).into_response()
        })
    },
};
