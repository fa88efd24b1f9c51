//! A run removes what it made, from servers that do little at a time, too.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::IntoResponse;
use lance_namespace_selftest::interpose::{interpose, misanswer, misrefuse, ok};
use lance_namespace_selftest::trial::trial;
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::run::Verdict;
use serde_json::{Value, json};

/// How many drops are carried out, and how many failed.
#[derive(Default)]
struct Drops {
    under_way: AtomicUsize,
    failed: AtomicUsize,
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_dropped_among_others_is_dropped_alone() {
    // It makes many tables, and drops none.
    let plan = Plan::new(&[], &["listing/tables-that-sort-oddly".to_owned()]).unwrap();
    let drops = Arc::new(Drops::default());
    let of_server = Arc::clone(&drops);
    let run = trial(&plan, 1, |honest| {
        interpose(honest, move |honest, received| {
            let drops = Arc::clone(&of_server);
            async move {
                if !received.is("/drop") {
                    return honest.answer(received).await;
                }
                let others = drops.under_way.fetch_add(1, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(5)).await;
                let answer = match others {
                    0 => honest.answer(received).await,
                    _ => {
                        drops.failed.fetch_add(1, Ordering::SeqCst);
                        StatusCode::INTERNAL_SERVER_ERROR.into_response()
                    }
                };
                drops.under_way.fetch_sub(1, Ordering::SeqCst);
                answer
            }
        })
    })
    .await;
    let failed = drops.failed.load(Ordering::SeqCst);
    assert!(failed > 0, "drops are sent several at a time");
    assert!(run.leftovers.removed > 2, "{:?}", run.leftovers);
    assert_eq!(run.leftovers.left, Vec::<String>::new());
}

/// A server whose namespaces hold themselves, as deep as anybody looks.
#[tokio::test(flavor = "multi_thread")]
async fn namespaces_without_end_are_left() {
    let plan = Plan::new(&[], &["namespaces/*".to_owned()]).unwrap();
    let endless = |honest| {
        misanswer(
            honest,
            |received| received.is("/list") && received.uri.path().contains("/namespace/"),
            |body| {
                if let Some(names) = body["namespaces"].as_array_mut() {
                    names.extend(["a", "b"].map(Value::from));
                }
            },
        )
    };
    let endless = |honest| {
        misrefuse(
            endless(honest),
            |received| received.is("/list"),
            StatusCode::NOT_FOUND,
            |_| ok(&json!({ "namespaces": ["a", "b"], "tables": [] })),
        )
    };
    let run = tokio::time::timeout(Duration::from_secs(120), trial(&plan, 1, endless)).await;
    assert_eq!(run.unwrap().verdict(), Verdict::Violation);
}
