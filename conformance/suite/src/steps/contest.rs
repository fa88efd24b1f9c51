//! Changes that contend: each is done whole or not at all, and those that share a version or a
//! table's name are not both done.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::entry::Manifest;
use crate::exchange::Exchange;
use crate::log::Observation;
use crate::outcome::Outcome;
use crate::race::{Tally, race};
use crate::requirement::Level;
use crate::scenario::Flow;
use crate::stage::{Stage, Table};
use crate::steps::{Change, Effect, Look, Rounds};

/// Rounds in which clients send changes that contend, judged as a whole.
pub struct Contest {
    requirement: &'static str,
    atomicity: Rounds,
    losers: Rounds,
    won: usize,
}

/// The version that each table has next.
#[derive(Clone, Debug, Default)]
pub struct NextVersions(BTreeMap<Vec<String>, i64>);

impl NextVersions {
    /// The next version of a table: 1 if it has none.
    #[must_use]
    pub fn of(&self, table: &Table) -> i64 {
        self.0.get(&table.id).copied().unwrap_or(1)
    }
}

/// A version that changes contend for.
struct Prize {
    table: Table,
    version: i64,
    /// The changes that create it, and with which manifest.
    claims: Vec<(usize, Manifest)>,
    exists: bool,
    /// Whose manifest is stored; none if nothing tells.
    owner: Option<usize>,
}

/// What at most one change can get: a version of a table, or the table's name.
type Key = (Vec<String>, i64);

/// Stands in a [`Key`] for the table itself.
const NO_VERSION: i64 = -1;

const NOT_WHOLE: &str = "a change that was answered 200 is not there whole";
const LEFT: &str = "a change that was refused has left something";

impl Contest {
    /// A contest that checks this requirement, and what the transcript calls it. How those that lose
    /// are answered is a should.
    #[must_use]
    pub fn new(requirement: &'static str, label: &str) -> Self {
        Self {
            requirement,
            atomicity: Rounds::new(requirement, label).demanding(
                "each is done whole or not at all, and of those that share anything at most one",
                "each change is done whole or not at all as it was answered, and of those that \
                 share a version or a table at most one is done",
            ),
            losers: losers(requirement).weighing(Level::Should),
            won: 0,
        }
    }

    /// How those that lose are answered checks this requirement.
    #[must_use]
    pub fn losers(mut self, requirement: &'static str) -> Self {
        self.losers = losers(requirement);
        self
    }

    /// All changes are sent at once, each by a client of its own, and judged. Each table whose version
    /// is there now has its next version counted up.
    ///
    /// # Errors
    ///
    /// [`crate::scenario::Stop::Inconclusive`] if what they did cannot be read.
    pub async fn round(&mut self, s: &Stage, changes: &[Change], next: &mut NextVersions) -> Flow {
        self.atomicity.round();
        self.losers.round();
        let exchanges = race(changes.len(), |racer| {
            let (s, call) = (s.clone(), changes[racer].call());
            async move { s.exchange(call).await }
        })
        .await;
        let mut prizes = prizes(changes);
        for prize in prizes.values_mut() {
            self.award(s, prize, &exchanges).await?;
        }
        self.won += usize::from(
            exchanges
                .iter()
                .any(|exchange| Outcome::of(exchange) == Outcome::Ok),
        );
        for (at, change) in changes.iter().enumerate() {
            self.judge(at, change, &prizes, &exchanges);
        }
        let names = changes.iter().flat_map(keys);
        let names: BTreeSet<Key> = names
            .filter(|(_, version)| *version == NO_VERSION)
            .collect();
        for (id, _) in names {
            self.judge_name(s, &id, changes, &exchanges).await?;
        }
        self.judge_rivals(changes, &exchanges);
        for prize in prizes.values().filter(|prize| prize.exists) {
            next.0.insert(prize.table.id.clone(), prize.version + 1);
        }
        Ok(())
    }

    /// Reads whose a version has become.
    async fn award(&mut self, s: &Stage, prize: &mut Prize, exchanges: &[Arc<Exchange>]) -> Flow {
        let Some(entry) = s.entry(&prize.table, prize.version).await? else {
            return Ok(());
        };
        prize.exists = true;
        let manifests: Vec<Manifest> = prize.claims.iter().map(|(_, m)| m.clone()).collect();
        let owners = prize.table.owners(&entry, &manifests).await;
        match owners.as_slice() {
            [] => self.atomicity.cannot_tell(),
            [owner] => prize.owner = Some(prize.claims[*owner].0),
            several => {
                let at = format!(
                    "version {} of {} has fields of {} clients",
                    prize.version,
                    prize.table.label,
                    several.len()
                );
                let shown = several.iter().take(3);
                let shown = shown.map(|owner| Arc::clone(&exchanges[prize.claims[*owner].0]));
                self.atomicity
                    .fault("a stored entry is put together", &at, shown.collect());
            }
        }
        Ok(())
    }

    /// Judges the versions that one change creates.
    fn judge(
        &mut self,
        at: usize,
        change: &Change,
        prizes: &BTreeMap<Key, Prize>,
        exchanges: &[Arc<Exchange>],
    ) {
        let (mut got, mut missed) = (Vec::new(), Vec::new());
        for effect in change.effects() {
            let Effect::Created { table, version, .. } = effect else {
                continue;
            };
            let Some(prize) = prizes.get(&(table.id.clone(), *version)) else {
                continue;
            };
            match prize.owner {
                Some(owner) if owner == at => got.push(prize),
                None if prize.exists => {}
                _ => missed.push(prize),
            }
        }
        let names = |prizes: &[&Prize]| {
            let names: Vec<String> = prizes
                .iter()
                .map(|prize| format!("version {} of {}", prize.version, prize.table.label))
                .collect();
            names.join(", ")
        };
        let outcome = Outcome::of(&exchanges[at]);
        let what = match outcome {
            Outcome::Ok if !missed.is_empty() => NOT_WHOLE,
            Outcome::Refused(..) if !got.is_empty() => LEFT,
            Outcome::Failed(_) | Outcome::Lost if !got.is_empty() && !missed.is_empty() => {
                "a change that got no clear answer is half there"
            }
            _ => return,
        };
        let says = format!(
            "answered {outcome}; there by its manifest: {}; not there: {}; {}",
            if got.is_empty() {
                "nothing".to_owned()
            } else {
                names(&got)
            },
            if missed.is_empty() {
                "nothing".to_owned()
            } else {
                names(&missed)
            },
            Tally::of(exchanges),
        );
        let mut shown = vec![Arc::clone(&exchanges[at])];
        let others = missed.iter().filter_map(|prize| prize.owner);
        shown.extend(others.take(2).map(|owner| Arc::clone(&exchanges[owner])));
        self.atomicity.fault(what, &says, shown);
    }

    /// Judges a table that changes declare: it is there if one of them was carried out, and only
    /// if one of them may have been.
    async fn judge_name(
        &mut self,
        s: &Stage,
        id: &[String],
        changes: &[Change],
        exchanges: &[Arc<Exchange>],
    ) -> Flow {
        let declare = Effect::Declared(id.to_vec());
        let claims: Vec<usize> = (0..changes.len())
            .filter(|&at| keys(&changes[at]).contains(&(id.to_vec(), NO_VERSION)))
            .collect();
        let may_have = |at: &&usize| !matches!(Outcome::of(&exchanges[**at]), Outcome::Refused(..));
        let found = s.exchange(declare.call(Look::Describe)).await;
        let there = declare.seen_in(Look::Describe, &found, "");
        let winner = claims
            .iter()
            .find(|&&at| Outcome::of(&exchanges[at]) == Outcome::Ok);
        let says = format!("{}: {}", declare.describe(), Outcome::of(&found));
        match (winner, there) {
            (Some(&winner), Some(false)) => self.atomicity.fault(
                NOT_WHOLE,
                &says,
                vec![Arc::clone(&exchanges[winner]), found],
            ),
            (None, Some(true)) if !claims.iter().any(|at| may_have(&at)) => {
                let shown = claims.iter().take(1);
                let shown = shown.map(|&at| Arc::clone(&exchanges[at]));
                self.atomicity
                    .fault(LEFT, &says, shown.chain([found]).collect());
            }
            _ => {}
        }
        Ok(())
    }

    /// Judges that no two changes that share anything were both carried out, and that those that
    /// lost to another were told so.
    fn judge_rivals(&mut self, changes: &[Change], exchanges: &[Arc<Exchange>]) {
        let keys: Vec<Vec<Key>> = changes.iter().map(keys).collect();
        let won = |at: usize| Outcome::of(&exchanges[at]) == Outcome::Ok;
        for at in 0..changes.len() {
            let rival = (0..changes.len()).find(|&other| {
                other != at && won(other) && keys[at].iter().any(|key| keys[other].contains(key))
            });
            let Some(rival) = rival else { continue };
            let shown = || vec![Arc::clone(&exchanges[rival]), Arc::clone(&exchanges[at])];
            let outcome = Outcome::of(&exchanges[at]);
            let says = format!("{}", Tally::of(exchanges));
            if outcome == Outcome::Ok {
                let what = "two changes that share a version or a table were both answered 200";
                self.atomicity.fault(what, &says, shown());
            } else if !outcome.is_conflict()
                && !outcome.is_unknown()
                && !matches!(outcome, Outcome::Refused(429, _))
            {
                let what = "a change that lost to another was not answered 409";
                self.losers.fault(what, &says, shown());
            }
        }
    }

    /// Judges the contest.
    pub fn end(self, s: &Stage) {
        if self.won == 0 {
            s.observe(Observation {
                requirement: self.requirement,
                choice: "in every round all lost".to_owned(),
            });
        }
        self.atomicity.end(s);
        self.losers.end(s);
    }
}

fn losers(requirement: &'static str) -> Rounds {
    Rounds::new(requirement, "those that lose to another").demanding(
        "conflict",
        "a change that loses a version or a table to another is answered 409",
    )
}

fn prizes(changes: &[Change]) -> BTreeMap<Key, Prize> {
    let mut prizes = BTreeMap::new();
    for (at, change) in changes.iter().enumerate() {
        for effect in change.effects() {
            let Effect::Created {
                table,
                version,
                manifest,
            } = effect
            else {
                continue;
            };
            prizes
                .entry((table.id.clone(), *version))
                .or_insert_with(|| Prize {
                    table: table.clone(),
                    version: *version,
                    claims: Vec::new(),
                    exists: false,
                    owner: None,
                })
                .claims
                .push((at, manifest.clone()));
        }
    }
    prizes
}

/// What a change takes of what at most one can get.
fn keys(change: &Change) -> Vec<Key> {
    let effects = change.effects().iter();
    effects
        .filter_map(|effect| match effect {
            Effect::Created { table, version, .. } => Some((table.id.clone(), *version)),
            Effect::Declared(id) => Some((id.clone(), NO_VERSION)),
            Effect::Deleted { .. } | Effect::Deregistered(_) => None,
        })
        .collect()
}
