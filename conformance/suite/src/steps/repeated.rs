//! Changes that are sent again, as a client does that has lost the answer.

use std::sync::Arc;
use std::time::Duration;

use crate::entry::Entry;
use crate::exchange::Exchange;
use crate::outcome::Outcome;
use crate::proxy::Fault;
use crate::requirement::Level;
use crate::scenario::Flow;
use crate::stage::{Stage, Table};
use crate::steps::effect::Effect;
use crate::steps::interrupted::{Sent, way};
use crate::steps::{Change, Interrupted};

/// How often a conflict with nothing is asked again before it counts as one that stays.
const ATTEMPTS: usize = 8;
/// How long between two of them.
const PAUSE: Duration = Duration::from_millis(100);

/// What is wrong with an answer, and how much it weighs.
type Odd = (Level, &'static str);

impl Stage {
    /// The entries of every table in which a change creates versions.
    async fn entries_around(&self, change: &Change) -> Flow<Vec<(Table, Vec<Entry>)>> {
        let mut entries: Vec<(Table, Vec<Entry>)> = Vec::new();
        for (table, _, _) in change.effects().iter().filter_map(Effect::created) {
            if !entries.iter().any(|(other, _)| other.id == table.id) {
                entries.push((table.clone(), self.stored(table).await?));
            }
        }
        Ok(entries)
    }

    /// Sends a change, whose manifests are staged again where a server has taken them.
    async fn send_again(&self, change: &Change) -> Flow<Arc<Exchange>> {
        for (table, _, manifest) in change.effects().iter().filter_map(Effect::created) {
            self.stage_again(table, &manifest).await?;
        }
        Ok(self.exchange(change.call()).await)
    }
}

impl Interrupted {
    /// Sends each change again, now over connections that hold. What was there stays as it is,
    /// whatever the answer; what is answered 200 is there.
    ///
    /// `odd` says what is wrong with an answer, where the change was there before or was not.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`](crate::scenario::Stop::Inconclusive) if a change cannot be looked for.
    pub async fn again(
        &mut self,
        requirement: &'static str,
        odd: fn(bool, &Exchange) -> Option<Odd>,
    ) -> Flow {
        let s = self.s.clone();
        let mut sent = std::mem::take(&mut self.sent);
        for sent in &mut sent {
            let Some(there) = sent.there else {
                continue;
            };
            let before = match there {
                true => s.entries_around(&sent.change).await?,
                false => Vec::new(),
            };
            let mut again = s.send_again(&sent.change).await?;
            for _ in 1..ATTEMPTS {
                if there || !Outcome::of(&again).is_conflict() {
                    break;
                }
                // The first one may still hold what it was about to take.
                tokio::time::sleep(PAUSE).await;
                again = s.send_again(&sent.change).await?;
            }
            let outcome = Outcome::of(&again);
            if outcome.is_unknown() || outcome.is_throttled() {
                sent.there = None;
                continue;
            }
            let at = format!("{}; sent again: {outcome}", way(&sent.exchange));
            let shown = [&sent.exchange, &again].map(Arc::clone);
            if let Outcome::Failed(_) = outcome {
                let what = "a change that is sent again is a server error";
                self.faults
                    .broken(requirement, what, at.clone(), shown.clone());
            }
            // The server may have been at work with the first one all the while, which then came before
            // this one or after it.
            let way_broken = sent.exchange.fault();
            let late = !there && way_broken.is_none_or(Fault::may_be_carried_out);
            let fault = odd(there, &again).filter(|_| !late || odd(true, &again).is_some());
            if let Some((level, what)) = fault {
                let (at, shown) = (at.clone(), shown.clone());
                match level {
                    Level::Must => self.faults.broken(requirement, what, at, shown),
                    _ => self.faults.doubtful(requirement, what, at, shown),
                }
            }
            let sights = s.sights_at_rest(&sent.change).await?;
            let seen = sights.iter().filter(|sight| sight.seen).count();
            let there_now = match seen {
                0 => Some(false),
                seen if seen == sights.len() => Some(true),
                _ => None,
            };
            if outcome.is_conflict() && !there && there_now == Some(false) {
                let what = "a change conflicts with itself, and is not there";
                self.faults
                    .doubtful(requirement, what, at.clone(), shown.clone());
            }
            let expected = there || outcome == Outcome::Ok;
            let came_late = late && there_now == Some(true);
            if there_now != Some(expected) && !came_late {
                let at = format!(
                    "{at}; before that it was {}, and then {seen} of {} answers show it",
                    if there { "there" } else { "not there" },
                    sights.len()
                );
                let odd = sights.iter().find(|sight| sight.seen != expected);
                let odd = odd.map(|sight| Arc::clone(&sight.exchange));
                let what = "a change that is sent again is not seen as it must be";
                let shown = shown.clone().into_iter().chain(odd);
                self.faults.broken(requirement, what, at.clone(), shown);
            }
            self.unchanged(requirement, &before, &at, &shown).await?;
            sent.there = there_now;
        }
        self.sent = sent;
        Ok(())
    }

    /// Sends other manifests for the versions that are there: each is refused with a 409, and what is
    /// there stays as it is.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`](crate::scenario::Stop::Inconclusive) if a manifest cannot be staged or a
    /// table cannot be read.
    pub async fn others_conflict(&mut self, requirement: &'static str) -> Flow {
        let s = self.s.clone();
        let sent = std::mem::take(&mut self.sent);
        for Sent {
            change, exchange, ..
        } in sent.iter().filter(|sent| sent.there == Some(true))
        {
            let before = s.entries_around(change).await?;
            let mut other = change.alike();
            for (table, version, _) in change.effects().iter().filter_map(Effect::created) {
                let manifest = s.manifest(table, "another manifest").await?;
                other = other.create(table, version, &manifest);
            }
            let refused = s.exchange(other.call()).await;
            let outcome = Outcome::of(&refused);
            if outcome.is_unknown() || outcome.is_throttled() {
                continue;
            }
            let at = format!("{}; then with other manifests: {outcome}", way(exchange));
            let shown = [exchange, &refused].map(Arc::clone);
            if !outcome.is_conflict() {
                let what = "other manifests for versions that are there are not refused with a 409";
                self.faults
                    .broken(requirement, what, at.clone(), shown.clone());
            }
            self.unchanged(requirement, &before, &at, &shown).await?;
        }
        self.sent = sent;
        Ok(())
    }

    async fn unchanged(
        &mut self,
        requirement: &'static str,
        before: &[(Table, Vec<Entry>)],
        at: &str,
        shown: &[Arc<Exchange>],
    ) -> Flow {
        for (table, entries) in before {
            let compared = self.s.compared(table, entries, shown.to_vec()).await?;
            if let Err(changed) = compared {
                let at = format!("{at}: {}", changed.actual);
                let what = "versions that were there are not as they were";
                self.faults.broken(requirement, what, at, changed.exchanges);
                break;
            }
        }
        Ok(())
    }
}
