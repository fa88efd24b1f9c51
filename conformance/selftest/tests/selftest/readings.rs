//! Honest servers that do otherwise than the reference server, where they may: none is accused.

use std::collections::BTreeSet;

use lance_namespace_selftest::data_plane;
use lance_namespace_selftest::reading::Reading;
use lance_namespace_selftest::readings::{EVERY, all, alone, combined, excused, wrongs};
use lance_namespace_selftest::trial::trial;
use lance_namespace_selftest::watch::watched;
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::requirement::catalogue;
use tokio::runtime::Builder;

/// The families that ask for little. All are played by `honest --reading`.
const QUICK: [&str; 7] = [
    "identifiers",
    "put-if-not-exists",
    "atomicity",
    "ordering",
    "listing",
    "tags",
    "data",
];

/// The families that ask for much, or wait.
const SLOW: [&str; 3] = ["histories", "faults", "replicas"];

fn family(scenario: &str) -> &str {
    scenario.split('/').next().unwrap_or_default()
}

async fn accuses_nobody(readings: &[&'static Reading], seed: u64, families: fn(&str) -> bool) {
    let mut plan = Plan::new(&[], &[]).unwrap();
    plan.retain(|scenario| families(family(scenario.id)));
    // Some of what cannot be judged takes as long as a scenario may.
    if readings.iter().all(|reading| reading.unjudged != EVERY) {
        let excused = excused(readings);
        plan.retain(|scenario| !excused.contains(scenario.id));
    }
    let mut changes = Vec::new();
    let wrap = |honest| {
        let honest = data_plane::over(honest);
        readings.iter().fold(honest, |honest, reading| {
            let (taking, changed) = watched(reading.wrap, honest);
            changes.push((reading.name, changed));
            taking
        })
    };
    let run = trial(&plan, seed, wrap).await;
    let names: Vec<&str> = readings.iter().map(|reading| reading.name).collect();
    let wrongs = wrongs(&run, readings);
    assert!(wrongs.is_empty(), "{names:?}: {wrongs:#?}");
    assert!(run.played.len() > 100, "{} scenarios", run.played.len());
    // A reading that nothing comes upon measures nothing.
    let idle = changes.iter().filter(|(_, changes)| changes.count() == 0);
    let idle: Vec<&str> = idle.map(|(name, _)| *name).collect();
    assert!(idle.is_empty(), "these changed no answer: {idle:?}");
}

#[test]
fn readings_are_of_requirements_and_each_is_played() {
    let mut names = BTreeSet::new();
    let combined = combined().concat();
    let combined: Vec<&str> = combined.iter().map(|reading| reading.name).collect();
    for reading in all() {
        let name = reading.name;
        assert!(names.insert(name), "two readings are named {name}");
        assert!(!reading.of.is_empty(), "{name} is of no requirement");
        for id in reading.of {
            assert!(catalogue().get(id).is_some(), "{name}: there is no {id}");
        }
        let alone = alone().any(|alone| alone.name == name);
        assert_eq!(combined.contains(&name), !alone, "{name}");
    }
}

/// A server that takes many readings answers from many layers down.
const STACK: usize = 16 << 20;

fn waits_for(test: impl Future<Output = ()>) {
    let mut runtime = Builder::new_multi_thread();
    let runtime = runtime.enable_all().thread_stack_size(STACK).build();
    runtime.unwrap().block_on(test);
}

#[test]
#[ignore = "long: .ci/selftest plays it"]
fn no_server_is_accused_of_how_it_reads_the_specification() {
    waits_for(async {
        for (seed, readings) in (1..).zip(combined()) {
            accuses_nobody(&readings, seed, |family| !SLOW.contains(&family)).await;
        }
    });
}

#[test]
#[ignore = "long: .ci/selftest plays it"]
fn no_server_is_accused_of_silence_or_of_small_pages() {
    waits_for(async {
        for reading in alone() {
            accuses_nobody(&[reading], 1, |family| QUICK.contains(&family)).await;
        }
    });
}
