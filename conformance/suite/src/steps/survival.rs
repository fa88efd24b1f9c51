//! Clients that send one change after the other until their server is killed, and what has to be left
//! of it after the restart.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::{StreamExt, TryStreamExt, stream};

use crate::entry::Entry;
use crate::exchange::Exchange;
use crate::instance::Instance;
use crate::outcome::Outcome;
use crate::scenario::{Flow, Stop};
use crate::stage::Stage;
use crate::steps::effect::Place;
use crate::steps::{Change, Effect, Faults, Look};

/// How many reads are under way at a time.
const READS: usize = 8;
/// The most changes that a client sends in one round.
const CHANGES: usize = 60;

const LOST: &str = "a change that was answered 200 is not there after the restart";
const HALF: &str = "a change that was cut short by the kill is there by half after the restart";
const HALF_OR_LOST: &str = "a change that was cut short by the kill is there by half after the \
                            restart, or what it removes was lost before it";
const LEFT: &str = "a change that was refused has left something after the restart";
const OTHERS: &str = "a version has another manifest after the restart";

/// Rounds in which clients send changes until their server is killed.
///
/// No two clients change the same table: what is there is explained by what one client was told.
pub struct Survival {
    faults: Faults,
    atomicity: &'static str,
    durability: &'static str,
    acknowledged: usize,
    /// What has to be there by now: what was acknowledged, or was there after a restart.
    settled: BTreeMap<Place, Settled>,
}

/// The last that a client knows of a table or version.
#[derive(Clone)]
struct Settled {
    effect: Effect,
    exchange: Arc<Exchange>,
}

struct Sent {
    change: Change,
    exchange: Arc<Exchange>,
}

impl Survival {
    /// Half a change breaks `atomicity`, and an acknowledged one that is lost `durability`. The
    /// transcript calls it `label`.
    #[must_use]
    pub fn new(label: &str, atomicity: &'static str, durability: &'static str) -> Self {
        Self {
            faults: Faults::new(label),
            atomicity,
            durability,
            acknowledged: 0,
            settled: BTreeMap::new(),
        }
    }

    /// One client for each of `hands` sends the change that `next` makes of what it has in hand and
    /// of the answer to the one before, and so on, until the server is killed. After the restart
    /// what is there is compared with what they were told. Answers what each has in hand then, and
    /// whether its last change is there.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if the server does not start again, or cannot be read.
    pub async fn round<H, F>(
        &mut self,
        server: &mut Instance,
        hands: &[H],
        next: impl Fn(Stage, H) -> F + Clone + Send + 'static,
    ) -> Flow<Vec<(H, bool)>>
    where
        H: Clone + Send + 'static,
        F: Future<Output = Flow<(H, Change)>> + Send + 'static,
    {
        let clients = server.kill_amid(hands.len(), |client, s, progress| {
            let (mut hand, next) = (hands[client].clone(), next.clone());
            async move {
                let mut sent = Vec::new();
                for _ in 0..CHANGES {
                    let (kept, change) = next(s.clone(), hand).await?;
                    hand = kept;
                    let exchange = s.exchange(change.call()).await;
                    let goes_on = progress.goes_on(&exchange);
                    sent.push(Sent { change, exchange });
                    if !goes_on {
                        break;
                    }
                }
                Ok((hand, sent))
            }
        });
        let clients: Vec<Flow<(H, Vec<Sent>)>> = clients.await?;
        let s = server.stage();
        let mut hands = Vec::new();
        for client in clients {
            let (hand, sent) = client?;
            let last_is_there = self.judge(&s, sent).await?;
            hands.push((hand, last_is_there));
        }
        Ok(hands)
    }

    /// Judges what one client was told in this round; answers whether its last change is there.
    async fn judge(&mut self, s: &Stage, mut sent: Vec<Sent>) -> Flow<bool> {
        let done = |sent: &Sent| Outcome::of(&sent.exchange) == Outcome::Ok;
        let last = sent.pop_if(|last| !done(last));
        self.acknowledged += sent.len();
        let mut told: BTreeMap<Place, Settled> = BTreeMap::new();
        for Sent { change, exchange } in sent {
            settle(&mut told, &change, &exchange);
        }
        // What the last change may or may not have changed tells nothing of those before it.
        let open = last.iter().flat_map(|last| last.change.effects());
        let open: Vec<Place> = open.map(Effect::subject).collect();
        told.retain(|place, _| !open.contains(place));
        self.compare(s, &told).await?;
        self.settled.extend(told);
        match last {
            None => Ok(true),
            Some(last) => self.judge_open(s, &last).await,
        }
    }

    /// Judges a change that was not acknowledged: all of it is there, or nothing.
    async fn judge_open(&mut self, s: &Stage, last: &Sent) -> Flow<bool> {
        let effects = last.change.effects();
        let mut sights = Vec::new();
        for effect in effects {
            sights.push(see(s, effect).await?);
        }
        let seen = sights.iter().filter(|(seen, _)| *seen).count();
        let made = |effect: &Effect| matches!(effect, Effect::Created { .. } | Effect::Declared(_));
        let shown = effects.iter().zip(&sights).filter(|(_, (seen, _))| *seen);
        let something_made = shown.clone().any(|(effect, _)| made(effect));
        let refused = matches!(Outcome::of(&last.exchange), Outcome::Refused(..));
        let what = match (refused, something_made) {
            (true, true) => Some(LEFT),
            // What is gone may have been lost: that has been judged, or is in other words below.
            (true, false) => None,
            (false, true) => (seen < effects.len()).then_some(HALF),
            (false, false) => (seen > 0 && seen < effects.len()).then_some(HALF_OR_LOST),
        };
        if let Some(what) = what {
            let names = |there: bool| -> String {
                let effects = effects.iter().zip(&sights);
                let names = effects
                    .filter(|(_, (seen, _))| *seen == there)
                    .map(|(effect, _)| effect.describe());
                names.collect::<Vec<_>>().join(", ")
            };
            let at = format!(
                "answered {}; there: {}; not there: {}",
                Outcome::of(&last.exchange),
                names(true),
                if seen < effects.len() {
                    names(false)
                } else {
                    "nothing".to_owned()
                }
            );
            let mut shown = vec![Arc::clone(&last.exchange)];
            for there in [true, false] {
                let sight = sights.iter().find(|(seen, _)| *seen == there);
                shown.extend(sight.map(|(_, exchange)| Arc::clone(exchange)));
            }
            self.faults.broken(self.atomicity, what, at, shown);
        }
        let whole = seen == effects.len();
        if whole {
            settle(&mut self.settled, &last.change, &last.exchange);
        } else if seen > 0 {
            // Half a change is no measure for what comes later.
            for effect in effects {
                self.settled.remove(&effect.subject());
            }
        }
        Ok(whole)
    }

    /// Compares what has to be there with what is.
    async fn compare(&mut self, s: &Stage, told: &BTreeMap<Place, Settled>) -> Flow {
        let looks = told.values().map(async |settled| {
            let (seen, exchange) = see(s, &settled.effect).await?;
            let others = seen && is_anothers(&settled.effect, &exchange).await;
            Ok::<_, Stop>((settled, seen, others, exchange))
        });
        // Collected first: a lazy iterator of futures that borrow is too much for the compiler.
        let looks: Vec<_> = looks.collect();
        let looks: Vec<_> = stream::iter(looks).buffered(READS).try_collect().await?;
        for (settled, seen, others, exchange) in looks {
            let what = match (seen, others) {
                (false, _) => LOST,
                (true, true) => OTHERS,
                (true, false) => continue,
            };
            let at = format!("{}: {}", settled.effect.describe(), Outcome::of(&exchange));
            let shown = [Arc::clone(&settled.exchange), exchange];
            self.faults.broken(self.durability, what, at, shown);
        }
        Ok(())
    }

    /// Judges the rounds. What has been settled in any of them must still be there after the last.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if that cannot be read, or nothing was acknowledged at all.
    pub async fn end(mut self, s: &Stage, held: &str) -> Flow {
        let settled = std::mem::take(&mut self.settled);
        self.compare(s, &settled).await?;
        if self.acknowledged == 0 {
            let reason = "the server was killed before it had carried out anything";
            return Err(Stop::Inconclusive(reason.to_owned()));
        }
        let mut requirements = vec![self.atomicity];
        if self.durability != self.atomicity {
            requirements.push(self.durability);
        }
        self.faults.end(s, &requirements, held);
        Ok(())
    }
}

fn settle(settled: &mut BTreeMap<Place, Settled>, change: &Change, exchange: &Arc<Exchange>) {
    for effect in change.effects() {
        let known = Settled {
            effect: effect.clone(),
            exchange: Arc::clone(exchange),
        };
        settled.insert(effect.subject(), known);
    }
}

/// Looks for an effect.
async fn see(s: &Stage, effect: &Effect) -> Flow<(bool, Arc<Exchange>)> {
    let exchange = s.exchange(effect.call(Look::Describe)).await;
    match effect.seen_in(Look::Describe, &exchange, "") {
        Some(seen) => Ok((seen, exchange)),
        None => Err(Stop::Inconclusive(format!(
            "whether {} is there after the restart cannot be told: {}",
            effect.describe(),
            Outcome::of(&exchange)
        ))),
    }
}

/// Whether the answer tells of another manifest than the one that was sent.
async fn is_anothers(effect: &Effect, exchange: &Exchange) -> bool {
    let Some((table, _, manifest)) = effect.created() else {
        return false;
    };
    let entry = exchange
        .json()
        .and_then(|body| Entry::read(body.get("version")?));
    let Some(entry) = entry else { return false };
    let bytes = match entry.manifest_path == manifest.path {
        true => None,
        false => table.staging.get(&entry.manifest_path).await,
    };
    entry.is_anothers(&manifest, bytes.as_deref())
}
