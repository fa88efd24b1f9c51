//! Servers that take their time, and finish what a client has asked for that is gone: nobody is accused of
//! being slow.

use std::time::Duration;

use axum::Router;
use lance_namespace_selftest::interpose::interpose;
use lance_namespace_selftest::trial::patient_trial;
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::play::Status;

/// Much longer than the suite waits for a server that seems to be at rest.
const WORK: Duration = Duration::from_millis(400);

/// Every write is under way for a while before it is done, whether or not its client waits for it.
fn working_on(honest: Router) -> Router {
    interpose(honest, async |honest, received| {
        let reads = ["/describe", "/list", "/exists"];
        if reads.iter().any(|read| received.is(read)) {
            return honest.answer(received).await;
        }
        let work = tokio::spawn(async move {
            tokio::time::sleep(WORK).await;
            honest.answer(received).await
        });
        match work.await {
            Ok(answer) => answer,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    })
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: .ci/selftest plays it"]
async fn a_write_that_is_done_late_is_no_fault() {
    let plan = Plan::new(&[], &["faults/*".to_owned()]).unwrap();
    let run = patient_trial(&plan, 1, 16, Duration::from_secs(600), working_on).await;
    let others: Vec<_> = run
        .played
        .iter()
        .filter(|played| played.status != Status::Pass)
        .map(|played| {
            let scenario = played.scenario.id;
            (scenario, played.status, &played.findings, &played.reason)
        })
        .collect();
    assert!(others.is_empty(), "{others:#?}");
}
