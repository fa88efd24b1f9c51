//! Histories that are too long to be searched.

use fastrand::Rng;
use lance_namespace_history::operation::{Answer, Call, Outcome};
use lance_namespace_history::{Verdict, check};

use crate::replay;
use crate::simulate::workload::{self, Workload};

fn assert_consistent(workload: &Workload, seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let history = workload::history(workload, &mut Rng::with_seed(seed));
        match check(&history) {
            Verdict::Consistent { order } => {
                assert!(replay::explains(&history, &order), "seed {seed}");
            }
            other => panic!("seed {seed}: {other:?}"),
        }
    }
}

#[test]
fn an_order_is_found_for_honest_histories_without_deletes() {
    assert_consistent(&Workload::large(64, 1_500).without_deletes(), 0..6);
}

#[test]
fn an_order_is_found_for_honest_histories_with_clean_up() {
    assert_consistent(&Workload::large(64, 1_500).with_clean_up(), 0..4);
}

#[test]
fn an_order_is_found_where_few_clients_delete_what_others_create() {
    assert_consistent(&Workload::large(8, 800), 0..8);
}

#[test]
fn an_honest_history_is_not_accused_however_much_is_deleted_and_dropped_at_once() {
    let mut workload = Workload::large(24, 300);
    workload.tables = 2;
    workload.unknown = 10;
    workload.weights.delete = 15;
    workload.weights.declare = 4;
    workload.weights.drop = 4;
    for seed in 0..8 {
        let history = workload::history(&workload, &mut Rng::with_seed(seed));
        match check(&history) {
            Verdict::Violation(violation) => panic!("seed {seed}:\n{violation}"),
            Verdict::Consistent { order } => {
                assert!(replay::explains(&history, &order), "seed {seed}");
            }
            Verdict::Inconclusive { .. } => {}
        }
    }
}

#[test]
fn one_wrong_answer_in_a_long_history_is_found_and_told_in_few_operations() {
    let mut rng = Rng::with_seed(3);
    for seed in 0..3 {
        let workload = Workload::large(64, 2_000).with_clean_up();
        let mut history = workload::history(&workload, &mut Rng::with_seed(seed));
        // A version that was read is said to hold what nobody wrote.
        let reads: Vec<usize> = (600..1_400)
            .filter(|at| {
                let operation = &history.operations[*at];
                matches!(
                    operation.call,
                    Call::DescribeVersion {
                        version: Some(_),
                        ..
                    }
                ) && matches!(operation.outcome, Outcome::Ok(_))
            })
            .collect();
        let at = *rng.choice(&reads).expect("versions are read");
        if let Outcome::Ok(Answer::Entry(entry)) = &mut history.operations[at].outcome {
            entry.entry = "nobody's".to_owned();
        }
        match check(&history) {
            Verdict::Violation(violation) => assert_eq!(violation.places, [at], "seed {seed}"),
            other => panic!("seed {seed}: {other:?}"),
        }
    }
}

#[test]
fn a_faulty_server_is_caught_in_a_long_history_and_told_in_few_operations() {
    let mut caught = 0;
    for seed in 0..8 {
        let workload = Workload {
            faults: 200,
            ..Workload::large(16, 1_000).without_deletes()
        };
        let history = workload::history(&workload, &mut Rng::with_seed(seed));
        // Not every fault shows.
        let Verdict::Violation(violation) = check(&history) else {
            continue;
        };
        caught += 1;
        let length = violation.operations.len();
        assert!(
            length <= 6,
            "seed {seed}: {length} operations:\n{violation}"
        );
        // The part is a history of its own, and judged the same.
        assert!(matches!(check(&violation.history), Verdict::Violation(_)));
    }
    assert!(caught >= 5, "{caught} of 8");
}
