//! Races for a name: one object there, made by one client.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::exchange::Exchange;
use crate::outcome::Outcome;
use crate::race::{Tally, race};
use crate::scenario::{Flow, Stop};
use crate::stage::Stage;
use crate::steps::{End, Faults, Object};

/// How many clients take part.
const RACERS: usize = 8;

/// Rounds in which clients make one object at once, or siblings, judged as a whole.
pub struct NameRace {
    requirement: &'static str,
    faults: Faults,
}

impl NameRace {
    /// A race that checks this requirement, and what the transcript calls it.
    #[must_use]
    pub fn new(requirement: &'static str, label: &str) -> Self {
        Self {
            requirement,
            faults: Faults::new(label),
        }
    }

    /// All clients make this object, each with properties of its own. One must succeed, the others
    /// must be answered 409, and it must be there once, the winner's. A loser's code may be 14.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if what there is cannot be read.
    pub async fn round(&mut self, s: &Stage, object: &Object) -> Flow {
        s.will_make(object);
        let exchanges = race(RACERS, |racer| {
            let s = s.clone();
            let call = object
                .make()
                .field("properties", json!({ "racer": format!("racer {racer}") }));
            async move { s.exchange(call).await }
        })
        .await;
        let tally = Tally::of(&exchanges).to_string();
        let with = |outcomes: fn(&Outcome) -> bool| -> Vec<usize> {
            let outcome = |racer: &usize| Outcome::of(&exchanges[*racer]);
            (0..RACERS)
                .filter(|racer| outcomes(&outcome(racer)))
                .collect()
        };
        let shown = |racers: &[usize]| -> Vec<Arc<Exchange>> {
            let racers = racers.iter().take(3);
            racers.map(|&racer| Arc::clone(&exchanges[racer])).collect()
        };
        let winners = with(|outcome| *outcome == Outcome::Ok);
        let unclear = with(|outcome| outcome.is_unknown());
        let odd = with(|outcome| {
            *outcome != Outcome::Ok
                && !outcome.is_conflict()
                && !outcome.is_unknown()
                && !outcome.is_throttled()
        });
        if winners.len() > 1 {
            let what = "more than one client was told that it had won";
            self.faults
                .broken(self.requirement, what, tally.as_str(), shown(&winners));
        }
        if !odd.is_empty() {
            let what = "a client that lost was not answered 409";
            self.faults
                .broken(self.requirement, what, tally.as_str(), shown(&odd));
        }
        let (there, described) = s.finds(object).await?;
        let throttled = with(|outcome| outcome.is_throttled());
        let what = match (winners.as_slice(), there) {
            _ if !unclear.is_empty() => None,
            ([_, ..], false) => Some("a client won, and it is not there"),
            ([], true) => Some("nobody won, and it is there"),
            ([], false) if throttled.is_empty() => Some("nobody won"),
            _ => None,
        };
        if let Some(what) = what {
            let racers = if winners.is_empty() {
                &[0]
            } else {
                &winners[..]
            };
            let mut seen = shown(racers);
            seen.push(Arc::clone(&described));
            self.faults
                .broken(self.requirement, what, tally.as_str(), seen);
        }
        self.is_the_winners(&described, &winners, &unclear, &exchanges);
        self.listed_once(s, object, there).await
    }

    /// The properties that are there, if any, must be those of a client that may have won.
    fn is_the_winners(
        &mut self,
        described: &Arc<Exchange>,
        winners: &[usize],
        unclear: &[usize],
        exchanges: &[Arc<Exchange>],
    ) {
        let stored = described
            .json()
            .map(|body| body["properties"]["racer"].clone());
        let Some(Value::String(stored)) = stored else {
            return;
        };
        let loser = (0..RACERS).find(|racer| {
            stored == format!("racer {racer}")
                && !winners.contains(racer)
                && !unclear.contains(racer)
        });
        if let Some(loser) = loser {
            self.faults.broken(
                self.requirement,
                "it has the properties of a client that was refused",
                stored,
                [Arc::clone(&exchanges[loser]), Arc::clone(described)],
            );
        }
    }

    async fn listed_once(&mut self, s: &Stage, object: &Object, there: bool) -> Flow {
        let walk = object.listing(s).pages(s, None).await?;
        let rows = walk.items();
        let rows = rows.iter().filter(|item| **item == object.name()).count();
        if walk.end == Some(End::NoToken) && there != (rows == 1) {
            let what = "it is not listed once";
            let shown = walk.exchanges.iter().take(2).cloned();
            self.faults
                .broken(self.requirement, what, format!("{rows} rows"), shown);
        }
        Ok(())
    }

    /// Each client makes an object of its own, all below one parent that was empty. Each that is
    /// answered 200 must be there and listed once. A conflict is strange where nobody wants the
    /// same, and a server error more so: both are doubtful.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if what there is cannot be read.
    pub async fn siblings(&mut self, s: &Stage, objects: &[Object]) -> Flow {
        for object in objects {
            s.will_make(object);
        }
        let exchanges = race(objects.len(), |racer| {
            let (s, call) = (s.clone(), objects[racer].make());
            async move { s.exchange(call).await }
        })
        .await;
        let tally = Tally::of(&exchanges).to_string();
        for (object, made) in objects.iter().zip(&exchanges) {
            let outcome = Outcome::of(made);
            if outcome.is_unknown() || outcome.is_throttled() {
                return Err(Stop::Inconclusive(format!("{}: {tally}", object.label())));
            }
            let (there, described) = s.finds(object).await?;
            match (outcome, there) {
                (Outcome::Ok, true) => self.listed_once(s, object, there).await?,
                (Outcome::Ok, false) => self.faults.broken(
                    self.requirement,
                    "one that was answered 200 is not there",
                    tally.as_str(),
                    [Arc::clone(made), described],
                ),
                (Outcome::Refused(..), true) => self.faults.broken(
                    self.requirement,
                    "one that was refused is there",
                    tally.as_str(),
                    [Arc::clone(made), described],
                ),
                _ => self.faults.doubtful(
                    self.requirement,
                    "one that stands in nobody's way is not made",
                    tally.as_str(),
                    [Arc::clone(made)],
                ),
            }
        }
        Ok(())
    }

    /// Judges races for one name.
    pub fn end(self, s: &Stage) {
        let held = "1 ok, 7 conflict; it is there once, and the winner's";
        self.faults.end(s, &[self.requirement], held);
    }

    /// Judges races of siblings.
    pub fn end_of_siblings(self, s: &Stage) {
        let held = "8 ok; each is there once";
        self.faults.end(s, &[self.requirement], held);
    }
}
