//! Each mutant is caught, at the requirements that it breaks. `MUTANT=name` plays one alone.

use std::collections::BTreeSet;

use futures::{StreamExt, stream};
use lance_namespace_selftest::judgement::{Reported, report};
use lance_namespace_selftest::matrix::patient;
use lance_namespace_selftest::mutants;
use lance_namespace_selftest::trial::trial;
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::requirement::catalogue;

/// How many mutants are played at a time.
const AT_A_TIME: usize = 3;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: .ci/selftest plays it"]
async fn each_mutant_is_caught_at_the_requirements_that_it_breaks_and_no_others() {
    let chosen = std::env::var("MUTANT").ok();
    let played = mutants::all()
        .filter(|mutant| chosen.as_ref().is_none_or(|name| name == mutant.name))
        .map(async |mutant| {
            let patterns: Vec<String> = mutant.scenarios.iter().map(ToString::to_string).collect();
            let plan = Plan::new(&[], &patterns).unwrap();
            let run = trial(&plan, 1, mutant.wrap).await;
            let mut reported = Reported::default();
            reported.add(&run);
            let faults = patient(mutant, reported).await.faults(mutant);
            println!("{}: {} faults", mutant.name, faults.len());
            (mutant.name, faults, report(&run))
        });
    let played = stream::iter(played).buffer_unordered(AT_A_TIME);
    let mut trials: Vec<_> = played.collect().await;
    assert!(!trials.is_empty(), "there is no mutant {chosen:?}");
    trials.retain(|(_, faults, _)| !faults.is_empty());
    assert!(trials.is_empty(), "(mutant, faults, report): {trials:#?}");
}

#[test]
fn names_are_unique_and_requirements_exist() {
    let mut names = BTreeSet::new();
    for mutant in mutants::all() {
        assert!(names.insert(mutant.name), "{} is there twice", mutant.name);
        let named = [mutant.breaks, mutant.may_break, mutant.warns].concat();
        let ids: BTreeSet<&str> = catalogue().iter().map(|row| row.id.as_str()).collect();
        let unknown = named.iter().find(|id| !ids.contains(*id));
        assert_eq!(unknown, None, "{}", mutant.name);
    }
}
