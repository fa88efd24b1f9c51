//! Faults of creates and describes that cannot be carried out, or that name a branch or a table in
//! an unusual way.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::interpose::{
    Received, error, interpose, interpose_with, json_of, misread, misrefuse, ok,
};
use crate::mutant::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    CREATE_MAKES_THE_TABLE,
    DEREGISTERED_TABLE_KEEPS_ITS_VERSIONS,
    UNKNOWN_TABLE_HAS_NO_VERSIONS,
    DELETE_ON_AN_UNKNOWN_TABLE_SUCCEEDS,
    ANY_TABLE_EXISTS,
    VERSION_MAY_BE_A_TEXT,
    NEGATIVE_VERSION_IS_A_CONFLICT,
    NULL_IS_NO_ABSENCE,
    BRANCH_IS_IGNORED,
    UNKNOWN_BRANCH_IS_MAIN,
    DELETE_IGNORES_THE_BRANCH,
];

fn of_versions(received: &Received) -> bool {
    received.uri.path().contains("/version/") && !received.is("batch-create")
}

const CREATE_MAKES_THE_TABLE: Mutant = Mutant {
    name: "create-makes-the-table",
    does: "A create of a version of a table that does not exist declares the table.",
    scenarios: &["put-if-not-exists/*-is-not-found"],
    breaks: &["VER-8"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(table) = received.table("/version/create") else {
                return honest.answer(received).await;
            };
            let retry = received.clone();
            let answer = honest.answer(received).await;
            if answer.status() != StatusCode::NOT_FOUND {
                return answer;
            }
            honest.on_table(&table, "/declare", &json!({})).await;
            honest.answer(retry).await
        })
    },
};

const DEREGISTERED_TABLE_KEEPS_ITS_VERSIONS: Mutant = Mutant {
    name: "deregistered-table-keeps-its-versions",
    does: "The versions of a table that was deregistered can still be described.",
    scenarios: &["put-if-not-exists/deregistered-table-is-not-found"],
    breaks: &["VER-8"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        type Kept = Mutex<BTreeMap<String, Vec<Value>>>;
        interpose_with(honest, Kept::default(), async |honest, received, kept| {
            if let Some(table) = received.table("/deregister") {
                let versions = honest.versions(&table).await;
                kept.lock().await.insert(table.join("$"), versions);
            }
            let Some(table) = received.table("/version/describe") else {
                return honest.answer(received).await;
            };
            let version = received.json()["version"].take();
            let answer = honest.answer(received).await;
            if answer.status() != StatusCode::NOT_FOUND {
                return answer;
            }
            let kept = kept.lock().await;
            let mut entries = kept.get(&table.join("$")).into_iter().flatten();
            match entries.find(|entry| entry["version"] == version) {
                Some(entry) => ok(&json!({ "version": entry })),
                None => answer,
            }
        })
    },
};

const UNKNOWN_TABLE_HAS_NO_VERSIONS: Mutant = Mutant {
    name: "unknown-table-has-no-versions",
    does: "The list of the versions of a table that does not exist is empty, and no error.",
    scenarios: &["put-if-not-exists/unknown-*-is-not-found"],
    breaks: &["VER-8"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        let list = |received: &Received| received.is("/version/list");
        misrefuse(honest, list, StatusCode::NOT_FOUND, |_| {
            ok(&json!({ "versions": [] }))
        })
    },
};

const DELETE_ON_AN_UNKNOWN_TABLE_SUCCEEDS: Mutant = Mutant {
    name: "delete-on-an-unknown-table-succeeds",
    does: "Deleting versions of a table that does not exist is answered 200, with a count of 0.",
    scenarios: &["put-if-not-exists/delete-on-an-unknown-table-is-not-found"],
    breaks: &["VER-8"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        let delete = |received: &Received| received.is("/version/delete");
        misrefuse(honest, delete, StatusCode::NOT_FOUND, |_| {
            ok(&json!({ "deleted_count": 0 }))
        })
    },
};

const ANY_TABLE_EXISTS: Mutant = Mutant {
    name: "any-table-exists",
    does: "TableExists and DescribeTable answer 200 for whatever they are asked.",
    scenarios: &[
        "put-if-not-exists/unknown-table-is-not-found",
        "ordering/siblings-come-and-go",
    ],
    breaks: &["VER-8", "ORD-7"],
    may_break: &["ORD-6", "BAT-3", "COM-1", "COM-3", "COM-4"],
    warns: &[],
    wrap: |honest| {
        let asks = |received: &Received| {
            received.table("/exists").is_some() || received.table("/describe").is_some()
        };
        misrefuse(honest, asks, StatusCode::NOT_FOUND, |_| {
            ok(&json!({ "location": "memory://anywhere" }))
        })
    },
};

const VERSION_MAY_BE_A_TEXT: Mutant = Mutant {
    name: "version-may-be-a-text",
    does: "A version that comes as a text or with a fraction is made a whole number of.",
    scenarios: &["put-if-not-exists/malformed-create-is-invalid"],
    breaks: &["VER-9"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let create = |received: &Received| received.is("/version/create");
        misread(honest, create, |received| {
            received.with_body(|body| {
                let text = body["version"].as_str().and_then(|text| text.parse().ok());
                let number = text.or_else(|| body["version"].as_f64().filter(|n| n.fract() != 0.0));
                if let Some(number) = number {
                    body["version"] = json!(number as i64);
                }
            })
        })
    },
};

const NEGATIVE_VERSION_IS_A_CONFLICT: Mutant = Mutant {
    name: "negative-version-is-a-conflict",
    does: "A negative version is read without its sign, far beyond the next one, and refused as a \
           conflict.",
    scenarios: &["put-if-not-exists/malformed-create-is-invalid"],
    breaks: &["VER-9"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let negative = received.json()["version"]
                .as_i64()
                .is_some_and(|version| version < 0);
            match received.is("/version/create") && negative {
                true => error(StatusCode::CONFLICT, 14),
                false => honest.answer(received).await,
            }
        })
    },
};

const NULL_IS_NO_ABSENCE: Mutant = Mutant {
    name: "null-is-no-absence",
    does: "An optional field that is null makes a request invalid.",
    scenarios: &["put-if-not-exists/null-is-absence"],
    breaks: &[],
    may_break: &[],
    warns: &["VER-9"],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let body = received.json();
            let mut fields = body.as_object().into_iter().flatten();
            match of_versions(&received) && fields.any(|(_, value)| value.is_null()) {
                true => error(StatusCode::BAD_REQUEST, 13),
                false => honest.answer(received).await,
            }
        })
    },
};

const BRANCH_IS_IGNORED: Mutant = Mutant {
    name: "branch-is-ignored",
    does: "Creates, describes, lists and deletes of versions take no notice of the branch.",
    scenarios: &["put-if-not-exists/*branch*"],
    breaks: &["VER-12"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| misread(honest, of_versions, without_branch),
};

fn without_branch(received: Received) -> Received {
    let received = received.with_query("branch", None);
    if received.body.is_empty() {
        return received;
    }
    received.with_body(|body| {
        if let Some(fields) = body.as_object_mut() {
            fields.remove("branch");
        }
    })
}

const UNKNOWN_BRANCH_IS_MAIN: Mutant = Mutant {
    name: "unknown-branch-is-main",
    does: "A create on a branch that does not exist creates the version on main.",
    scenarios: &["put-if-not-exists/unknown-branch-is-refused"],
    breaks: &["VER-12"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let again = received.clone();
            let answer = honest.answer(received).await;
            if answer.status() != StatusCode::NOT_FOUND || !again.is("/version/create") {
                return answer;
            }
            let (status, body) = (answer.status(), json_of(answer).await);
            match body["code"] == 22 {
                true => honest.answer(without_branch(again)).await,
                false => (status, ok(&body)).into_response(),
            }
        })
    },
};

const DELETE_IGNORES_THE_BRANCH: Mutant = Mutant {
    name: "delete-ignores-the-branch",
    does: "Deleting versions of a branch deletes those of main that have the same numbers.",
    scenarios: &["put-if-not-exists/delete-on-a-branch-leaves-main"],
    breaks: &["VER-12"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        let delete = |received: &Received| received.is("/version/delete");
        misread(honest, delete, without_branch)
    },
};
