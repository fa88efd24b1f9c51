//! Faults of batches: what is done of them, and when.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::interpose::{
    Honest, Received, error, interpose, interpose_with, json_of, misanswer, misread, misrefuse, ok,
    strings,
};
use crate::mutant::Mutant;
use crate::piecemeal::{Part, parts, whole};

pub(super) const MUTANTS: &[Mutant] = &[
    BATCH_WITHOUT_A_TRANSACTION,
    EVERY_BATCH_IS_INVALID,
    BATCH_LOOKS_THEN_WRITES,
    BATCH_IS_SEEN_BEFORE_IT_IS_DONE,
    BATCH_APPLIES_WHAT_IT_CAN,
    ROLLBACK_FORGETS_THE_FIRST,
    ROLLBACK_FORGETS_THE_LAST,
    ROLLBACK_FORGETS_ALL_BUT_THE_LAST,
    BATCH_SKIPS_UNKNOWN_TABLES,
    BATCH_SKIPS_INVALID_ENTRIES,
    BATCH_SKIPS_WHAT_EXISTS,
    LAST_OF_A_VERSION_WINS,
    ONE_VERSION_A_TABLE,
    FIRST_HUNDRED_ENTRIES,
    LONG_BATCH_FAILS,
    EMPTY_BATCH_FAILS,
    BATCH_STORES_NOTHING,
    BATCH_MIXES_UP_MANIFESTS,
    BATCH_ANSWERS_BACKWARDS,
    BATCH_ANSWERS_BY_TABLE,
    REFUSED_BATCH_RESERVES_ITS_VERSIONS,
    BATCH_LOCKS_ITS_FIRST_TABLE,
    BATCH_IS_LISTED_BIT_BY_BIT,
    ONE_BATCH_IN_20_LOSES_ITS_LAST_ENTRY,
];

fn batches(received: &Received) -> bool {
    received.entries().is_some()
}

/// Does a batch, if this is one, in another way.
async fn batch<Answer: Future<Output = Response>>(
    honest: Honest,
    received: Received,
    otherwise: impl FnOnce(Honest, Vec<Part>) -> Answer,
) -> Response {
    match parts(&received) {
        Some(parts) if batches(&received) && !parts.is_empty() => otherwise(honest, parts).await,
        _ => honest.answer(received).await,
    }
}

/// Does the parts one after the other, as far as that goes; answers the results, and the refusal
/// that it ended with.
pub(super) async fn one_by_one(
    honest: &Honest,
    parts: &[Part],
    pause: Duration,
) -> (Vec<Value>, Option<Response>) {
    let mut results = Vec::new();
    for part in parts {
        match part.done(honest).await {
            Ok(result) => results.push(result),
            Err(refusal) => return (results, Some(refusal)),
        }
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
    }
    (results, None)
}

/// Does all parts that can be done; answers the results, and the first refusal.
pub(super) async fn what_it_can(honest: &Honest, parts: &[Part]) -> (Vec<Value>, Option<Response>) {
    let (mut results, mut refused) = (Vec::new(), None);
    for part in parts {
        match part.done(honest).await {
            Ok(result) => results.push(result),
            Err(refusal) => refused = refused.or(Some(refusal)),
        }
    }
    (results, refused)
}

/// The parts looked at, and then done one after the other.
pub(super) async fn looked_at_then_done(honest: Honest, parts: Vec<Part>) -> Response {
    for part in &parts {
        if let Err(refusal) = part.checked(&honest).await {
            return refusal;
        }
    }
    let (results, refusal) = one_by_one(&honest, &parts, Duration::from_millis(1)).await;
    refusal.unwrap_or_else(|| ok(&whole(&parts, &results)))
}

const BATCH_WITHOUT_A_TRANSACTION: Mutant = Mutant {
    name: "batch-without-a-transaction",
    does: "A batch is one create after the other, and stops at the first that fails.",
    scenarios: &["atomicity/*batch*", "atomicity/one-*-twice*"],
    breaks: &[
        "BAT-1", "BAT-2", "BAT-3", "BAT-4", "BAT-6", "BAT-7", "BAT-8", "ORD-7",
    ],
    may_break: &["ORD-6", "BAT-12", "BAT-13", "BAT-5"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            batch(honest, received, async |honest, parts| {
                let (results, refusal) = one_by_one(&honest, &parts, Duration::ZERO).await;
                refusal.unwrap_or_else(|| ok(&whole(&parts, &results)))
            })
            .await
        })
    },
};

const EVERY_BATCH_IS_INVALID: Mutant = Mutant {
    name: "every-batch-is-invalid",
    does: "Every batch is refused as invalid: the operation is there, and of no use.",
    scenarios: &["atomicity/batch-creates-every-entry"],
    breaks: &["BAT-1"],
    may_break: &["BAT-2", "BAT-3", "BAT-4", "ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| match batches(&received) {
            true => error(StatusCode::BAD_REQUEST, 13),
            false => honest.answer(received).await,
        })
    },
};

const BATCH_LOOKS_THEN_WRITES: Mutant = Mutant {
    name: "batch-looks-then-writes",
    does: "A batch is checked as a whole, and then created entry by entry.",
    scenarios: &[
        "atomicity/one-version-twice-*",
        "atomicity/overlapping-batches",
        "atomicity/batch-races-removal",
        "atomicity/no-*-half-a-batch",
    ],
    breaks: &["BAT-1", "BAT-4", "BAT-6", "BAT-7"],
    may_break: &[
        "BAT-8", "ORD-6", "ORD-7", "BAT-12", "BAT-13", "BAT-2", "BAT-3", "BAT-5", "COM-1",
    ],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            batch(honest, received, looked_at_then_done).await
        })
    },
};

const BATCH_IS_SEEN_BEFORE_IT_IS_DONE: Mutant = Mutant {
    name: "batch-is-seen-before-it-is-done",
    does: "Readers see what a batch has created so far; if it fails, all of that is removed again.",
    scenarios: &["atomicity/no-reader-sees-*-batch"],
    breaks: &["BAT-7"],
    may_break: &["ORD-6", "ORD-7", "BAT-1", "BAT-12"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            batch(honest, received, async |honest, parts| {
                let pause = Duration::from_millis(1);
                let (results, refusal) = one_by_one(&honest, &parts, pause).await;
                let Some(refusal) = refusal else {
                    return ok(&whole(&parts, &results));
                };
                for part in &parts[..results.len()] {
                    part.undone(&honest).await;
                }
                refusal
            })
            .await
        })
    },
};

const BATCH_APPLIES_WHAT_IT_CAN: Mutant = Mutant {
    name: "batch-applies-what-it-can",
    does: "A batch creates what it can, and is refused if there was something that it could not.",
    scenarios: &["atomicity/same-batch-again", "atomicity/*refuses-the-batch"],
    breaks: &["BAT-13", "BAT-2", "BAT-3", "BAT-4"],
    may_break: &[
        "BAT-1", "BAT-6", "BAT-7", "BAT-8", "ORD-6", "ORD-7", "BAT-12", "BAT-5",
    ],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            batch(honest, received, async |honest, parts| {
                let (results, refusal) = what_it_can(&honest, &parts).await;
                refusal.unwrap_or_else(|| ok(&whole(&parts, &results)))
            })
            .await
        })
    },
};

/// A batch whose rollback undoes only some of what was created.
fn rollback_forgets(honest: Router, forgotten: fn(usize, usize) -> bool) -> Router {
    interpose(honest, move |honest, received| async move {
        let concerned = parts(&received).filter(|_| batches(&received));
        let answer = honest.answer(received).await;
        let (Some(parts), false) = (concerned, answer.status().is_success()) else {
            return answer;
        };
        let (results, _) = one_by_one(&honest, &parts, Duration::ZERO).await;
        for (at, part) in parts[..results.len()].iter().enumerate() {
            if !forgotten(at, results.len()) {
                part.undone(&honest).await;
            }
        }
        answer
    })
}

const ROLLBACK_FORGETS_THE_FIRST: Mutant = Mutant {
    name: "rollback-forgets-the-first",
    does: "The rollback of a batch runs down to the second entry, and leaves the first.",
    scenarios: &[
        "atomicity/conflict-refuses-the-batch",
        "atomicity/unknown-table-*-batch",
    ],
    breaks: &["BAT-2", "BAT-3"],
    may_break: &[
        "BAT-1", "BAT-13", "BAT-4", "BAT-6", "BAT-7", "BAT-8", "ORD-6", "ORD-7",
    ],
    warns: &[],
    wrap: |honest| rollback_forgets(honest, |at, _| at == 0),
};

const ROLLBACK_FORGETS_THE_LAST: Mutant = Mutant {
    name: "rollback-forgets-the-last",
    does: "The rollback of a batch leaves the entry before the one that failed.",
    scenarios: &[
        "atomicity/conflict-refuses-the-batch",
        "atomicity/invalid-entry-*",
    ],
    breaks: &["BAT-2", "BAT-3"],
    may_break: &[
        "BAT-1", "BAT-13", "BAT-4", "BAT-6", "BAT-7", "BAT-8", "ORD-6", "ORD-7",
    ],
    warns: &[],
    wrap: |honest| rollback_forgets(honest, |at, count| at + 1 == count),
};

const ROLLBACK_FORGETS_ALL_BUT_THE_LAST: Mutant = Mutant {
    name: "rollback-forgets-all-but-the-last",
    does: "The rollback of a batch undoes the last entry and no other, and needs two to go wrong.",
    scenarios: &[
        "atomicity/one-version-twice-*",
        "atomicity/conflict-refuses-the-batch",
    ],
    breaks: &["BAT-2", "BAT-4"],
    may_break: &[
        "BAT-1", "BAT-13", "BAT-3", "BAT-6", "BAT-7", "BAT-8", "ORD-6", "ORD-7",
    ],
    warns: &[],
    wrap: |honest| rollback_forgets(honest, |at, count| at + 1 < count),
};

/// A batch without the entries for which this holds.
async fn without(
    honest: Honest,
    received: Received,
    left_out: impl AsyncFn(&Honest, &Part) -> bool,
) -> Response {
    let Some(all) = parts(&received).filter(|_| batches(&received)) else {
        return honest.answer(received).await;
    };
    let mut kept = Vec::new();
    for part in &all {
        if !left_out(&honest, part).await {
            kept.push(part.body.clone());
        }
    }
    if kept.is_empty() {
        return honest.answer(received).await;
    }
    let read = received.with_body(|body| body["entries"] = Value::Array(kept));
    honest.answer(read).await
}

const BATCH_SKIPS_UNKNOWN_TABLES: Mutant = Mutant {
    name: "batch-skips-unknown-tables",
    does: "A batch leaves out the entries whose table does not exist, and creates the others.",
    scenarios: &["atomicity/unknown-table-refuses-the-batch"],
    breaks: &["BAT-3"],
    may_break: &["BAT-1", "ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            without(honest, received, async |honest, part| {
                let table = honest.on_table(&part.id, "/exists", &json!({})).await;
                table.status() == StatusCode::NOT_FOUND
            })
            .await
        })
    },
};

const BATCH_SKIPS_INVALID_ENTRIES: Mutant = Mutant {
    name: "batch-skips-invalid-entries",
    does: "A batch leaves out the entries that are invalid, and creates the others.",
    scenarios: &["atomicity/invalid-entry-refuses-the-batch"],
    breaks: &["BAT-3"],
    may_break: &["BAT-1", "ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            without(honest, received, async |_, part| {
                part.body["version"].as_u64().is_none() || !part.body["manifest_path"].is_string()
            })
            .await
        })
    },
};

const BATCH_SKIPS_WHAT_EXISTS: Mutant = Mutant {
    name: "batch-skips-what-exists",
    does: "A batch leaves out the entries whose version exists, and is answered 200.",
    scenarios: &[
        "atomicity/conflict-refuses-the-batch",
        "atomicity/no-reader-sees-a-refused-batch",
    ],
    breaks: &["BAT-2", "BAT-7"],
    may_break: &["BAT-1", "BAT-6", "BAT-8", "ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            without(honest, received, async |honest, part| {
                let version = part.body["version"].as_i64().unwrap_or(-1);
                honest
                    .entry(&part.id, &part.body["branch"], version)
                    .await
                    .is_some()
            })
            .await
        })
    },
};

/// The entries of a batch, of which only the first or the last with the same key are kept.
fn once_each(received: Received, key: fn(&Value) -> String, last: bool) -> Received {
    received.with_body(|body| {
        let mut entries = body["entries"].as_array().cloned().unwrap_or_default();
        if last {
            entries.reverse();
        }
        let mut seen = BTreeSet::new();
        entries.retain(|entry| seen.insert(key(entry)));
        if last {
            entries.reverse();
        }
        body["entries"] = Value::Array(entries);
    })
}

const LAST_OF_A_VERSION_WINS: Mutant = Mutant {
    name: "last-of-a-version-wins",
    does: "Of the entries of a batch for one version, the last is created, and the others forgotten.",
    scenarios: &["atomicity/one-version-twice-refuses-the-batch"],
    breaks: &["BAT-4"],
    may_break: &["BAT-1", "ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        misread(honest, batches, |received| {
            let key = |entry: &Value| format!("{} {}", entry["id"], entry["version"]);
            once_each(received, key, true)
        })
    },
};

const ONE_VERSION_A_TABLE: Mutant = Mutant {
    name: "one-version-a-table",
    does: "A batch is kept by table: of several versions of one, the first is created: 200.",
    scenarios: &["atomicity/several-versions-of-one-table"],
    breaks: &["BAT-5"],
    may_break: &["BAT-1", "BAT-12", "BAT-4", "ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        misread(honest, batches, |received| {
            once_each(received, |entry| entry["id"].to_string(), false)
        })
    },
};

const FIRST_HUNDRED_ENTRIES: Mutant = Mutant {
    name: "first-hundred-entries",
    does: "A batch is cut after a hundred entries, and answered 200.",
    scenarios: &["atomicity/batch-of-a-thousand"],
    breaks: &["BAT-12"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        misread(honest, batches, |received| {
            received.with_body(|body| {
                if let Some(entries) = body["entries"].as_array_mut() {
                    entries.truncate(100);
                }
            })
        })
    },
};

const LONG_BATCH_FAILS: Mutant = Mutant {
    name: "long-batch-fails",
    does: "A batch of more than 256 entries is a server error.",
    scenarios: &["atomicity/batch-of-a-thousand"],
    breaks: &[],
    may_break: &[],
    warns: &["BAT-12"],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let long = received
                .entries()
                .is_some_and(|entries| entries.len() > 256);
            match long {
                true => error(StatusCode::INTERNAL_SERVER_ERROR, 18),
                false => honest.answer(received).await,
            }
        })
    },
};

const EMPTY_BATCH_FAILS: Mutant = Mutant {
    name: "empty-batch-fails",
    does: "A batch or a commit without parts is a server error.",
    scenarios: &["atomicity/empty-*"],
    breaks: &["BAT-11"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let empty = |received: &Received| parts(received).is_some_and(|parts| parts.is_empty());
        misrefuse(honest, empty, StatusCode::BAD_REQUEST, |_| {
            error(StatusCode::INTERNAL_SERVER_ERROR, 18)
        })
    },
};

const BATCH_STORES_NOTHING: Mutant = Mutant {
    name: "batch-stores-nothing",
    does: "A batch that could be done is answered 200 with its versions, and nothing is stored.",
    scenarios: &[
        "atomicity/batch-creates-every-entry",
        "atomicity/overlapping-batches",
    ],
    breaks: &["BAT-1", "BAT-6"],
    may_break: &[
        "BAT-12", "BAT-2", "BAT-5", "BAT-8", "BAT-13", "BAT-4", "BAT-7", "ORD-6", "ORD-7",
    ],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let stored = parts(&received).filter(|_| batches(&received));
            let answer = honest.answer(received).await;
            if let Some(parts) = stored.filter(|_| answer.status().is_success()) {
                for part in parts {
                    part.undone(&honest).await;
                }
            }
            answer
        })
    },
};

const BATCH_MIXES_UP_MANIFESTS: Mutant = Mutant {
    name: "batch-mixes-up-manifests",
    does: "The manifests of a batch are handed to the entries in the opposite order.",
    scenarios: &["atomicity/batch-creates-every-entry"],
    breaks: &["BAT-1"],
    may_break: &["BAT-6", "BAT-8", "ORD-5", "ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        misread(honest, batches, |received| {
            received.with_body(|body| {
                let entries = body["entries"].as_array().cloned().unwrap_or_default();
                let mixed = entries
                    .iter()
                    .zip(entries.iter().rev())
                    .map(|(entry, other)| {
                        let mut mixed = other.clone();
                        for field in ["id", "version"] {
                            mixed[field] = entry[field].clone();
                        }
                        mixed
                    });
                let sound = entries
                    .iter()
                    .all(|entry| entry["version"].is_u64() && entry["manifest_path"].is_string());
                if sound {
                    body["entries"] = mixed.collect();
                }
            })
        })
    },
};

const BATCH_ANSWERS_BACKWARDS: Mutant = Mutant {
    name: "batch-answers-backwards",
    does: "The versions of a batch are answered in the opposite order.",
    scenarios: &["ordering/batch-answers-in-order"],
    breaks: &["ORD-5"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        misanswer(honest, batches, |body| {
            if let Some(versions) = body["versions"].as_array_mut() {
                versions.reverse();
            }
        })
    },
};

const BATCH_ANSWERS_BY_TABLE: Mutant = Mutant {
    name: "batch-answers-by-table",
    does: "The versions of a batch are answered in the order of the tables' names.",
    scenarios: &["ordering/batch-answers-in-order"],
    breaks: &["ORD-5"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(entries) = received.entries() else {
                return honest.answer(received).await;
            };
            let answer = honest.answer(received).await;
            if !answer.status().is_success() {
                return answer;
            }
            let mut body = json_of(answer).await;
            let versions = body["versions"].as_array().cloned().unwrap_or_default();
            let mut pairs: Vec<(String, Value)> = entries
                .iter()
                .map(|entry| entry["id"].to_string())
                .zip(versions)
                .collect();
            pairs.sort_by(|(a, _), (b, _)| a.cmp(b));
            body["versions"] = pairs.into_iter().map(|(_, version)| version).collect();
            ok(&body)
        })
    },
};

const REFUSED_BATCH_RESERVES_ITS_VERSIONS: Mutant = Mutant {
    name: "refused-batch-reserves-its-versions",
    does: "What a batch has locked stays locked when it is refused.",
    scenarios: &["atomicity/conflict-refuses-the-batch"],
    breaks: &["BAT-1"],
    may_break: &["BAT-6", "BAT-8", "BAT-7", "ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        type Locked = Mutex<BTreeSet<String>>;
        interpose_with(
            honest,
            Locked::default(),
            async |honest, received, locked| {
                let Some(entries) = received.entries() else {
                    return honest.answer(received).await;
                };
                let keys: Vec<String> = entries
                    .iter()
                    .map(|entry| format!("{} {}", entry["id"], entry["version"]))
                    .collect();
                let mut locked = locked.lock().await;
                let blocked = keys.iter().any(|key| locked.contains(key));
                let answer = honest.answer(received).await;
                if answer.status() == StatusCode::CONFLICT {
                    locked.extend(keys);
                } else if blocked && answer.status().is_success() {
                    for part in entries {
                        let id = strings(&part["id"]);
                        let version = part["version"].as_i64().unwrap_or_default();
                        honest.remove(&id, &part["branch"], version).await;
                    }
                    return error(StatusCode::CONFLICT, 14);
                }
                answer
            },
        )
    },
};

const BATCH_LOCKS_ITS_FIRST_TABLE: Mutant = Mutant {
    name: "batch-locks-its-first-table",
    does: "Batches are checked and then written under a lock, of their first table alone.",
    scenarios: &["atomicity/overlapping-batches"],
    breaks: &["BAT-6"],
    may_break: &[
        "BAT-1", "BAT-4", "BAT-7", "BAT-8", "ORD-6", "ORD-7", "BAT-12", "BAT-13", "BAT-2", "BAT-3",
        "BAT-5", "COM-1",
    ],
    warns: &[],
    wrap: |honest| {
        type Locks = Mutex<BTreeMap<Vec<String>, Arc<Mutex<()>>>>;
        interpose_with(honest, Locks::default(), async |honest, received, locks| {
            batch(honest, received, async |honest, parts| {
                let lock = Arc::clone(locks.lock().await.entry(parts[0].id.clone()).or_default());
                let _locked = lock.lock().await;
                looked_at_then_done(honest, parts).await
            })
            .await
        })
    },
};

const BATCH_IS_LISTED_BIT_BY_BIT: Mutant = Mutant {
    name: "batch-is-listed-bit-by-bit",
    does: "Lists of versions come from an index that gets the entries of a batch one by one, 10 ms \
           apart.",
    scenarios: &["atomicity/no-listing-shows-half-a-batch"],
    breaks: &["BAT-7"],
    may_break: &["BAT-1", "BAT-12", "BAT-5", "BAT-13", "ORD-6", "ORD-7"],
    warns: &[],
    wrap: batch_is_listed_bit_by_bit,
};

fn batch_is_listed_bit_by_bit(honest: Router) -> Router {
    type Index = Mutex<BTreeMap<(String, i64), Instant>>;
    interpose_with(honest, Index::default(), async |honest, received, index| {
        if let Some(table) = received.table("/version/list") {
            let answer = honest.answer(received).await;
            let mut unlisted = index.lock().await.clone();
            unlisted.retain(|(name, _), from| *name == table.join("$") && Instant::now() < *from);
            if unlisted.is_empty() || !answer.status().is_success() {
                return answer;
            }
            let mut body = json_of(answer).await;
            if let Some(versions) = body["versions"].as_array_mut() {
                versions.retain(|entry| {
                    let version = entry["version"].as_i64().unwrap_or_default();
                    !unlisted.contains_key(&(table.join("$"), version))
                });
            }
            return ok(&body);
        }
        let concerned = parts(&received).filter(|_| batches(&received));
        // No list comes between the batch and its entries in the index.
        let mut index = index.lock().await;
        let answer = honest.answer(received).await;
        index.retain(|_, from| Instant::now() < *from);
        for part in concerned
            .filter(|_| answer.status().is_success())
            .into_iter()
            .flatten()
        {
            let from = Instant::now() + Duration::from_millis(10) * index.len() as u32;
            let version = part.body["version"].as_i64().unwrap_or_default();
            index.insert((part.id.join("$"), version), from);
        }
        answer
    })
}

const ONE_BATCH_IN_20_LOSES_ITS_LAST_ENTRY: Mutant = Mutant {
    name: "one-batch-in-20-loses-its-last-entry",
    does: "One batch in 20 is answered 200 and lacks its last entry.",
    scenarios: &["atomicity/overlapping-batches"],
    breaks: &[],
    may_break: &[
        "BAT-1", "BAT-6", "BAT-7", "BAT-8", "BAT-12", "ORD-6", "ORD-7",
    ],
    warns: &[],
    wrap: |honest| {
        interpose_with(
            honest,
            AtomicUsize::new(0),
            async |honest, received, count| {
                let last = parts(&received).filter(|_| batches(&received));
                let last = last.and_then(|mut parts| parts.pop());
                let answer = honest.answer(received).await;
                if let Some(last) = last.filter(|_| answer.status().is_success())
                    && count.fetch_add(1, Ordering::Relaxed) % 20 == 15
                {
                    last.undone(&honest).await;
                }
                answer
            },
        )
    },
};
