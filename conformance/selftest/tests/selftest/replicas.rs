//! Two nodes over one catalog: the honest service passes.

use std::collections::BTreeSet;

use lance_namespace_selftest::settings::trial_of_two_nodes;
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::play::Status;

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
