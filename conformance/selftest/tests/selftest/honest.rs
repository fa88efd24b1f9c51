//! The honest server is never accused, and every check is really made.

use std::collections::BTreeSet;

use lance_namespace_history::{Verdict as Judged, check};
use lance_namespace_selftest::data_plane;
use lance_namespace_selftest::trial::trial;
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::play::Status;
use lance_namespace_suite::run::Verdict;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: .ci/selftest plays it"]
async fn an_honest_server_passes_with_any_seed() {
    let plan = Plan::new(&[], &[]).unwrap();
    for seed in [2, 3] {
        let run = trial(&plan, seed, data_plane::over).await;
        let others: Vec<_> = run
            .played
            .iter()
            .filter(|played| played.status != Status::Pass)
            .map(|played| {
                (
                    played.scenario.id,
                    played.status,
                    &played.findings,
                    &played.reason,
                )
            })
            .collect();
        assert!(others.is_empty(), "seed {seed}: {others:#?}");
        for played in &run.played {
            let declared: BTreeSet<&str> = played.scenario.requirements.iter().copied().collect();
            let cited: BTreeSet<&str> = played.cited.iter().copied().collect();
            assert_eq!(
                cited, declared,
                "{} checks what it says",
                played.scenario.id
            );
        }
        // Those that judge no history as well.
        for played in &run.played {
            let Some(history) = &played.history else {
                continue;
            };
            let judged = check(history);
            assert!(
                matches!(judged, Judged::Consistent { .. }),
                "seed {seed}: {}: {judged:#?}",
                played.scenario.id
            );
        }
        assert_eq!(run.verdict(), Verdict::Conformant);
        assert_eq!(run.executed(), run.planned);
        assert_eq!(run.leftovers.left, Vec::<String>::new());
    }
}
