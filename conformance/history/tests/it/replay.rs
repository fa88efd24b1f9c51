//! Orders that the checker gives, carried out.

use std::collections::BTreeSet;

use lance_namespace_history::operation::{Answer, Call, History, Outcome};
use stateright::semantics::SequentialSpec;

use crate::oracle::Catalog;

/// Whether an order is one that explains the history: each call is answered so where it stands, none
/// stands before one that ended before its start, and none that was answered is left out.
pub(crate) fn explains(history: &History, order: &[usize]) -> bool {
    let mut catalog = Catalog::new(history);
    let mut left: BTreeSet<usize> = (0..history.operations.len()).collect();
    let mut latest_start = 0;
    for &at in order {
        let operation = &history.operations[at];
        let start = match &operation.call {
            Call::ListVersions { page, .. } => page.since.unwrap_or(operation.start),
            _ => operation.start,
        };
        latest_start = latest_start.max(start);
        let fits = match &operation.outcome {
            Outcome::Unknown => {
                catalog.invoke(&operation.call);
                true
            }
            outcome => {
                operation.end >= latest_start && catalog.is_valid_step(&operation.call, outcome)
            }
        };
        if !fits || !left.remove(&at) {
            return false;
        }
    }
    // An empty page of a list whose order is open says nothing either.
    let says_nothing = |at: &usize| match &history.operations[*at].outcome {
        Outcome::Unknown | Outcome::Refused(_) => true,
        Outcome::Ok(Answer::Entries { entries, .. }) => entries.is_empty(),
        Outcome::Ok(_) => false,
    };
    left.iter().all(says_nothing)
}
