//! Which scenarios a run plays.

use wildmatch::WildMatch;

use crate::part::Shard;
use crate::scenario::{Given, Scenario, Tier};
use crate::scenarios;
use crate::target::Target;

/// The scenarios that a run plays, each with its number in the suite.
#[derive(Clone, Debug)]
pub struct Plan(Vec<(usize, &'static Scenario)>);

/// A scenario that a run does not play, since it was not given what that needs.
#[derive(Clone, Copy, Debug)]
pub struct LeftOut {
    /// The scenario.
    pub scenario: &'static Scenario,
    /// What the run was not given.
    pub lacks: Given,
}

/// Why there is nothing to play.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("no scenario matches {filters}; `lance-namespace-conformance list` names them all")]
pub struct EmptyPlan {
    filters: String,
}

/// Why a plan cannot be divided.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{scenarios} scenarios cannot be divided into {of} shards: each must have one at least")]
pub struct TooFew {
    scenarios: usize,
    of: u16,
}

impl Plan {
    /// The scenarios of any of these tiers whose name matches any of these patterns (`*` stands
    /// for anything, `?` for one character). No tiers are all tiers, no patterns all names.
    ///
    /// # Errors
    ///
    /// If no scenario is left, or a pattern matches none: a certificate over nothing is none.
    pub fn new(tiers: &[Tier], patterns: &[String]) -> Result<Self, EmptyPlan> {
        let in_tier = |scenario: &Scenario| tiers.is_empty() || tiers.contains(&scenario.tier);
        for pattern in patterns {
            let matcher = WildMatch::new(pattern);
            if !scenarios::all().any(|(_, scenario)| matcher.matches(scenario.id)) {
                return Err(EmptyPlan {
                    filters: pattern.clone(),
                });
            }
        }
        let matchers: Vec<WildMatch> = patterns.iter().map(|text| WildMatch::new(text)).collect();
        let named = |scenario: &Scenario| {
            matchers.is_empty() || matchers.iter().any(|matcher| matcher.matches(scenario.id))
        };
        let plan: Vec<(usize, &'static Scenario)> = scenarios::all()
            .filter(|(_, scenario)| in_tier(scenario) && named(scenario))
            .collect();
        if plan.is_empty() {
            let tiers = tiers.iter().map(|tier| format!("tier {tier}"));
            let filters: Vec<String> = patterns.iter().cloned().chain(tiers).collect();
            return Err(EmptyPlan {
                filters: filters.join(" and "),
            });
        }
        Ok(Self(plan))
    }

    /// One part of the plan, the same with every call: neighbours, which are alike and take as long, go
    /// to different shards. What looks at what all others have touched is in each.
    ///
    /// # Errors
    ///
    /// If there are fewer scenarios than shards.
    pub fn shard(&self, shard: Shard) -> Result<Self, TooFew> {
        let of = usize::from(shard.of);
        let (last, others): (Vec<_>, Vec<_>) = self
            .iter()
            .partition(|(_, scenario)| scenario.id == scenarios::LAST);
        if others.len() < of {
            return Err(TooFew {
                scenarios: others.len(),
                of: shard.of,
            });
        }
        let first = usize::from(shard.number) - 1;
        let own = others.into_iter().skip(first).step_by(of);
        Ok(Self(own.chain(last).collect()))
    }

    /// The names of the scenarios, in the suite's order.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        self.iter().map(|(_, scenario)| scenario.id).collect()
    }

    /// Takes out the scenarios that need more than this target gives; answers them, each with what
    /// it lacks.
    pub fn leave_out(&mut self, target: &Target) -> Vec<LeftOut> {
        let given = target.given();
        let lacks = |scenario: &Scenario| {
            let mut lacking = scenario.given.iter().copied();
            lacking.find(|needed| !given.contains(needed))
        };
        let left_out = self
            .iter()
            .filter_map(|(_, scenario)| {
                let lacks = lacks(scenario)?;
                Some(LeftOut { scenario, lacks })
            })
            .collect();
        self.retain(|scenario| lacks(scenario).is_none());
        left_out
    }

    /// Keeps only the scenarios for which this holds.
    pub fn retain(&mut self, keep: impl Fn(&Scenario) -> bool) {
        self.0.retain(|(_, scenario)| keep(scenario));
    }

    /// How many scenarios there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none. [`Plan::new`] refuses that, but all may have been left out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The scenarios, each with its number in the suite.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &'static Scenario)> {
        self.0.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_that_matches_nothing_is_an_error() {
        let nope = Plan::new(&[], &["nope*".to_owned()]).unwrap_err();
        assert!(nope.to_string().contains("nope*"));
        let elsewhere = Plan::new(&[Tier::Batch], &["put-if-not-exists/*".to_owned()]);
        assert!(elsewhere.is_err());
        let one_of_two = ["ordering/*".to_owned(), "nope".to_owned()];
        assert!(Plan::new(&[], &one_of_two).is_err());
    }

    #[test]
    fn shards_are_the_plan_each_scenario_once_and_of_one_size() {
        let whole = Plan::new(&[], &[]).unwrap();
        let shards: Vec<Plan> = (1..=4)
            .map(|number| whole.shard(Shard { number, of: 4 }).unwrap())
            .collect();
        let mut names: Vec<&str> = shards.iter().flat_map(Plan::names).collect();
        names.sort_unstable();
        names.dedup();
        let mut wanted = whole.names();
        wanted.sort_unstable();
        assert_eq!(names, wanted);
        let sizes: Vec<usize> = shards.iter().map(Plan::len).collect();
        // What looks at all others is in each.
        assert_eq!(sizes.iter().sum::<usize>(), whole.len() + 3);
        assert!(
            sizes.iter().all(|size| size.abs_diff(sizes[0]) <= 1),
            "{sizes:?}"
        );
        assert!(
            shards
                .iter()
                .all(|shard| shard.names().contains(&scenarios::LAST))
        );
        let few = Plan::new(&[], &["ordering/batch-answers-in-order".to_owned()]).unwrap();
        let error = few.shard(Shard { number: 2, of: 2 }).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("1 scenarios cannot be divided into 2")
        );
    }

    #[test]
    fn filters_choose_by_tier_and_name() {
        let plan = Plan::new(&[Tier::Versions], &["put-if-not-exists/*".to_owned()]).unwrap();
        assert!(plan.len() > 1);
        assert!(plan.iter().all(|(_, scenario)| {
            scenario.tier == Tier::Versions && scenario.id.starts_with("put-if-not-exists/")
        }));
    }
}
