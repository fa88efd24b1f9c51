//! Two nodes over one catalog: the honest service passes, and what nodes do not tell each other shows.

use std::collections::BTreeSet;

use lance_namespace_selftest::mutants::replicas::MUTANTS;
use lance_namespace_selftest::settings::trial_of_two_nodes;
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::play::Status;
use lance_namespace_suite::requirement::Level;

fn plan(patterns: &[&str]) -> Plan {
    let patterns: Vec<String> = patterns.iter().map(ToString::to_string).collect();
    Plan::new(&[], &patterns).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: .ci/selftest plays it"]
async fn two_nodes_over_one_store_are_honest_with_any_seed() {
    for seed in [1, 2, 3] {
        let run = trial_of_two_nodes(&plan(&["replicas/*"]), seed, |honest| honest).await;
        for played in &run.played {
            let id = played.scenario.id;
            let (findings, reason) = (&played.findings, &played.reason);
            assert_eq!(
                played.status,
                Status::Pass,
                "{id}: {findings:#?} {reason:?}"
            );
            let declared: BTreeSet<&str> = played.scenario.requirements.iter().copied().collect();
            let cited: BTreeSet<&str> = played.cited.iter().copied().collect();
            assert_eq!(cited, declared, "{id}");
        }
        assert_eq!(run.left_out.len(), 0);
        assert_eq!(run.leftovers.left, Vec::<String>::new());
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: .ci/selftest plays it"]
async fn each_service_whose_nodes_disagree_is_caught() {
    let mut wrong = Vec::new();
    let mut catching = BTreeSet::new();
    for mutant in MUTANTS {
        let run = trial_of_two_nodes(&plan(mutant.scenarios), 1, mutant.wrap).await;
        let found = |level: Level| -> BTreeSet<&str> {
            let findings = run.played.iter().flat_map(|played| &played.findings);
            findings
                .filter(|finding| finding.level == level)
                .map(|finding| finding.requirement)
                .collect()
        };
        let caught = run
            .played
            .iter()
            .filter(|played| !played.findings.is_empty());
        catching.extend(caught.map(|played| played.scenario.id));
        let broken: BTreeSet<&str> = mutant.breaks.iter().copied().collect();
        let warned: BTreeSet<&str> = mutant.warns.iter().copied().collect();
        if found(Level::Must) != broken || !found(Level::Should).is_superset(&warned) {
            let reasons: Vec<_> = run.played.iter().map(|played| &played.reason).collect();
            wrong.push((
                mutant.name,
                found(Level::Must),
                found(Level::Should),
                format!("{reasons:?}"),
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "(mutant, broken, warned, reasons): {wrong:#?}"
    );
    let all: BTreeSet<&str> = plan(&["replicas/*"]).iter().map(|(_, s)| s.id).collect();
    assert_eq!(catching, all);
}
