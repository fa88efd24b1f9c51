//! What histories show, and that they are kept as they were judged.

use lance_namespace_history::operation::{Call, Operation};
use lance_namespace_history::{Verdict, check, format};
use lance_namespace_selftest::mutants;
use lance_namespace_selftest::trial::trial;
use lance_namespace_suite::plan::Plan;

/// The mutants that histories are made for.
const MUTANTS: [&str; 5] = [
    "range-deleted-one-by-one",
    "stale-latest-now-and-then",
    "created-version-lost-later",
    "batch-in-two-halves",
    "stored-though-refused",
];

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: .ci/selftest plays it"]
async fn a_broken_history_is_told_drawn_and_judged_the_same_again() {
    for mutant in mutants::all().filter(|mutant| MUTANTS.contains(&mutant.name)) {
        let patterns: Vec<String> = mutant.scenarios.iter().map(ToString::to_string).collect();
        let plan = Plan::new(&[], &patterns).unwrap();
        // What is rare does not show with every seed, and less so on a machine that is busy.
        let mut shown = false;
        for seed in 1..=30 {
            if shown {
                break;
            }
            let run = trial(&plan, seed, mutant.wrap).await;
            for played in &run.played {
                let drawn = played
                    .findings
                    .iter()
                    .find(|finding| finding.timeline.is_some());
                let Some(drawn) = drawn else { continue };
                shown = true;
                let allowed = [mutant.breaks, mutant.may_break, mutant.warns].concat();
                assert!(allowed.contains(&drawn.requirement), "{}", mutant.name);
                assert!(!drawn.exchanges.is_empty(), "{}", mutant.name);
                let mut lines = Vec::new();
                format::write(played.history.as_ref().unwrap(), &mut lines).unwrap();
                // This is how `tests/data` is written anew.
                if let Ok(folder) = std::env::var("KEEP_HISTORIES") {
                    let file = format!("{folder}/{}.jsonl", mutant.name);
                    std::fs::write(file, &lines).unwrap();
                }
                let again = check(&format::read(lines.as_slice()).unwrap());
                let Verdict::Violation(violation) = again else {
                    panic!("{}: {again:?}", mutant.name);
                };
                // A part that is broken however deletes are done is not always the part that is found here.
                let is_same = violation.to_string() == drawn.actual;
                let deletes = |each: &Operation| matches!(each.call, Call::DeleteVersions { .. });
                let has_deletes = violation.history.operations.iter().any(deletes);
                assert!(is_same || has_deletes, "{}: {violation}", mutant.name);
            }
        }
        assert!(shown, "{} has no broken history", mutant.name);
    }
}
