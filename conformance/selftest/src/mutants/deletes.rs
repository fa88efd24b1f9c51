//! Faults of deleting versions, and of what stands beside what is deleted.

use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::interpose::{
    Honest, Received, error, interpose, interpose_with, json_of, misread, misrefuse, ok,
};
use crate::mutant::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    RANGE_TAKES_ITS_END,
    RANGE_LEAVES_ITS_START,
    OPEN_RANGE_LEAVES_THE_LATEST,
    DELETED_COUNT_IS_THE_RANGE,
    OVERLAPS_COUNT_TWICE,
    DELETES_COUNT_WHAT_THEY_LOOKED_AT,
    DELETE_DELETES_NOTHING,
    DELETE_REACHES_OTHER_TABLES,
    INVERTED_RANGE_FAILS,
    OLDEST_TABLE_IS_LOST,
    DELETE_GOES_IN_TWO_STEPS,
];

fn deletes(received: &Received) -> bool {
    received.is("/version/delete")
}

/// Reads each range of a delete otherwise.
fn each_range(received: Received, change: fn(&mut i64, &mut i64)) -> Received {
    received.with_body(|body| {
        for range in body["ranges"].as_array_mut().into_iter().flatten() {
            let number = |field: &str| range[field].as_i64();
            let bounds = number("start_version").zip(number("end_version"));
            if let Some((mut start, mut end)) =
                bounds.filter(|(start, end)| *end == -1 || start < end)
            {
                change(&mut start, &mut end);
                *range = json!({ "start_version": start, "end_version": end });
            }
        }
    })
}

/// The numbers of the versions that each range of a delete holds now.
async fn in_ranges(honest: &Honest, table: &[String], received: &Received) -> Vec<Vec<i64>> {
    let versions = honest.versions(table).await;
    let numbers: Vec<i64> = versions
        .iter()
        .filter_map(|entry| entry["version"].as_i64())
        .collect();
    let ranges = received.json()["ranges"].take();
    let ranges = ranges.as_array().into_iter().flatten();
    let within = ranges.map(|range| {
        let (start, end) = (
            range["start_version"].as_i64(),
            range["end_version"].as_i64(),
        );
        let end = end.filter(|end| *end != -1).unwrap_or(i64::MAX);
        let within = |number: &&i64| start <= Some(**number) && **number < end;
        numbers.iter().filter(within).copied().collect()
    });
    within.collect()
}

const RANGE_TAKES_ITS_END: Mutant = Mutant {
    name: "range-takes-its-end",
    does: "The end of a range is deleted with it.",
    scenarios: &["put-if-not-exists/delete-takes-the-range-and-no-more"],
    breaks: &["VER-13"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        misread(honest, deletes, |received| {
            each_range(received, |_, end| *end += i64::from(*end != -1))
        })
    },
};

const RANGE_LEAVES_ITS_START: Mutant = Mutant {
    name: "range-leaves-its-start",
    does: "The start of a range is left.",
    scenarios: &[
        "put-if-not-exists/delete-takes-the-range-and-no-more",
        "ordering/a-delete-takes-effect-at-once",
    ],
    breaks: &["VER-13", "ORD-6"],
    may_break: &["ORD-7", "VER-3", "VER-12"],
    warns: &[],
    wrap: |honest| {
        misread(honest, deletes, |received| {
            each_range(received, |start, _| *start += 1)
        })
    },
};

const OPEN_RANGE_LEAVES_THE_LATEST: Mutant = Mutant {
    name: "open-range-leaves-the-latest",
    does: "A range with the end -1 leaves the latest version.",
    scenarios: &["put-if-not-exists/open-range-takes-the-rest"],
    breaks: &["VER-13"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(table) = received.table("/version/delete") else {
                return honest.answer(received).await;
            };
            let versions = honest.versions(&table).await;
            let latest = versions
                .last()
                .map_or(&Value::Null, |entry| &entry["version"])
                .clone();
            let read = received.with_body(|body| {
                for range in body["ranges"].as_array_mut().into_iter().flatten() {
                    let started = range["start_version"].as_i64() <= latest.as_i64();
                    if range["end_version"] == -1 && latest.is_number() && started {
                        range["end_version"] = latest.clone();
                    }
                }
            });
            honest.answer(read).await
        })
    },
};

const DELETED_COUNT_IS_THE_RANGE: Mutant = Mutant {
    name: "deleted-count-is-the-range",
    does: "deleted_count says how many versions the ranges have room for.",
    scenarios: &[
        "put-if-not-exists/overlapping-ranges-count-once",
        "ordering/a-delete-takes-effect-at-once",
    ],
    breaks: &["VER-13", "ORD-6"],
    may_break: &["ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let (concerned, request) = (deletes(&received), received.json());
            let answer = honest.answer(received).await;
            if !concerned || !answer.status().is_success() {
                return answer;
            }
            let mut body = json_of(answer).await;
            let ranges = request["ranges"].as_array().into_iter().flatten();
            let room = ranges.map(|range| {
                let (start, end) = (
                    range["start_version"].as_i64(),
                    range["end_version"].as_i64(),
                );
                end.filter(|end| *end != -1)
                    .zip(start)
                    .map(|(end, start)| end - start)
            });
            if let Some(room) = room.collect::<Option<Vec<i64>>>() {
                body["deleted_count"] = json!(room.iter().sum::<i64>());
            }
            ok(&body)
        })
    },
};

const OVERLAPS_COUNT_TWICE: Mutant = Mutant {
    name: "overlaps-count-twice",
    does: "A version in two ranges of one request is counted twice.",
    scenarios: &["put-if-not-exists/overlapping-ranges-count-once"],
    breaks: &["VER-13"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(table) = received.table("/version/delete") else {
                return honest.answer(received).await;
            };
            let within = in_ranges(&honest, &table, &received).await;
            let answer = honest.answer(received).await;
            if within.len() < 2 || !answer.status().is_success() {
                return answer;
            }
            let mut body = json_of(answer).await;
            body["deleted_count"] = json!(within.iter().map(Vec::len).sum::<usize>());
            ok(&body)
        })
    },
};

const DELETES_COUNT_WHAT_THEY_LOOKED_AT: Mutant = Mutant {
    name: "deletes-count-what-they-looked-at",
    does: "A delete counts the versions first and deletes them later, though another may have come \
           before it.",
    scenarios: &["put-if-not-exists/deletes-at-once-count-each-version-once"],
    breaks: &["VER-13"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(table) = received.table("/version/delete") else {
                return honest.answer(received).await;
            };
            let within = in_ranges(&honest, &table, &received).await.concat();
            tokio::time::sleep(Duration::from_millis(3)).await;
            let one = received.json()["ranges"]
                .as_array()
                .is_some_and(|ranges| ranges.len() == 1);
            let answer = honest.answer(received).await;
            if !one || !answer.status().is_success() {
                return answer;
            }
            let mut body = json_of(answer).await;
            body["deleted_count"] = json!(within.len());
            ok(&body)
        })
    },
};

const DELETE_DELETES_NOTHING: Mutant = Mutant {
    name: "delete-deletes-nothing",
    does: "The fields of the ranges are read by other names: 200, and nothing is deleted.",
    scenarios: &["put-if-not-exists/*delete*", "put-if-not-exists/*-range-*"],
    breaks: &["VER-12", "VER-13", "VER-3"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        misread(honest, deletes, |received| {
            received.with_body(|body| body["ranges"] = json!([]))
        })
    },
};

const DELETE_REACHES_OTHER_TABLES: Mutant = Mutant {
    name: "delete-reaches-other-tables",
    does: "A delete goes by numbers alone, and takes those of the tables beside it, too.",
    scenarios: &["put-if-not-exists/delete-takes-the-range-and-no-more"],
    breaks: &["VER-13"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: delete_reaches_other_tables,
};

fn delete_reaches_other_tables(honest: Router) -> Router {
    type Tables = Mutex<Vec<Vec<String>>>;
    interpose_with(
        honest,
        Tables::default(),
        async |honest, received, tables| {
            if let Some(table) = received.table("/declare") {
                tables.lock().await.push(table);
            }
            let Some(table) = received.table("/version/delete") else {
                return honest.answer(received).await;
            };
            let body = received.json();
            let mut beside = tables.lock().await.clone();
            beside.retain(|other| {
                *other != table
                    && other.split_last().map(|(_, n)| n) == table.split_last().map(|(_, n)| n)
            });
            for other in beside {
                let delete = json!({ "ranges": body["ranges"] });
                honest.on_table(&other, "/version/delete", &delete).await;
            }
            honest.answer(received).await
        },
    )
}

const INVERTED_RANGE_FAILS: Mutant = Mutant {
    name: "inverted-range-fails",
    does: "A range that ends before it begins is a server error.",
    scenarios: &["put-if-not-exists/inverted-range-is-no-server-error"],
    breaks: &["VER-14"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        misrefuse(honest, deletes, StatusCode::BAD_REQUEST, |_| {
            error(StatusCode::INTERNAL_SERVER_ERROR, 18)
        })
    },
};

const OLDEST_TABLE_IS_LOST: Mutant = Mutant {
    name: "oldest-table-is-lost",
    does: "When there are 20 tables, the one that was declared first is thrown out.",
    scenarios: &[
        "isolation/canary-survives",
        "ordering/pages-of-tables",
        "ordering/*-come-and-go*",
    ],
    breaks: &["REST-11"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        type Tables = Mutex<Vec<Vec<String>>>;
        interpose_with(
            honest,
            Tables::default(),
            async |honest, received, tables| {
                let declares = received.table("/declare");
                let answer = honest.answer(received).await;
                if let Some(table) = declares
                    && answer.status().is_success()
                {
                    let mut tables = tables.lock().await;
                    tables.push(table);
                    if tables.len() == 20 {
                        honest.on_table(&tables[0], "/deregister", &json!({})).await;
                    }
                }
                answer
            },
        )
    },
};

const DELETE_GOES_IN_TWO_STEPS: Mutant = Mutant {
    name: "delete-goes-in-two-steps",
    does: "A range is deleted in two steps, the first four versions and then the rest.",
    scenarios: &["ordering/a-delete-takes-effect-at-once"],
    breaks: &[],
    may_break: &["VER-13", "ORD-7"],
    warns: &["ORD-6"],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(table) = received.table("/version/delete") else {
                return honest.answer(received).await;
            };
            let body = received.json();
            let range = &body["ranges"][0];
            let bounds = range["start_version"]
                .as_i64()
                .zip(range["end_version"].as_i64());
            let one = body["ranges"]
                .as_array()
                .is_some_and(|ranges| ranges.len() == 1);
            let Some((start, end)) = bounds.filter(|(start, end)| one && start + 4 < *end) else {
                return honest.answer(received).await;
            };
            let mut count = 0;
            for (start, end) in [(start, start + 4), (start + 4, end)] {
                let mut step = body.clone();
                step["ranges"] = json!([{ "start_version": start, "end_version": end }]);
                let deleted = honest.on_table(&table, "/version/delete", &step).await;
                if !deleted.status().is_success() {
                    return deleted;
                }
                count += json_of(deleted).await["deleted_count"]
                    .as_u64()
                    .unwrap_or(0);
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            ok(&json!({ "deleted_count": count }))
        })
    },
};
