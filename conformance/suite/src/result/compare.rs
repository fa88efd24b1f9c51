//! Two results side by side: two releases of a server, or two servers.

use std::collections::{BTreeMap, BTreeSet};

use crate::play::Status;
use crate::requirement::Level;
use crate::result::{RunResult, ScenarioResult};
use crate::run::{TierOutcome, Verdict};
use crate::scenario::Tier;

/// How one thing of the second result is against the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// It is worse.
    Worse,
    /// It is another, and neither worse nor better.
    Other,
    /// It is better.
    Better,
}

impl Change {
    /// The change's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Worse => "worse",
            Self::Other => "other",
            Self::Better => "better",
        }
    }
}

/// A scenario that came out otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedScenario {
    /// Its name.
    pub id: String,
    /// How it came out first; none if it was not played.
    pub was: Option<Status>,
    /// How it came out then.
    pub is: Option<Status>,
    /// Which of them is better.
    pub change: Change,
}

/// A finding, by what makes two the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FindingKey {
    /// The requirement.
    pub requirement: String,
    /// How much it weighs.
    pub level: Level,
    /// The scenario that shows it.
    pub scenario: String,
}

/// Two results side by side.
#[derive(Clone, Debug)]
pub struct Comparison<'a> {
    /// The first.
    pub first: &'a RunResult,
    /// The second.
    pub second: &'a RunResult,
    /// Every tier of either, and its outcomes.
    pub tiers: BTreeMap<Tier, [Option<TierOutcome>; 2]>,
    /// The scenarios that came out otherwise, by their change, then by what they were and are.
    pub scenarios: Vec<ChangedScenario>,
    /// The findings that only the second has.
    pub new: Vec<FindingKey>,
    /// The findings that only the first has.
    pub gone: Vec<FindingKey>,
    /// The findings that both have.
    pub both: Vec<FindingKey>,
}

impl<'a> Comparison<'a> {
    /// Compares the second result with the first.
    #[must_use]
    pub fn of(first: &'a RunResult, second: &'a RunResult) -> Self {
        let mut tiers: BTreeMap<Tier, [Option<TierOutcome>; 2]> = BTreeMap::new();
        for (side, result) in [first, second].into_iter().enumerate() {
            for (tier, outcome) in &result.server.tiers {
                tiers.entry(*tier).or_default()[side] = Some(*outcome);
            }
        }
        let (then, now) = (findings(first), findings(second));
        let only = |these: &BTreeSet<FindingKey>, others: &BTreeSet<FindingKey>| {
            these.difference(others).cloned().collect()
        };
        Self {
            first,
            second,
            tiers,
            scenarios: changed(first, second),
            new: only(&now, &then),
            gone: only(&then, &now),
            both: then.intersection(&now).cloned().collect(),
        }
    }

    /// How many scenarios changed so.
    #[must_use]
    pub fn count(&self, change: Change) -> usize {
        let scenarios = self.scenarios.iter();
        scenarios.filter(|changed| changed.change == change).count()
    }

    /// Whether the second is worse: in a scenario that both speak of, in what was played, by a new
    /// finding in a scenario that both played, or since nothing can be said where a verdict stood.
    #[must_use]
    pub fn worse(&self) -> bool {
        let told = |result: &RunResult| result.verdict != Verdict::Inconclusive;
        let judged_before = |finding: &&FindingKey| {
            let scenario = scenario(self.first, &finding.scenario);
            scenario.is_some_and(|scenario| judged(scenario.status))
        };
        self.count(Change::Worse) > 0
            || self.new.iter().any(|finding| judged_before(&finding))
            || (told(self.first) && !told(self.second))
    }
}

fn scenario<'a>(result: &'a RunResult, id: &str) -> Option<&'a ScenarioResult> {
    result.scenarios.iter().find(|scenario| scenario.id == id)
}

fn judged(status: Status) -> bool {
    matches!(status, Status::Pass | Status::Warn | Status::Fail)
}

fn findings(result: &RunResult) -> BTreeSet<FindingKey> {
    let scenarios = result.scenarios.iter();
    let of_scenario = |scenario: &'_ ScenarioResult| {
        let key = |level, requirement: &str| FindingKey {
            requirement: requirement.to_owned(),
            level,
            scenario: scenario.id.clone(),
        };
        let findings = scenario.findings.iter();
        findings
            .map(|finding| key(finding.level, &finding.requirement))
            .collect::<Vec<_>>()
    };
    scenarios.flat_map(of_scenario).collect()
}

fn changed(first: &RunResult, second: &RunResult) -> Vec<ChangedScenario> {
    let statuses = |result: &RunResult| -> BTreeMap<String, Status> {
        let scenarios = result.scenarios.iter();
        scenarios
            .map(|scenario| (scenario.id.clone(), scenario.status))
            .collect()
    };
    let (then, now) = (statuses(first), statuses(second));
    let ids: BTreeSet<&String> = then.keys().chain(now.keys()).collect();
    let mut changed: Vec<ChangedScenario> = ids
        .into_iter()
        .map(|id| (id, then.get(id).copied(), now.get(id).copied()))
        .filter(|(_, was, is)| was != is)
        .map(|(id, was, is)| ChangedScenario {
            id: id.clone(),
            was,
            is,
            change: change(was, is),
        })
        .collect();
    changed.sort_by(|a, b| (a.change, a.was, a.is, &a.id).cmp(&(b.change, b.was, b.is, &b.id)));
    changed
}

/// What a change of status says. A server that no longer has what it did wrong is another, not a better
/// one; one that no longer has, or tells, what it did right is worse.
fn change(was: Option<Status>, is: Option<Status>) -> Change {
    use Status::{Error, Fail, Pass, Unsupported, Warn};
    let right = |status| matches!(status, Some(Pass | Warn));
    match (was, is) {
        (Some(Warn | Fail), Some(Pass)) | (Some(Fail), Some(Warn)) => Change::Better,
        (Some(Unsupported | Error), now) if right(now) => Change::Better,
        (Some(Pass | Warn), Some(Fail)) | (Some(Pass), Some(Warn)) => Change::Worse,
        (then, None | Some(Unsupported | Error)) if right(then) => Change::Worse,
        (Some(Unsupported), Some(Fail | Error)) => Change::Worse,
        _ => Change::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture::result;

    #[test]
    fn a_result_is_no_worse_than_itself() {
        let result = result();
        let comparison = Comparison::of(&result, &result);
        assert!(!comparison.worse() && comparison.scenarios.is_empty());
        assert_eq!(comparison.both.len(), 2);
    }

    #[test]
    fn what_holds_no_more_is_worse_and_what_holds_now_better() {
        let (before, mut after) = (result(), result());
        after.scenarios[0].status = Status::Pass;
        after.scenarios[0].findings.clear();
        let better = Comparison::of(&before, &after);
        assert!(!better.worse());
        assert_eq!(better.count(Change::Better), 1);
        assert_eq!(better.gone[0].requirement, "VER-2");
        let worse = Comparison::of(&after, &before);
        assert!(worse.worse());
        assert_eq!(worse.new, better.gone);
    }

    #[test]
    fn what_is_played_no_more_is_worse_only_if_it_was_right() {
        let before = result();
        let without = |id: &str| {
            let mut after = result();
            after.scenarios.retain(|scenario| scenario.id != id);
            after
        };
        assert!(Comparison::of(&before, &without("a/c")).worse());
        assert!(!Comparison::of(&before, &without("a/b")).worse());
        assert!(!Comparison::of(&without("a/b"), &before).worse());
    }
}
