//! Each mutant is caught, at the requirements that it breaks.

use std::collections::BTreeSet;

use lance_namespace_selftest::mutants;
use lance_namespace_selftest::trial::trial;
use lance_namespace_suite::log::Finding;
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::requirement::Level;
use lance_namespace_suite::run::Verdict;

#[tokio::test(flavor = "multi_thread")]
async fn each_mutant_is_caught_at_the_requirements_that_it_breaks_and_no_others() {
    let mut wrong = Vec::new();
    // One of them alone, while it is worked on.
    let one = std::env::var("MUTANT").ok();
    let named = |name: &str| one.as_ref().is_none_or(|one| name.contains(one.as_str()));
    for mutant in mutants::all().filter(|mutant| named(mutant.name)) {
        let patterns: Vec<String> = mutant.scenarios.iter().map(ToString::to_string).collect();
        let plan = Plan::new(&[], &patterns).unwrap();
        let run = trial(&plan, 1, mutant.wrap).await;
        let found: BTreeSet<&str> = run
            .played
            .iter()
            .flat_map(|played| &played.findings)
            .filter(|finding| finding.level == Level::Must)
            .map(|finding| finding.requirement)
            .collect();
        let warned = run.played.iter().flat_map(|played| &played.findings);
        let warned: BTreeSet<&str> = warned
            .filter(|finding| finding.level == Level::Should)
            .map(|finding| finding.requirement)
            .collect();
        let unwarned = mutant.warns.iter().any(|warn| !warned.contains(warn));
        let breaks: BTreeSet<&str> = mutant.breaks.iter().copied().collect();
        let may_break: BTreeSet<&str> = mutant.may_break.iter().copied().collect();
        let missed = breaks.difference(&found).next();
        let others = found.iter().find(|requirement| {
            !breaks.contains(*requirement) && !may_break.contains(*requirement)
        });
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
        let verdict = match breaks.is_empty() {
            true => Verdict::Conformant,
            false => Verdict::Violation,
        };
        if missed.is_some() || others.is_some() || unwarned || run.verdict() != verdict {
            wrong.push((mutant.name, breaks, found, report));
        }
    }
    assert!(
        wrong.is_empty(),
        "(mutant, breaks, found, report): {wrong:#?}"
    );
}
