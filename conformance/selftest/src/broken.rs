//! A broken service of any kind, and how the suite is run against it.

use lance_namespace_suite::plan::{EmptyPlan, Plan};
use lance_namespace_suite::run::Run;
use lance_namespace_suite::scenario::{Given, Scenario, Tier};

use crate::mutant::Mutant;
use crate::mutants;
use crate::mutants::recovery::{self, KeptBadly};
use crate::mutants::replicas::{self, TwoNodes};
use crate::settings::{command, trial_of_two_nodes, trial_with_kills};
use crate::trial::trial;

/// How often each scenario kills a server.
const KILLS: usize = 5;

/// A broken service.
#[derive(Clone, Copy, Debug)]
pub enum Broken {
    /// A server behind a layer.
    Behind(&'static Mutant),
    /// A server that keeps its catalog badly, which shows when it is killed.
    Killed(&'static KeptBadly),
    /// Two nodes over one catalog.
    TwoNodes(&'static TwoNodes),
}

/// What the suite must say of a broken service.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    /// What the service does, in kebab case.
    pub name: &'static str,
    /// The scenarios that must find it, as patterns.
    pub scenarios: &'static [&'static str],
    /// The requirements that must be reported as broken.
    pub breaks: &'static [&'static str],
    /// The requirements that may be reported besides; no others.
    pub may_break: &'static [&'static str],
    /// The requirements that must be warned of.
    pub warns: &'static [&'static str],
}

impl Broken {
    /// Every broken service.
    pub fn all() -> impl Iterator<Item = Self> {
        mutants::all()
            .map(Self::Behind)
            .chain(recovery::MUTANTS.iter().map(Self::Killed))
            .chain(replicas::MUTANTS.iter().map(Self::TwoNodes))
    }

    /// What the suite must say of it.
    #[must_use]
    pub fn expected(self) -> Expected {
        match self {
            Self::Behind(mutant) => Expected {
                name: mutant.name,
                scenarios: mutant.scenarios,
                breaks: mutant.breaks,
                may_break: mutant.may_break,
                warns: mutant.warns,
            },
            Self::Killed(kept) => Expected {
                name: kept.name,
                scenarios: kept.scenarios,
                breaks: kept.breaks,
                may_break: kept.may_break,
                warns: &[],
            },
            Self::TwoNodes(nodes) => Expected {
                name: nodes.name,
                scenarios: nodes.scenarios,
                breaks: nodes.breaks,
                may_break: &[],
                warns: nodes.warns,
            },
        }
    }

    /// The scenarios that must find it.
    ///
    /// # Errors
    ///
    /// If it names one that there is not.
    pub fn own_plan(self) -> Result<Plan, EmptyPlan> {
        let patterns = self.expected().scenarios.iter();
        Plan::new(&[], &patterns.map(ToString::to_string).collect::<Vec<_>>())
    }

    /// Those of a plan that its fault can show in: a fault of rows shows in the tier of rows, any other in
    /// the other tiers, and only servers that are killed tell something of kills.
    ///
    /// # Panics
    ///
    /// If it names a scenario that there is not.
    #[must_use]
    pub fn plan_of(self, plan: &Plan) -> Plan {
        let own = self.own_plan().expect("a mutant names scenarios");
        let of_rows = |scenario: &Scenario| scenario.tier == Tier::Data;
        let with_rows = own.iter().any(|(_, scenario)| of_rows(scenario));
        let without = own.iter().any(|(_, scenario)| !of_rows(scenario));
        let concerns = |scenario: &Scenario| match self {
            Self::Behind(_) if of_rows(scenario) => with_rows,
            Self::Behind(_) => without,
            Self::Killed(_) => scenario.given.contains(&Given::ServerCommand),
            Self::TwoNodes(_) => scenario.given.contains(&Given::Replica),
        };
        let mut plan = plan.clone();
        plan.retain(concerns);
        plan
    }

    /// Runs a plan against it. `broken_server` are the words that start servers to be killed.
    ///
    /// # Panics
    ///
    /// If the run cannot begin: there is nothing to test then.
    pub async fn trial(self, plan: &Plan, seed: u64, broken_server: &[&str]) -> Run {
        match self {
            Self::Behind(mutant) => trial(plan, seed, mutant.wrap).await,
            Self::Killed(kept) => {
                trial_with_kills(plan, seed, command(broken_server, kept.name, KILLS)).await
            }
            Self::TwoNodes(nodes) => trial_of_two_nodes(plan, seed, nodes.wrap).await,
        }
    }
}
