//! When a server has come to rest after a change, told by looking at it again and again.

use std::time::{Duration, Instant};

/// How long what readers see must stay the same before a server counts as having done with a
/// request.
const QUIET: Duration = Duration::from_millis(150);
/// The same where half of a change is seen: nobody is accused of still being at work.
const HALF: Duration = Duration::from_secs(2);
/// How long a server that never comes to rest is looked at.
const LONGEST: Duration = Duration::from_secs(10);
/// How often it is looked at, at least: one look may take as long.
const LOOKS: u32 = 8;

/// When a server counts as having done with a change, by what readers see of it.
pub(super) struct Rest {
    begun: Instant,
    /// When the look had ended that all others since are like.
    same_since: Instant,
    looks: u32,
}

/// One look at all effects of a change.
pub(super) struct Looked {
    pub(super) started: Instant,
    pub(super) ended: Instant,
    /// Whether some are seen and some are not: the change may also have come in the middle of the look.
    pub(super) half: bool,
    /// Whether it is another than the one before.
    pub(super) changed: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// It is to be looked at again.
    Look,
    /// The server has done with it.
    Done,
    /// It has gone on changing for so long that nobody waits for the end of it.
    Restless,
}

impl Rest {
    pub(super) fn new(begun: Instant) -> Self {
        Self {
            begun,
            same_since: begun,
            looks: 0,
        }
    }

    /// What to do after a look. That nothing has changed is told by a look that began so long after another
    /// one had ended: however slow the server is, one look alone tells nothing.
    pub(super) fn after(&mut self, look: &Looked) -> Next {
        self.looks += 1;
        if look.changed {
            self.same_since = look.ended;
        }
        let quiet = if look.half { HALF } else { QUIET };
        if look.started.saturating_duration_since(self.same_since) >= quiet {
            return Next::Done;
        }
        match look.ended - self.begun >= LONGEST && self.looks >= LOOKS {
            true => Next::Restless,
            false => Next::Look,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of looks, each given by when it began and ended, in milliseconds, and by what it showed
    /// of two effects.
    fn last(looks: &[(u64, u64, [bool; 2])]) -> Next {
        let begun = Instant::now();
        let mut rest = Rest::new(begun);
        let mut before = None;
        let mut next = Next::Look;
        for &(started, ended, seen) in looks {
            assert_eq!(next, Next::Look);
            next = rest.after(&Looked {
                started: begun + Duration::from_millis(started),
                ended: begun + Duration::from_millis(ended),
                half: seen[0] != seen[1],
                changed: before != Some(seen),
            });
            before = Some(seen);
        }
        next
    }

    #[test]
    fn half_of_a_change_must_be_seen_for_a_while() {
        const NONE: [bool; 2] = [false, false];
        const HALF: [bool; 2] = [false, true];
        const ALL: [bool; 2] = [true, true];
        assert_eq!(last(&[(0, 2, NONE), (10, 12, NONE)]), Next::Look);
        assert_eq!(last(&[(0, 2, NONE), (160, 162, NONE)]), Next::Done);
        assert_eq!(last(&[(0, 2, HALF), (160, 162, HALF)]), Next::Look);
        assert_eq!(last(&[(0, 2, HALF), (2010, 2012, HALF)]), Next::Done);
        assert_eq!(last(&[(0, 2, HALF), (2010, 2012, ALL)]), Next::Look);
        // A server that takes seconds for every answer: the change came in the middle of the look.
        assert_eq!(last(&[(0, 15_000, HALF)]), Next::Look);
        let slow = [(0, 15_000, HALF), (15_010, 30_000, HALF)];
        assert_eq!(last(&slow), Next::Look);
        let slow = [slow[0], slow[1], (30_010, 45_000, HALF)];
        assert_eq!(last(&slow), Next::Done);
    }

    #[test]
    fn a_server_that_goes_on_changing_is_not_waited_for_without_end() {
        let looks: Vec<_> = (0..8)
            .map(|k| (k * 1_500, k * 1_500 + 1, [k % 2 == 0, true]))
            .collect();
        assert_eq!(last(&looks), Next::Restless);
    }
}
