//! Servers that write what they refuse, or make what exists.

use axum::http::StatusCode;
use serde_json::json;

use crate::interpose::{Received, interpose, misrefuse, ok};
use crate::mutant::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    DECLARE_AGAIN_SUCCEEDS,
    REFUSED_DECLARE_MOVES_THE_TABLE,
    BRANCH_AGAIN_SUCCEEDS,
    REFUSED_DROP_EMPTIES,
    FULL_NAMESPACE_IS_DROPPED,
    REFUSED_RENAME_REMOVES,
];

const DECLARE_AGAIN_SUCCEEDS: Mutant = Mutant {
    name: "declare-again-succeeds",
    does: "Declaring a table that exists is answered 200, as if it were new.",
    scenarios: &["errors/taken-names-are-conflicts"],
    breaks: &["ERR-3"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let declare = |received: &Received| received.table("/declare").is_some();
        misrefuse(honest, declare, StatusCode::CONFLICT, |_| {
            ok(&json!({ "location": "memory://somewhere" }))
        })
    },
};

const REFUSED_DECLARE_MOVES_THE_TABLE: Mutant = Mutant {
    name: "refused-declare-moves-the-table",
    does: "Declaring a table that exists is refused, after the entry was written over.",
    scenarios: &["errors/taken-names-are-conflicts"],
    breaks: &["ERR-1"],
    may_break: &["ERR-3"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let declares = received.table("/declare");
            let answer = honest.answer(received).await;
            if let Some(id) = declares
                && answer.status() == StatusCode::CONFLICT
            {
                let over = json!({ "location": "memory://elsewhere", "mode": "Overwrite" });
                honest.on_table(&id, "/register", &over).await;
            }
            answer
        })
    },
};

const BRANCH_AGAIN_SUCCEEDS: Mutant = Mutant {
    name: "branch-again-succeeds",
    does: "Creating a branch that exists is answered 200.",
    scenarios: &["errors/existing-versions-and-refs-are-conflicts"],
    breaks: &["ERR-3"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let create = |received: &Received| received.is("/branches/create");
        misrefuse(honest, create, StatusCode::CONFLICT, |_| ok(&json!({})))
    },
};

const REFUSED_DROP_EMPTIES: Mutant = Mutant {
    name: "refused-drop-empties-the-namespace",
    does: "Dropping a namespace that is not empty drops what is in it, and then refuses.",
    scenarios: &["errors/non-empty-namespace-is-not-dropped"],
    breaks: &["ERR-1"],
    may_break: &["ERR-3"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let drops = received.parts("/v1/namespace/", "/drop");
            let answer = honest.answer(received).await;
            if let Some(id) = drops
                && answer.status() == StatusCode::CONFLICT
            {
                let id = id.join("%24");
                let inner = format!("/v1/table/{id}%24t/deregister");
                honest.post(&inner, &json!({})).await;
            }
            answer
        })
    },
};

const FULL_NAMESPACE_IS_DROPPED: Mutant = Mutant {
    name: "full-namespace-is-dropped",
    does: "A namespace that is not empty is dropped with all that is in it, though nobody asked.",
    scenarios: &["errors/non-empty-namespace-is-not-dropped"],
    breaks: &["ERR-3"],
    may_break: &["ERR-1"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let drops = received.parts("/v1/namespace/", "/drop").is_some();
            if !drops {
                return honest.answer(received).await;
            }
            let cascade = received.with_body(|body| body["behavior"] = json!("Cascade"));
            honest.answer(cascade).await
        })
    },
};

const REFUSED_RENAME_REMOVES: Mutant = Mutant {
    name: "refused-rename-removes-the-table",
    does: "A rename to a name that is taken takes the old name away before it looks.",
    scenarios: &["errors/taken-names-are-conflicts"],
    breaks: &["ERR-1"],
    may_break: &["ERR-3"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let renames = received.table("/rename");
            let answer = honest.answer(received).await;
            if let Some(id) = renames
                && answer.status() == StatusCode::CONFLICT
            {
                honest.on_table(&id, "/deregister", &json!({})).await;
            }
            answer
        })
    },
};
