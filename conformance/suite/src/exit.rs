//! The exit codes of everything that certifies.

use crate::run::Verdict;

/// Everything that was planned was played, and every demanded requirement held, or fails as it is known
/// to.
pub const CONFORMANT: u8 = 0;
/// A demanded requirement is broken.
pub const VIOLATION: u8 = 1;
/// The command line is wrong.
pub const USAGE: u8 = 2;
/// Nothing can be said: the server is out of reach, nothing ran, or less than was planned.
pub const INCONCLUSIVE: u8 = 3;

/// An expectation is stale: it matches nothing, does not fail any more, or is expired. A failure that was
/// never accepted is a [`VIOLATION`], and less played than planned is [`INCONCLUSIVE`], all the same.
pub const STALE: u8 = 4;

/// The exit code of a verdict.
#[must_use]
pub fn code(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Conformant | Verdict::Excepted => CONFORMANT,
        Verdict::Violation => VIOLATION,
        Verdict::Inconclusive => INCONCLUSIVE,
        Verdict::Stale => STALE,
    }
}
