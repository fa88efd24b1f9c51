//! Servers that do something with what is not there.

use axum::http::StatusCode;
use serde_json::json;

use crate::interpose::{Received, interpose, misread, misrefuse, ok};
use crate::mutant::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    ANY_NAMESPACE_EXISTS,
    RENAME_OF_NOTHING_SUCCEEDS,
    DROP_OF_NOTHING_SUCCEEDS,
    REFUSED_DECLARE_MAKES_THE_NAMESPACE,
    ANY_TRANSACTION_SUCCEEDED,
    TAG_NAMES_ANY_VERSION,
    UPDATE_MAKES_THE_TAG,
    MISSING_BRANCH_HAS_NO_VERSIONS,
    NEGATIVE_VERSION_IS_THE_LATEST,
];

const ANY_NAMESPACE_EXISTS: Mutant = Mutant {
    name: "any-namespace-exists",
    does: "NamespaceExists answers 200 for whatever it is asked.",
    scenarios: &["errors/missing-namespace-is-not-found"],
    breaks: &["ERR-2"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let asks = |received: &Received| received.parts("/v1/namespace/", "/exists").is_some();
        misrefuse(honest, asks, StatusCode::NOT_FOUND, |_| ok(&json!({})))
    },
};

const RENAME_OF_NOTHING_SUCCEEDS: Mutant = Mutant {
    name: "rename-of-nothing-succeeds",
    does: "Renaming a table that is not there is answered 200.",
    scenarios: &["errors/missing-table-is-not-found"],
    breaks: &["ERR-2"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let rename = |received: &Received| received.is("/rename");
        misrefuse(honest, rename, StatusCode::NOT_FOUND, |_| ok(&json!({})))
    },
};

const DROP_OF_NOTHING_SUCCEEDS: Mutant = Mutant {
    name: "drop-of-nothing-succeeds",
    does: "Dropping or deregistering a table that is not there is answered 200.",
    scenarios: &["errors/missing-table-is-not-found"],
    breaks: &[],
    may_break: &[],
    warns: &["ERR-2"],
    wrap: |honest| {
        let removes = |received: &Received| {
            received.table("/drop").is_some() || received.table("/deregister").is_some()
        };
        misrefuse(honest, removes, StatusCode::NOT_FOUND, |_| ok(&json!({})))
    },
};

const REFUSED_DECLARE_MAKES_THE_NAMESPACE: Mutant = Mutant {
    name: "refused-declare-makes-the-namespace",
    does: "Declaring a table in a namespace that is not there is refused, and leaves the namespace.",
    scenarios: &["errors/missing-namespace-is-not-found"],
    breaks: &["ERR-1"],
    may_break: &["ERR-2"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let declares = received.table("/declare");
            let answer = honest.answer(received).await;
            if let Some([parent @ .., _]) = declares.as_deref()
                && answer.status() == StatusCode::NOT_FOUND
            {
                let path = format!("/v1/namespace/{}/create", parent.join("%24"));
                honest.post(&path, &json!({})).await;
            }
            answer
        })
    },
};

const ANY_TRANSACTION_SUCCEEDED: Mutant = Mutant {
    name: "any-transaction-succeeded",
    does: "A transaction that is not there is described as one that succeeded.",
    scenarios: &["errors/missing-transaction-is-not-found"],
    breaks: &["ERR-2"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let describe =
            |received: &Received| received.parts("/v1/transaction/", "/describe").is_some();
        misrefuse(honest, describe, StatusCode::NOT_FOUND, |_| {
            ok(&json!({ "status": "SUCCEEDED" }))
        })
    },
};

const TAG_NAMES_ANY_VERSION: Mutant = Mutant {
    name: "tag-names-any-version",
    does: "A tag of a version that is not there is answered 200.",
    scenarios: &["errors/missing-version-is-not-found"],
    breaks: &["ERR-2"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let create = |received: &Received| received.is("/tags/create");
        misrefuse(honest, create, StatusCode::NOT_FOUND, |_| ok(&json!({})))
    },
};

const UPDATE_MAKES_THE_TAG: Mutant = Mutant {
    name: "update-makes-the-tag",
    does: "An update of a tag that is not there makes the tag.",
    scenarios: &["errors/missing-tag-is-not-found"],
    breaks: &["ERR-2"],
    may_break: &["ERR-1"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let updates = received.table("/tags/update");
            let body = received.json();
            let answer = honest.answer(received).await;
            match updates {
                Some(id) if answer.status() == StatusCode::NOT_FOUND => {
                    honest.on_table(&id, "/tags/create", &body).await
                }
                _ => answer,
            }
        })
    },
};

const MISSING_BRANCH_HAS_NO_VERSIONS: Mutant = Mutant {
    name: "missing-branch-has-no-versions",
    does: "The list of the versions of a branch that is not there is empty, and no error.",
    scenarios: &["errors/missing-branch-is-not-found"],
    breaks: &["ERR-2"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let list = |received: &Received| {
            received.is("/version/list") && received.query("branch").is_some()
        };
        misrefuse(honest, list, StatusCode::NOT_FOUND, |_| {
            ok(&json!({ "versions": [] }))
        })
    },
};

const NEGATIVE_VERSION_IS_THE_LATEST: Mutant = Mutant {
    name: "negative-version-is-the-latest",
    does: "A describe of a negative version answers the latest.",
    scenarios: &["errors/negative-version-is-no-version"],
    breaks: &["ERR-4"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let describe = |received: &Received| received.is("/version/describe");
        misread(honest, describe, |received| {
            received.with_body(|body| {
                if body["version"].as_i64().is_some_and(|version| version < 0)
                    && let Some(fields) = body.as_object_mut()
                {
                    fields.remove("version");
                }
            })
        })
    },
};
