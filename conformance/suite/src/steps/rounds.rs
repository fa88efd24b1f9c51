//! Races in rounds, judged as a whole.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::calls;
use crate::entry::Manifest;
use crate::exchange::Exchange;
use crate::log::{Deviation, Observation};
use crate::outcome::Outcome;
use crate::race::Tally;
use crate::requirement::Level;
use crate::scenario::Flow;
use crate::stage::{Stage, Table};

/// A race in rounds, judged as a whole: one line of the transcript, and one finding at most for
/// each way to go wrong.
pub struct Rounds {
    requirement: &'static str,
    label: String,
    held: &'static str,
    expected: &'static str,
    level: Option<Level>,
    rounds: usize,
    faults: BTreeMap<&'static str, Fault>,
    untold: bool,
}

struct Fault {
    rounds: usize,
    last_round: usize,
    first: String,
    exchanges: Vec<Arc<Exchange>>,
}

impl Rounds {
    /// A race that checks this requirement, and what the transcript calls it.
    #[must_use]
    pub fn new(requirement: &'static str, label: &str) -> Self {
        Self {
            requirement,
            label: label.to_owned(),
            held: "one winner each, the rest conflict; the stored entry is the winner's",
            expected: "one client wins, the others are answered 409, and the stored entry is the \
                       winner's",
            level: None,
            rounds: 0,
            faults: BTreeMap::new(),
            untold: false,
        }
    }

    /// Asks for something else than one winner: what the transcript says where it held, and what
    /// an honest server does.
    #[must_use]
    pub fn demanding(mut self, held: &'static str, expected: &'static str) -> Self {
        self.held = held;
        self.expected = expected;
        self
    }

    /// Faults weigh as much as this, whatever the level of the requirement.
    #[must_use]
    pub fn weighing(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }

    /// Another round begins.
    pub fn round(&mut self) {
        self.rounds += 1;
    }

    /// Nothing in a stored entry tells whose it is.
    pub fn cannot_tell(&mut self) {
        self.untold = true;
    }

    /// Judges a round in which each client created one version with its own manifest: one of them
    /// succeeded, the others were refused with a 409, and the stored entry is the winner's.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`](crate::scenario::Stop::Inconclusive) if the version cannot be read back.
    pub async fn one_winner(
        &mut self,
        s: &Stage,
        table: &Table,
        version: i64,
        manifests: &[Manifest],
        exchanges: &[Arc<Exchange>],
    ) -> Flow {
        self.round();
        let tally = Tally::of(exchanges);
        let with = |outcomes: fn(Outcome) -> bool| -> Vec<usize> {
            (0..exchanges.len())
                .filter(|&racer| outcomes(Outcome::of(&exchanges[racer])))
                .collect()
        };
        let shown = |racers: &[usize]| -> Vec<Arc<Exchange>> {
            racers
                .iter()
                .take(4)
                .map(|&racer| Arc::clone(&exchanges[racer]))
                .collect()
        };
        let winners = with(|outcome| outcome == Outcome::Ok);
        let unknown = with(Outcome::is_unknown);
        let odd = with(|outcome| {
            outcome != Outcome::Ok
                && !outcome.is_conflict()
                && !outcome.is_unknown()
                && !outcome.is_throttled()
        });
        let surely_nobody = winners.is_empty()
            && with(|outcome| outcome.is_unknown() || outcome.is_throttled()).is_empty();
        let at = format!("version {version}: {tally}");
        if winners.len() > 1 {
            self.fault(
                "more than one client was told that it had won",
                &at,
                shown(&winners),
            );
        }
        if !odd.is_empty() {
            self.fault("a client that lost was not answered 409", &at, shown(&odd));
        }
        let Some(entry) = s.entry(table, version).await? else {
            if !winners.is_empty() {
                self.fault(
                    "the version is not there although a client won",
                    &at,
                    shown(&winners),
                );
            } else if surely_nobody {
                self.fault("nobody won", &at, shown(&[0]));
            }
            return Ok(());
        };
        let owners = table.owners(&entry, manifests).await;
        let entitled = |racer: &usize| winners.contains(racer) || unknown.contains(racer);
        if owners.is_empty() && surely_nobody {
            self.fault("nobody won", &at, shown(&[0]));
        } else if owners.is_empty() {
            self.cannot_tell();
        } else if owners.len() > 1 {
            let fields = format!("{at}; the entry has fields of {} clients", owners.len());
            self.fault("the stored entry is put together", &fields, shown(&owners));
        } else if !owners.iter().all(entitled) {
            let mut both = winners.clone();
            both.extend(&owners);
            self.fault(
                "the stored entry is that of a client that was refused",
                &at,
                shown(&both),
            );
        }
        Ok(())
    }

    /// Judges that the table's listing holds no version more than once.
    ///
    /// # Errors
    ///
    /// [`crate::scenario::Stop::Inconclusive`] if the table cannot be listed.
    pub async fn listed_once(&mut self, s: &Stage, table: &Table) -> Flow {
        let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
        for entry in s.all_entries(table).await? {
            *counts.entry(entry.version).or_default() += 1;
        }
        counts.retain(|_, count| *count > 1);
        for (version, count) in counts {
            let at = format!("version {version}: {count} times");
            let listing = s.exchange(calls::list_versions(table)).await;
            self.fault(
                "the listing holds a version more than once",
                &at,
                vec![listing],
            );
        }
        Ok(())
    }

    /// Records what is wrong with this round; the first round with a fault is the one that is
    /// shown.
    pub fn fault(&mut self, what: &'static str, at: &str, exchanges: Vec<Arc<Exchange>>) {
        let fault = self.faults.entry(what).or_insert_with(|| Fault {
            rounds: 0,
            last_round: 0,
            first: at.to_owned(),
            exchanges,
        });
        if fault.last_round != self.rounds {
            fault.last_round = self.rounds;
            fault.rounds += 1;
        }
    }

    /// Judges the race.
    pub fn end(self, s: &Stage) {
        s.cite(self.requirement);
        if self.untold {
            s.observe(Observation {
                requirement: self.requirement,
                choice: "in some rounds nothing in a stored entry told whose it is".to_owned(),
            });
        }
        if self.faults.is_empty() {
            s.line(format!("{}: {}", self.label, self.held));
        }
        for (what, fault) in self.faults {
            let actual = format!(
                "in {} of {} rounds {what} (first: {})",
                fault.rounds, self.rounds, fault.first
            );
            s.line(format!("{}: {what}", self.label));
            let deviation = Deviation::new(self.expected, actual, fault.exchanges);
            match self.level {
                Some(level) => s.violated(self.requirement, level, deviation),
                None => s.violates(self.requirement, deviation),
            }
        }
    }
}
