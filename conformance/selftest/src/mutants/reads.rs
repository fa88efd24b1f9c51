//! Faults of what is read: numbers, fields, times, and reads that lag behind.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::StatusCode;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::interpose::{
    Received, error, interpose, interpose_with, json_of, misanswer, misread, ok,
};
use crate::mutant::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    VERSION_1_IS_THE_LATEST,
    MISSING_VERSION_IS_THE_LATEST,
    VERSIONS_ARE_DOUBLES,
    VERSIONS_HAVE_32_BITS,
    METADATA_IS_CUT,
    E_TAG_IS_DROPPED,
    TIMES_RUN_BACKWARDS,
    TIMES_ARE_IN_SECONDS,
    LATEST_IS_CACHED_FOR_SOME_READS,
    ABSENCE_IS_CACHED_FOR_A_WHILE,
    EVERY_OTHER_READ_LAGS,
    LIST_LAGS_A_MOMENT,
    TABLES_APPEAR_LATE,
    LIST_IS_EMPTY_WHILE_TABLES_GO,
    READS_FAIL_WHILE_A_WRITE_IS_ON,
];

fn describes(received: &Received) -> bool {
    received.is("/version/describe")
}

fn of_versions(received: &Received) -> bool {
    received.uri.path().contains("/version/")
}

/// Changes every version entry that an answer holds.
fn each_entry(body: &mut Value, change: fn(&mut Value)) {
    if body["version"].is_object() {
        change(&mut body["version"]);
    }
    for entry in body["versions"].as_array_mut().into_iter().flatten() {
        change(entry);
    }
}

const VERSION_1_IS_THE_LATEST: Mutant = Mutant {
    name: "version-1-is-the-latest",
    does: "Describe of version 1 answers the latest.",
    scenarios: &["put-if-not-exists/described-version-is-the-one-asked-for"],
    breaks: &["VER-1"],
    may_break: &[
        "ORD-6", "ORD-7", "BAT-1", "BAT-13", "BAT-2", "BAT-6", "BAT-8", "COM-1", "COM-4", "VER-12",
        "VER-13", "VER-14", "VER-3", "VER-4", "VER-7",
    ],
    warns: &[],
    wrap: |honest| {
        misread(honest, describes, |received| {
            received.with_body(|body| {
                if body["version"] == 1 {
                    body["version"] = Value::Null;
                }
            })
        })
    },
};

const MISSING_VERSION_IS_THE_LATEST: Mutant = Mutant {
    name: "missing-version-is-the-latest",
    does: "Describe of a version above the latest answers the latest.",
    scenarios: &["put-if-not-exists/missing-version-is-not-found"],
    breaks: &["VER-11"],
    may_break: &[
        "ORD-6", "ORD-7", "BAT-1", "BAT-13", "BAT-2", "BAT-3", "BAT-4", "BAT-5", "BAT-6", "BAT-7",
        "BAT-8", "COM-1", "COM-4", "ORD-1", "VER-12", "VER-13", "VER-14", "VER-3", "VER-4",
        "VER-6",
    ],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(table) = received.table("/version/describe") else {
                return honest.answer(received).await;
            };
            let body = received.json();
            let answer = honest.answer(received).await;
            let latest = match body["branch"].is_null() {
                true => honest.versions(&table).await.pop(),
                false => None,
            };
            match (answer.status(), latest) {
                (StatusCode::NOT_FOUND, Some(latest))
                    if latest["version"].as_i64() < body["version"].as_i64() =>
                {
                    ok(&json!({ "version": latest }))
                }
                _ => answer,
            }
        })
    },
};

const VERSIONS_ARE_DOUBLES: Mutant = Mutant {
    name: "versions-are-doubles",
    does: "Numbers of versions are read as floats of 64 bits, and rounded above 2^53.",
    scenarios: &["put-if-not-exists/gap-is-*", "ordering/large-numbers-*"],
    breaks: &["VER-1", "ORD-1"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        misread(honest, of_versions, |received| {
            received.with_body(|body| {
                if let Some(version) = body["version"].as_i64() {
                    body["version"] = json!(version as f64 as i64);
                }
            })
        })
    },
};

const VERSIONS_HAVE_32_BITS: Mutant = Mutant {
    name: "versions-have-32-bits",
    does: "Numbers of versions lose what does not fit into 32 bits.",
    scenarios: &[
        "put-if-not-exists/missing-version-is-not-found",
        "put-if-not-exists/gap-is-*",
        "ordering/large-numbers-*",
    ],
    breaks: &["VER-11", "ORD-1"],
    may_break: &["VER-1", "VER-3", "ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        misread(honest, of_versions, |received| {
            received.with_body(|body| {
                if let Some(version) = body["version"].as_u64() {
                    body["version"] = json!(version & 0xffff_ffff);
                }
            })
        })
    },
};

const METADATA_IS_CUT: Mutant = Mutant {
    name: "metadata-is-cut",
    does: "A value of the metadata is cut after 255 bytes.",
    scenarios: &["put-if-not-exists/any-metadata-comes-back"],
    breaks: &[],
    may_break: &[],
    warns: &["VER-10"],
    wrap: |honest| {
        misread(honest, of_versions, |received| {
            received.with_body(|body| {
                for (_, value) in body["metadata"].as_object_mut().into_iter().flatten() {
                    let text = value.as_str().unwrap_or_default();
                    if text.len() > 255 && text.is_ascii() {
                        *value = json!(text[..255]);
                    }
                }
            })
        })
    },
};

const E_TAG_IS_DROPPED: Mutant = Mutant {
    name: "e-tag-is-dropped",
    does: "The e_tag that was sent is not kept.",
    scenarios: &["put-if-not-exists/sent-fields-come-back"],
    breaks: &[],
    may_break: &[],
    warns: &["VER-10"],
    wrap: |honest| {
        misanswer(honest, of_versions, |body| {
            each_entry(body, |entry| entry["e_tag"] = Value::Null);
        })
    },
};

const TIMES_RUN_BACKWARDS: Mutant = Mutant {
    name: "times-run-backwards",
    does: "Each version has an earlier time than the one before it.",
    scenarios: &["put-if-not-exists/timestamps-run-forward"],
    breaks: &[],
    may_break: &[],
    warns: &["VER-15"],
    wrap: |honest| {
        misanswer(honest, of_versions, |body| {
            each_entry(body, |entry| {
                let version = entry["version"].as_i64().unwrap_or_default();
                if let Some(time) = entry["timestamp_millis"]
                    .as_i64()
                    .filter(|_| version < 1_000_000)
                {
                    entry["timestamp_millis"] = json!(time - version * 1_000_000);
                }
            });
        })
    },
};

const TIMES_ARE_IN_SECONDS: Mutant = Mutant {
    name: "times-are-in-seconds",
    does: "The time of a version is answered in seconds.",
    scenarios: &["put-if-not-exists/timestamps-run-forward"],
    breaks: &[],
    may_break: &[],
    warns: &["VER-15"],
    wrap: |honest| {
        misanswer(honest, of_versions, |body| {
            each_entry(body, |entry| {
                if let Some(time) = entry["timestamp_millis"].as_i64() {
                    entry["timestamp_millis"] = json!(time / 1000);
                }
            });
        })
    },
};

const LATEST_IS_CACHED_FOR_SOME_READS: Mutant = Mutant {
    name: "latest-is-cached-for-some-reads",
    does: "The first page of a list, descending, is kept and given out five times.",
    scenarios: &[
        "ordering/first-descending-is-the-latest",
        "ordering/created-version-is-read-at-once",
    ],
    breaks: &["ORD-3", "ORD-7"],
    may_break: &["ORD-6"],
    warns: &[],
    wrap: |honest| {
        type Cache = Mutex<BTreeMap<String, (usize, Value)>>;
        interpose_with(honest, Cache::default(), async |honest, received, cache| {
            let descending = received.query("descending").as_deref() == Some("true");
            if !received.is("/version/list") || !descending {
                return honest.answer(received).await;
            }
            let key = received.uri.to_string();
            let mut cache = cache.lock().await;
            if let Some((left, body)) = cache.get_mut(&key)
                && *left > 0
            {
                *left -= 1;
                return ok(body);
            }
            let answer = honest.answer(received).await;
            if !answer.status().is_success() {
                return answer;
            }
            let body = json_of(answer).await;
            cache.insert(key, (4, body.clone()));
            ok(&body)
        })
    },
};

const ABSENCE_IS_CACHED_FOR_A_WHILE: Mutant = Mutant {
    name: "absence-is-cached-for-a-while",
    does: "That a version is not there is remembered for 100 ms.",
    scenarios: &[
        "ordering/readers-never-go-back",
        "atomicity/no-reader-sees-half-a-batch",
    ],
    breaks: &["ORD-7"],
    may_break: &[
        "BAT-7", "ORD-6", "BAT-1", "BAT-5", "BAT-6", "BAT-8", "COM-1", "COM-4", "VER-1", "VER-13",
        "VER-2", "VER-3", "VER-4",
    ],
    warns: &[],
    wrap: |honest| {
        type Absent = Mutex<BTreeMap<(String, String), Instant>>;
        interpose_with(
            honest,
            Absent::default(),
            async |honest, received, absent| {
                if !describes(&received) {
                    return honest.answer(received).await;
                }
                let body = received.json();
                let (version, branch) = (&body["version"], &body["branch"]);
                let key = (
                    received.uri.path().to_owned(),
                    format!("{version} {branch}"),
                );
                let known = absent.lock().await.get(&key).copied();
                if known.is_some_and(|since| since.elapsed() < Duration::from_millis(100)) {
                    return error(StatusCode::NOT_FOUND, 11);
                }
                let answer = honest.answer(received).await;
                if answer.status() == StatusCode::NOT_FOUND {
                    absent.lock().await.insert(key, Instant::now());
                }
                answer
            },
        )
    },
};

const EVERY_OTHER_READ_LAGS: Mutant = Mutant {
    name: "every-other-read-lags",
    does: "Every other describe goes to a replica that lags one create behind.",
    scenarios: &[
        "put-if-not-exists/created-version-is-found-at-once",
        "ordering/created-version-is-read-at-once",
    ],
    breaks: &["VER-1", "ORD-7"],
    may_break: &[
        "ORD-6", "BAT-8", "COM-1", "VER-11", "VER-12", "VER-13", "VER-2", "VER-3", "VER-4", "VER-7",
    ],
    warns: &[],
    wrap: every_other_read_lags,
};

fn every_other_read_lags(honest: Router) -> Router {
    #[derive(Default)]
    struct Replica {
        reads: AtomicUsize,
        latest: Mutex<BTreeMap<String, Value>>,
    }
    interpose_with(
        honest,
        Replica::default(),
        async |honest, received, replica| {
            if let Some(table) = received.table("/version/create") {
                let version = received.json()["version"].take();
                let answer = honest.answer(received).await;
                if answer.status().is_success() {
                    replica.latest.lock().await.insert(table.join("$"), version);
                }
                return answer;
            }
            let Some(table) = received.table("/version/describe") else {
                return honest.answer(received).await;
            };
            let body = received.json();
            let lagging = replica.reads.fetch_add(1, Ordering::Relaxed) % 2 == 1;
            let latest = replica.latest.lock().await.get(&table.join("$")).cloned();
            let answer = honest.answer(received).await;
            match answer.status().is_success()
                && lagging
                && Some(&body["version"]) == latest.as_ref()
            {
                true => error(StatusCode::NOT_FOUND, 11),
                false => answer,
            }
        },
    )
}

const LIST_LAGS_A_MOMENT: Mutant = Mutant {
    name: "list-lags-a-moment",
    does: "A list of versions is that of 30 ms ago.",
    scenarios: &[
        "put-if-not-exists/created-version-is-*",
        "ordering/first-descending-is-the-latest",
    ],
    breaks: &["VER-1", "ORD-3"],
    may_break: &[
        "ORD-6", "ORD-7", "BAT-8", "COM-1", "ORD-1", "ORD-2", "PAGE-2", "PAGE-4", "REST-11",
        "VER-12", "VER-13", "VER-14", "VER-2", "VER-3", "VER-4", "VER-6", "VER-7",
    ],
    warns: &[],
    wrap: |honest| {
        type Created = Mutex<BTreeMap<(String, String), Instant>>;
        interpose_with(
            honest,
            Created::default(),
            async |honest, received, created| {
                if let Some(table) = received.table("/version/create") {
                    let version = received.json()["version"].to_string();
                    let answer = honest.answer(received).await;
                    if answer.status().is_success() {
                        let key = (table.join("$"), version);
                        created.lock().await.insert(key, Instant::now());
                    }
                    return answer;
                }
                let Some(table) = received.table("/version/list") else {
                    return honest.answer(received).await;
                };
                let answer = honest.answer(received).await;
                if !answer.status().is_success() {
                    return answer;
                }
                let created = created.lock().await;
                let late = |entry: &Value| {
                    let since = created.get(&(table.join("$"), entry["version"].to_string()));
                    since.is_some_and(|since| since.elapsed() < Duration::from_millis(30))
                };
                let mut body = json_of(answer).await;
                if let Some(versions) = body["versions"].as_array_mut() {
                    versions.retain(|entry| !late(entry));
                }
                ok(&body)
            },
        )
    },
};

const TABLES_APPEAR_LATE: Mutant = Mutant {
    name: "tables-appear-late",
    does: "A table that was declared is found 30 ms later, by TableExists and DescribeTable.",
    scenarios: &[
        "ordering/declared-table-is-there-at-once",
        "ordering/siblings-come-and-go",
    ],
    breaks: &["ORD-7"],
    may_break: &["ORD-6", "COM-1", "COM-4"],
    warns: &[],
    wrap: |honest| {
        type Declared = Mutex<BTreeMap<String, Instant>>;
        interpose_with(
            honest,
            Declared::default(),
            async |honest, received, declared| {
                if let Some(table) = received.table("/declare") {
                    let answer = honest.answer(received).await;
                    if answer.status().is_success() {
                        declared
                            .lock()
                            .await
                            .insert(table.join("$"), Instant::now());
                    }
                    return answer;
                }
                let table = received.table("/exists").or(received.table("/describe"));
                let since = match table {
                    Some(table) => declared.lock().await.get(&table.join("$")).copied(),
                    None => None,
                };
                match since.is_some_and(|since| since.elapsed() < Duration::from_millis(30)) {
                    true => error(StatusCode::NOT_FOUND, 4),
                    false => honest.answer(received).await,
                }
            },
        )
    },
};

const LIST_IS_EMPTY_WHILE_TABLES_GO: Mutant = Mutant {
    name: "list-is-empty-while-tables-go",
    does: "The list of tables is built anew after each deregistration, and empty meanwhile.",
    scenarios: &["ordering/siblings-come-and-go"],
    breaks: &["ORD-7"],
    may_break: &["PAGE-2", "ORD-6", "COM-1", "COM-4"],
    warns: &[],
    wrap: |honest| {
        interpose_with(
            honest,
            AtomicUsize::new(0),
            async |honest, received, going| {
                if received.table("/deregister").is_some() {
                    let answer = honest.answer(received).await;
                    going.fetch_add(1, Ordering::Relaxed);
                    tokio::time::sleep(Duration::from_millis(5)).await;
                    going.fetch_sub(1, Ordering::Relaxed);
                    return answer;
                }
                match received.is("/table/list") && going.load(Ordering::Relaxed) > 0 {
                    true => ok(&json!({ "tables": [] })),
                    false => honest.answer(received).await,
                }
            },
        )
    },
};

const READS_FAIL_WHILE_A_WRITE_IS_ON: Mutant = Mutant {
    name: "reads-fail-while-a-write-is-on",
    does: "Describing a table fails while a table is declared or deregistered.",
    scenarios: &["ordering/siblings-come-and-go"],
    breaks: &[],
    may_break: &["ORD-6", "ORD-7"],
    warns: &["ORD-7"],
    wrap: |honest| {
        interpose_with(
            honest,
            AtomicUsize::new(0),
            async |honest, received, writes| {
                if received.table("/deregister").is_some() || received.table("/declare").is_some() {
                    writes.fetch_add(1, Ordering::Relaxed);
                    tokio::time::sleep(Duration::from_millis(2)).await;
                    let answer = honest.answer(received).await;
                    writes.fetch_sub(1, Ordering::Relaxed);
                    return answer;
                }
                match received.table("/describe").is_some() && writes.load(Ordering::Relaxed) > 0 {
                    true => error(StatusCode::INTERNAL_SERVER_ERROR, 18),
                    false => honest.answer(received).await,
                }
            },
        )
    },
};
