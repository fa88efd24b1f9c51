//! Random small histories, honest and not, and what two checkers say of them.

use std::fmt;

use fastrand::Rng;
use lance_namespace_history::operation::{Answer, Call, Entry, History, Outcome, Refusal};
use lance_namespace_history::{Verdict, check, format};

use crate::simulate::workload::{self, Weights, Workload};

/// A small history: of three, one is honest, one comes from a faulty server, and in one an answer was
/// changed afterwards.
pub(crate) fn history(number: u64) -> History {
    let mut rng = Rng::with_seed(number);
    let workload = workload(&mut rng, number % 3 == 1);
    let mut history = workload::history(&workload, &mut rng);
    if number % 3 == 2 {
        spoil(&mut history, &mut rng);
    }
    history
}

/// Whether a history of this number comes from an honest server and was not changed.
pub(crate) fn is_honest(number: u64) -> bool {
    number.is_multiple_of(3)
}

fn workload(rng: &mut Rng, is_faulty: bool) -> Workload {
    let mut weights = Weights {
        create: 6,
        describe: 6,
        latest: 2,
        list: 3,
        ..Weights::default()
    };
    if rng.bool() {
        weights.batch = 4;
    }
    if rng.bool() {
        weights.delete = 3;
    }
    if rng.u8(0..3) == 0 {
        weights.commit = 4;
    }
    // Whether versions survive a deregistration and a new declaration is open, so not both.
    match rng.u8(0..4) {
        0 => {
            weights.declare = 2;
            weights.drop = 2;
            weights.exists = 2;
        }
        1 => {
            weights.deregister = 2;
            weights.exists = 2;
        }
        _ => {}
    }
    let clients = rng.u32(2..=4);
    Workload {
        clients,
        operations: rng.usize(3..=10),
        tables: rng.usize(1..=2),
        spread: rng.i64(1..=4),
        is_small: true,
        retained: 0,
        weights,
        unknown: *rng.choice(&[0, 3, 8]).unwrap_or(&0),
        limit: *rng.choice(&[1, 2, 100]).unwrap_or(&100),
        faults: if is_faulty { 4 } else { 0 },
    }
}

/// Changes one answer.
fn spoil(history: &mut History, rng: &mut Rng) {
    if history.operations.is_empty() {
        return;
    }
    let at = rng.usize(0..history.operations.len());
    let operation = &mut history.operations[at];
    operation.outcome = match (&operation.call, &operation.outcome) {
        (_, Outcome::Unknown) => Outcome::Unknown,
        (Call::DescribeVersion { version, .. }, Outcome::Refused(_)) => {
            Outcome::Ok(Answer::Entry(Entry {
                version: version.unwrap_or(1),
                entry: format!("e{}", rng.u64(1..6)),
            }))
        }
        (Call::DeleteVersions { .. }, Outcome::Ok(_)) => {
            Outcome::Ok(Answer::Deleted(Some(rng.u64(0..4))))
        }
        (_, Outcome::Ok(Answer::Entries { entries, more })) if !entries.is_empty() => {
            let mut entries = entries.clone();
            entries.swap_remove(rng.usize(0..entries.len()));
            let more = *more;
            Outcome::Ok(Answer::Entries { entries, more })
        }
        (Call::ListVersions { .. }, outcome) => outcome.clone(),
        (_, Outcome::Ok(_)) => Outcome::Refused(if rng.bool() {
            Refusal::Exists
        } else {
            Refusal::Missing
        }),
        (_, Outcome::Refused(_)) => Outcome::Ok(Answer::Done),
    };
}

/// How two checkers judged the same histories.
#[derive(Default)]
pub(crate) struct Agreement {
    histories: usize,
    pub(crate) linearizable: usize,
    pub(crate) impossible: usize,
    /// Histories of which they do not say the same, or of which ours says nothing.
    pub(crate) disagreements: Vec<String>,
}

impl Agreement {
    /// Takes in what the oracle says of a history, and asks the checker.
    pub(crate) fn judge(&mut self, number: u64, history: &History, is_linearizable: bool) {
        self.histories += 1;
        if is_linearizable {
            self.linearizable += 1;
        } else {
            self.impossible += 1;
        }
        let verdict = check(history);
        let agrees = match &verdict {
            Verdict::Consistent { .. } => is_linearizable,
            Verdict::Violation(_) => !is_linearizable,
            Verdict::Inconclusive { .. } => false,
        };
        if agrees && (is_linearizable || !is_honest(number)) {
            return;
        }
        let mut lines = Vec::new();
        format::write(history, &mut lines).expect("memory can be written");
        self.disagreements.push(format!(
            "history {number}: the oracle says {is_linearizable}, the checker {verdict:?}\n{}",
            String::from_utf8_lossy(&lines)
        ));
    }
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} histories, {} linearizable and {} not: the checker and stateright agree on {}",
            self.histories,
            self.linearizable,
            self.impossible,
            self.histories - self.disagreements.len()
        )
    }
}
