//! Faults of creates: who wins, and what is stored.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::interpose::{Received, error, interpose, interpose_with, json_of, misanswer, ok};
use crate::mutant::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    CREATE_OVERWRITES,
    CREATE_LOOKS_THEN_WRITES,
    LOSER_OVERWRITES,
    LOSER_LEAVES_ITS_E_TAG,
    EACH_NAMING_SCHEME_HAS_ITS_OWN_FILES,
    LOSERS_OF_A_RACE_FAIL,
    RETRIED_CREATE_IS_LISTED_TWICE,
    OWN_PATH_AGAIN_LOSES_THE_VERSION,
    CREATE_AFTER_A_GAP_STORES_NOTHING,
    DELETED_VERSION_STAYS_HIDDEN,
    ONE_CREATE_IN_200_STORES_NOTHING,
    CREATE_IS_ACKNOWLEDGED_BEFORE_IT_IS_STORED,
    EQUAL_NAMES_IN_TWO_NAMESPACES_ARE_ONE_TABLE,
    CREATE_ANSWERS_ANOTHER_PATH,
];

fn creates(received: &Received) -> bool {
    received.is("/version/create")
}

const CREATE_OVERWRITES: Mutant = Mutant {
    name: "create-overwrites",
    does: "A create of a version that exists replaces it, and succeeds.",
    scenarios: &["put-if-not-exists/*"],
    breaks: &[
        "VER-1", "VER-12", "VER-2", "VER-3", "VER-4", "VER-7", "ORD-6",
    ],
    may_break: &["ORD-7", "BAT-8", "COM-1"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(table) = received.table("/version/create") else {
                return honest.answer(received).await;
            };
            let body = received.json();
            let answer = honest.answer(received).await;
            if answer.status() != StatusCode::CONFLICT {
                return answer;
            }
            honest.replace(&table, &body).await
        })
    },
};

const CREATE_LOOKS_THEN_WRITES: Mutant = Mutant {
    name: "create-looks-then-writes",
    does: "A create looks whether the version is there, and writes it a moment later whatever has \
           come meanwhile.",
    scenarios: &["put-if-not-exists/one-winner-*", "ordering/contending-*"],
    breaks: &["VER-4", "ORD-6"],
    may_break: &["ORD-7", "BAT-8", "COM-1"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(table) = received.table("/version/create") else {
                return honest.answer(received).await;
            };
            let body = received.json();
            let version = body["version"].as_i64().unwrap_or_default();
            let there = honest.entry(&table, &body["branch"], version).await;
            if there.is_some() {
                return honest.answer(received).await;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
            let answer = honest.answer(received).await;
            if answer.status() != StatusCode::CONFLICT {
                return answer;
            }
            honest.replace(&table, &body).await
        })
    },
};

const LOSER_OVERWRITES: Mutant = Mutant {
    name: "loser-overwrites",
    does: "A create of a version that exists is refused, and its manifest stored all the same.",
    scenarios: &[
        "put-if-not-exists/second-create-is-refused",
        "put-if-not-exists/one-winner-each-version",
        "ordering/contending-*",
    ],
    breaks: &["VER-3", "VER-4", "ORD-6"],
    may_break: &["ORD-7", "BAT-8", "COM-1"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(table) = received.table("/version/create") else {
                return honest.answer(received).await;
            };
            let body = received.json();
            let answer = honest.answer(received).await;
            if answer.status() == StatusCode::CONFLICT {
                honest.replace(&table, &body).await;
            }
            answer
        })
    },
};

const LOSER_LEAVES_ITS_E_TAG: Mutant = Mutant {
    name: "loser-leaves-its-e-tag",
    does: "A create of a version that exists is refused, but the e_tag is written before that.",
    scenarios: &[
        "put-if-not-exists/older-version-is-refused",
        "put-if-not-exists/one-winner-of-the-first-version",
    ],
    breaks: &["VER-3", "VER-4"],
    may_break: &["ORD-6", "ORD-7", "BAT-8", "COM-1"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(table) = received.table("/version/create") else {
                return honest.answer(received).await;
            };
            let body = received.json();
            let answer = honest.answer(received).await;
            if answer.status() == StatusCode::CONFLICT {
                let version = body["version"].as_i64().unwrap_or_default();
                if let Some(mut stored) = honest.entry(&table, &body["branch"], version).await {
                    stored["e_tag"] = body["e_tag"].clone();
                    stored["branch"] = body["branch"].clone();
                    honest.replace(&table, &stored).await;
                }
            }
            answer
        })
    },
};

const EACH_NAMING_SCHEME_HAS_ITS_OWN_FILES: Mutant = Mutant {
    name: "each-naming-scheme-has-its-own-files",
    does: "Only the name of the manifest file is exclusive, and the two naming schemes have two.",
    scenarios: &[
        "put-if-not-exists/other-naming-scheme-is-refused",
        "put-if-not-exists/one-winner-in-mixed-naming-schemes",
        "put-if-not-exists/one-winner-of-two-naming-schemes",
    ],
    breaks: &["VER-2", "VER-3", "VER-4"],
    may_break: &["ORD-6", "ORD-7", "BAT-8", "COM-1"],
    warns: &[],
    wrap: |honest| {
        type Files = Mutex<BTreeSet<(String, String, String)>>;
        interpose_with(honest, Files::default(), async |honest, received, files| {
            let Some(table) = received.table("/version/create") else {
                return honest.answer(received).await;
            };
            let body = received.json();
            let scheme = body["naming_scheme"].as_str().unwrap_or("V2").to_owned();
            let file = (table.join("$"), body["version"].to_string(), scheme);
            // One at a time, so that the fault is in the names alone.
            let mut files = files.lock().await;
            let answer = honest.answer(received).await;
            let new = matches!(answer.status(), StatusCode::OK | StatusCode::CONFLICT)
                && files.insert(file);
            match (answer.status(), new) {
                (StatusCode::CONFLICT, true) => honest.replace(&table, &body).await,
                _ => answer,
            }
        })
    },
};

const LOSERS_OF_A_RACE_FAIL: Mutant = Mutant {
    name: "losers-of-a-race-fail",
    does: "A create that loses to another at the same time is answered with a server error.",
    scenarios: &["put-if-not-exists/one-winner-*"],
    breaks: &["VER-4"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        type Busy = Mutex<BTreeMap<String, usize>>;
        interpose_with(honest, Busy::default(), async |honest, received, busy| {
            if !creates(&received) {
                return honest.answer(received).await;
            }
            let path = received.uri.path().to_owned();
            *busy.lock().await.entry(path.clone()).or_default() += 1;
            let answer = honest.answer(received).await;
            let mut busy = busy.lock().await;
            let rivals = busy.entry(path).or_default();
            let alone = *rivals == 1;
            *rivals -= 1;
            match answer.status() {
                StatusCode::CONFLICT if !alone => error(StatusCode::INTERNAL_SERVER_ERROR, 18),
                _ => answer,
            }
        })
    },
};

const RETRIED_CREATE_IS_LISTED_TWICE: Mutant = Mutant {
    name: "retried-create-is-listed-twice",
    does: "The same create sent again succeeds, and the list has two records of the version.",
    scenarios: &["put-if-not-exists/same-create-again-is-done-once"],
    breaks: &["VER-1"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        type Twice = Mutex<BTreeSet<(String, String)>>;
        interpose_with(honest, Twice::default(), async |honest, received, twice| {
            if let Some(table) = received.table("/version/list") {
                let answer = honest.answer(received).await;
                let mut twice = twice.lock().await.clone();
                twice.retain(|(name, _)| *name == table.join("$"));
                if twice.is_empty() || !answer.status().is_success() {
                    return answer;
                }
                let mut body = json_of(answer).await;
                let listed: Vec<Value> = body["versions"].as_array().cloned().unwrap_or_default();
                let doubled = listed.into_iter().flat_map(|entry| {
                    let key = (table.join("$"), entry["version"].to_string());
                    vec![entry; 1 + usize::from(twice.contains(&key))]
                });
                body["versions"] = doubled.collect();
                return ok(&body);
            }
            let Some(table) = received.table("/version/create") else {
                return honest.answer(received).await;
            };
            let body = received.json();
            let answer = honest.answer(received).await;
            let version = body["version"].as_i64().unwrap_or_default();
            let stored = honest.entry(&table, &body["branch"], version).await;
            match (answer.status(), stored) {
                (StatusCode::CONFLICT, Some(stored))
                    if stored["manifest_path"] == body["manifest_path"] =>
                {
                    let key = (table.join("$"), version.to_string());
                    twice.lock().await.insert(key);
                    ok(&json!({ "version": stored }))
                }
                _ => answer,
            }
        })
    },
};

const OWN_PATH_AGAIN_LOSES_THE_VERSION: Mutant = Mutant {
    name: "own-path-again-loses-the-version",
    does: "A create with the path that the version has moves the file onto itself: 200, and it is \
           gone.",
    scenarios: &[
        "put-if-not-exists/own-path-again-loses-nothing",
        "put-if-not-exists/same-create-again-is-done-once",
    ],
    breaks: &["VER-1", "VER-2"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(table) = received.table("/version/create") else {
                return honest.answer(received).await;
            };
            let body = received.json();
            let answer = honest.answer(received).await;
            let version = body["version"].as_i64().unwrap_or_default();
            let stored = honest.entry(&table, &body["branch"], version).await;
            match (answer.status(), stored) {
                (StatusCode::CONFLICT, Some(stored))
                    if stored["manifest_path"] == body["manifest_path"] =>
                {
                    honest.remove(&table, &body["branch"], version).await;
                    ok(&json!({ "version": stored }))
                }
                _ => answer,
            }
        })
    },
};

const CREATE_AFTER_A_GAP_STORES_NOTHING: Mutant = Mutant {
    name: "create-after-a-gap-stores-nothing",
    does: "A create of a version above the next one is answered 200, and nothing is stored.",
    scenarios: &[
        "put-if-not-exists/gap-is-taken-or-refused",
        "put-if-not-exists/first-version-above-1-*",
        "ordering/large-numbers-*",
    ],
    breaks: &["VER-1", "ORD-1"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(table) = received.table("/version/create") else {
                return honest.answer(received).await;
            };
            let body = received.json();
            let versions = honest.versions(&table).await;
            let latest = versions
                .last()
                .map_or(0, |entry| entry["version"].as_i64().unwrap_or(0));
            let answer = honest.answer(received).await;
            let version = body["version"].as_i64().unwrap_or_default();
            let gap = version > latest + 1 && body["branch"].is_null();
            if gap && answer.status() == StatusCode::OK {
                honest.remove(&table, &Value::Null, version).await;
            }
            answer
        })
    },
};

const DELETED_VERSION_STAYS_HIDDEN: Mutant = Mutant {
    name: "deleted-version-stays-hidden",
    does: "The mark of a deleted version hides the one that is created after it.",
    scenarios: &["put-if-not-exists/create-after-delete-*"],
    breaks: &["VER-1"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        type Marks = Mutex<BTreeSet<(String, i64)>>;
        interpose_with(honest, Marks::default(), async |honest, received, marks| {
            let deletes = received.table("/version/delete");
            let before = match &deletes {
                Some(table) => honest.versions(table).await,
                None => Vec::new(),
            };
            let create = received.table("/version/create");
            let body = received.json();
            let answer = honest.answer(received).await;
            if answer.status() != StatusCode::OK || !body["branch"].is_null() {
                return answer;
            }
            if let Some(table) = deletes {
                let left = honest.versions(&table).await;
                let gone = before.iter().filter(|entry| !left.contains(entry));
                let gone = gone.filter_map(|entry| entry["version"].as_i64());
                let gone = gone.map(|version| (table.join("$"), version));
                marks.lock().await.extend(gone);
            } else if let Some(table) = create {
                let version = body["version"].as_i64().unwrap_or_default();
                if marks.lock().await.contains(&(table.join("$"), version)) {
                    honest.remove(&table, &Value::Null, version).await;
                }
            }
            answer
        })
    },
};

const ONE_CREATE_IN_200_STORES_NOTHING: Mutant = Mutant {
    name: "one-create-in-200-stores-nothing",
    does: "One create in 200 is answered 200, and nothing is stored.",
    scenarios: &["ordering/contending-*"],
    breaks: &[],
    may_break: &[
        "VER-1", "VER-4", "VER-13", "ORD-6", "ORD-7", "PAGE-4", "BAT-8", "COM-1",
    ],
    warns: &[],
    wrap: |honest| {
        interpose_with(
            honest,
            AtomicUsize::new(0),
            async |honest, received, count| {
                let Some(table) = received.table("/version/create") else {
                    return honest.answer(received).await;
                };
                let body = received.json();
                let answer = honest.answer(received).await;
                if answer.status() == StatusCode::OK
                    && count.fetch_add(1, Ordering::Relaxed) % 200 == 150
                {
                    let version = body["version"].as_i64().unwrap_or_default();
                    honest.remove(&table, &body["branch"], version).await;
                }
                answer
            },
        )
    },
};

const CREATE_IS_ACKNOWLEDGED_BEFORE_IT_IS_STORED: Mutant = Mutant {
    name: "create-is-acknowledged-before-it-is-stored",
    does: "A create is answered at once, and stored 20 ms later.",
    scenarios: &[
        "put-if-not-exists/created-version-is-*",
        "ordering/created-version-is-read-at-once",
    ],
    breaks: &["VER-1", "ORD-7"],
    may_break: &[
        "ORD-6", "BAT-13", "BAT-2", "BAT-8", "COM-1", "ORD-1", "ORD-2", "ORD-3", "PAGE-2",
        "PAGE-4", "REST-11", "VER-11", "VER-12", "VER-13", "VER-14", "VER-2", "VER-3", "VER-4",
        "VER-6", "VER-7", "VER-8",
    ],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(table) = received.table("/version/create") else {
                return honest.answer(received).await;
            };
            let body = received.json();
            let answer = honest.answer(received).await;
            if answer.status() != StatusCode::OK {
                return answer;
            }
            let version = body["version"].as_i64().unwrap_or_default();
            honest.remove(&table, &body["branch"], version).await;
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(20)).await;
                honest.on_table(&table, "/version/create", &body).await
            });
            answer
        })
    },
};

const EQUAL_NAMES_IN_TWO_NAMESPACES_ARE_ONE_TABLE: Mutant = Mutant {
    name: "equal-names-in-two-namespaces-are-one-table",
    does: "Versions are kept by the table's name, and the namespace that it is in plays no part.",
    scenarios: &["put-if-not-exists/one-winner-of-the-first-version"],
    breaks: &["VER-4"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: equal_names_are_one_table,
};

/// The first table of a name in a namespace with its relatives stands for all of that name.
fn equal_names_are_one_table(honest: Router) -> Router {
    type First = Mutex<BTreeMap<(Vec<String>, String), Vec<String>>>;
    interpose_with(honest, First::default(), async |honest, received, first| {
        let operations = ["create", "describe", "list", "delete"];
        let routes = operations.map(|operation| format!("/version/{operation}"));
        let route = routes
            .iter()
            .find_map(|route| Some((received.table(route)?, route)));
        let Some((table, route)) = route else {
            return honest.answer(received).await;
        };
        let key = (
            table.iter().take(2).cloned().collect(),
            table.last().cloned().unwrap_or_default(),
        );
        let first = first
            .lock()
            .await
            .entry(key)
            .or_insert_with(|| table.clone())
            .clone();
        let mut read = received.with_body(|body| {
            if let Some(fields) = body.as_object_mut() {
                fields.remove("id");
            }
        });
        let path = format!("/v1/table/{}{route}", first.join("%24"));
        let query = read
            .uri
            .query()
            .map(|query| format!("?{query}"))
            .unwrap_or_default();
        if let Ok(uri) = format!("{path}{query}").parse() {
            read.uri = uri;
        }
        honest.answer(read).await
    })
}

const CREATE_ANSWERS_ANOTHER_PATH: Mutant = Mutant {
    name: "create-answers-another-path",
    does: "A create answers the place that the manifest is to be moved to, and the rest that sent.",
    scenarios: &["put-if-not-exists/created-version-is-there"],
    breaks: &["VER-7"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        misanswer(honest, creates, |body| {
            let version = body["version"]["version"].to_string();
            body["version"]["manifest_path"] = json!(format!("_versions/{version}.manifest"));
        })
    },
};
