//! Which versions can be created, and what deleting them means.

use std::collections::BTreeSet;

use axum::http::StatusCode;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::interpose::{Honest, Received, error, interpose, interpose_with, json_of, ok, strings};
use crate::naming::{Kind, Named};
use crate::reading::{Reading, reading};

pub(super) const AGAIN: &[Reading] = &[SAME_CREATE_IS_DONE];
pub(super) const NUMBERS: &[Reading] = &[NUMBERS_COUNT_UP, DELETED_NUMBERS_STAY_TAKEN];
pub(super) const RANGES: &[Reading] = &[INVERTED_RANGE_IS_EMPTY];

/// What this request asks for, if it is this of a table.
fn of_table(received: &Received, action: &str) -> Option<Named> {
    Named::of(received).filter(|named| named.asks(Kind::Table, action))
}

/// Whether a stored entry says all that a create asks for.
pub(super) fn is_as_asked(entry: &Value, create: &Value) -> bool {
    let fields = [
        "version",
        "manifest_path",
        "manifest_size",
        "e_tag",
        "metadata",
    ];
    let asked = fields.iter().filter(|field| !create[**field].is_null());
    entry.is_object()
        && asked
            .into_iter()
            .all(|field| entry[*field] == create[*field])
}

const SAME_CREATE_IS_DONE: Reading = reading(
    "same-create-is-done",
    "A create of an entry that is there word for word is answered 200 with it.",
    &["VER-5"],
    |honest| {
        interpose(honest, async |honest, received| {
            let Some(named) = of_table(&received, "version/create") else {
                return honest.answer(received).await;
            };
            let answer = honest.answer(received.clone()).await;
            if answer.status() != StatusCode::CONFLICT {
                return answer;
            }
            let create = received.json();
            let asked = json!({ "version": create["version"], "branch": create["branch"] });
            let stored = named
                .ask(&honest, &received, &named.id, "version/describe", &asked)
                .await;
            let body = json_of(stored).await;
            match is_as_asked(&body["version"], &create) {
                true => ok(&body),
                false => answer,
            }
        })
    },
);

/// The number after the latest, of a table and branch that can be looked at.
async fn next(honest: &Honest, id: &[String], branch: &Value) -> Option<i64> {
    let body = json!({ "branch": branch });
    let latest = honest.on_table(id, "/version/describe", &body).await;
    let (status, body) = (latest.status(), json_of(latest).await);
    match status {
        StatusCode::OK => Some(body["version"]["version"].as_i64()? + 1),
        StatusCode::NOT_FOUND if body["code"] == 11 => Some(1),
        _ => None,
    }
}

/// Whether one of these creates, of identifiers and entries, leaves a gap.
async fn leaves_a_gap(honest: &Honest, creates: &[(Vec<String>, Value)]) -> bool {
    let mut expected: Vec<(&[String], &Value, i64)> = Vec::new();
    for (id, create) in creates {
        let branch = &create["branch"];
        let Some(version) = create["version"].as_i64() else {
            continue;
        };
        let mut of_table = expected.iter_mut();
        let known = of_table.find(|(table, on, _)| *table == id && *on == branch);
        let number = match &known {
            Some((_, _, number)) => *number,
            None => match next(honest, id, branch).await {
                Some(number) => number,
                None => continue,
            },
        };
        if version > number {
            return true;
        }
        let after = number.max(version.saturating_add(1));
        match known {
            Some((_, _, number)) => *number = after,
            None => expected.push((id, branch, after)),
        }
    }
    false
}

const NUMBERS_COUNT_UP: Reading = reading(
    "numbers-count-up",
    "A version above the one after the latest is a conflict, alone, in a batch and in a commit.",
    &["VER-6"],
    |honest| {
        interpose(honest, async |honest, received| {
            let mut creates: Vec<(Vec<String>, Value)> = Vec::new();
            if let Some(named) = of_table(&received, "version/create") {
                creates.push((named.id, received.json()));
            }
            for entry in received.entries().into_iter().flatten() {
                creates.push((strings(&entry["id"]), entry));
            }
            for operation in received.operations().into_iter().flatten() {
                let create = operation["create_table_version"].clone();
                if create.is_object() {
                    creates.push((strings(&create["id"]), create));
                }
            }
            if leaves_a_gap(&honest, &creates).await {
                return error(StatusCode::CONFLICT, 14);
            }
            honest.answer(received).await
        })
    },
);

/// Versions that were deleted from main branches, each by its table and its number.
type Deleted = Mutex<BTreeSet<(Vec<String>, i64)>>;

/// The numbers of the main branch.
async fn numbers(named: &Named, honest: &Honest) -> BTreeSet<i64> {
    let versions = honest.versions(&named.id).await;
    let numbers = versions
        .iter()
        .filter_map(|entry| entry["version"].as_i64());
    numbers.collect()
}

/// The tables that a request makes, if it is carried out.
fn makes(received: &Received) -> Vec<Vec<String>> {
    let mut made = Vec::new();
    for operation in received.operations().into_iter().flatten() {
        made.push(strings(&operation["declare_table"]["id"]));
    }
    if let Some(named) = Named::of(received).filter(|named| named.kind == Kind::Table) {
        match named.action.as_str() {
            "declare" | "register" | "create" => made.push(named.id),
            "rename" => {
                let body = received.json();
                let mut to = match body["new_namespace_id"].is_array() {
                    true => strings(&body["new_namespace_id"]),
                    false => named.parent().to_vec(),
                };
                to.extend(body["new_table_name"].as_str().map(str::to_owned));
                made.push(to);
            }
            _ => {}
        }
    }
    made
}

const DELETED_NUMBERS_STAY_TAKEN: Reading = reading(
    "deleted-numbers-stay-taken",
    "A version that was deleted from the main branch cannot be created again: it is a conflict.",
    &["VER-14"],
    |honest| {
        interpose_with(
            honest,
            Deleted::default(),
            async |honest, received, deleted| {
                let made = makes(&received);
                if !made.is_empty() {
                    let mut deleted = deleted.lock().await;
                    let answer = honest.answer(received).await;
                    if answer.status().is_success() {
                        deleted.retain(|(table, _)| !made.contains(table));
                    }
                    return answer;
                }
                // Other branches keep their numbers free.
                let on_main = |body: &Value| body["branch"].is_null();
                let delete = of_table(&received, "version/delete");
                if let Some(named) = delete.filter(|_| on_main(&received.json())) {
                    let mut deleted = deleted.lock().await;
                    let before = numbers(&named, &honest).await;
                    let answer = honest.answer(received).await;
                    if answer.status().is_success() {
                        let after = numbers(&named, &honest).await;
                        let gone = before.difference(&after);
                        deleted.extend(gone.map(|number| (named.id.clone(), *number)));
                    }
                    return answer;
                }
                let mut creates: Vec<(Vec<String>, Value)> = Vec::new();
                if let Some(named) = of_table(&received, "version/create") {
                    creates.push((named.id, received.json()));
                }
                for entry in received.entries().into_iter().flatten() {
                    creates.push((strings(&entry["id"]), entry));
                }
                if !creates.is_empty() {
                    let deleted = deleted.lock().await;
                    let taken = creates.iter().any(|(id, create)| {
                        let number = create["version"].as_i64().filter(|_| on_main(create));
                        number.is_some_and(|number| deleted.contains(&(id.clone(), number)))
                    });
                    if taken {
                        return error(StatusCode::CONFLICT, 14);
                    }
                }
                honest.answer(received).await
            },
        )
    },
);

const INVERTED_RANGE_IS_EMPTY: Reading = reading(
    "inverted-range-is-empty",
    "A range that ends before it begins, or begins below 0, holds no version.",
    &["VER-14"],
    |honest| {
        interpose(honest, async |honest, received| {
            if of_table(&received, "version/delete").is_none() {
                return honest.answer(received).await;
            }
            let body = received.json();
            let ranges = body["ranges"].as_array().cloned().unwrap_or_default();
            let empty = |range: &Value| {
                let end = |name: &str| range[name].as_i64();
                match (end("start_version"), end("end_version")) {
                    (Some(start), Some(end)) => {
                        start < 0 || end < -1 || (end != -1 && end <= start)
                    }
                    _ => false,
                }
            };
            let kept: Vec<Value> = ranges
                .iter()
                .filter(|range| !empty(range))
                .cloned()
                .collect();
            if kept.len() == ranges.len() {
                return honest.answer(received).await;
            }
            if !kept.is_empty() {
                let rest = received.with_body(|body| body["ranges"] = json!(kept));
                return honest.answer(rest).await;
            }
            // What is there of the table and its branch is asked by a range that holds nothing.
            let nothing = json!([{ "start_version": i64::MAX - 1, "end_version": i64::MAX }]);
            let request = received.with_body(|body| body["ranges"] = nothing);
            honest.answer(request).await
        })
    },
);
