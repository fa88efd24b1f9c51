//! Faults of tags.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use crate::interpose::{Honest, Received, interpose, json_of, ok};
use crate::mutant::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    TAGS_BY_TABLE_NAME,
    UPDATE_CREATES_A_TAG,
    DELETE_OF_A_MISSING_TAG_SUCCEEDS,
    TAG_ANSWERS_THE_LATEST_VERSION,
    REFUSED_CREATE_MOVES_THE_TAG,
    TAG_CHECKED_THEN_CREATED,
    TAG_OF_A_MISSING_VERSION,
    UPDATE_MOVES_EVERY_TAG,
    DELETED_TAG_STAYS,
    TAG_NAMES_ARE_SANITIZED,
    TAG_IGNORES_THE_BRANCH,
];

const TAGS_BY_TABLE_NAME: Mutant = Mutant {
    name: "tags-by-table-name",
    does: "Tags are kept by the last part of a table's identifier, so that tables share them.",
    scenarios: &["tags/tables-have-tags-of-their-own"],
    breaks: &["TAG-2"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let first: Arc<Mutex<HashMap<String, Vec<String>>>> = Arc::default();
        interpose(honest, move |honest, received| {
            let first = Arc::clone(&first);
            async move {
                let routes = ["create", "update", "delete", "version"];
                let routes = routes.map(|operation| format!("/tags/{operation}"));
                let Some((suffix, table)) = routes
                    .iter()
                    .find_map(|suffix| Some((suffix, received.table(suffix)?)))
                else {
                    return honest.answer(received).await;
                };
                let name = table.last().cloned().unwrap_or_default();
                let table = {
                    let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                    first.entry(name).or_insert(table).clone()
                };
                let mut body = received.json();
                body["id"] = Value::Null;
                honest.on_table(&table, suffix, &body).await
            }
        })
    },
};

const UPDATE_CREATES_A_TAG: Mutant = Mutant {
    name: "update-creates-a-tag",
    does: "An update of a tag that is not there creates it.",
    scenarios: &["tags/*"],
    breaks: &["TAG-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(table) = received.table("/tags/update") else {
                return honest.answer(received).await;
            };
            let body = received.json();
            let answer = honest.answer(received).await;
            match answer.status() {
                StatusCode::NOT_FOUND => honest.on_table(&table, "/tags/create", &body).await,
                _ => answer,
            }
        })
    },
};

const DELETE_OF_A_MISSING_TAG_SUCCEEDS: Mutant = Mutant {
    name: "delete-of-a-missing-tag-succeeds",
    does: "A delete of a tag that is not there is answered 200.",
    scenarios: &["tags/*"],
    breaks: &["TAG-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let delete = received.table("/tags/delete").is_some();
            let answer = honest.answer(received).await;
            match answer.status() {
                StatusCode::NOT_FOUND if delete => ok(&json!({})),
                _ => answer,
            }
        })
    },
};

const TAG_ANSWERS_THE_LATEST_VERSION: Mutant = Mutant {
    name: "tag-answers-the-latest-version",
    does: "Get of a tag answers the latest version of the table.",
    scenarios: &["tags/*"],
    breaks: &["TAG-1", "TAG-2", "TAG-3", "TAG-4"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(table) = received.table("/tags/version") else {
                return honest.answer(received).await;
            };
            let answer = honest.answer(received).await;
            if !answer.status().is_success() {
                return answer;
            }
            let mut body = json_of(answer).await;
            let latest = honest
                .on_table(&table, "/version/describe", &json!({}))
                .await;
            body["version"] = json_of(latest).await["version"]["version"].take();
            ok(&body)
        })
    },
};

const REFUSED_CREATE_MOVES_THE_TAG: Mutant = Mutant {
    name: "refused-create-moves-the-tag",
    does: "A create of a tag that exists is refused with 409 and moves the tag all the same.",
    scenarios: &["tags/*"],
    breaks: &["TAG-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(table) = received.table("/tags/create") else {
                return honest.answer(received).await;
            };
            let body = received.json();
            let answer = honest.answer(received).await;
            if answer.status() == StatusCode::CONFLICT {
                honest.on_table(&table, "/tags/update", &body).await;
            }
            answer
        })
    },
};

const TAG_CHECKED_THEN_CREATED: Mutant = Mutant {
    name: "tag-checked-then-created",
    does: "A create looks whether the tag exists, and writes it a moment later.",
    scenarios: &["tags/one-winner-of-a-tag"],
    breaks: &["TAG-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(table) = received.table("/tags/create") else {
                return honest.answer(received).await;
            };
            let body = received.json();
            let get = honest.on_table(&table, "/tags/version", &body).await;
            tokio::time::sleep(Duration::from_millis(2)).await;
            let answer = honest.answer(received).await;
            if get.status() == StatusCode::NOT_FOUND && answer.status() == StatusCode::CONFLICT {
                return honest.on_table(&table, "/tags/update", &body).await;
            }
            answer
        })
    },
};

const TAG_OF_A_MISSING_VERSION: Mutant = Mutant {
    name: "tag-of-a-missing-version",
    does: "A create or an update of a tag on a version that is not there is answered 200.",
    scenarios: &["tags/a-missing-version-is-not-found"],
    breaks: &["TAG-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let routes = ["/tags/create", "/tags/update"];
            let writes = routes.iter().any(|suffix| received.table(suffix).is_some());
            let answer = honest.answer(received).await;
            match answer.status() {
                StatusCode::NOT_FOUND if writes => ok(&json!({})),
                _ => answer,
            }
        })
    },
};

const UPDATE_MOVES_EVERY_TAG: Mutant = Mutant {
    name: "update-moves-every-tag",
    does: "An update moves every tag that was on the same version.",
    scenarios: &["tags/update-moves-one-tag"],
    breaks: &["TAG-3"],
    may_break: &[],
    warns: &[],
    wrap: |honest| interpose(honest, moves_every_tag),
};

async fn moves_every_tag(honest: Honest, received: Received) -> Response {
    let Some(table) = received.table("/tags/update") else {
        return honest.answer(received).await;
    };
    let mut body = received.json();
    let list = honest.on_table(&table, "/tags/list", &json!({})).await;
    let tags = json_of(list).await["tags"].take();
    let from = tags[body["tag"].as_str().unwrap_or_default()]["version"].clone();
    let answer = honest.answer(received).await;
    for (tag, contents) in tags.as_object().into_iter().flatten() {
        if answer.status().is_success() && contents["version"] == from {
            body["tag"] = json!(tag);
            honest.on_table(&table, "/tags/update", &body).await;
        }
    }
    answer
}

const DELETED_TAG_STAYS: Mutant = Mutant {
    name: "deleted-tag-stays",
    does: "A delete of a tag is answered 200 and not done.",
    scenarios: &["tags/*"],
    breaks: &["TAG-1", "TAG-4"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(table) = received.table("/tags/delete") else {
                return honest.answer(received).await;
            };
            let body = received.json();
            let there = honest.on_table(&table, "/tags/version", &body).await;
            match there.status() {
                StatusCode::OK => ok(&json!({})),
                _ => honest.answer(received).await,
            }
        })
    },
};

const TAG_NAMES_ARE_SANITIZED: Mutant = Mutant {
    name: "tag-names-are-sanitized",
    does: "What is no letter or digit in a tag's name is replaced by an underscore.",
    scenarios: &["tags/names-that-look-alike-are-told-apart"],
    breaks: &["TAG-2"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let mut body = received.json();
            let Some(name) = body["tag"].as_str() else {
                return honest.answer(received).await;
            };
            let fits = |letter: char| letter.is_ascii_alphanumeric() || ".-".contains(letter);
            let name: String = name
                .chars()
                .map(|letter| if fits(letter) { letter } else { '_' })
                .collect();
            body["tag"] = json!(name);
            honest.answer(received.with(&body)).await
        })
    },
};

const TAG_IGNORES_THE_BRANCH: Mutant = Mutant {
    name: "tag-ignores-the-branch",
    does: "The branch in a create or an update of a tag is ignored: every tag is on main.",
    scenarios: &["tags/*"],
    breaks: &["TAG-2"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let routes = ["/tags/create", "/tags/update"];
            if !routes.iter().any(|suffix| received.table(suffix).is_some()) {
                return honest.answer(received).await;
            }
            let mut body = received.json();
            body["branch"] = Value::Null;
            honest.answer(received.with(&body)).await
        })
    },
};
