//! Servers that are killed: the honest one loses nothing, and who loses something is caught.

use std::collections::BTreeSet;
use std::time::Instant;

use lance_namespace_selftest::kept::HONEST;
use lance_namespace_selftest::mutants::recovery::{KeptBadly, MUTANTS};
use lance_namespace_selftest::settings::{command, trial_with_kills};
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::play::Status;
use lance_namespace_suite::requirement::Level;
use lance_namespace_suite::run::Run;

const PROGRAM: &str = env!("CARGO_BIN_EXE_broken_server");

/// How often each scenario kills the reference server.
const KILLS: usize = 8;

fn plan(patterns: &[&str]) -> Plan {
    let patterns: Vec<String> = patterns.iter().map(ToString::to_string).collect();
    Plan::new(&[], &patterns).unwrap()
}

fn report(run: &Run) -> Vec<String> {
    let report = run.played.iter().flat_map(|played| {
        let findings = played.findings.iter().map(|finding| {
            format!(
                "{} ({}): {}",
                finding.requirement, finding.level, finding.actual
            )
        });
        let reason = played.reason.iter().cloned();
        findings
            .chain(reason)
            .map(|text| format!("{}: {text}", played.scenario.id))
    });
    report.collect()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: .ci/selftest plays it"]
async fn the_reference_server_survives_at_least_50_kills() {
    let begun = Instant::now();
    let plan = plan(&["recovery/*"]);
    let run = trial_with_kills(&plan, 1, command(PROGRAM, HONEST, KILLS)).await;
    let passed = |status: &Status| *status == Status::Pass;
    let statuses: Vec<Status> = run.played.iter().map(|played| played.status).collect();
    assert!(statuses.iter().all(passed), "{:#?}", report(&run));
    assert_eq!(run.planned, plan.len());
    for played in &run.played {
        let declared: BTreeSet<&str> = played.scenario.requirements.iter().copied().collect();
        let cited: BTreeSet<&str> = played.cited.iter().copied().collect();
        assert_eq!(cited, declared, "{}", played.scenario.id);
    }
    let kills = run.played.len() * KILLS;
    assert!(kills >= 50, "{kills}");
    println!("{kills} kills in {:.1} s", begun.elapsed().as_secs_f64());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: .ci/selftest plays it"]
async fn each_server_that_loses_something_is_caught() {
    let only = std::env::var("MUTANT").ok();
    let mut wrong = Vec::new();
    let mut catching = BTreeSet::new();
    for mutant in MUTANTS {
        if only.as_ref().is_some_and(|only| only != mutant.name) {
            continue;
        }
        let plan = plan(mutant.scenarios);
        let mut found = BTreeSet::new();
        let mut reports = Vec::new();
        // A kill has to come at the right moment, which it does not with every seed.
        for seed in 1..=SEEDS {
            let run = trial_with_kills(&plan, seed, command(PROGRAM, mutant.name, 5)).await;
            let findings = run.played.iter().flat_map(|played| &played.findings);
            let broken = findings.filter(|finding| finding.level == Level::Must);
            found.extend(broken.map(|finding| finding.requirement));
            let caught = run.played.iter();
            let caught = caught.filter(|played| played.status == Status::Fail);
            catching.extend(caught.map(|played| played.scenario.id));
            let untold = run.played.iter();
            let untold = untold.filter(|played| played.status == Status::Error);
            reports.extend(untold.filter_map(|played| played.reason.clone()));
            reports.extend(report(&run));
            if is_right(mutant, &found) {
                break;
            }
        }
        if !is_right(mutant, &found) {
            wrong.push((mutant.name, found, reports));
        }
    }
    assert!(wrong.is_empty(), "(mutant, found, report): {wrong:#?}");
    let all: BTreeSet<&str> = plan(&["recovery/*"]).iter().map(|(_, s)| s.id).collect();
    assert!(only.is_some() || catching == all, "{catching:?} of {all:?}");
}

/// How many seeds a fault that depends on the moment of a kill is given.
const SEEDS: u64 = 5;

fn is_right(mutant: &KeptBadly, found: &BTreeSet<&str>) -> bool {
    let (breaks, may_break) = (mutant.breaks, mutant.may_break);
    let all = breaks.iter().all(|requirement| found.contains(requirement));
    let others =
        |requirement: &&str| !breaks.contains(requirement) && !may_break.contains(requirement);
    all && !found.iter().any(others)
}
