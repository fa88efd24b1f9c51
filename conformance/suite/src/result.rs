//! The result of a run: what `--json` writes, what the reports show, and what other programs read.
//!
//! Its structure is described by a JSON Schema, `result.schema.json` beside this crate's manifest, which
//! is made of the types here: their documentation is its descriptions.

mod compare;
mod digest;
mod exchange;
mod merge;
mod origin;
mod part;
mod read;
mod verify;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

pub use compare::{Change, ChangedScenario, Comparison, FindingKey};
pub use exchange::{ExchangeResult, RequestResult, ResponseResult};
pub use merge::{MergeError, Merged, Named};
pub use origin::{Environment, Suite};
pub use part::{MergedPart, PartResult};
pub use read::ReadError;
pub use verify::Verified;

use crate::expectation::{Entry, Stale};
use crate::golden;
use crate::log::Finding;
use crate::play::{Played, Status};
use crate::requirement::Level;
use crate::run::{Run, TierOutcome, Verdict};
use crate::scenario::{Given, Tier};
use crate::target::Target;
use crate::timing::Timing;

/// The version of the result's structure.
pub const SCHEMA: u32 = 3;

/// The result of a run of the Lance Namespace conformance suite.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RunResult {
    /// The version of this structure: 3.
    #[schemars(range(min = 3, max = 3))]
    pub schema: u32,
    /// The suite that was played.
    pub suite: Suite,
    /// When, where and by which command it was played.
    pub environment: Environment,
    /// What the run says of the server.
    pub verdict: Verdict,
    /// Every scenario that was asked for, by name, in the suite's order: those that were left out,
    /// too, and of a run that was divided those of all parts.
    pub plan: Vec<String>,
    /// Which part of the plan was played: the verdict and the tiers then speak of that part only, and
    /// certify nothing. None if it is the result of a whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<PartResult>,
    /// The results that this one was merged from, if the run was divided.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<MergedPart>,
    /// How many scenarios were planned: those of the plan, or of its part, that were not left out.
    pub planned: usize,
    /// The scenarios that were not planned, since the run was not given what they need.
    pub left_out: Vec<LeftOutResult>,
    /// How many scenarios came to an end that says something of the server.
    pub executed: usize,
    /// The seed.
    pub seed: u64,
    /// The run's name, which stands in its namespace's name.
    pub run: String,
    /// The server.
    pub server: Server,
    /// How many requests were sent.
    pub requests: u64,
    /// How long the run took, in seconds: all parts together if it was divided.
    pub seconds: f64,
    /// How often the workloads were played again; none if no duration was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soak_rounds: Option<u32>,
    /// How long the answers to each operation took, by its name.
    #[serde(default)]
    pub operations: BTreeMap<String, OperationResult>,
    /// Why staging manifests were not real files; none if they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifests_out_of_reach: Option<String>,
    /// What is known to fail, and what is the matter with what is said to.
    #[serde(default, skip_serializing_if = "ExpectationsResult::is_empty")]
    pub expectations: ExpectationsResult,
    /// Whether the run was told to end before its last scenario.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// What the run could not remove.
    pub leftovers: Vec<String>,
    /// Every scenario that was played, in the plan's order.
    pub scenarios: Vec<ScenarioResult>,
    /// Digests of the parts, so that it can be told which was altered: of each other field by its name,
    /// and of each scenario as `scenario NAME`. Each is the first 16 digits of what `digest` says of the
    /// whole.
    #[serde(default)]
    pub digests: BTreeMap<String, String>,
    /// SHA-256, in hexadecimal, of everything else, written as JSON without spaces and with the names in
    /// each object sorted. Whoever alters a result can make another digest: it is no signature.
    pub digest: String,
}

/// What came of the expectations.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ExpectationsResult {
    /// The failures that are known and accepted.
    pub known: Vec<KnownResult>,
    /// The entries that must be taken out or changed.
    pub stale: Vec<Stale>,
}

/// A scenario that failed as it is known to.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct KnownResult {
    /// The scenario.
    pub scenario: String,
    /// The entries that say so.
    pub entries: Vec<Entry>,
}

/// The server that a run was against.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Server {
    /// Its URL, without a password.
    pub url: String,
    /// How each tier that was played came out.
    pub tiers: BTreeMap<Tier, TierOutcome>,
}

/// A scenario that was not planned.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LeftOutResult {
    /// The scenario.
    pub id: String,
    /// What the run was not given.
    pub lacks: Given,
}

/// How long the answers to one operation took: information, by which nothing is judged.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OperationResult {
    /// How many answers there were.
    pub answers: u64,
    /// How many there were a second, over the whole run.
    pub per_second: f64,
    /// Half of them came within so many microseconds.
    pub p50_micros: u64,
    /// Nine in ten came within so many.
    pub p90_micros: u64,
    /// 99 in a hundred came within so many.
    pub p99_micros: u64,
    /// The slowest took so many.
    pub max_micros: u64,
}

/// A scenario that was played.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ScenarioResult {
    /// Its name.
    pub id: String,
    /// What must hold.
    pub title: String,
    /// The tier it belongs to.
    pub tier: Tier,
    /// How it came out.
    pub status: Status,
    /// The requirements that it checks.
    pub requirements: Vec<String>,
    /// Why it is unsupported or in error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The operations that the server lacks of those that the scenario needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacking: Vec<String>,
    /// The requirements that were broken.
    pub findings: Vec<FindingResult>,
    /// The choices that the server took where it has one.
    pub observations: Vec<ObservationResult>,
    /// What the scenario wrote down, one line a step.
    pub transcript: Vec<String>,
    /// What it writes down against an honest server, where that is not the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub golden: Option<Vec<String>>,
    /// The seed that plays it again: the run's, or that of the round of a soak.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// How it came out when it was played again, since it is known to fail now and then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<Status>,
    /// How long it took, in seconds.
    pub seconds: f64,
}

/// A requirement that was broken, and what shows it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FindingResult {
    /// The requirement.
    pub requirement: String,
    /// How much it weighs.
    pub level: Level,
    /// What an honest server does.
    pub expected: String,
    /// What this one did.
    pub actual: String,
    /// The requests that show it, without secrets.
    pub exchanges: Vec<ExchangeResult>,
    /// A picture of the answers that fit into no order, as SVG.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline: Option<String>,
}

/// A choice that the server took where the specification leaves it one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ObservationResult {
    /// The requirement that leaves it open.
    pub requirement: String,
    /// The choice.
    pub choice: String,
}

impl RunResult {
    /// The result of a run against this server. It is to be [sealed](Self::sealed) when nothing is to be
    /// added to it.
    #[must_use]
    pub fn new(run: &Run, target: &Target) -> Self {
        let scenarios = run.played.iter();
        let scenarios = scenarios.map(|played| ScenarioResult::new(played, target));
        Self {
            part: PartResult::new(run, target),
            ..Self::of(run, scenarios.collect())
        }
    }

    /// What a run says without its server: the scenarios are its own, as results.
    fn of(run: &Run, scenarios: Vec<ScenarioResult>) -> Self {
        let operations = run.timings.iter().map(|timing| {
            let result = OperationResult::new(timing, run.took);
            (timing.operation.to_owned(), result)
        });
        let left_out = run.left_out.iter().map(|left_out| LeftOutResult {
            id: left_out.scenario.id.to_owned(),
            lacks: left_out.lacks,
        });
        Self {
            schema: SCHEMA,
            suite: Suite::this(),
            environment: Environment::of(run),
            verdict: run.verdict(),
            plan: run.plan.iter().map(ToString::to_string).collect(),
            part: None,
            merged: Vec::new(),
            planned: run.planned,
            left_out: left_out.collect(),
            executed: run.executed(),
            seed: run.seed,
            run: run.name.clone(),
            server: Server {
                url: run.url.clone(),
                tiers: run.tiers(),
            },
            requests: run.requests,
            seconds: run.took.as_secs_f64(),
            soak_rounds: run.soak.map(|soak| soak.rounds),
            operations: operations.collect(),
            manifests_out_of_reach: run.manifests_out_of_reach.clone(),
            expectations: ExpectationsResult::new(run),
            interrupted: run.interrupted,
            leftovers: run.leftovers.left.clone(),
            scenarios,
            digests: BTreeMap::new(),
            digest: String::new(),
        }
    }

    /// What is known of this scenario's failure; none if it did not fail, or nobody knows.
    #[must_use]
    pub fn known(&self, scenario: &str) -> Option<&KnownResult> {
        let mut known = self.expectations.known.iter();
        known.find(|known| known.scenario == scenario)
    }

    /// The same, played by this command line, in which no secret may stand.
    #[must_use]
    pub fn by_command(mut self, words: Vec<String>) -> Self {
        self.environment.command = words;
        self
    }

    /// The result as it is written to a file.
    #[must_use]
    pub fn json(&self) -> String {
        // Only a map with keys that are no strings would fail, or a value that refuses.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// The JSON Schema of results, as it stands in `result.schema.json`.
    #[must_use]
    pub fn json_schema() -> String {
        let schema = schemars::schema_for!(Self);
        let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
        text.push('\n');
        text
    }
}

impl ExpectationsResult {
    fn new(run: &Run) -> Self {
        let known = run.judgement.known.iter().map(|known| KnownResult {
            scenario: known.scenario.to_owned(),
            entries: known.entries.clone(),
        });
        Self {
            known: known.collect(),
            stale: run.judgement.stale.clone(),
        }
    }

    fn is_empty(&self) -> bool {
        self.known.is_empty() && self.stale.is_empty()
    }
}

impl OperationResult {
    fn new(timing: &Timing, run: Duration) -> Self {
        let micros = |took: Duration| u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        Self {
            answers: timing.answers,
            per_second: timing.per_second(run),
            p50_micros: micros(timing.p50),
            p90_micros: micros(timing.p90),
            p99_micros: micros(timing.p99),
            max_micros: micros(timing.max),
        }
    }
}

impl ScenarioResult {
    fn new(played: &Played, target: &Target) -> Self {
        let lines = |text: &str| text.lines().map(str::to_owned).collect();
        let observations = played.observations.iter().map(|seen| ObservationResult {
            requirement: seen.requirement.to_owned(),
            choice: seen.choice.clone(),
        });
        let findings = played.findings.iter();
        Self {
            id: played.scenario.id.to_owned(),
            title: played.scenario.title.to_owned(),
            tier: played.scenario.tier,
            status: played.status,
            requirements: played
                .scenario
                .requirements
                .iter()
                .map(ToString::to_string)
                .collect(),
            reason: played.reason.clone(),
            lacking: played.lacking.clone(),
            findings: findings
                .map(|finding| FindingResult::new(finding, target))
                .collect(),
            observations: observations.collect(),
            transcript: lines(&played.transcript),
            golden: played
                .diff()
                .and_then(|_| golden::golden(played.scenario.id))
                .map(lines),
            seed: Some(played.seed),
            again: played.again.clone(),
            seconds: played.took.as_secs_f64(),
        }
    }
}

impl FindingResult {
    fn new(finding: &Finding, target: &Target) -> Self {
        let exchanges = finding.exchanges.iter();
        Self {
            requirement: finding.requirement.to_owned(),
            level: finding.level,
            expected: finding.expected.clone(),
            actual: finding.actual.clone(),
            exchanges: exchanges.map(|each| each.report(target)).collect(),
            timeline: finding.timeline.clone(),
        }
    }
}
