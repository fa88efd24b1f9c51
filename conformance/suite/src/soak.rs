//! A soak: the workloads of a run, played over and over until its time is over.
//!
//! Each round plays every workload of the plan once, with a seed that is derived from the run's, and
//! judges it as ever; a round of a workload has a namespace and a history of its own, and both are
//! gone when it has ended, so that memory does not grow with time. The first violation ends the soak:
//! that round stands in the report in place of what the workload had come to before, with the seed
//! that plays it again. A round of which nothing can be told makes the run inconclusive, and the
//! soak goes on. A workload that is broken or unsupported before the soak begins is left out of it.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use futures::StreamExt;

use crate::plan::Plan;
use crate::play::{Played, Rules, Status, play_round};
use crate::run::Observer;
use crate::scenario::Scenario;
use crate::session::Session;
use crate::stage::{Round, Stage};

/// How a soak went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Soak {
    /// How many rounds there were; the last may have been cut short.
    pub rounds: u32,
}

/// Whether a scenario is a workload, which can be played over and over.
#[must_use]
pub fn is_workload(scenario: &Scenario) -> bool {
    scenario.id.starts_with("histories/")
}

/// Whether a plan has anything to be played over and over.
#[must_use]
pub fn has_workloads(plan: &Plan) -> bool {
    plan.iter().any(|(_, scenario)| is_workload(scenario))
}

/// A soak that is to begin.
pub(crate) struct Soaking<'a> {
    pub(crate) session: &'a Arc<Session>,
    pub(crate) until: Instant,
    pub(crate) jobs: usize,
    pub(crate) rules: &'a Rules,
    pub(crate) observer: &'a dyn Observer,
}

impl Soaking<'_> {
    /// Plays the workloads among these again, and replaces what comes out worse.
    pub(crate) async fn go_on(&self, played: &mut [(usize, Played)]) -> Soak {
        let mut soak = Soak { rounds: 0 };
        while Instant::now() < self.until
            && !self.rules.halt.is_told()
            && played.iter().any(can_go_on)
        {
            let begun = Instant::now();
            soak.rounds += 1;
            let round = Round {
                number: soak.rounds,
                seed: seed(self.session.seed(), soak.rounds),
                until: self.until,
            };
            let mut violated = false;
            for (number, again) in self.round(round, played).await {
                violated |= again.status == Status::Fail;
                let before = played.iter_mut().find(|(other, _)| *other == number);
                if let Some((_, before)) = before
                    && weight(again.status) > weight(before.status)
                {
                    *before = again;
                }
            }
            if violated {
                break;
            }
            self.observer.round_ended(round.number, begun.elapsed());
        }
        soak
    }

    async fn round(&self, round: Round, played: &[(usize, Played)]) -> Vec<(usize, Played)> {
        let stop = &AtomicBool::new(false);
        let workloads = played.iter().filter(|played| can_go_on(played));
        let workloads = workloads.map(|(number, played)| (*number, played.scenario));
        let rounds = futures::stream::iter(workloads.collect::<Vec<_>>())
            .map(|(number, scenario)| async move {
                if stop.load(Ordering::Relaxed) || Instant::now() >= self.until {
                    return None;
                }
                let (session, rules) = (Arc::clone(self.session), self.rules.clone());
                // A task of its own, so that workloads use all cores.
                let task = tokio::spawn(async move {
                    let played = play_round(&session, scenario, number, Some(round), &rules).await;
                    let home = Stage::place_of(&session, number, Some(round));
                    session.remove(&home).await;
                    played
                });
                let played = self.rules.halt.or_break_off(task).await?;
                if played.status == Status::Fail {
                    stop.store(true, Ordering::Relaxed);
                }
                Some((number, played))
            })
            .buffer_unordered(self.jobs.max(1))
            .filter_map(std::future::ready);
        rounds.collect().await
    }
}

/// The seed of a round, small enough to be typed again, and not the run's own.
pub(crate) fn seed(run: u64, round: u32) -> u64 {
    let mut hasher = DefaultHasher::new();
    (run, round).hash(&mut hasher);
    let seed = hasher.finish() & 0xffff_ffff;
    if seed == run { seed ^ 1 } else { seed }
}

fn can_go_on((_, played): &(usize, Played)) -> bool {
    is_workload(played.scenario) && !matches!(played.status, Status::Fail | Status::Unsupported)
}

/// Which status stands for a workload that came out in several ways.
fn weight(status: Status) -> u8 {
    match status {
        Status::Pass | Status::Unsupported => 0,
        Status::Warn => 1,
        Status::Error => 2,
        Status::Fail => 3,
    }
}
