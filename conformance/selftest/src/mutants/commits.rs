//! Faults of commits.

use std::time::Duration;

use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use super::batches::{looked_at_then_done, one_by_one, what_it_can};
use crate::interpose::{
    Honest, Received, error, interpose, json_of, misanswer, misread, ok, strings,
};
use crate::mutant::Mutant;
use crate::piecemeal::{Part, parts, whole};

pub(super) const MUTANTS: &[Mutant] = &[
    COMMIT_WITHOUT_A_TRANSACTION,
    COMMIT_LOOKS_THEN_WRITES,
    COMMIT_APPLIES_WHAT_IT_CAN,
    COMMITS_DELETE_IS_NOT_ROLLED_BACK,
    COMMITS_DEREGISTRATION_IS_NOT_ROLLED_BACK,
    DECLARATION_OF_A_REFUSED_COMMIT_IS_SEEN,
    COMMIT_OVERWRITES_VERSIONS,
    COMMIT_TAKES_A_TABLE_FOR_DECLARED,
    COMMIT_SKIPS_UNKNOWN_TABLES,
    FIRST_KIND_OF_AN_OPERATION_COUNTS,
    OPERATION_WITHOUT_A_KIND_IS_SKIPPED,
    COMMIT_RUNS_DELETES_FIRST,
    OPERATIONS_SEE_THE_TABLES_BEFORE_THE_COMMIT,
    COMMIT_ANSWERS_BY_KIND,
    COMMIT_FORGETS_DELETES_IN_ITS_ANSWER,
    RESULT_HAS_TWO_KINDS,
];

fn commits(received: &Received) -> bool {
    received.operations().is_some()
}

/// Does a commit, if this is one, in another way.
async fn commit<Answer: Future<Output = Response>>(
    honest: Honest,
    received: Received,
    otherwise: impl FnOnce(Honest, Vec<Part>) -> Answer,
) -> Response {
    match parts(&received) {
        Some(parts) if commits(&received) && !parts.is_empty() => otherwise(honest, parts).await,
        _ => honest.answer(received).await,
    }
}

const COMMIT_WITHOUT_A_TRANSACTION: Mutant = Mutant {
    name: "commit-without-a-transaction",
    does: "A commit is one operation after the other, and stops at the first that fails.",
    scenarios: &["atomicity/failing-*", "atomicity/no-reader-sees-*-commit"],
    breaks: &["COM-1", "COM-4"],
    may_break: &["BAT-13", "ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            commit(honest, received, async |honest, parts| {
                let (results, refusal) = one_by_one(&honest, &parts, Duration::ZERO).await;
                refusal.unwrap_or_else(|| ok(&whole(&parts, &results)))
            })
            .await
        })
    },
};

const COMMIT_LOOKS_THEN_WRITES: Mutant = Mutant {
    name: "commit-looks-then-writes",
    does: "A commit is checked as a whole, and then done operation by operation.",
    scenarios: &[
        "atomicity/commits-race",
        "atomicity/no-reader-sees-half-a-commit",
    ],
    breaks: &["COM-1"],
    may_break: &["BAT-1", "COM-4", "ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            commit(honest, received, looked_at_then_done).await
        })
    },
};

const COMMIT_APPLIES_WHAT_IT_CAN: Mutant = Mutant {
    name: "commit-applies-what-it-can",
    does: "A commit does what it can, and is refused if there was something that it could not.",
    scenarios: &["atomicity/same-commit-again"],
    breaks: &["BAT-13"],
    may_break: &["COM-1", "COM-4", "BAT-1", "ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            commit(honest, received, async |honest, parts| {
                let (results, refusal) = what_it_can(&honest, &parts).await;
                refusal.unwrap_or_else(|| ok(&whole(&parts, &results)))
            })
            .await
        })
    },
};

/// A commit that is refused, and operations of this kind done all the same.
async fn not_rolled_back(honest: Honest, received: Received, kind: &str) -> Response {
    let all = parts(&received).filter(|_| commits(&received));
    let answer = honest.answer(received).await;
    if answer.status().is_client_error() {
        for part in all.into_iter().flatten().filter(|part| part.kind == kind) {
            // What the honest server refuses alone, it would refuse here.
            let _ = part.done(&honest).await;
        }
    }
    answer
}

const COMMITS_DELETE_IS_NOT_ROLLED_BACK: Mutant = Mutant {
    name: "commits-delete-is-not-rolled-back",
    does: "The versions that a refused commit would delete are gone.",
    scenarios: &["atomicity/failing-declare-refuses-the-commit"],
    breaks: &["COM-1"],
    may_break: &["COM-3", "COM-4", "ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            not_rolled_back(honest, received, "delete_table_versions").await
        })
    },
};

const COMMITS_DEREGISTRATION_IS_NOT_ROLLED_BACK: Mutant = Mutant {
    name: "commits-deregistration-is-not-rolled-back",
    does: "The tables that a refused commit would deregister are gone.",
    scenarios: &["atomicity/failing-delete-refuses-the-commit"],
    breaks: &["COM-1"],
    may_break: &["COM-3", "COM-4", "ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            not_rolled_back(honest, received, "deregister_table").await
        })
    },
};

const DECLARATION_OF_A_REFUSED_COMMIT_IS_SEEN: Mutant = Mutant {
    name: "declaration-of-a-refused-commit-is-seen",
    does: "The tables that a refused commit would declare are there for some milliseconds.",
    scenarios: &["atomicity/no-reader-sees-a-refused-commit"],
    breaks: &["COM-4"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let all = parts(&received).filter(|_| commits(&received));
            let answer = honest.answer(received).await;
            if answer.status().is_client_error() {
                let declares = all.into_iter().flatten();
                let declares = declares.filter(|part| part.kind == "declare_table");
                for part in declares {
                    if part.done(&honest).await.is_ok() {
                        tokio::time::sleep(Duration::from_millis(5)).await;
                        part.undone(&honest).await;
                    }
                }
            }
            answer
        })
    },
};

const COMMIT_OVERWRITES_VERSIONS: Mutant = Mutant {
    name: "commit-overwrites-versions",
    does: "A create in a commit replaces the version that is there.",
    scenarios: &[
        "atomicity/failing-create-refuses-the-commit",
        "atomicity/commits-race",
    ],
    breaks: &["COM-1"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let creates = received.operations().into_iter().flatten();
            let creates: Vec<Value> = creates
                .map(|mut operation| operation["create_table_version"].take())
                .filter(Value::is_object)
                .collect();
            let again = received.clone();
            let answer = honest.answer(received).await;
            if answer.status() != StatusCode::CONFLICT {
                return answer;
            }
            for create in creates {
                let id = strings(&create["id"]);
                let version = create["version"].as_i64().unwrap_or_default();
                honest.remove(&id, &create["branch"], version).await;
            }
            honest.answer(again).await
        })
    },
};

/// A commit without the operations for which this holds.
async fn without(
    honest: Honest,
    received: Received,
    left_out: impl AsyncFn(&Honest, &Part) -> bool,
) -> Response {
    let Some(all) = parts(&received).filter(|_| commits(&received)) else {
        return honest.answer(received).await;
    };
    let mut kept = Vec::new();
    for part in &all {
        if !left_out(&honest, part).await {
            kept.push(json!({ &part.kind: part.body }));
        }
    }
    if kept.is_empty() {
        return honest.answer(received).await;
    }
    let read = received.with_body(|body| body["operations"] = Value::Array(kept));
    honest.answer(read).await
}

const COMMIT_TAKES_A_TABLE_FOR_DECLARED: Mutant = Mutant {
    name: "commit-takes-a-table-for-declared",
    does: "A commit that declares a table that exists finds nothing to do there, and does the rest.",
    scenarios: &["atomicity/failing-declare-refuses-the-commit"],
    breaks: &["COM-1"],
    may_break: &["COM-4", "BAT-13", "ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            without(honest, received, async |honest, part| {
                let table = honest.on_table(&part.id, "/exists", &json!({})).await;
                part.kind == "declare_table" && table.status().is_success()
            })
            .await
        })
    },
};

const COMMIT_SKIPS_UNKNOWN_TABLES: Mutant = Mutant {
    name: "commit-skips-unknown-tables",
    does: "A commit leaves out what it would do with a table that does not exist, and does the rest.",
    scenarios: &["atomicity/failing-delete-*", "atomicity/failing-create-*"],
    breaks: &["COM-1"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            without(honest, received, async |honest, part| {
                let table = honest.on_table(&part.id, "/exists", &json!({})).await;
                part.kind != "declare_table" && !table.status().is_success()
            })
            .await
        })
    },
};

const FIRST_KIND_OF_AN_OPERATION_COUNTS: Mutant = Mutant {
    name: "first-kind-of-an-operation-counts",
    does: "Of an operation with two kinds the first is done.",
    scenarios: &["atomicity/operation-of-no-single-kind"],
    breaks: &["COM-3"],
    may_break: &["COM-1", "ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        misread(honest, commits, |received| {
            received.with_body(|body| {
                for operation in body["operations"].as_array_mut().into_iter().flatten() {
                    if let Some(fields) = operation.as_object_mut() {
                        let first = fields.keys().next().cloned();
                        fields.retain(|kind, _| Some(kind) == first.as_ref());
                    }
                }
            })
        })
    },
};

const OPERATION_WITHOUT_A_KIND_IS_SKIPPED: Mutant = Mutant {
    name: "operation-without-a-kind-is-skipped",
    does: "An operation that says nothing is left out of its commit.",
    scenarios: &["atomicity/operation-of-no-single-kind"],
    breaks: &["COM-3"],
    may_break: &["COM-1", "ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        misread(honest, commits, |received| {
            received.with_body(|body| {
                if let Some(operations) = body["operations"].as_array_mut() {
                    operations.retain(|operation| *operation != json!({}));
                }
            })
        })
    },
};

/// The operations of a commit in the order of this rank.
fn ranked(received: Received, rank: fn(&Value) -> usize) -> Received {
    received.with_body(|body| {
        if let Some(operations) = body["operations"].as_array_mut() {
            operations.sort_by_key(rank);
        }
    })
}

const COMMIT_RUNS_DELETES_FIRST: Mutant = Mutant {
    name: "commit-runs-deletes-first",
    does: "A commit does its deletes before all other operations.",
    scenarios: &["atomicity/operations-see-those-before-them"],
    breaks: &[],
    may_break: &["ORD-6", "ORD-7"],
    warns: &["COM-5"],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            if !commits(&received) {
                return honest.answer(received).await;
            }
            let operations = received.operations().unwrap_or_default();
            let deletes =
                |operation: &Value| usize::from(!operation["delete_table_versions"].is_object());
            let mut places: Vec<usize> = (0..operations.len()).collect();
            places.sort_by_key(|place| deletes(&operations[*place]));
            let answer = honest.answer(ranked(received, |operation| {
                usize::from(!operation["delete_table_versions"].is_object())
            }));
            let answer = answer.await;
            if !answer.status().is_success() {
                return answer;
            }
            // The results are put back into the order of the request.
            let mut body = json_of(answer).await;
            let results = body["results"].as_array().cloned().unwrap_or_default();
            let mut results: Vec<(usize, Value)> = places.into_iter().zip(results).collect();
            results.sort_by_key(|(place, _)| *place);
            body["results"] = results.into_iter().map(|(_, result)| result).collect();
            ok(&body)
        })
    },
};

const OPERATIONS_SEE_THE_TABLES_BEFORE_THE_COMMIT: Mutant = Mutant {
    name: "operations-see-the-tables-before-the-commit",
    does: "An operation does not find the table that one before it in the same commit declares.",
    scenarios: &["atomicity/operations-see-those-before-them"],
    breaks: &[],
    may_break: &["ORD-6", "ORD-7"],
    warns: &["COM-5"],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            for part in parts(&received)
                .filter(|_| commits(&received))
                .into_iter()
                .flatten()
            {
                let table = honest.on_table(&part.id, "/exists", &json!({})).await;
                if part.kind != "declare_table" && !table.status().is_success() {
                    return error(StatusCode::NOT_FOUND, 4);
                }
            }
            honest.answer(received).await
        })
    },
};

const COMMIT_ANSWERS_BY_KIND: Mutant = Mutant {
    name: "commit-answers-by-kind",
    does: "The results of a commit are answered kind by kind.",
    scenarios: &["ordering/commit-answers-in-order"],
    breaks: &["ORD-5"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        misanswer(honest, commits, |body| {
            if let Some(results) = body["results"].as_array_mut() {
                results.sort_by_key(|result| {
                    let fields = result.as_object();
                    fields.and_then(|fields| fields.keys().next().cloned())
                });
            }
        })
    },
};

const COMMIT_FORGETS_DELETES_IN_ITS_ANSWER: Mutant = Mutant {
    name: "commit-forgets-deletes-in-its-answer",
    does: "A commit has no result for the versions that it deletes.",
    scenarios: &[
        "atomicity/commit-applies-all-four-kinds",
        "ordering/commit-answers-in-order",
    ],
    breaks: &["COM-2", "ORD-5"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        misanswer(honest, commits, |body| {
            if let Some(results) = body["results"].as_array_mut() {
                results.retain(|result| result["delete_table_versions"].is_null());
            }
        })
    },
};

const RESULT_HAS_TWO_KINDS: Mutant = Mutant {
    name: "result-has-two-kinds",
    does: "The result of a create in a commit says that versions were deleted, too.",
    scenarios: &["atomicity/commit-applies-all-four-kinds"],
    breaks: &["COM-2"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        misanswer(honest, commits, |body| {
            for result in body["results"].as_array_mut().into_iter().flatten() {
                if result["create_table_version"].is_object() {
                    result["delete_table_versions"] = json!({ "deleted_count": 0 });
                }
            }
        })
    },
};
