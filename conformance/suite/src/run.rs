//! A whole run: every planned scenario, the verdict, and the clean-up.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt;
use serde::{Deserialize, Serialize};

use crate::cleanup::Leftovers;
use crate::plan::{LeftOut, Plan};
use crate::play::{Played, Rules, Status, play};
use crate::scenario::{Scenario, Tier};
use crate::scenarios;
use crate::session::{OpenError, Session};
use crate::soak::{Soak, Soaking};
use crate::target::Target;
use crate::timing::Timing;

/// What no run outlasts: beyond it, moments cannot be told.
const CENTURY: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// What a run says of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Everything that was planned was played, and every demanded requirement held.
    Conformant,
    /// A demanded requirement is broken.
    Violation,
    /// Nothing can be said: less was played than planned, or nothing at all.
    Inconclusive,
}

/// How one tier came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TierOutcome {
    /// Every demanded requirement of it held.
    Conformant,
    /// Some do not hold.
    Violation,
    /// The server lacks a part of it; what it has holds.
    Partial,
    /// The server lacks it.
    Unsupported,
    /// Something could not be told.
    Inconclusive,
}

/// A run that ended.
#[derive(Clone, Debug)]
pub struct Run {
    /// The run's name, which stands in its namespace's name.
    pub name: String,
    /// The seed.
    pub seed: u64,
    /// The server's URL.
    pub url: String,
    /// How many scenarios were planned.
    pub planned: usize,
    /// The scenarios that were not planned, since the run was not given what they need.
    pub left_out: Vec<LeftOut>,
    /// Every scenario that was played, in the plan's order.
    pub played: Vec<Played>,
    /// What the run could not remove.
    pub leftovers: Leftovers,
    /// Why staging manifests are not real files; none if they are.
    pub manifests_out_of_reach: Option<String>,
    /// How often the workloads were played again, if a duration was asked for.
    pub soak: Option<Soak>,
    /// How long the answers to each operation took, by the operation's name.
    pub timings: Vec<Timing>,
    /// How many requests were sent.
    pub requests: u64,
    /// How long it took.
    pub took: Duration,
}

/// Who is told how a run goes on.
pub trait Observer: Sync {
    /// A scenario begins.
    fn begins(&self, scenario: &'static Scenario);
    /// A scenario has ended.
    fn ended(&self, played: &Played);
    /// The workloads have been played once more, without a violation.
    fn round_ended(&self, _number: u32, _took: Duration) {}
}

/// Plays a plan against a server, up to `jobs` scenarios at a time, and removes what it made.
///
/// # Errors
///
/// If the run cannot begin.
pub async fn certify(
    target: Target,
    plan: &Plan,
    seed: u64,
    jobs: usize,
    rules: &Rules,
    observer: &dyn Observer,
) -> Result<Run, OpenError> {
    let begun = Instant::now();
    let url = target.display_url();
    let mut plan = plan.clone();
    let mut left_out = plan.leave_out(&target);
    let session = Session::open(target, seed).await?;
    let (last, others): (Vec<_>, Vec<_>) = plan
        .iter()
        .partition(|(_, scenario)| scenario.id == scenarios::LAST);
    let mut played: Vec<(usize, Played)> = Vec::new();
    let mut soaked = None;
    for (turn, scenarios) in [others, last].into_iter().enumerate() {
        if let (1, Some(duration)) = (turn, rules.duration) {
            let soak = Soaking {
                session: &session,
                until: begun + duration.min(CENTURY),
                jobs,
                rules,
                observer,
            };
            soaked = Some(soak.go_on(&mut played).await);
        }
        let batch = futures::stream::iter(scenarios)
            .map(|(number, scenario)| {
                let (session, rules) = (Arc::clone(&session), rules.clone());
                async move {
                    observer.begins(scenario);
                    // A task of its own, so that scenarios use all cores.
                    let task =
                        tokio::spawn(async move { play(&session, scenario, number, &rules).await });
                    // A scenario that is missing makes the run inconclusive.
                    let played = task.await.ok()?;
                    observer.ended(&played);
                    Some((number, played))
                }
            })
            .buffer_unordered(jobs.max(1))
            .filter_map(std::future::ready);
        played.extend(batch.collect::<Vec<_>>().await);
    }
    played.sort_by_key(|(number, _)| *number);
    let mut planned = plan.len();
    played.retain(|(_, played)| {
        let scenario = played.scenario;
        let lacking = played.lacks.map(|lacks| LeftOut { scenario, lacks });
        planned -= usize::from(lacking.is_some());
        left_out.extend(lacking);
        lacking.is_none()
    });
    let leftovers = session.clean_up().await;
    Ok(Run {
        name: session.run().to_owned(),
        seed,
        url,
        planned,
        left_out,
        played: played.into_iter().map(|(_, played)| played).collect(),
        leftovers,
        manifests_out_of_reach: session.manifests_out_of_reach().map(str::to_owned),
        soak: soaked,
        timings: session.timings(),
        requests: session.requests(),
        took: begun.elapsed(),
    })
}

impl Run {
    /// How many scenarios came to an end that says something of the server.
    #[must_use]
    pub fn executed(&self) -> usize {
        let told = |played: &&Played| played.status != Status::Error;
        self.played.iter().filter(told).count()
    }

    /// What the run says of the server.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let judged = |played: &Played| played.status != Status::Unsupported;
        if self.has(Status::Fail) {
            Verdict::Violation
        } else if self.executed() < self.planned || !self.played.iter().any(judged) {
            Verdict::Inconclusive
        } else {
            Verdict::Conformant
        }
    }

    fn has(&self, status: Status) -> bool {
        self.played.iter().any(|played| played.status == status)
    }

    /// How each tier that was played came out.
    #[must_use]
    pub fn tiers(&self) -> BTreeMap<Tier, TierOutcome> {
        let mut statuses: BTreeMap<Tier, Vec<Status>> = BTreeMap::new();
        for played in &self.played {
            statuses
                .entry(played.scenario.tier)
                .or_default()
                .push(played.status);
        }
        statuses
            .into_iter()
            .map(|(tier, statuses)| (tier, outcome(&statuses)))
            .collect()
    }
}

fn outcome(statuses: &[Status]) -> TierOutcome {
    let lacking = |status: &Status| *status == Status::Unsupported;
    if statuses.contains(&Status::Fail) {
        TierOutcome::Violation
    } else if statuses.contains(&Status::Error) {
        TierOutcome::Inconclusive
    } else if statuses.iter().all(lacking) {
        TierOutcome::Unsupported
    } else if statuses.iter().any(lacking) {
        TierOutcome::Partial
    } else {
        TierOutcome::Conformant
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Status::{Error, Fail, Pass, Unsupported, Warn};

    #[test]
    fn a_tier_is_no_better_than_its_worst_scenario() {
        assert_eq!(outcome(&[Pass, Warn]), TierOutcome::Conformant);
        assert_eq!(outcome(&[Pass, Unsupported]), TierOutcome::Partial);
        assert_eq!(outcome(&[Unsupported]), TierOutcome::Unsupported);
        assert_eq!(
            outcome(&[Pass, Error, Unsupported]),
            TierOutcome::Inconclusive
        );
        assert_eq!(outcome(&[Pass, Error, Fail]), TierOutcome::Violation);
    }
}
