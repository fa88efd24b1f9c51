//! A part of a history that nothing explains.

use std::fmt;

use crate::operation::{History, Ledger, Operation};
use crate::words;

/// The smallest part of a history that was found to be impossible.
///
/// Its answers cannot all be true, whatever else happened: every other operation that changes what
/// it is about was taken to have happened at any time, or never.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Where the operations stand in the history, from 0.
    pub places: Vec<usize>,
    /// The operations, by their start.
    pub operations: Vec<Operation>,
    /// What the contradiction is about.
    pub subjects: Vec<Subject>,
    /// How many other operations may have changed that, and do not help.
    pub others: usize,
    /// The operations, and the others with unknown outcome: a history that is judged the same.
    pub history: History,
}

/// A version, or a table as such.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// Whether the table is there.
    Table(String),
    /// A version of a table or of its branch.
    Version(Ledger, i64),
}

impl Violation {
    /// A sentence for each operation, in the order of their starts.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let told = |operation| words::told(operation, &self.subjects);
        self.operations.iter().map(told).collect()
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for sentence in self.sentences() {
            writeln!(f, "- {sentence}")?;
        }
        write!(f, "No order explains these answers")?;
        match self.others {
            0 => write!(f, "."),
            1 => write!(
                f,
                ", whether or not another operation took effect on what they are about."
            ),
            others => write!(
                f,
                ", whichever of {others} other operations took effect on what they are about."
            ),
        }
    }
}
