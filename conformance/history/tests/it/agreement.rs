//! Small histories, put to stateright too.

use fastrand::Rng;
use lance_namespace_history::{Verdict, check};

use crate::oracle;

use crate::register;
use crate::simulate::workload::{self, Weights, Workload};
use crate::small::{self, Agreement};

#[test]
fn the_checker_and_stateright_agree_on_small_histories() {
    let mut agreement = Agreement::default();
    for number in 0..1_500 {
        let history = small::history(number);
        agreement.judge(number, &history, oracle::is_linearizable(&history));
    }
    assert_eq!(agreement.disagreements, Vec::<String>::new());
    // Both answers are met often enough to mean something.
    let told = agreement.to_string();
    assert!(
        agreement.impossible > 200 && agreement.linearizable > 200,
        "{told}"
    );
}

#[test]
fn the_checker_agrees_with_the_write_once_register_on_one_version() {
    let mut answers = [0, 0];
    for seed in 0..600 {
        let workload = Workload {
            clients: 3,
            operations: 8,
            tables: 1,
            spread: 1,
            is_small: true,
            retained: 0,
            weights: Weights {
                create: 1,
                describe: 1,
                ..Weights::default()
            },
            unknown: 5,
            limit: 10,
            faults: if seed % 2 == 0 { 0 } else { 3 },
        };
        let mut history = workload::history(&workload, &mut Rng::with_seed(seed));
        // The simulated clients use a branch now and then; a register is one version of one.
        for operation in &mut history.operations {
            use lance_namespace_history::operation::Call;
            match &mut operation.call {
                Call::CreateVersion(put) => put.ledger.branch = None,
                Call::DescribeVersion { ledger, .. } => ledger.branch = None,
                _ => {}
            }
        }
        let expected =
            register::is_linearizable_register(&history).expect("only creates and describes");
        let found = matches!(check(&history), Verdict::Consistent { .. });
        assert_eq!(found, expected, "seed {seed}: {history:?}");
        answers[usize::from(found)] += 1;
    }
    assert!(answers.iter().all(|answer| *answer > 50), "{answers:?}");
}
