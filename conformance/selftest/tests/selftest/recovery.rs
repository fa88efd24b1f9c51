//! Servers that are killed: honest ones lose nothing.

use std::collections::BTreeSet;
use std::time::Instant;

use lance_namespace_selftest::judgement::report;
use lance_namespace_selftest::kept::HONEST;
use lance_namespace_selftest::mutants::recovery::KEPT_WELL;
use lance_namespace_selftest::settings::{command, trial_with_kills};
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::play::Status;

const PROGRAM: &str = env!("CARGO_BIN_EXE_broken_server");

/// How often each scenario kills the reference server.
const KILLS: usize = 8;

/// Plays every scenario that kills a server of this name; answers how many there are.
async fn loses_nothing(name: &str, kills: usize) -> usize {
    let plan = Plan::new(&[], &["recovery/*".to_owned()]).unwrap();
    let run = trial_with_kills(&plan, 1, command(&[PROGRAM], name, kills)).await;
    let passed = |status: &Status| *status == Status::Pass;
    let statuses: Vec<Status> = run.played.iter().map(|played| played.status).collect();
    assert!(statuses.iter().all(passed), "{:#?}", report(&run));
    assert_eq!(run.planned, plan.len());
    for played in &run.played {
        let declared: BTreeSet<&str> = played.scenario.requirements.iter().copied().collect();
        let cited: BTreeSet<&str> = played.cited.iter().copied().collect();
        assert_eq!(cited, declared, "{}", played.scenario.id);
    }
    run.played.len()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: .ci/selftest plays it"]
async fn the_reference_server_survives_at_least_50_kills() {
    let begun = Instant::now();
    let kills = loses_nothing(HONEST, KILLS).await * KILLS;
    assert!(kills >= 50, "{kills}");
    println!("{kills} kills in {:.1} s", begun.elapsed().as_secs_f64());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: .ci/selftest plays it"]
async fn a_log_that_is_written_before_the_answer_loses_nothing() {
    loses_nothing(KEPT_WELL.name, 5).await;
}
