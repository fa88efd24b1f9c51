//! Faults of namespaces.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::interpose::{Honest, Received, interpose, json_of, ok};
use crate::mutant::Mutant;
use crate::naming::{Kind, Named, refusal};

pub(super) const MUTANTS: &[Mutant] = &[
    MODES_ARE_IGNORED,
    MODES_IN_PASCAL_CASE_ONLY,
    EXIST_OK_REPLACES,
    OVERWRITE_KEEPS_WHAT_IS_INSIDE,
    CREATE_OF_AN_EXISTING_ONE_SUCCEEDS,
    EVERY_DROP_CASCADES,
    DROP_TAKES_NAMES_THAT_BEGIN_ALIKE,
    DROP_DOES_NOTHING,
    CASCADE_DROPS_NOTHING,
    SKIP_DROPS_NOTHING,
    DROP_OF_A_MISSING_ONE_SUCCEEDS,
    WHAT_IS_ABOVE_IS_MADE_ON_THE_WAY,
    EVERYTHING_EXISTS,
    PROPERTIES_OF_THE_LATEST,
    CREATE_CHECKS_THEN_ACTS,
    SIBLINGS_MADE_AT_ONCE_ARE_LOST,
    DROP_CHECKS_THEN_ACTS,
];

/// The same request with a body changed so.
fn with_body(mut received: Received, change: impl FnOnce(&mut Value)) -> Received {
    let mut body = received.json();
    change(&mut body);
    received.body = Bytes::from(body.to_string());
    received
}

fn remove(body: &mut Value, field: &str) {
    if let Some(fields) = body.as_object_mut() {
        fields.remove(field);
    }
}

fn asks(received: &Received, kind: Kind, action: &str) -> Option<Named> {
    Named::of(received).filter(|named| named.asks(kind, action))
}

/// The mode of a request, in lower case and without underscores.
fn mode(received: &Received, field: &str) -> String {
    let mode = received.json()[field]
        .as_str()
        .unwrap_or_default()
        .to_lowercase();
    mode.replace('_', "")
}

const MODES_ARE_IGNORED: Mutant = Mutant {
    name: "namespace-modes-are-ignored",
    does: "CreateNamespace and DropNamespace do what they usually do, whatever mode is asked for.",
    scenarios: &["namespaces/*"],
    breaks: &["NS-1", "NS-6"],
    may_break: &[],
    warns: &["NS-7"],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let received = with_body(received, |body| {
                remove(body, "mode");
                remove(body, "behavior");
            });
            honest.answer(received).await
        })
    },
};

const MODES_IN_PASCAL_CASE_ONLY: Mutant = Mutant {
    name: "modes-in-pascal-case-only",
    does: "Modes are read in PascalCase, and refused in any other spelling.",
    scenarios: &["namespaces/*", "tables/*"],
    breaks: &["NS-2"],
    may_break: &[],
    warns: &["NS-7"],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let body = received.json();
            let known = [
                "Create",
                "ExistOk",
                "Overwrite",
                "Fail",
                "Skip",
                "Restrict",
                "Cascade",
            ];
            let unknown = |field: &str| {
                body[field]
                    .as_str()
                    .is_some_and(|mode| !known.contains(&mode))
            };
            if Named::of(&received).is_some() && (unknown("mode") || unknown("behavior")) {
                return refusal(StatusCode::BAD_REQUEST, 13);
            }
            honest.answer(received).await
        })
    },
};

/// Carries out a CreateNamespace of one mode as if another had been asked for.
fn mistake(honest: Router, read: &'static str, taken: &'static str) -> Router {
    interpose(honest, move |honest, received| async move {
        if asks(&received, Kind::Namespace, "create").is_none() || mode(&received, "mode") != read {
            return honest.answer(received).await;
        }
        let received = with_body(received, |body| body["mode"] = json!(taken));
        honest.answer(received).await
    })
}

const EXIST_OK_REPLACES: Mutant = Mutant {
    name: "exist-ok-replaces",
    does: "CreateNamespace in mode ExistOk replaces the namespace that exists.",
    scenarios: &["namespaces/exist-ok-keeps-it"],
    breaks: &["NS-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| mistake(honest, "existok", "Overwrite"),
};

const OVERWRITE_KEEPS_WHAT_IS_INSIDE: Mutant = Mutant {
    name: "overwrite-keeps-what-is-inside",
    does: "CreateNamespace in mode Overwrite leaves the tables and namespaces that are inside.",
    scenarios: &["namespaces/overwrite-leaves-it-empty"],
    breaks: &["NS-1", "NS-2"],
    may_break: &[],
    warns: &[],
    wrap: |honest| mistake(honest, "overwrite", "ExistOk"),
};

const CREATE_OF_AN_EXISTING_ONE_SUCCEEDS: Mutant = Mutant {
    name: "create-of-an-existing-namespace-succeeds",
    does: "CreateNamespace of one that exists answers 200 and does nothing.",
    scenarios: &["namespaces/*"],
    breaks: &["NS-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let create = asks(&received, Kind::Namespace, "create").is_some();
            let answer = honest.answer(received).await;
            if create && answer.status() == StatusCode::CONFLICT {
                return ok(&json!({}));
            }
            answer
        })
    },
};

const EVERY_DROP_CASCADES: Mutant = Mutant {
    name: "every-drop-cascades",
    does: "DropNamespace drops what is inside, whether that was asked for or not.",
    scenarios: &["namespaces/*"],
    breaks: &["NS-5"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let received = match asks(&received, Kind::Namespace, "drop") {
                Some(_) => with_body(received, |body| body["behavior"] = json!("Cascade")),
                None => received,
            };
            honest.answer(received).await
        })
    },
};

const DROP_TAKES_NAMES_THAT_BEGIN_ALIKE: Mutant = Mutant {
    name: "drop-takes-names-that-begin-alike",
    does: "A namespace is dropped with all that have a name which begins with its own.",
    scenarios: &["namespaces/*"],
    breaks: &["REST-11"],
    may_break: &["NS-1", "NS-4", "NS-6", "NS-11", "REST-15"],
    warns: &[],
    wrap: |honest| interpose(honest, drop_alike),
};

async fn drop_alike(honest: Honest, received: Received) -> Response {
    let Some(named) = asks(&received, Kind::Namespace, "drop") else {
        return honest.answer(received).await;
    };
    let answer = honest.answer(received.clone()).await;
    // A prefix is dropped whether what it names is there or not.
    let parent = named.parent().to_vec();
    for name in named.names(&honest, &received, &parent, "list").await {
        if name.starts_with(named.name()) && name != named.name() {
            let id = named.sibling(&name);
            let cascade = json!({ "behavior": "Cascade" });
            named.ask(&honest, &received, &id, "drop", &cascade).await;
        }
    }
    answer
}

const DROP_DOES_NOTHING: Mutant = Mutant {
    name: "drop-does-nothing",
    does: "DropNamespace of an empty one answers 200, and the namespace stays.",
    scenarios: &["namespaces/*"],
    breaks: &["NS-5", "REST-15"],
    may_break: &["NS-4", "NS-11"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(named) = asks(&received, Kind::Namespace, "drop") else {
                return honest.answer(received).await;
            };
            let inside = [
                named.names(&honest, &received, &named.id, "list").await,
                named
                    .names(&honest, &received, &named.id, "table/list")
                    .await,
            ];
            let empty = inside.iter().all(Vec::is_empty);
            if empty && named.there(&honest, &received, &named.id).await {
                return ok(&json!({}));
            }
            honest.answer(received).await
        })
    },
};

const CASCADE_DROPS_NOTHING: Mutant = Mutant {
    name: "cascade-drops-nothing",
    does: "DropNamespace with behaviour Cascade answers 200, and all that is inside stays.",
    scenarios: &["namespaces/cascade-drops-all-inside"],
    breaks: &["NS-11"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let drop = asks(&received, Kind::Namespace, "drop").is_some();
            if drop && mode(&received, "behavior") == "cascade" {
                return ok(&json!({}));
            }
            honest.answer(received).await
        })
    },
};

const SKIP_DROPS_NOTHING: Mutant = Mutant {
    name: "skip-drops-nothing",
    does: "DropNamespace in mode Skip answers 204, whether the namespace is there or not.",
    scenarios: &["namespaces/skip-of-a-missing-one-succeeds"],
    breaks: &["NS-11"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let drop = asks(&received, Kind::Namespace, "drop").is_some();
            if drop && mode(&received, "mode") == "skip" {
                return StatusCode::NO_CONTENT.into_response();
            }
            honest.answer(received).await
        })
    },
};

const DROP_OF_A_MISSING_ONE_SUCCEEDS: Mutant = Mutant {
    name: "drop-of-a-missing-namespace-succeeds",
    does: "DropNamespace of one that does not exist answers 200.",
    scenarios: &["namespaces/*"],
    breaks: &["NS-6"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let drop = asks(&received, Kind::Namespace, "drop").is_some();
            let answer = honest.answer(received).await;
            if drop && answer.status() == StatusCode::NOT_FOUND {
                return ok(&json!({}));
            }
            answer
        })
    },
};

const WHAT_IS_ABOVE_IS_MADE_ON_THE_WAY: Mutant = Mutant {
    name: "what-is-above-is-made-on-the-way",
    does: "Creating, declaring or registering below a missing namespace is refused, and makes that.",
    scenarios: &["namespaces/missing-parent-is-refused", "tables/*"],
    breaks: &["NS-4"],
    may_break: &["NS-5"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(named) = Named::of(&received) else {
                return honest.answer(received).await;
            };
            let makes = named.makes() || named.asks(Kind::Table, "register");
            let answer = honest.answer(received.clone()).await;
            if makes && answer.status() == StatusCode::NOT_FOUND {
                let above = named.as_namespace();
                let parent = above.parent().to_vec();
                above
                    .ask(&honest, &received, &parent, "create", &json!({}))
                    .await;
            }
            answer
        })
    },
};

const EVERYTHING_EXISTS: Mutant = Mutant {
    name: "everything-exists",
    does: "NamespaceExists and TableExists answer 200, whatever they are asked for.",
    scenarios: &["namespaces/exists-*", "tables/exists-*"],
    breaks: &["NS-4", "TBL-4", "TBL-9"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let exists = Named::of(&received).is_some_and(|named| named.action == "exists");
            let answer = honest.answer(received).await;
            if exists && answer.status() == StatusCode::NOT_FOUND {
                return StatusCode::OK.into_response();
            }
            answer
        })
    },
};

const PROPERTIES_OF_THE_LATEST: Mutant = Mutant {
    name: "properties-of-the-latest",
    does: "Describe answers the properties that were sent latest, whatever it describes.",
    scenarios: &[
        "namespaces/properties-come-back",
        "tables/properties-come-back",
    ],
    breaks: &["REST-11"],
    may_break: &["NS-1", "TBL-2"],
    warns: &[],
    wrap: |honest| {
        let latest = Arc::new(Mutex::new(Value::Null));
        interpose(honest, move |honest, received| {
            let latest = Arc::clone(&latest);
            async move {
                let action = Named::of(&received).map(|named| named.action);
                let sent = received.json()["properties"].take();
                let answer = honest.answer(received).await;
                let shown = {
                    let mut latest = latest.lock().unwrap_or_else(PoisonError::into_inner);
                    if sent.is_object() {
                        *latest = sent;
                    }
                    latest.clone()
                };
                if action.as_deref() != Some("describe") || !answer.status().is_success() {
                    return answer;
                }
                let mut body = json_of(answer).await;
                body["properties"] = shown;
                ok(&body)
            }
        })
    },
};

const CREATE_CHECKS_THEN_ACTS: Mutant = Mutant {
    name: "create-namespace-checks-then-acts",
    does: "CreateNamespace looks whether the name is free, and writes a little later.",
    scenarios: &["namespaces/raced-creates-have-one-winner"],
    breaks: &["NS-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(named) = asks(&received, Kind::Namespace, "create") else {
                return honest.answer(received).await;
            };
            if !mode(&received, "mode").is_empty()
                || named.there(&honest, &received, &named.id).await
            {
                return honest.answer(received).await;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
            let answer = honest.answer(received).await;
            match answer.status() {
                StatusCode::CONFLICT => ok(&json!({})),
                _ => answer,
            }
        })
    },
};

const SIBLINGS_MADE_AT_ONCE_ARE_LOST: Mutant = Mutant {
    name: "siblings-made-at-once-are-lost",
    does: "While more than one namespace or table is made, the others are answered 200 and lost.",
    scenarios: &["namespaces/first-creates-*", "tables/first-declares-*"],
    breaks: &["REST-15"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let under_way = Arc::new(AtomicUsize::new(0));
        interpose(honest, move |honest, received| {
            let under_way = Arc::clone(&under_way);
            async move {
                if !Named::of(&received).is_some_and(|named| named.makes()) {
                    return honest.answer(received).await;
                }
                let others = under_way.fetch_add(1, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(10)).await;
                let answer = match others {
                    0 => honest.answer(received).await,
                    _ => ok(&json!({ "location": "memory://lost/" })),
                };
                under_way.fetch_sub(1, Ordering::SeqCst);
                answer
            }
        })
    },
};

const DROP_CHECKS_THEN_ACTS: Mutant = Mutant {
    name: "drop-namespace-checks-then-acts",
    does: "DropNamespace looks whether the namespace is empty, and drops all inside a little later.",
    scenarios: &["namespaces/raced-drop-and-declare"],
    breaks: &["NS-5"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(named) = asks(&received, Kind::Namespace, "drop") else {
                if asks(&received, Kind::Table, "declare").is_some() {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                return honest.answer(received).await;
            };
            let inside = [
                named.names(&honest, &received, &named.id, "list").await,
                named
                    .names(&honest, &received, &named.id, "table/list")
                    .await,
            ];
            if inside.iter().any(|names| !names.is_empty()) {
                return honest.answer(received).await;
            }
            tokio::time::sleep(Duration::from_millis(80)).await;
            let received = with_body(received, |body| body["behavior"] = json!("Cascade"));
            honest.answer(received).await
        })
    },
};
