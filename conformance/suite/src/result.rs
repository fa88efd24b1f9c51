//! The result of a run as JSON, for other programs.

use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

use crate::play::{Played, Status};
use crate::requirement::Level;
use crate::run::{Run, TierOutcome, Verdict};
use crate::scenario::{Given, Tier};
use crate::target::Target;

/// The version of the result's structure.
pub const SCHEMA: u32 = 1;

/// The result of a run, in the structure that `--json` writes.
#[derive(Debug, Serialize)]
pub struct RunResult {
    schema: u32,
    suite: &'static str,
    verdict: Verdict,
    planned: usize,
    left_out: Vec<LeftOutResult>,
    executed: usize,
    seed: u64,
    run: String,
    server: Server,
    requests: u64,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    manifests_out_of_reach: Option<String>,
    leftovers: Vec<String>,
    scenarios: Vec<ScenarioResult>,
}

#[derive(Debug, Serialize)]
struct Server {
    url: String,
    tiers: BTreeMap<Tier, TierOutcome>,
}

#[derive(Debug, Serialize)]
struct LeftOutResult {
    id: &'static str,
    lacks: Given,
}

#[derive(Debug, Serialize)]
struct ScenarioResult {
    id: &'static str,
    tier: Tier,
    status: Status,
    requirements: &'static [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    findings: Vec<FindingResult>,
    observations: Vec<ObservationResult>,
    transcript: Vec<String>,
    seconds: f64,
}

#[derive(Debug, Serialize)]
struct FindingResult {
    requirement: &'static str,
    level: Level,
    expected: String,
    actual: String,
    exchanges: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeline: Option<String>,
}

#[derive(Debug, Serialize)]
struct ObservationResult {
    requirement: &'static str,
    choice: String,
}

impl RunResult {
    /// The result of a run against this server.
    #[must_use]
    pub fn new(run: &Run, target: &Target) -> Self {
        Self {
            schema: SCHEMA,
            suite: env!("CARGO_PKG_VERSION"),
            verdict: run.verdict(),
            planned: run.planned,
            left_out: run
                .left_out
                .iter()
                .map(|left_out| LeftOutResult {
                    id: left_out.scenario.id,
                    lacks: left_out.lacks,
                })
                .collect(),
            executed: run.executed(),
            seed: run.seed,
            run: run.name.clone(),
            server: Server {
                url: run.url.clone(),
                tiers: run.tiers(),
            },
            requests: run.requests,
            seconds: run.took.as_secs_f64(),
            manifests_out_of_reach: run.manifests_out_of_reach.clone(),
            leftovers: run.leftovers.left.clone(),
            scenarios: run
                .played
                .iter()
                .map(|played| scenario(played, target))
                .collect(),
        }
    }
}

fn scenario(played: &Played, target: &Target) -> ScenarioResult {
    ScenarioResult {
        id: played.scenario.id,
        tier: played.scenario.tier,
        status: played.status,
        requirements: played.scenario.requirements,
        reason: played.reason.clone(),
        findings: played
            .findings
            .iter()
            .map(|finding| FindingResult {
                requirement: finding.requirement,
                level: finding.level,
                expected: finding.expected.clone(),
                actual: finding.actual.clone(),
                exchanges: finding
                    .exchanges
                    .iter()
                    .map(|exchange| exchange.report(target))
                    .collect(),
                timeline: finding.timeline.clone(),
            })
            .collect(),
        observations: played
            .observations
            .iter()
            .map(|observation| ObservationResult {
                requirement: observation.requirement,
                choice: observation.choice.clone(),
            })
            .collect(),
        transcript: played.transcript.lines().map(str::to_owned).collect(),
        seconds: played.took.as_secs_f64(),
    }
}
