//! Each broken service is caught, at the requirements that it breaks. `MUTANT=name` plays one alone.

use std::collections::BTreeSet;

use futures::{StreamExt, stream};
use lance_namespace_selftest::broken::Broken;
use lance_namespace_selftest::judgement::{Reported, report};
use lance_namespace_selftest::matrix::{Matrix, patient, shortcomings};
use lance_namespace_suite::requirement::catalogue;

/// How many are played at a time.
const AT_A_TIME: usize = 3;

const BROKEN_SERVER: &[&str] = &[env!("CARGO_BIN_EXE_broken_server")];

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: .ci/selftest plays it"]
async fn each_mutant_is_caught_at_the_requirements_that_it_breaks_and_no_others() {
    let chosen = std::env::var("MUTANT").ok();
    let played = Broken::all()
        .filter(|broken| {
            chosen
                .as_ref()
                .is_none_or(|name| name == broken.expected().name)
        })
        .map(async |broken| {
            let expected = broken.expected();
            let run = broken
                .trial(&broken.own_plan().unwrap(), 1, BROKEN_SERVER)
                .await;
            let mut reported = Reported::default();
            reported.add(&run);
            let reported = patient(broken, reported, BROKEN_SERVER).await;
            let faults = reported.faults(&expected);
            println!("{}: {} faults", expected.name, faults.len());
            (expected.name, faults, report(&run))
        });
    let played = stream::iter(played).buffer_unordered(AT_A_TIME);
    let mut trials: Vec<_> = played.collect().await;
    assert!(!trials.is_empty(), "there is no mutant {chosen:?}");
    trials.retain(|(_, faults, _)| !faults.is_empty());
    assert!(trials.is_empty(), "(mutant, faults, report): {trials:#?}");
}

#[test]
fn the_matrix_has_a_row_for_each_mutant_and_each_scenario_catches_one() {
    let kept = Matrix::kept().unwrap();
    assert_eq!(shortcomings(&kept), Vec::<String>::new());
}

#[test]
fn names_are_unique_and_requirements_exist() {
    let mut names = BTreeSet::new();
    let ids: BTreeSet<&str> = catalogue().iter().map(|row| row.id.as_str()).collect();
    for mutant in Broken::all().map(Broken::expected) {
        assert!(names.insert(mutant.name), "{} is there twice", mutant.name);
        let named = [mutant.breaks, mutant.may_break, mutant.warns].concat();
        let unknown = named.iter().find(|id| !ids.contains(*id));
        assert_eq!(unknown, None, "{}", mutant.name);
    }
}
