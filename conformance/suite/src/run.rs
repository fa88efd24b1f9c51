//! A whole run: every planned scenario, the verdict, and the clean-up.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use futures::StreamExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cleanup::Leftovers;
use crate::expectation::{Entry, Expectations, Judgement, Known};
use crate::part::Part;
use crate::plan::{LeftOut, Plan};
use crate::play::{Played, Rules, Status, play_patiently};
use crate::scenario::{Scenario, Tier};
use crate::scenarios;
use crate::session::{OpenError, Session};
use crate::soak::{Soak, Soaking};
use crate::target::Target;
use crate::timing::Timing;

/// What no run outlasts: beyond it, moments cannot be told.
pub(crate) const CENTURY: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// What a run says of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Everything that was planned was played, and every demanded requirement held.
    Conformant,
    /// As conformant, except for failures that are known and accepted.
    Excepted,
    /// Nothing fails that was never accepted, but an expectation is stale: it matches nothing, does not
    /// fail any more, or was accepted until a day that is over.
    Stale,
    /// A demanded requirement is broken.
    Violation,
    /// Nothing can be said: less was played than planned, or nothing at all.
    Inconclusive,
}

/// How one tier came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TierOutcome {
    /// Every demanded requirement of it held.
    Conformant,
    /// What does not hold of it is known and accepted.
    Excepted,
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
    /// When it began.
    pub began: SystemTime,
    /// Every scenario that was asked for, by name, in the suite's order: of a run that was divided, those
    /// of the other parts, too.
    pub plan: Vec<&'static str>,
    /// Which part of it was played; none if all of it was.
    pub part: Option<PlayedPart>,
    /// How many of them were planned.
    pub planned: usize,
    /// The scenarios that were not planned, since the run was not given what they need.
    pub left_out: Vec<LeftOut>,
    /// Every scenario that was played, in the plan's order.
    pub played: Vec<Played>,
    /// The tiers that the server claims to have; none if they were probed.
    pub claimed: Vec<Tier>,
    /// What came of the expectations.
    pub judgement: Judgement,
    /// Whether the run was told to end before its last scenario.
    pub interrupted: bool,
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

/// The part of a plan that a run played.
#[derive(Clone, Debug)]
pub struct PlayedPart {
    /// Which part.
    pub part: Part,
    /// The scenarios of it, by name, in the suite's order.
    pub scenarios: Vec<&'static str>,
    /// What was said to be known to fail in the whole.
    pub expectations: Vec<Entry>,
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
    let (began, begun) = (SystemTime::now(), Instant::now());
    let url = target.display_url();
    let asked_for = plan.names();
    let mut plan = plan.clone();
    let left_out = plan.leave_out(&target);
    let session = match &rules.part {
        Some(part) => Session::open_as(target, seed, Part::run_name(part.shard, seed)).await?,
        None => Session::open(target, seed).await?,
    };
    let failed = AtomicBool::new(false);
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
                let (session, own_rules) = (Arc::clone(&session), rules.clone());
                let (failed, halt) = (&failed, &rules.halt);
                async move {
                    if halt.is_told() || failed.load(Ordering::Relaxed) {
                        return None;
                    }
                    observer.begins(scenario);
                    // A task of its own, so that scenarios use all cores.
                    let task = tokio::spawn(async move {
                        play_patiently(&session, scenario, number, &own_rules).await
                    });
                    // A scenario that is missing makes the run inconclusive.
                    let played = halt.or_break_off(task).await?;
                    if rules.fail_fast && fails(&rules.expectations, &played) {
                        failed.store(true, Ordering::Relaxed);
                    }
                    observer.ended(&played);
                    Some((number, played))
                }
            })
            .buffer_unordered(jobs.max(1))
            .filter_map(std::future::ready);
        played.extend(batch.collect::<Vec<_>>().await);
    }
    let ended = Ended {
        url,
        began,
        begun,
        asked_for,
        left_out,
        played,
        soak: soaked,
    };
    Ok(ended.conclude(&session, rules).await)
}

/// What was played, before it is judged.
pub(crate) struct Ended {
    pub(crate) url: String,
    pub(crate) began: SystemTime,
    pub(crate) begun: Instant,
    /// The scenarios that were asked for, by name, in the suite's order.
    pub(crate) asked_for: Vec<&'static str>,
    /// Those of them that were not planned.
    pub(crate) left_out: Vec<LeftOut>,
    /// Those that were played, each with its number.
    pub(crate) played: Vec<(usize, Played)>,
    pub(crate) soak: Option<Soak>,
}

impl Ended {
    /// Judges what was played, and removes what that made.
    pub(crate) async fn conclude(self, session: &Session, rules: &Rules) -> Run {
        let Self {
            url,
            began,
            begun,
            asked_for,
            mut left_out,
            mut played,
            soak,
        } = self;
        played.sort_by_key(|(number, _)| *number);
        played.retain(|(_, played)| {
            let scenario = played.scenario;
            let lacking = played.lacks.map(|lacks| LeftOut { scenario, lacks });
            left_out.extend(lacking);
            lacking.is_none()
        });
        let played: Vec<Played> = played.into_iter().map(|(_, played)| played).collect();
        let judgement = rules.expectations.judge(&played, &left_out);
        let leftovers = session.clean_up().await;
        let planned = asked_for.len().saturating_sub(left_out.len());
        let part = rules.part.clone();
        let plan = match &part {
            Some(part) => part.whole.names(),
            None => asked_for.clone(),
        };
        Run {
            name: session.run().to_owned(),
            seed: session.seed(),
            url,
            began,
            plan,
            part: part.map(|part| PlayedPart {
                part,
                scenarios: asked_for,
                expectations: rules.expectations.entries().to_vec(),
            }),
            planned,
            left_out,
            claimed: rules.claimed.clone(),
            judgement,
            interrupted: rules.halt.is_told(),
            played,
            leftovers,
            manifests_out_of_reach: session.manifests_out_of_reach().map(str::to_owned),
            soak,
            timings: session.timings(),
            requests: session.requests(),
            took: begun.elapsed(),
        }
    }
}

impl Run {
    /// Which part of the plan was played, in words such as `shard 1 of 4`; none if all of it was.
    #[must_use]
    pub fn part_words(&self) -> Option<String> {
        let played = self.part.as_ref()?;
        let (own, whole) = (played.scenarios.len(), self.plan.len());
        Some(Part::words(played.part.shard, own, whole))
    }

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
        let is_violation = |played: &Played| {
            played.status == Status::Fail
                && self.known(played).is_none()
                && !self.judgement.lapsed.contains(&played.scenario.id)
        };
        if self.interrupted {
            Verdict::Inconclusive
        } else if self.played.iter().any(is_violation) {
            Verdict::Violation
        } else if self.executed() < self.planned || !self.played.iter().any(judged) {
            Verdict::Inconclusive
        } else if !self.judgement.stale.is_empty() {
            Verdict::Stale
        } else if !self.judgement.known.is_empty() {
            Verdict::Excepted
        } else {
            Verdict::Conformant
        }
    }

    /// What is known of a scenario's failure; none if it did not fail, or nobody knows.
    #[must_use]
    pub fn known(&self, played: &Played) -> Option<&Known> {
        let mut known = self.judgement.known.iter();
        known.find(|known| known.scenario == played.scenario.id)
    }

    /// How each tier that was played came out.
    #[must_use]
    pub fn tiers(&self) -> BTreeMap<Tier, TierOutcome> {
        let mut statuses: BTreeMap<Tier, Vec<(Status, bool)>> = BTreeMap::new();
        for played in &self.played {
            let of_tier = statuses.entry(played.scenario.tier).or_default();
            if !lacks_elsewhere(played) {
                of_tier.push((played.status, self.known(played).is_some()));
            }
        }
        for played in self.played.iter().filter(|played| lacks_elsewhere(played)) {
            for operation in &played.lacking {
                if let Some(of_tier) = statuses.get_mut(&Tier::of(operation)) {
                    of_tier.push((Status::Unsupported, false));
                }
            }
        }
        statuses
            .into_iter()
            .map(|(tier, statuses)| (tier, outcome(&statuses)))
            .collect()
    }

    /// The scenarios of a tier that were not played for want of an operation of another one, which takes
    /// nothing from the tier; each with the operations.
    pub fn without(&self, tier: Tier) -> impl Iterator<Item = &Played> {
        self.played
            .iter()
            .filter(move |played| played.scenario.tier == tier && lacks_elsewhere(played))
    }
}

/// Whether a scenario was not played, and its own tier is not to blame.
fn lacks_elsewhere(played: &Played) -> bool {
    let tier = played.scenario.tier;
    played.status == Status::Unsupported
        && !played.lacking.is_empty()
        && !played
            .lacking
            .iter()
            .any(|operation| tier.stands_on(operation))
}

/// How a tier came out whose scenarios came out so, each with whether its failure is known.
fn outcome(statuses: &[(Status, bool)]) -> TierOutcome {
    let has = |wanted: Status| statuses.iter().any(|(status, _)| *status == wanted);
    let lacking = |(status, _): &(Status, bool)| *status == Status::Unsupported;
    if statuses.contains(&(Status::Fail, false)) {
        TierOutcome::Violation
    } else if has(Status::Error) {
        TierOutcome::Inconclusive
    } else if statuses.iter().all(lacking) {
        TierOutcome::Unsupported
    } else if statuses.iter().any(lacking) {
        TierOutcome::Partial
    } else if has(Status::Fail) {
        TierOutcome::Excepted
    } else {
        TierOutcome::Conformant
    }
}

/// Whether a scenario failed in a way that nobody knows.
fn fails(expectations: &Expectations, played: &Played) -> bool {
    played.status == Status::Fail && expectations.accepts(played).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Status::{Error, Fail, Pass, Unsupported, Warn};

    #[test]
    fn a_tier_is_no_better_than_its_worst_scenario() {
        let of = |statuses: &[Status], known: bool| {
            let statuses = statuses.iter().map(|status| (*status, known));
            outcome(&statuses.collect::<Vec<_>>())
        };
        for (statuses, expected) in [
            (&[Pass, Warn][..], TierOutcome::Conformant),
            (&[Pass, Unsupported], TierOutcome::Partial),
            (&[Unsupported], TierOutcome::Unsupported),
            (&[Pass, Error, Unsupported], TierOutcome::Inconclusive),
            (&[Pass, Error, Fail], TierOutcome::Violation),
        ] {
            assert_eq!(of(statuses, false), expected, "{statuses:?}");
        }
        assert_eq!(of(&[Pass, Fail], true), TierOutcome::Excepted);
        assert_eq!(of(&[Fail, Error], true), TierOutcome::Inconclusive);
    }
}
