//! Faults of renaming tables.

use axum::Router;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;

use crate::interpose::{Honest, Received, interpose_with, ok};
use crate::mutant::{Mutant, breaking};
use crate::naming::{Kind, Named};

pub(super) const MUTANTS: &[Mutant] = &[
    LEAVES_THE_OLD_NAME,
    REPLACES,
    STAYS_IN_THE_NAMESPACE,
    LOSES_VERSIONS,
    TO_ITSELF_LOSES_THE_TABLE,
];

/// A router that hands the renames of tables to `rename`.
fn renaming<F, Answer>(honest: Router, rename: F) -> Router
where
    F: Fn(Honest, Received, Named) -> Answer + Send + Sync + 'static,
    Answer: Future<Output = Response> + Send + 'static,
{
    interpose_with(honest, rename, async |honest, received, rename| {
        let named = Named::of(&received).filter(|named| named.asks(Kind::Table, "rename"));
        match named {
            Some(named) => rename(honest, received, named).await,
            None => honest.answer(received).await,
        }
    })
}

const LEAVES_THE_OLD_NAME: Mutant = Mutant {
    name: "rename-leaves-the-old-name",
    does: "RenameTable makes the new name and leaves the old one.",
    scenarios: &[
        "tables/renamed-table-has-moved",
        "tables/raced-renames-have-one-winner",
    ],
    breaks: &["TBL-6"],
    may_break: &["TBL-22"],
    warns: &[],
    wrap: |honest| {
        renaming(honest, async |honest, received, named| {
            let answer = honest.answer(received.clone()).await;
            if answer.status().is_success() {
                named
                    .ask(&honest, &received, &named.id, "declare", &json!({}))
                    .await;
            }
            answer
        })
    },
};

const REPLACES: Mutant = breaking(
    "rename-replaces",
    "RenameTable to the name of another table replaces that one.",
    &[
        "tables/taken-name-is-refused",
        "tables/raced-renames-have-one-winner",
    ],
    &["TBL-6"],
    |honest| {
        renaming(honest, async |honest, received, named| {
            let answer = honest.answer(received.clone()).await;
            if answer.status() != StatusCode::CONFLICT {
                return answer;
            }
            let name = received.json()["new_table_name"].take();
            let taken = named.sibling(name.as_str().unwrap_or_default());
            named
                .ask(&honest, &received, &taken, "deregister", &json!({}))
                .await;
            honest.answer(received).await
        })
    },
);

const STAYS_IN_THE_NAMESPACE: Mutant = breaking(
    "rename-stays-in-the-namespace",
    "RenameTable ignores the namespace that the table should move to.",
    &["tables/renamed-into-another-namespace"],
    &["TBL-22"],
    |honest| {
        renaming(honest, async |honest, received, named| {
            let name = received.json()["new_table_name"].take();
            let body = json!({ "new_table_name": name });
            named
                .ask(&honest, &received, &named.id, "rename", &body)
                .await
        })
    },
);

const LOSES_VERSIONS: Mutant = breaking(
    "rename-loses-versions",
    "RenameTable moves the table without its versions.",
    &["tables/renamed-table-keeps-its-versions"],
    &["TBL-6"],
    |honest| {
        renaming(honest, async |honest, received, named| {
            let ranges = json!({ "ranges": [{ "start_version": 0, "end_version": -1 }] });
            named
                .ask(&honest, &received, &named.id, "version/delete", &ranges)
                .await;
            honest.answer(received).await
        })
    },
);

const TO_ITSELF_LOSES_THE_TABLE: Mutant = breaking(
    "rename-to-itself-loses-the-table",
    "RenameTable puts the table by its new name and removes the old one, which may be the same.",
    &["tables/renamed-to-its-own-name-is-there"],
    &["TBL-6"],
    |honest| {
        renaming(honest, async |honest, received, named| {
            let body = received.json();
            if !body["new_namespace_id"].is_null() || body["new_table_name"] != named.name() {
                return honest.answer(received).await;
            }
            named
                .ask(&honest, &received, &named.id, "deregister", &json!({}))
                .await;
            ok(&json!({}))
        })
    },
);
