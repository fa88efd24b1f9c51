//! A server that stops answering is not accused of what it did not say.

use std::sync::atomic::{AtomicBool, Ordering};

use lance_namespace_selftest::interpose::{broken_off, interpose_with};
use lance_namespace_selftest::trial::trial;
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::play::Status;
use lance_namespace_suite::run::Verdict;

#[tokio::test(flavor = "multi_thread")]
async fn what_a_read_without_an_answer_did_not_tell_is_not_judged() {
    let scenarios = [
        "put-if-not-exists/delete-takes-the-range-and-no-more",
        "identifiers/any-delimiter-joins",
    ];
    let plan = Plan::new(&[], &scenarios.map(str::to_owned)).unwrap();
    let run = trial(&plan, 1, |honest| {
        interpose_with(
            honest,
            AtomicBool::new(false),
            async |honest, received, silent| {
                if received.is("/version/delete") {
                    silent.store(true, Ordering::SeqCst);
                }
                let joined = received.query("delimiter");
                let joined_otherwise = joined.is_some_and(|delimiter| delimiter != "$");
                let deleted = received.is("/version/describe") && silent.load(Ordering::SeqCst);
                if deleted || joined_otherwise && received.is("/describe") {
                    return broken_off();
                }
                honest.answer(received).await
            },
        )
    })
    .await;
    for played in &run.played {
        let id = played.scenario.id;
        assert!(played.findings.is_empty(), "{id}: {:?}", played.findings);
        assert_eq!(played.status, Status::Error, "{id}");
    }
    assert_eq!(run.played.len(), scenarios.len());
    assert_eq!(run.verdict(), Verdict::Inconclusive);
}
