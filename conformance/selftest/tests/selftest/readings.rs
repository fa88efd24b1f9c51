//! Honest servers that do otherwise than the reference server, where they may: none is accused.

use std::collections::BTreeSet;

use lance_namespace_selftest::data_plane;
use lance_namespace_selftest::reading::Reading;
use lance_namespace_selftest::readings::{all, combined, taking, wrongs};
use lance_namespace_selftest::trial::trial;
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::requirement::catalogue;

#[test]
fn readings_are_of_requirements_and_each_is_played() {
    let mut names = BTreeSet::new();
    let combined: Vec<&str> = combined()
        .concat()
        .iter()
        .map(|reading| reading.name)
        .collect();
    for reading in all() {
        let name = reading.name;
        assert!(names.insert(name), "two readings are named {name}");
        assert!(!reading.of.is_empty(), "{name} is of no requirement");
        for id in reading.of {
            assert!(catalogue().get(id).is_some(), "{name}: there is no {id}");
        }
        let alone = reading.unjudged == ["*"];
        assert_eq!(combined.contains(&name), !alone, "{name}");
    }
}

async fn accuses_nobody(readings: &[&'static Reading], seed: u64) {
    let plan = Plan::new(&[], &[]).unwrap();
    let wrap = |honest| taking(readings.iter().copied(), data_plane::over(honest));
    let run = trial(&plan, seed, wrap).await;
    let names: Vec<&str> = readings.iter().map(|reading| reading.name).collect();
    let wrongs = wrongs(&run, readings);
    assert!(wrongs.is_empty(), "{names:?}: {wrongs:#?}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: .ci/selftest plays it"]
async fn no_server_is_accused_of_how_it_reads_the_specification() {
    for (seed, readings) in (1..).zip(combined()) {
        accuses_nobody(&readings, seed).await;
    }
    for reading in all().filter(|reading| reading.unjudged == ["*"]) {
        accuses_nobody(&[reading], 1).await;
    }
}
