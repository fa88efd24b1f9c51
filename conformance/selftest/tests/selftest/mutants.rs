//! Each mutant is caught, at the requirements that it breaks.

use std::collections::BTreeSet;

use lance_namespace_selftest::mutants::MUTANTS;
use lance_namespace_selftest::trial::trial;
use lance_namespace_suite::log::Finding;
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::requirement::Level;
use lance_namespace_suite::run::Verdict;

#[tokio::test(flavor = "multi_thread")]
async fn each_mutant_is_caught_at_the_requirements_that_it_breaks_and_no_others() {
    let mut wrong = Vec::new();
    for mutant in MUTANTS {
        let plan = Plan::new(&[], &[mutant.scenarios.to_owned()]).unwrap();
        let run = trial(&plan, 1, mutant.wrap).await;
        let found: BTreeSet<&str> = run
            .played
            .iter()
            .flat_map(|played| &played.findings)
            .filter(|finding| finding.level == Level::Must)
            .map(|finding| finding.requirement)
            .collect();
        let breaks: BTreeSet<&str> = mutant.breaks.iter().copied().collect();
        let report: Vec<String> = run
            .played
            .iter()
            .flat_map(|played| {
                let findings = played.findings.iter();
                findings.map(|finding| {
                    let Finding {
                        requirement,
                        level,
                        actual,
                        ..
                    } = finding;
                    format!("{}: {requirement} ({level}): {actual}", played.scenario.id)
                })
            })
            .collect();
        if found != breaks || run.verdict() != Verdict::Violation {
            wrong.push((mutant.name, breaks, found, report));
        }
    }
    assert!(
        wrong.is_empty(),
        "(mutant, breaks, found, report): {wrong:#?}"
    );
}
