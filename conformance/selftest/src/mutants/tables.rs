//! Faults of tables.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use crate::interpose::{Honest, Received, interpose, json_of, ok};
use crate::mutant::Mutant;
use crate::naming::{Kind, Named, refusal};

pub(super) const MUTANTS: &[Mutant] = &[
    DECLARE_REPLACES,
    REFUSED_DECLARE_CHANGES_THE_FIRST,
    DECLARE_CHECKS_THEN_ACTS,
    DECLARES_LEAVE_TWINS,
    ONE_DECLARE_IN_13_IS_LOST,
    LATEST_TABLE_IS_NOT_LISTED,
    DECLARED_TABLE_HAS_A_VERSION,
    DESCRIBE_SAYS_ANOTHER_LOCATION,
    TABLE_URI_IS_A_PATH,
    DECLARED_ONLY_IS_NEVER_SAID,
    GIVEN_LOCATION_IS_IGNORED,
    VERSION_IN_DESCRIBE_IS_IGNORED,
    DEREGISTER_DOES_NOTHING,
    DROP_TABLE_DOES_NOTHING,
    REMOVAL_TAKES_NAMES_THAT_BEGIN_ALIKE,
    DROPPED_VERSIONS_COME_BACK,
    REMOVALS_DELETE_THE_FILES,
    REGISTER_ALWAYS_OVERWRITES,
    REGISTER_NEVER_OVERWRITES,
    REGISTER_DOES_NOTHING,
    REGISTERED_TABLE_CANNOT_BE_DROPPED,
];

/// What requests share; none panics while it holds it.
fn lock<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn asks(received: &Received, action: &str) -> Option<Named> {
    Named::of(received).filter(|named| named.asks(Kind::Table, action))
}

/// Changes the body of an operation on tables that was carried out.
fn misanswer(honest: Router, action: &'static str, change: fn(&mut Value)) -> Router {
    interpose(honest, move |honest, received| async move {
        let asked = asks(&received, action).is_some();
        let answer = honest.answer(received).await;
        if !asked || !answer.status().is_success() {
            return answer;
        }
        let mut body = json_of(answer).await;
        change(&mut body);
        ok(&body)
    })
}

/// Answers an operation on tables that are there, and does not carry it out.
fn idle(honest: Router, action: &'static str) -> Router {
    interpose(honest, move |honest, received| async move {
        match asks(&received, action) {
            Some(named) if named.there(&honest, &received, &named.id).await => {
                ok(&json!({ "id": named.id, "location": "memory://idle/" }))
            }
            _ => honest.answer(received).await,
        }
    })
}

const DECLARE_REPLACES: Mutant = Mutant {
    name: "declare-replaces",
    does: "DeclareTable of one that exists declares it anew, and succeeds.",
    scenarios: &["tables/*declare*"],
    breaks: &["TBL-2", "TBL-7"],
    may_break: &["REST-15", "TBL-4"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(named) = asks(&received, "declare") else {
                return honest.answer(received).await;
            };
            let answer = honest.answer(received.clone()).await;
            if answer.status() != StatusCode::CONFLICT {
                return answer;
            }
            let none = json!({});
            named
                .ask(&honest, &received, &named.id, "deregister", &none)
                .await;
            match honest.answer(received).await {
                answer if answer.status() == StatusCode::CONFLICT => ok(&none),
                answer => answer,
            }
        })
    },
};

const REFUSED_DECLARE_CHANGES_THE_FIRST: Mutant = Mutant {
    name: "refused-declare-changes-the-first",
    does: "DeclareTable of one that exists is refused, and its properties are stored.",
    scenarios: &["tables/existing-one-is-not-declared-again"],
    breaks: &["TBL-2"],
    may_break: &["TBL-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(named) = asks(&received, "declare") else {
                return honest.answer(received).await;
            };
            let answer = honest.answer(received.clone()).await;
            if answer.status() == StatusCode::CONFLICT && received.json()["properties"].is_object()
            {
                let described = named
                    .ask(&honest, &received, &named.id, "describe", &json!({}))
                    .await;
                let location = json_of(described).await["location"].take();
                let mut again = received.json();
                again["location"] = location;
                again["id"] = json!(named.id);
                named
                    .ask(&honest, &received, &named.id, "deregister", &json!({}))
                    .await;
                named
                    .ask(&honest, &received, &named.id, "declare", &again)
                    .await;
            }
            answer
        })
    },
};

const DECLARE_CHECKS_THEN_ACTS: Mutant = Mutant {
    name: "declare-checks-then-acts",
    does: "DeclareTable looks whether the name is free, and writes a little later.",
    scenarios: &["tables/raced-declares-have-one-winner"],
    breaks: &["TBL-7"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(named) = asks(&received, "declare") else {
                return honest.answer(received).await;
            };
            if named.there(&honest, &received, &named.id).await {
                return honest.answer(received).await;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
            match honest.answer(received).await {
                answer if answer.status() == StatusCode::CONFLICT => {
                    ok(&json!({ "location": "memory://second/" }))
                }
                answer => answer,
            }
        })
    },
};

const DECLARES_LEAVE_TWINS: Mutant = Mutant {
    name: "declares-leave-twins",
    does: "A DeclareTable that lost a race leaves a row, which is there once the first is removed.",
    scenarios: &["tables/raced-declares-leave-no-twin"],
    breaks: &["TBL-4"],
    may_break: &["REST-15"],
    warns: &[],
    wrap: |honest| {
        let twins = Arc::new(Mutex::new(BTreeSet::new()));
        interpose(honest, move |honest, received| {
            let twins = Arc::clone(&twins);
            async move {
                let named = Named::of(&received);
                let answer = honest.answer(received.clone()).await;
                let Some(named) = named.filter(|named| named.kind == Kind::Table) else {
                    return answer;
                };
                if named.action == "declare" && answer.status() == StatusCode::CONFLICT {
                    lock(&twins).insert(named.id);
                } else if named.action == "deregister" && lock(&twins).remove(&named.id) {
                    named
                        .ask(&honest, &received, &named.id, "declare", &json!({}))
                        .await;
                }
                answer
            }
        })
    },
};

const ONE_DECLARE_IN_13_IS_LOST: Mutant = Mutant {
    name: "one-declare-in-13-is-lost",
    does: "Every 13th DeclareTable answers 200 and stores nothing.",
    scenarios: &["tables/acknowledged-writes-are-done"],
    breaks: &["REST-15"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let count = Arc::new(AtomicUsize::new(0));
        interpose(honest, move |honest, received| {
            let count = Arc::clone(&count);
            async move {
                // Tables of this name only, so that no set-up fails.
                let counted = asks(&received, "declare").filter(|named| named.name().len() > 2);
                match counted {
                    Some(named)
                        if named.name().starts_with('t')
                            && count.fetch_add(1, Ordering::SeqCst) % 13 == 12 =>
                    {
                        ok(&json!({ "location": "memory://lost/" }))
                    }
                    _ => honest.answer(received).await,
                }
            }
        })
    },
};

const LATEST_TABLE_IS_NOT_LISTED: Mutant = Mutant {
    name: "latest-table-is-not-listed",
    does: "ListTables is served from a cache that lacks the table declared latest.",
    scenarios: &["tables/declared-table-is-there"],
    breaks: &["TBL-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let latest = Arc::new(Mutex::new(String::new()));
        interpose(honest, move |honest, received| {
            let latest = Arc::clone(&latest);
            async move {
                if let Some(named) = asks(&received, "declare") {
                    *lock(&latest) = named.name().to_owned();
                }
                let lists = received.uri.path().ends_with("/table/list");
                let answer = honest.answer(received).await;
                if !lists || !answer.status().is_success() {
                    return answer;
                }
                let mut body = json_of(answer).await;
                if let Some(tables) = body["tables"].as_array_mut() {
                    let latest = lock(&latest).clone();
                    tables.retain(|name| *name != latest);
                }
                ok(&body)
            }
        })
    },
};

const DECLARED_TABLE_HAS_A_VERSION: Mutant = Mutant {
    name: "declared-table-has-a-version",
    does: "DeclareTable creates version 1 of the table, from nothing.",
    scenarios: &["tables/declared-table-has-no-versions"],
    breaks: &["TBL-1"],
    may_break: &["REST-11"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let named = asks(&received, "declare");
            let answer = honest.answer(received.clone()).await;
            // Tables that get versions of their own are left alone.
            if let Some(named) =
                named.filter(|named| named.name() == "t" && named.parent().len() == 2)
            {
                let version = json!({ "version": 1, "manifest_path": "nothing" });
                named
                    .ask(&honest, &received, &named.id, "version/create", &version)
                    .await;
            }
            answer
        })
    },
};

const DESCRIBE_SAYS_ANOTHER_LOCATION: Mutant = Mutant {
    name: "describe-says-another-location",
    does: "DescribeTable answers a location without the name of its storage.",
    scenarios: &["tables/declared-table-is-there"],
    breaks: &["TBL-15"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        misanswer(honest, "describe", |body| {
            let location = body["location"].as_str().unwrap_or_default();
            let bare = location.split("://").last().unwrap_or_default();
            body["location"] = json!(format!("elsewhere/{bare}"));
        })
    },
};

const TABLE_URI_IS_A_PATH: Mutant = Mutant {
    name: "table-uri-is-a-path",
    does: "DescribeTable answers a path as the table's URI.",
    scenarios: &["tables/uri-is-said-on-demand"],
    breaks: &["TBL-12"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        misanswer(honest, "describe", |body| {
            body["table_uri"] = json!("/data/of/the/table");
        })
    },
};

const DECLARED_ONLY_IS_NEVER_SAID: Mutant = Mutant {
    name: "declared-only-is-never-said",
    does: "DescribeTable answers that no table is only declared.",
    scenarios: &["tables/declared-only-is-said-on-demand"],
    breaks: &[],
    may_break: &[],
    warns: &["TBL-13"],
    wrap: |honest| {
        misanswer(honest, "describe", |body| {
            body["is_only_declared"] = json!(false)
        })
    },
};

const GIVEN_LOCATION_IS_IGNORED: Mutant = Mutant {
    name: "given-location-is-ignored",
    does: "DeclareTable chooses a location of its own where one is given.",
    scenarios: &["tables/given-location-is-used"],
    breaks: &[],
    may_break: &[],
    warns: &["TBL-18"],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(named) = asks(&received, "declare") else {
                return honest.answer(received).await;
            };
            let mut body = received.json();
            if let Some(fields) = body.as_object_mut() {
                fields.remove("location");
            }
            named
                .ask(&honest, &received, &named.id, "declare", &body)
                .await
        })
    },
};

const VERSION_IN_DESCRIBE_IS_IGNORED: Mutant = Mutant {
    name: "version-in-describe-is-ignored",
    does: "DescribeTable and TableExists answer of the latest version, whichever is asked for.",
    scenarios: &["tables/missing-version-is-not-described"],
    breaks: &[],
    may_break: &[],
    warns: &["TBL-11", "TBL-20"],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let asked = Named::of(&received).filter(|named| {
                named.asks(Kind::Table, "describe") || named.asks(Kind::Table, "exists")
            });
            match asked.filter(|_| received.json()["version"].is_number()) {
                Some(named) => {
                    let action = named.action.clone();
                    named
                        .ask(&honest, &received, &named.id, &action, &json!({}))
                        .await
                }
                None => honest.answer(received).await,
            }
        })
    },
};

const DEREGISTER_DOES_NOTHING: Mutant = Mutant {
    name: "deregister-does-nothing",
    does: "DeregisterTable answers 200, and the table stays.",
    scenarios: &["tables/deregistered-table-is-gone", "tables/acknowledged-*"],
    breaks: &["TBL-4", "REST-15"],
    may_break: &[],
    warns: &[],
    wrap: |honest| idle(honest, "deregister"),
};

const DROP_TABLE_DOES_NOTHING: Mutant = Mutant {
    name: "drop-table-does-nothing",
    does: "DropTable answers 200, and the table stays.",
    scenarios: &["tables/dropped-*", "tables/registered-table-can-be-removed"],
    breaks: &["TBL-10"],
    may_break: &[],
    warns: &[],
    wrap: |honest| idle(honest, "drop"),
};

const REMOVAL_TAKES_NAMES_THAT_BEGIN_ALIKE: Mutant = Mutant {
    name: "removal-takes-names-that-begin-alike",
    does: "A table is removed with all of its namespace whose names begin with its own.",
    scenarios: &[
        "tables/deregistered-table-is-gone",
        "tables/dropped-table-is-gone",
    ],
    breaks: &["REST-11"],
    may_break: &["REST-15"],
    warns: &[],
    wrap: |honest| interpose(honest, remove_alike),
};

async fn remove_alike(honest: Honest, received: Received) -> Response {
    let removes = |named: &Named| named.kind == Kind::Table && named.removes();
    let Some(named) = Named::of(&received).filter(removes) else {
        return honest.answer(received).await;
    };
    let answer = honest.answer(received.clone()).await;
    let parent = named.parent().to_vec();
    for name in named.names(&honest, &received, &parent, "table/list").await {
        if name.starts_with(named.name()) {
            let id = named.sibling(&name);
            named
                .ask(&honest, &received, &id, "deregister", &json!({}))
                .await;
        }
    }
    answer
}

const DROPPED_VERSIONS_COME_BACK: Mutant = Mutant {
    name: "dropped-versions-come-back",
    does: "DropTable leaves the records of versions, and a new table of its name has them.",
    scenarios: &["tables/dropped-versions-do-not-come-back"],
    breaks: &["TBL-10"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let left: Arc<Mutex<BTreeMap<Vec<String>, Vec<Value>>>> = Arc::default();
        interpose(honest, move |honest, received| {
            let left = Arc::clone(&left);
            async move {
                let named = Named::of(&received).filter(|named| named.kind == Kind::Table);
                let Some(named) = named else {
                    return honest.answer(received).await;
                };
                let none = json!({});
                if named.action == "drop" {
                    let listed = named
                        .ask(&honest, &received, &named.id, "version/list", &none)
                        .await;
                    let versions = json_of(listed).await["versions"].take();
                    let versions = versions.as_array().cloned().unwrap_or_default();
                    lock(&left).insert(named.id.clone(), versions);
                }
                let answer = honest.answer(received.clone()).await;
                if named.action == "declare" && answer.status().is_success() {
                    let versions = lock(&left).remove(&named.id).unwrap_or_default();
                    for version in versions {
                        named
                            .ask(&honest, &received, &named.id, "version/create", &version)
                            .await;
                    }
                }
                answer
            }
        })
    },
};

const REMOVALS_DELETE_THE_FILES: Mutant = Mutant {
    name: "removals-delete-the-files",
    does: "Deregistering a table and deleting a version delete what is stored there too.",
    scenarios: &[
        "tables/deregistered-content-stays",
        "tables/deleted-version-keeps-its-file",
    ],
    breaks: &["TBL-23"],
    may_break: &[],
    warns: &["VER-16"],
    wrap: |honest| interpose(honest, delete_files),
};

/// Tables are declared in a folder of their own on this machine, so that there are files.
async fn delete_files(honest: Honest, received: Received) -> Response {
    let Some(named) = Named::of(&received).filter(|named| named.kind == Kind::Table) else {
        return honest.answer(received).await;
    };
    let folder = folder(&named.id);
    match named.action.as_str() {
        "declare" if received.json()["location"].is_null() => {
            let mut body = received.json();
            body["location"] = json!(format!("file://{}", folder.display()));
            named
                .ask(&honest, &received, &named.id, "declare", &body)
                .await
        }
        "deregister" | "drop" | "version/delete" => {
            // A folder that is not there is as good as one that was deleted.
            let _ = std::fs::remove_dir_all(&folder);
            honest.answer(received).await
        }
        _ => honest.answer(received).await,
    }
}

fn folder(id: &[String]) -> PathBuf {
    let name = format!("selftest-{}-{}", std::process::id(), id.join("-"));
    std::env::temp_dir().join(name)
}

const REGISTER_ALWAYS_OVERWRITES: Mutant = Mutant {
    name: "register-always-overwrites",
    does: "RegisterTable replaces a table that exists in every mode.",
    scenarios: &["tables/existing-one-is-not-registered-again"],
    breaks: &["TBL-5"],
    may_break: &[],
    warns: &[],
    wrap: |honest| register_in(honest, "Overwrite"),
};

const REGISTER_NEVER_OVERWRITES: Mutant = Mutant {
    name: "register-never-overwrites",
    does: "RegisterTable ignores the mode, and refuses a table that exists.",
    scenarios: &["tables/register-overwrites"],
    breaks: &["TBL-5"],
    may_break: &[],
    warns: &[],
    wrap: |honest| register_in(honest, "Create"),
};

fn register_in(honest: Router, mode: &'static str) -> Router {
    interpose(honest, move |honest, received| async move {
        let Some(named) = asks(&received, "register") else {
            return honest.answer(received).await;
        };
        let mut body = received.json();
        body["mode"] = json!(mode);
        named
            .ask(&honest, &received, &named.id, "register", &body)
            .await
    })
}

const REGISTER_DOES_NOTHING: Mutant = Mutant {
    name: "register-does-nothing",
    does: "RegisterTable answers 200, and stores nothing.",
    scenarios: &["tables/registered-table-is-there"],
    breaks: &["REST-15"],
    may_break: &["TBL-4", "TBL-5", "TBL-10"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            if asks(&received, "register").is_none() {
                return honest.answer(received).await;
            }
            ok(&json!({ "location": received.json()["location"] }))
        })
    },
};

const REGISTERED_TABLE_CANNOT_BE_DROPPED: Mutant = Mutant {
    name: "registered-table-cannot-be-dropped",
    does: "DropTable of a table that was registered fails.",
    scenarios: &["tables/registered-table-can-be-removed"],
    breaks: &["TBL-10"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let registered = Arc::new(Mutex::new(BTreeSet::new()));
        interpose(honest, move |honest, received| {
            let registered = Arc::clone(&registered);
            async move {
                let Some(named) = Named::of(&received) else {
                    return honest.answer(received).await;
                };
                if named.asks(Kind::Table, "register") {
                    lock(&registered).insert(named.id);
                } else if named.asks(Kind::Table, "drop") && lock(&registered).contains(&named.id) {
                    return refusal(StatusCode::INTERNAL_SERVER_ERROR, 18);
                }
                honest.answer(received).await
            }
        })
    },
};
