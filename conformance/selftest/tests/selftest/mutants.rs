//! Each mutant is caught, at the requirements that it breaks.

use std::collections::BTreeSet;

use lance_namespace_selftest::mutants::MUTANTS;
use lance_namespace_selftest::trial::trial;
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::requirement::Level;
use lance_namespace_suite::run::Verdict;

#[tokio::test(flavor = "multi_thread")]
async fn each_mutant_is_caught_at_the_requirements_that_it_breaks() {
    let plan = Plan::new(&[], &[]).unwrap();
    for mutant in MUTANTS {
        let run = trial(&plan, 1, mutant.wrap).await;
        let found: BTreeSet<&str> = run
            .played
            .iter()
            .flat_map(|played| &played.findings)
            .filter(|finding| finding.level == Level::Must)
            .map(|finding| finding.requirement)
            .collect();
        let missed: Vec<_> = mutant
            .breaks
            .iter()
            .filter(|id| !found.contains(**id))
            .collect();
        assert!(
            missed.is_empty(),
            "{}: missed {missed:?}, found {found:?}",
            mutant.name
        );
        assert_eq!(run.verdict(), Verdict::Violation, "{}", mutant.name);
    }
}
