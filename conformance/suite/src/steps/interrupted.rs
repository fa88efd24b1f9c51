//! Changes that are sent over connections that break, and what becomes of them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;

use crate::calls;
use crate::exchange::Exchange;
use crate::outcome::Outcome;
use crate::proxy::Fault;
use crate::scenario::{Flow, Stop};
use crate::stage::Stage;
use crate::steps::effect::Sight;
use crate::steps::rest::{Looked, Next, Rest};
use crate::steps::{Change, Effect, Faults, Look, Watch};

/// How long readers wait between two looks, at first and at last.
const PAUSES: [Duration; 2] = [Duration::from_millis(4), Duration::from_millis(80)];

/// Changes that are sent over connections that break, told as a whole: one line of the transcript,
/// and one finding for each way to go wrong.
///
/// That a connection breaks is never held against a server, and a change that was cut off may be
/// carried out or not. It is looked at until the server has done with it, and then all of it is
/// there or nothing.
pub struct Interrupted {
    pub(super) s: Stage,
    pub(super) faults: Faults,
    pub(super) sent: Vec<Sent>,
}

/// A change that was sent.
pub(super) struct Sent {
    pub(super) change: Change,
    pub(super) exchange: Arc<Exchange>,
    /// Whether it is there, once the server has done with it; none where only half of it is.
    pub(super) there: Option<bool>,
    /// The readers who look from the moment on when the connection broke.
    looking: JoinHandle<Flow<View>>,
}

/// What readers saw of a change.
struct View {
    /// When the server had done with it.
    last: Vec<Sight>,
    /// An effect that was seen, and then not any more.
    vanished: Option<(Sight, Sight)>,
}

impl Stage {
    /// The ways to break a connection, for requests that this server carries out in so much time:
    /// the connection ends at so many moments of it, the early ones closer to each other, besides all
    /// other ways.
    #[must_use]
    pub fn breaks(&self, took: Duration, moments: u32) -> Vec<Fault> {
        let mut faults = vec![
            Fault::Refuse,
            Fault::CutBeforeRequest,
            Fault::CutAfterHead,
            Fault::CutInBody,
            Fault::CutInAnswer,
            Fault::Unavailable,
            Fault::SendTwice,
        ];
        faults.extend((0..moments).map(|moment| {
            // Somewhere in its share of the time, so that no two runs break at the same moments.
            let within = u32::try_from(self.random_below(100)).unwrap_or_default();
            let share = f64::from(moment * 100 + within) / f64::from(moments * 100);
            Fault::CutAfterRequest(took.mul_f64(share * share))
        }));
        faults
    }

    /// Looks once for every effect of a change, in every answer that can tell.
    pub(super) async fn look_everywhere(&self, change: &Change) -> Flow<Vec<Sight>> {
        let mut sights = self.look(change, Look::Describe).await?;
        sights.extend(self.look(change, Look::List).await?);
        for (at, effect) in change.effects().iter().enumerate() {
            let (Effect::Declared(id) | Effect::Deregistered(id)) = effect else {
                continue;
            };
            let exchange = self.exchange(calls::table_exists(id)).await;
            let there = match Outcome::of(&exchange) {
                Outcome::Ok => true,
                Outcome::Refused(404, _) => false,
                outcome => return Err(Stop::Inconclusive(format!("table exists: {outcome}"))),
            };
            sights.push(Sight {
                effect: at,
                seen: there == matches!(effect, Effect::Declared(_)),
                exchange,
            });
        }
        Ok(sights)
    }

    /// Looks for every effect of a change: once, and where half of it is seen until the server has done
    /// with it.
    pub(super) async fn sights_at_rest(&self, change: &Change) -> Flow<Vec<Sight>> {
        let sights = self.look_everywhere(change).await?;
        match is_half(&sights) {
            true => Ok(self.view(change).await?.last),
            false => Ok(sights),
        }
    }

    /// Looks for the effects of a change until the server has done with it.
    async fn view(&self, change: &Change) -> Flow<View> {
        let [mut pause, longest] = PAUSES;
        let mut rest = Rest::new(Instant::now());
        let mut before: Option<Vec<Sight>> = None;
        let mut vanished = None;
        loop {
            let started = Instant::now();
            let now = self.look_everywhere(change).await?;
            let pairs = before.iter().flatten().zip(&now);
            let changed: Vec<_> = pairs.filter(|(old, new)| old.seen != new.seen).collect();
            if let Some((old, new)) = changed.iter().find(|(old, _)| old.seen) {
                vanished.get_or_insert(((*old).clone(), (*new).clone()));
            }
            let look = Looked {
                started,
                ended: Instant::now(),
                half: is_half(&now),
                changed: before.is_none() || !changed.is_empty(),
            };
            match rest.after(&look) {
                Next::Look => {}
                Next::Restless if look.half && vanished.is_none() => {
                    return Err(Stop::Inconclusive(
                        "the server was still at work with a change: what readers saw of it went on \
                         changing"
                            .to_owned(),
                    ));
                }
                Next::Done | Next::Restless => {
                    return Ok(View {
                        last: now,
                        vanished,
                    });
                }
            }
            before = Some(now);
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(longest);
        }
    }
}

/// Whether some effects are seen, and some are not.
fn is_half(sights: &[Sight]) -> bool {
    sights.iter().any(|sight| sight.seen != sights[0].seen)
}

impl Interrupted {
    /// Nothing was sent so far; what the transcript calls it.
    #[must_use]
    pub fn new(s: &Stage, label: &str) -> Self {
        Self {
            s: s.clone(),
            faults: Faults::new(label),
            sent: Vec::new(),
        }
    }

    /// Sends a change over a connection that breaks in this way.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if the connection cannot be broken in this way.
    pub async fn send(&mut self, fault: Fault, change: Change) -> Flow<Arc<Exchange>> {
        let exchange = self.s.exchange_through(fault, change.call()).await?;
        let looking = tokio::spawn({
            let (s, change) = (self.s.clone(), change.clone());
            async move { s.view(&change).await }
        });
        self.sent.push(Sent {
            change,
            exchange: Arc::clone(&exchange),
            there: None,
            looking,
        });
        Ok(exchange)
    }

    /// Sends a change over a connection that breaks in this way, while readers look at it.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if the connection cannot be broken in this way.
    pub async fn send_watched(&mut self, watch: &Watch, fault: Fault, change: Change) -> Flow {
        watch.look_at(&change);
        self.send(fault, change.clone()).await?;
        watch.look_on(&change).await;
        Ok(())
    }

    /// Waits until the server has done with every change, and judges by a requirement that each is
    /// there whole or not at all, for every reader, and stays so.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if a change cannot be looked for.
    ///
    /// # Panics
    ///
    /// If a reader panicked: its panic goes on here.
    pub async fn settle(&mut self, requirement: &'static str) -> Flow {
        for sent in &mut self.sent {
            let view = match (&mut sent.looking).await {
                Ok(view) => view?,
                Err(error) => match error.try_into_panic() {
                    Ok(panic) => std::panic::resume_unwind(panic),
                    Err(error) => return Err(Stop::Inconclusive(error.to_string())),
                },
            };
            let (seen, missed): (Vec<&Sight>, Vec<&Sight>) =
                view.last.iter().partition(|sight| sight.seen);
            sent.there = match (seen.is_empty(), missed.is_empty()) {
                (_, true) => Some(true),
                (true, false) => Some(false),
                (false, false) => None,
            };
            let effects = sent.change.effects();
            let way = way(&sent.exchange);
            if let (None, [one, ..], [other, ..]) = (sent.there, &*seen, &*missed) {
                let at = format!(
                    "{way}: {} answers show it, such as that about {}, and {} do not, such as that \
                     about {}",
                    seen.len(),
                    effects[one.effect].describe(),
                    missed.len(),
                    effects[other.effect].describe()
                );
                let shown = [&sent.exchange, &one.exchange, &other.exchange].map(Arc::clone);
                let what = "half of a change is left";
                self.faults.broken(requirement, what, at, shown);
            }
            if let Some((seen, missed)) = view.vanished {
                let at = format!(
                    "{way}: {} was seen, and {} ms later it was not",
                    effects[seen.effect].describe(),
                    (missed.exchange.started() - seen.exchange.ended()).as_millis()
                );
                let shown = [Arc::clone(&sent.exchange), seen.exchange, missed.exchange];
                self.faults
                    .broken(requirement, "what was seen is gone again", at, shown);
            }
            if Outcome::of(&sent.exchange) == Outcome::Ok && sent.there == Some(false) {
                let shown = missed.first().map(|missed| Arc::clone(&missed.exchange));
                let shown = [Arc::clone(&sent.exchange)].into_iter().chain(shown);
                let what = "a change that was answered 200 is not there";
                self.faults.broken(requirement, what, way, shown);
            }
        }
        Ok(())
    }

    /// Judges by a requirement that nothing is there of any change, since each was to be refused.
    pub fn nothing(&mut self, requirement: &'static str) {
        for sent in &self.sent {
            if sent.there != Some(false) {
                let shown = [Arc::clone(&sent.exchange)];
                let what = "something is there of a change that has to be refused";
                self.faults
                    .broken(requirement, what, way(&sent.exchange), shown);
            }
        }
    }

    /// What went wrong so far.
    pub fn faults(&mut self) -> &mut Faults {
        &mut self.faults
    }

    /// Judges all of it by these requirements; `held` is what the transcript says if all went well.
    pub fn end(self, requirements: &[&'static str], held: &str) {
        self.faults.end(&self.s, requirements, held);
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        self.looking.abort();
    }
}

/// What happened to a request on its way, in words.
pub(super) fn way(exchange: &Exchange) -> String {
    match exchange.fault() {
        Some(fault) => fault.to_string(),
        None => "nothing happened to the connection".to_owned(),
    }
}
