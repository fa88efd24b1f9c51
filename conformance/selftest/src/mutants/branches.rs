//! Faults of branches.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::{StatusCode, Uri};
use axum::response::Response;
use serde_json::{Value, json};

use crate::interpose::{Honest, Received, interpose, json_of, ok};
use crate::mutant::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    BRANCHES_SHARE_MAIN,
    DELETED_BRANCH_STAYS,
    DELETE_OF_A_BRANCH_TOUCHES_MAIN,
    DELETE_OF_A_MISSING_BRANCH_SUCCEEDS,
    CREATE_REPLACES_THE_BRANCH,
    BRANCH_IGNORES_ITS_SOURCE,
    BRANCHES_LISTED_FOR_A_NAMESPACE,
    BRANCHES_OF_BRANCHES_ARE_NOT_LISTED,
    BRANCH_NAMES_ARE_CUT,
];

const BRANCHES_SHARE_MAIN: Mutant = Mutant {
    name: "branches-share-main",
    does: "The branch in requests about versions is ignored: every version is main's.",
    scenarios: &["branches/versions-*", "branches/a-missing-branch-*"],
    breaks: &["VER-12"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, mut received| {
            if !received.uri.path().contains("/version/") {
                return honest.answer(received).await;
            }
            if received.query("branch").is_some() {
                // No other parameter comes with it in these scenarios.
                received.uri = path_alone(&received.uri);
            }
            let mut body = received.json();
            if body.is_object() {
                body["branch"] = Value::Null;
                received = received.with(&body);
            }
            honest.answer(received).await
        })
    },
};

fn path_alone(uri: &Uri) -> Uri {
    uri.path().parse().unwrap_or_else(|_| uri.clone())
}

const DELETED_BRANCH_STAYS: Mutant = Mutant {
    name: "deleted-branch-stays",
    does: "A delete of a branch is answered 200, and its versions stay.",
    scenarios: &["branches/delete-*", "branches/tables-*"],
    breaks: &["BR-4"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            match received.table("/branches/delete") {
                Some(_) => ok(&json!({})),
                None => honest.answer(received).await,
            }
        })
    },
};

const DELETE_OF_A_BRANCH_TOUCHES_MAIN: Mutant = Mutant {
    name: "delete-of-a-branch-touches-main",
    does: "A delete of a branch deletes the versions of main from its beginning on.",
    scenarios: &["branches/delete-*"],
    breaks: &["BR-4"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(table) = received.table("/branches/delete") else {
                return honest.answer(received).await;
            };
            let name = received.json()["name"].take();
            let list = honest.on_table(&table, "/branches/list", &json!({})).await;
            let branches = json_of(list).await["branches"].take();
            let from = &branches[name.as_str().unwrap_or_default()]["parentVersion"];
            let answer = honest.answer(received).await;
            if let (true, Some(from)) = (answer.status().is_success(), from.as_i64()) {
                let range = json!({ "start_version": from, "end_version": -1 });
                let body = json!({ "ranges": [range] });
                honest.on_table(&table, "/version/delete", &body).await;
            }
            answer
        })
    },
};

const DELETE_OF_A_MISSING_BRANCH_SUCCEEDS: Mutant = Mutant {
    name: "delete-of-a-missing-branch-succeeds",
    does: "A delete of a branch that is not there is answered 200.",
    scenarios: &["branches/*"],
    breaks: &["BR-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let delete = received.table("/branches/delete").is_some();
            let answer = honest.answer(received).await;
            match answer.status() {
                StatusCode::NOT_FOUND if delete => ok(&json!({})),
                _ => answer,
            }
        })
    },
};

const CREATE_REPLACES_THE_BRANCH: Mutant = Mutant {
    name: "create-replaces-the-branch",
    does: "A create of a branch that exists replaces it, and succeeds.",
    scenarios: &["branches/an-existing-*", "branches/one-winner-*"],
    breaks: &["BR-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(table) = received.table("/branches/create") else {
                return honest.answer(received).await;
            };
            let body = received.json();
            let answer = honest.answer(received).await;
            if answer.status() != StatusCode::CONFLICT {
                return answer;
            }
            honest.on_table(&table, "/branches/delete", &body).await;
            honest.on_table(&table, "/branches/create", &body).await
        })
    },
};

const BRANCH_IGNORES_ITS_SOURCE: Mutant = Mutant {
    name: "branch-ignores-its-source",
    does: "Every branch is created from the latest version of main, whatever its source.",
    scenarios: &["branches/*"],
    breaks: &["BR-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            if received.table("/branches/create").is_none() {
                return honest.answer(received).await;
            }
            let mut body = received.json();
            body["from_version"] = Value::Null;
            body["from_branch"] = Value::Null;
            honest.answer(received.with(&body)).await
        })
    },
};

const BRANCHES_LISTED_FOR_A_NAMESPACE: Mutant = Mutant {
    name: "branches-listed-for-a-namespace",
    does: "The branches of a table are listed with those of the tables beside it.",
    scenarios: &["branches/tables-*"],
    breaks: &["BR-3", "BR-4"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let tables: Arc<Mutex<BTreeSet<Vec<String>>>> = Arc::default();
        interpose(honest, move |honest, received| {
            let tables = Arc::clone(&tables);
            async move { listed_for_a_namespace(&tables, honest, received).await }
        })
    },
};

async fn listed_for_a_namespace(
    tables: &Mutex<BTreeSet<Vec<String>>>,
    honest: Honest,
    received: Received,
) -> Response {
    if let Some(table) = received.table("/branches/create") {
        let mut tables = tables.lock().unwrap_or_else(PoisonError::into_inner);
        tables.insert(table);
    }
    let Some(table) = received.table("/branches/list") else {
        return honest.answer(received).await;
    };
    let beside: Vec<Vec<String>> = {
        let tables = tables.lock().unwrap_or_else(PoisonError::into_inner);
        let namespace = |id: &[String]| id.split_last().map(|(_, parent)| parent.to_vec());
        let beside = tables
            .iter()
            .filter(|id| namespace(id) == namespace(&table));
        beside.cloned().collect()
    };
    let mut all = json!({});
    for table in beside {
        let list = honest.on_table(&table, "/branches/list", &json!({})).await;
        let branches = json_of(list).await["branches"].take();
        for (name, contents) in branches.as_object().into_iter().flatten() {
            all[name] = contents.clone();
        }
    }
    ok(&json!({ "branches": all }))
}

const BRANCHES_OF_BRANCHES_ARE_NOT_LISTED: Mutant = Mutant {
    name: "branches-of-branches-are-not-listed",
    does: "A listing leaves out the branches that were created from another branch than main.",
    scenarios: &["branches/*"],
    breaks: &["BR-3"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let list = received.table("/branches/list").is_some();
            let answer = honest.answer(received).await;
            if !list || !answer.status().is_success() {
                return answer;
            }
            let mut body = json_of(answer).await;
            if let Some(branches) = body["branches"].as_object_mut() {
                branches.retain(|_, contents| contents["parentBranch"].is_null());
            }
            ok(&body)
        })
    },
};

const BRANCH_NAMES_ARE_CUT: Mutant = Mutant {
    name: "branch-names-are-cut",
    does: "A branch's name ends at its first space, slash or quote.",
    scenarios: &["branches/names-*"],
    breaks: &["BR-3"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let mut body = received.json();
            let Some(name) = body["name"].as_str() else {
                return honest.answer(received).await;
            };
            let cut = name.split([' ', '/', '\'']).next().unwrap_or_default();
            body["name"] = json!(cut);
            honest.answer(received.with(&body)).await
        })
    },
};
