//! Creates and deletes whose connection breaks.

use std::sync::Arc;

use serde_json::json;
use tokio::time::sleep;

use super::{Ghosts, IfGone, LATER, STEP, contains, delete, insert, replace};
use crate::interpose::{interpose, json_of, ok};
use crate::mutant::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[
    UNANSWERED_CREATE_IS_A_DRAFT,
    UNANSWERED_CREATE_IS_REAPED,
    CREATE_OF_A_GONE_CLIENT_COMES_LATE,
    UNFINISHED_DELETE_IS_LISTED,
];

const UNANSWERED_CREATE_IS_A_DRAFT: Mutant = Mutant {
    name: "unanswered-create-is-a-draft",
    does: "A version whose client hung up before the answer is replaced by the next create of it.",
    scenarios: &["faults/create-again-after-a-lost-answer"],
    breaks: &["VER-1", "VER-2"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let drafts = Ghosts::default();
        interpose(honest, move |honest, received| {
            let drafts = Arc::clone(&drafts);
            async move {
                let Some(id) = received.table("/version/create") else {
                    return honest.answer(received).await;
                };
                if contains(&drafts, &id) {
                    return replace(&honest, &id, &received.json()).await;
                }
                let answer = honest.answer(received).await;
                let unanswered = IfGone::then(|| insert(&drafts, id));
                sleep(2 * STEP).await;
                unanswered.done();
                answer
            }
        })
    },
};

const UNANSWERED_CREATE_IS_REAPED: Mutant = Mutant {
    name: "unanswered-create-is-reaped",
    does: "A version whose client hung up before the answer is there for a while, and then removed.",
    scenarios: &[
        "faults/create-again-after-a-lost-answer",
        "faults/creates-over-connections-that-break",
    ],
    breaks: &["ORD-7"],
    may_break: &["ORD-6"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(id) = received.table("/version/create") else {
                return honest.answer(received).await;
            };
            let version = received.json()["version"].clone();
            let answer = honest.answer(received).await;
            let reaper = IfGone::then(|| {
                tokio::spawn(async move {
                    sleep(LATER).await;
                    delete(&honest, &id, &version).await;
                });
            });
            sleep(2 * STEP).await;
            reaper.done();
            answer
        })
    },
};

const CREATE_OF_A_GONE_CLIENT_COMES_LATE: Mutant = Mutant {
    name: "create-of-a-gone-client-comes-late",
    does: "The create of a client that hung up is queued, and done later whatever is there by then.",
    scenarios: &["faults/create-after-a-client-that-is-gone"],
    breaks: &["VER-4"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(id) = received.table("/version/create") else {
                return honest.answer(received).await;
            };
            let body = received.json();
            let queued = IfGone::then(|| {
                let honest = honest.clone();
                tokio::spawn(async move {
                    sleep(LATER).await;
                    replace(&honest, &id, &body).await;
                });
            });
            sleep(STEP).await;
            let answer = honest.answer(received).await;
            queued.done();
            answer
        })
    },
};

const UNFINISHED_DELETE_IS_LISTED: Mutant = Mutant {
    name: "unfinished-delete-is-listed",
    does: "Versions whose client hangs up while they are deleted are gone, and are listed still.",
    scenarios: &["faults/delete-with-a-lost-answer"],
    breaks: &["VER-13"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let stale = Ghosts::default();
        interpose(honest, move |honest, received| {
            let stale = Arc::clone(&stale);
            async move {
                if let Some(id) = received.table("/version/list") {
                    let answer = honest.answer(received).await;
                    if !contains(&stale, &id) {
                        return answer;
                    }
                    let mut body = json_of(answer).await;
                    if let Some(versions) = body["versions"].as_array_mut() {
                        let mut gone = versions.first().cloned().unwrap_or_default();
                        gone["version"] = json!(1);
                        versions.insert(0, gone);
                    }
                    return ok(&body);
                }
                let Some(id) = received.table("/version/delete") else {
                    return honest.answer(received).await;
                };
                let answer = honest.answer(received).await;
                let unfinished = IfGone::then(|| insert(&stale, id));
                sleep(2 * STEP).await;
                unfinished.done();
                answer
            }
        })
    },
};
