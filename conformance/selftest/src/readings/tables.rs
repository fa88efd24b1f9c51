//! Branches, and how tables come about.

use axum::http::StatusCode;
use serde_json::json;

use crate::interpose::{error, interpose, ok, reword, strings};
use crate::naming::{Kind, Named};
use crate::reading::{Reading, reading};

pub(super) const BRANCHES: &[Reading] = &[BRANCHES_BEGIN_EMPTY, MAIN_IS_LISTED];
pub(super) const TABLES: &[Reading] = &[DECLARED_TABLE_IS_TAKEN, LOCATION_IS_THE_SERVERS];
pub(super) const RENAMES: &[Reading] = &[RENAME_TO_ITSELF];

const BRANCHES_BEGIN_EMPTY: Reading = reading(
    "branches-begin-empty",
    "A new branch has no versions of its own.",
    &["VER-12", "BR-2"],
    |honest| {
        interpose(honest, async |honest, received| {
            let named = Named::of(&received);
            let named = named.filter(|named| named.asks(Kind::Table, "branches/create"));
            let Some(named) = named else {
                return honest.answer(received).await;
            };
            let answer = honest.answer(received.clone()).await;
            if answer.status() == StatusCode::OK {
                let all = json!([{ "start_version": 0, "end_version": -1 }]);
                let delete = json!({ "branch": received.json()["name"], "ranges": all });
                named
                    .ask(&honest, &received, &named.id, "version/delete", &delete)
                    .await;
            }
            answer
        })
    },
);

const MAIN_IS_LISTED: Reading = reading(
    "main-is-listed",
    "The first page of a table's branches names the main branch, where it does not fill the limit.",
    &["BR-3"],
    |honest| {
        reword(honest, |received, body| {
            let limit = received.query("limit").and_then(|limit| limit.parse().ok());
            let first = received.is("/branches/list") && received.query("page_token").is_none();
            if !first {
                return;
            }
            if let Some(branches) = body["branches"].as_object_mut()
                && limit.is_none_or(|limit: usize| branches.len() < limit)
            {
                let main = json!({ "parentVersion": 0, "createAt": 0, "manifestSize": 0 });
                branches.insert("main".to_owned(), main);
            }
        })
    },
);

const LOCATION_IS_THE_SERVERS: Reading = reading(
    "location-is-the-servers",
    "DeclareTable with a location is refused: where a table lies the server says.",
    &["TBL-18"],
    |honest| {
        interpose(honest, async |honest, received| {
            let declares =
                Named::of(&received).is_some_and(|named| named.asks(Kind::Table, "declare"));
            match declares && received.json()["location"].is_string() {
                true => error(StatusCode::BAD_REQUEST, 13),
                false => honest.answer(received).await,
            }
        })
    },
);

const RENAME_TO_ITSELF: Reading = reading(
    "rename-to-itself",
    "To give a table the name that it has is done, and no conflict.",
    &["TBL-6"],
    |honest| {
        interpose(honest, async |honest, received| {
            let named = Named::of(&received).filter(|named| named.asks(Kind::Table, "rename"));
            let Some(named) = named else {
                return honest.answer(received).await;
            };
            let body = received.json();
            let answer = honest.answer(received).await;
            let elsewhere = body["new_namespace_id"].is_array()
                && strings(&body["new_namespace_id"]) != named.parent();
            let itself = !elsewhere && body["new_table_name"] == named.name();
            match itself && answer.status() == StatusCode::CONFLICT {
                true => ok(&json!({})),
                false => answer,
            }
        })
    },
);

const DECLARED_TABLE_IS_TAKEN: Reading = reading(
    "declared-table-is-taken",
    "CreateTable, in mode Create, of a table that is only declared is a conflict.",
    &["DATA-4"],
    |honest| {
        interpose(honest, async |honest, received| {
            let named = Named::of(&received).filter(|named| named.asks(Kind::Table, "create"));
            let Some(named) = named else {
                return honest.answer(received).await;
            };
            let mode = received.query("mode").unwrap_or_default();
            let there = named.described(&honest, &received).await;
            let plain = mode.is_empty() || mode.eq_ignore_ascii_case("create");
            match plain && there["is_only_declared"] == true {
                true => error(StatusCode::CONFLICT, 5),
                false => honest.answer(received).await,
            }
        })
    },
);
