//! Reads of a table that only grows, and whether they fit into one order with its writes.

use std::sync::Arc;
use std::time::Instant;

use crate::calls;
use crate::exchange::Exchange;
use crate::outcome::Outcome;
use crate::stage::{Stage, Table};
use crate::steps::{Faults, Listing};

/// A way to look for the latest version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookForLatest {
    /// Describe without a number.
    Latest,
    /// List, descending, with limit 1.
    FirstDescending,
    /// Describe this number.
    Number(i64),
}

impl LookForLatest {
    /// The looks, in turn.
    #[must_use]
    pub fn in_turn(turn: usize, number: i64) -> Self {
        match turn % 3 {
            0 => Self::Latest,
            1 => Self::FirstDescending,
            _ => Self::Number(number),
        }
    }

    /// Looks at a table.
    pub async fn at(self, s: &Stage, table: &Table) -> Arc<Exchange> {
        let call = match self {
            Self::Latest => calls::describe_version(table, None),
            Self::FirstDescending => calls::list_versions(table)
                .query("descending", true)
                .query("limit", 1),
            Self::Number(version) => calls::describe_version(table, Some(version)),
        };
        s.exchange(call).await
    }

    /// What an answer says of the latest version; none if it says nothing.
    fn says(self, table: &Table, exchange: &Exchange) -> Option<Claim> {
        let body = exchange.json();
        let described = || body.as_ref()?.get("version")?.get("version")?.as_i64();
        match (Outcome::of(exchange), self) {
            (Outcome::Ok, Self::Latest) => described().map(Claim::exactly),
            (Outcome::Ok, Self::FirstDescending) => {
                let items = Listing::descending(table).items(body.as_ref()?);
                let first = items.first().map_or(Ok(0), |first| first.parse());
                first.ok().map(Claim::exactly)
            }
            (Outcome::Ok, Self::Number(_)) => described().map(|version| Claim {
                at_least: version,
                at_most: i64::MAX,
            }),
            (Outcome::Refused(404, _), Self::Number(version)) => Some(Claim {
                at_least: 0,
                at_most: version - 1,
            }),
            (Outcome::Refused(404, _), _) => Some(Claim::exactly(0)),
            _ => None,
        }
    }
}

/// What a read says of the latest version of a table whose versions have no gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Claim {
    at_least: i64,
    at_most: i64,
}

impl Claim {
    fn exactly(version: i64) -> Self {
        Self {
            at_least: version,
            at_most: version,
        }
    }
}

/// When a claim was made: it holds of some moment in between.
#[derive(Clone, Copy, Debug)]
struct Span {
    started: Instant,
    ended: Instant,
    claim: Claim,
}

struct Event {
    write: bool,
    exchange: Arc<Exchange>,
}

/// What clients wrote to a table and read of it, while its versions were counted up.
pub struct Growth {
    table: Table,
    spans: Vec<Span>,
    events: Vec<Event>,
    failed: Vec<Arc<Exchange>>,
}

impl Growth {
    /// Of this table.
    #[must_use]
    pub fn new(table: &Table) -> Self {
        Self {
            table: table.clone(),
            spans: Vec::new(),
            events: Vec::new(),
            failed: Vec::new(),
        }
    }

    /// A create of a version was answered.
    pub fn wrote(&mut self, version: i64, exchange: &Arc<Exchange>) {
        if Outcome::of(exchange) == Outcome::Ok {
            self.add(
                Claim {
                    at_least: version,
                    at_most: i64::MAX,
                },
                true,
                exchange,
            );
        }
    }

    /// A read was answered.
    pub fn read(&mut self, look: LookForLatest, exchange: &Arc<Exchange>) {
        match look.says(&self.table, exchange) {
            Some(claim) => self.add(claim, false, exchange),
            None => {
                let outcome = Outcome::of(exchange);
                let passing = outcome.is_unknown() || matches!(outcome, Outcome::Refused(429, _));
                if !passing && outcome != Outcome::Ok {
                    self.failed.push(Arc::clone(exchange));
                }
            }
        }
    }

    fn add(&mut self, claim: Claim, write: bool, exchange: &Arc<Exchange>) {
        self.spans.push(Span {
            started: exchange.started(),
            ended: exchange.ended(),
            claim,
        });
        self.events.push(Event {
            write,
            exchange: Arc::clone(exchange),
        });
    }

    /// Whether each read shows what was acknowledged, or read, before it began (requirement
    /// ORD-7).
    pub fn judge(self, faults: &mut Faults) {
        for exchange in self.failed {
            faults.doubtful(
                "ORD-7",
                "a read was answered neither with a version nor with 404",
                Outcome::of(&exchange).to_string(),
                [exchange],
            );
        }
        for (before, read) in contradictions(&self.spans) {
            let version = self.spans[before].claim.at_least;
            let says = match self.spans[read].claim.at_most {
                0 => "no version".to_owned(),
                latest => format!("none after version {latest}"),
            };
            let (before, read) = (&self.events[before], &self.events[read]);
            let (what, at) = match before.write {
                true => (
                    "a read misses a version that was acknowledged before it began",
                    format!("version {version} was acknowledged, a later read shows {says}"),
                ),
                false => (
                    "what clients read goes back",
                    format!("one read shows version {version}, a later one shows {says}"),
                ),
            };
            let shown = [Arc::clone(&before.exchange), Arc::clone(&read.exchange)];
            faults.broken("ORD-7", what, at, shown);
        }
    }
}

/// Each claim that denies what one before it showed, with that one.
fn contradictions(spans: &[Span]) -> Vec<(usize, usize)> {
    let mut by_start: Vec<usize> = (0..spans.len()).collect();
    by_start.sort_by_key(|&index| spans[index].started);
    let mut by_end = by_start.clone();
    by_end.sort_by_key(|&index| spans[index].ended);
    let mut ended = by_end.into_iter().peekable();
    let shows = |index: usize| spans[index].claim.at_least;
    let mut highest: Option<usize> = None;
    let mut found = Vec::new();
    for read in by_start {
        while let Some(before) = ended.next_if(|&index| spans[index].ended < spans[read].started) {
            if highest.is_none_or(|highest| shows(before) > shows(highest)) {
                highest = Some(before);
            }
        }
        if let Some(highest) = highest
            && spans[read].claim.at_most < shows(highest)
        {
            found.push((highest, read));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn found(spans: &[(u64, u64, Claim)]) -> Vec<(usize, usize)> {
        let zero = Instant::now();
        let at = |millis: &u64| zero + Duration::from_millis(*millis);
        let spans: Vec<Span> = spans
            .iter()
            .map(|(started, ended, claim)| Span {
                started: at(started),
                ended: at(ended),
                claim: *claim,
            })
            .collect();
        contradictions(&spans)
    }

    #[test]
    fn reads_at_the_same_time_may_differ() {
        let (old, new) = (Claim::exactly(1), Claim::exactly(2));
        assert_eq!(found(&[(0, 10, new), (5, 15, old), (10, 20, old)]), []);
    }

    #[test]
    fn a_later_read_must_not_show_less() {
        let (old, new) = (Claim::exactly(1), Claim::exactly(2));
        assert_eq!(found(&[(6, 9, old), (0, 5, new)]), [(1, 0)]);
    }

    #[test]
    fn a_number_that_is_there_says_nothing_of_the_latest() {
        let there = Claim {
            at_least: 1,
            at_most: i64::MAX,
        };
        let absent = Claim {
            at_least: 0,
            at_most: 1,
        };
        assert_eq!(found(&[(0, 1, Claim::exactly(2)), (2, 3, there)]), []);
        assert_eq!(
            found(&[(0, 1, Claim::exactly(2)), (2, 3, absent)]),
            [(0, 1)]
        );
    }
}
