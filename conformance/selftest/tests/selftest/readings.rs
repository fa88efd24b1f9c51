//! Honest servers that do otherwise than the reference server, where they may: none is accused.

use std::collections::BTreeSet;

use lance_namespace_selftest::data_plane;
use lance_namespace_selftest::reading::Reading;
use lance_namespace_selftest::readings::{EVERY, all, alone, combined, excused, taking, wrongs};
use lance_namespace_selftest::trial::trial;
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::requirement::catalogue;

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
    let wrap = |honest| taking(readings.iter().copied(), data_plane::over(honest));
    let run = trial(&plan, seed, wrap).await;
    let names: Vec<&str> = readings.iter().map(|reading| reading.name).collect();
    let wrongs = wrongs(&run, readings);
    assert!(wrongs.is_empty(), "{names:?}: {wrongs:#?}");
    assert!(run.played.len() > 100, "{} scenarios", run.played.len());
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

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: .ci/selftest plays it"]
async fn no_server_is_accused_of_how_it_reads_the_specification() {
    for (seed, readings) in (1..).zip(combined()) {
        accuses_nobody(&readings, seed, |family| !SLOW.contains(&family)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: .ci/selftest plays it"]
async fn no_server_is_accused_of_silence_or_of_small_pages() {
    for reading in alone() {
        accuses_nobody(&[reading], 1, |family| QUICK.contains(&family)).await;
    }
}
