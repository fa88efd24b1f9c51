//! One result of the results of a divided run.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use crate::cleanup::Leftovers;
use crate::expectation::Expectations;
use crate::log::{Deviation, Finding, Observation};
use crate::part::Shard;
use crate::plan::LeftOut;
use crate::play::{Played, Status};
use crate::requirement::catalogue;
use crate::result::{
    Environment, MergedPart, OperationResult, PartResult, RunResult, ScenarioResult, Suite,
};
use crate::run::Run;
use crate::scenarios;

/// How many scenarios an error names.
const NAMED: usize = 5;

/// Why results cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// There is none.
    #[error("there is no result to merge")]
    Nothing,
    /// One is of a whole run.
    #[error("{0} is no part of a run: it was played without --shard, or was merged already")]
    Whole(String),
    /// One was made by another program than this.
    #[error(
        "{name} was made by another suite ({version}): merge with the same program that the parts were \
         played with"
    )]
    OtherSuite {
        /// The result.
        name: String,
        /// The suite that made it.
        version: String,
    },
    /// Two are not of the same run.
    #[error("{first} and {second} are no parts of one run: {what} are not the same")]
    Differ {
        /// In what.
        what: &'static str,
        /// The one.
        first: String,
        /// The other.
        second: String,
    },
    /// Something is told by two.
    #[error("{what} is in {first} and in {second}")]
    Twice {
        /// A shard or a scenario.
        what: String,
        /// The one.
        first: String,
        /// The other.
        second: String,
    },
    /// Something is told by none.
    #[error("there is no result of {0}")]
    Missing(String),
}

/// A result with the name that errors call it by.
pub type Named = (String, RunResult);

/// What a divided run says of a server, and the result.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The run, without requests.
    pub run: Run,
    /// The result; it is not sealed yet.
    pub result: RunResult,
}

impl Merged {
    /// Puts the parts of a run together: known failures, tiers and the verdict are judged of the whole.
    ///
    /// # Errors
    ///
    /// If they are not of one run, one is missing, or something is told twice.
    pub fn of(parts: &[Named]) -> Result<Self, MergeError> {
        let Some(((first_name, first), others)) = parts.split_first() else {
            return Err(MergeError::Nothing);
        };
        let of_first = part(first_name, first)?;
        if first.suite != Suite::this() {
            return Err(MergeError::OtherSuite {
                name: first_name.clone(),
                version: first.suite.version.clone(),
            });
        }
        for (name, other) in others {
            let of_other = part(name, other)?;
            if let Some(what) = difference((first, of_first), (other, of_other)) {
                return Err(MergeError::Differ {
                    what,
                    first: first_name.clone(),
                    second: name.clone(),
                });
            }
        }
        all_shards(parts)?;
        all_scenarios(parts, &first.plan)?;
        let run = run(parts, first, of_first);
        let result = result(parts, &run);
        Ok(Self { run, result })
    }
}

fn part<'a>(name: &str, result: &'a RunResult) -> Result<&'a PartResult, MergeError> {
    let part = result.part.as_ref();
    part.ok_or_else(|| MergeError::Whole(name.to_owned()))
}

/// In what two results differ that the parts of one run have in common.
fn difference(
    (first, of_first): (&RunResult, &PartResult),
    (other, of_other): (&RunResult, &PartResult),
) -> Option<&'static str> {
    let expected = |part: &PartResult| {
        let entries = part.expectations.iter();
        // The file may lie elsewhere on another machine.
        entries
            .map(|entry| entry.expectation.clone())
            .collect::<Vec<_>>()
    };
    let is_elsewhere = !of_first.started && first.server.url != other.server.url;
    let shards = |part: &PartResult| part.shard.map(|shard| shard.of);
    [
        (
            first.suite != other.suite,
            "the suites, requirements or openapi.yml",
        ),
        (first.seed != other.seed, "the seeds"),
        (first.plan != other.plan, "the plans"),
        (
            of_first.started != of_other.started || is_elsewhere,
            "the servers",
        ),
        (
            shards(of_first) != shards(of_other),
            "the numbers of shards",
        ),
        (
            of_first.claimed != of_other.claimed,
            "the tiers that are claimed",
        ),
        (
            expected(of_first) != expected(of_other),
            "the known failures",
        ),
        (
            of_first.declared_sha256 != of_other.declared_sha256,
            "the declarations of the server",
        ),
    ]
    .into_iter()
    .find_map(|(differs, what)| differs.then_some(what))
}

fn twice(what: String, first: &str, second: &str) -> MergeError {
    MergeError::Twice {
        what,
        first: first.to_owned(),
        second: second.to_owned(),
    }
}

/// Looks whether each shard is there once.
fn all_shards(parts: &[Named]) -> Result<(), MergeError> {
    let mut there: BTreeMap<Shard, &str> = BTreeMap::new();
    for (name, result) in parts {
        let Some(shard) = result.part.as_ref().and_then(|part| part.shard) else {
            return Ok(());
        };
        if let Some(first) = there.insert(shard, name) {
            return Err(twice(format!("shard {shard}"), first, name));
        }
    }
    let of = there.keys().next().map_or(0, |shard| shard.of);
    let missing = (1..=of).map(|number| Shard { number, of });
    let missing: Vec<String> = missing
        .filter(|shard| !there.contains_key(shard))
        .map(|shard| shard.to_string())
        .collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(MergeError::Missing(format!("shard {}", missing.join(", ")))),
    }
}

/// Looks whether each scenario of the plan is there once. The one that looks at what all others have
/// touched may be in each part.
fn all_scenarios(parts: &[Named], plan: &[String]) -> Result<(), MergeError> {
    let mut there: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, result) in parts {
        for id in result.own_plan() {
            if let Some(first) = there.insert(id, name)
                && id != scenarios::LAST
            {
                return Err(twice(format!("scenario {id}"), first, name));
            }
        }
    }
    let missing = plan.iter().filter(|id| !there.contains_key(id.as_str()));
    let missing: Vec<&str> = missing.map(String::as_str).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let mut text = missing[..missing.len().min(NAMED)].join(", ");
    if missing.len() > NAMED {
        text = format!("{text} and {} more scenarios", missing.len() - NAMED);
    }
    Err(MergeError::Missing(text))
}

/// How bad it is of the two that this one stands for what both played.
fn weight(status: Status) -> u8 {
    match status {
        Status::Unsupported => 0,
        Status::Pass => 1,
        Status::Warn => 2,
        Status::Error => 3,
        Status::Fail => 4,
    }
}

/// What was played, in the suite's order. Of what was played in several parts the worst stands.
fn scenarios_of(parts: &[Named]) -> Vec<&ScenarioResult> {
    let mut by_number: BTreeMap<usize, &ScenarioResult> = BTreeMap::new();
    for scenario in parts.iter().flat_map(|(_, result)| &result.scenarios) {
        if let Some((number, _)) = scenarios::find(&scenario.id) {
            let told = by_number.entry(number).or_insert(scenario);
            if weight(scenario.status) > weight(told.status) {
                *told = scenario;
            }
        }
    }
    by_number.into_values().collect()
}

fn left_out_of(parts: &[Named]) -> Vec<LeftOut> {
    let mut by_number: BTreeMap<usize, LeftOut> = BTreeMap::new();
    for left_out in parts.iter().flat_map(|(_, result)| &result.left_out) {
        if let Some((number, scenario)) = scenarios::find(&left_out.id) {
            let lacks = left_out.lacks;
            by_number.insert(number, LeftOut { scenario, lacks });
        }
    }
    by_number.into_values().collect()
}

/// A scenario as it was played, without its requests.
fn played_of(result: &ScenarioResult, seed: u64) -> Option<Played> {
    let (_, scenario) = scenarios::find(&result.id)?;
    let id = |text: &str| Some(catalogue().get(text)?.id.as_str());
    let findings = result.findings.iter().filter_map(|finding| {
        let said = Deviation::new(&finding.expected, &finding.actual, []);
        Some(Finding::new(id(&finding.requirement)?, finding.level, said))
    });
    let observations = result.observations.iter().filter_map(|seen| {
        Some(Observation {
            requirement: id(&seen.requirement)?,
            choice: seen.choice.clone(),
        })
    });
    Some(Played {
        scenario,
        status: result.status,
        transcript: result.transcript.join("\n"),
        findings: findings.collect(),
        observations: observations.collect(),
        cited: Vec::new(),
        answers: Default::default(),
        reason: result.reason.clone(),
        lacking: result.lacking.clone(),
        lacks: None,
        again: result.again.clone(),
        seed: result.seed.unwrap_or(seed),
        history: None,
        took: Duration::try_from_secs_f64(result.seconds).unwrap_or_default(),
    })
}

/// The run as it would have been, judged as one.
fn run(parts: &[Named], first: &RunResult, of_first: &PartResult) -> Run {
    let played = scenarios_of(parts).into_iter();
    let played: Vec<Played> = played
        .filter_map(|scenario| played_of(scenario, first.seed))
        .collect();
    let left_out = left_out_of(parts);
    let expectations = Expectations::new(of_first.expectations.clone(), of_first.claimed.clone());
    let judgement = expectations.judge(&played, &left_out);
    let results = || parts.iter().map(|(_, result)| result);
    let plan: Vec<&'static str> = first
        .plan
        .iter()
        .filter_map(|id| scenarios::find(id).map(|(_, scenario)| scenario.id))
        .collect();
    let others = match parts.len() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let seconds = results().map(|result| result.seconds).sum();
    Run {
        name: format!("{}{others}", first.run),
        seed: first.seed,
        url: first.server.url.clone(),
        began: SystemTime::UNIX_EPOCH,
        planned: plan.len().saturating_sub(left_out.len()),
        plan,
        part: None,
        left_out,
        claimed: of_first.claimed.clone(),
        judgement,
        interrupted: results().any(|result| result.interrupted),
        played,
        leftovers: Leftovers {
            left: results()
                .flat_map(|result| {
                    let of_run = |left: &String| format!("{left} (run {})", result.run);
                    result.leftovers.iter().map(of_run)
                })
                .collect(),
            removed: 0,
        },
        manifests_out_of_reach: results().find_map(|result| result.manifests_out_of_reach.clone()),
        soak: None,
        timings: Vec::new(),
        requests: results().map(|result| result.requests).sum(),
        took: Duration::try_from_secs_f64(seconds).unwrap_or_default(),
    }
}

fn result(parts: &[Named], run: &Run) -> RunResult {
    let results = || parts.iter().map(|(_, result)| result);
    let joined = |of: fn(&Environment) -> &str| {
        let mut words: Vec<&str> = results().map(|result| of(&result.environment)).collect();
        words.sort_unstable();
        words.dedup();
        words.join(", ")
    };
    // Times of RFC 3339 in UTC sort as they follow each other.
    let began = results()
        .map(|result| result.environment.began.clone())
        .min();
    let rounds: Vec<u32> = results().filter_map(|result| result.soak_rounds).collect();
    let scenarios = scenarios_of(parts).into_iter().cloned().collect();
    RunResult {
        environment: Environment {
            began: began.unwrap_or_default(),
            os: joined(|environment| &environment.os),
            arch: joined(|environment| &environment.arch),
            command: Vec::new(),
        },
        merged: results()
            .map(|result| MergedPart {
                shard: result.part.as_ref().and_then(|part| part.shard),
                run: result.run.clone(),
                url: result.server.url.clone(),
                began: result.environment.began.clone(),
                digest: result.digest.clone(),
            })
            .collect(),
        soak_rounds: (!rounds.is_empty()).then(|| rounds.iter().sum()),
        operations: operations(parts, run.took.as_secs_f64()),
        ..RunResult::of(run, scenarios)
    }
}

/// How long answers took: of the times of several parts the longest, since the whole's cannot be told
/// from them.
fn operations(parts: &[Named], seconds: f64) -> BTreeMap<String, OperationResult> {
    let mut merged: BTreeMap<String, OperationResult> = BTreeMap::new();
    for (name, of_part) in parts.iter().flat_map(|(_, result)| &result.operations) {
        let Some(so_far) = merged.get_mut(name) else {
            merged.insert(name.clone(), of_part.clone());
            continue;
        };
        so_far.answers += of_part.answers;
        so_far.p50_micros = so_far.p50_micros.max(of_part.p50_micros);
        so_far.p90_micros = so_far.p90_micros.max(of_part.p90_micros);
        so_far.p99_micros = so_far.p99_micros.max(of_part.p99_micros);
        so_far.max_micros = so_far.max_micros.max(of_part.max_micros);
    }
    for operation in merged.values_mut() {
        let answers = f64::from(u32::try_from(operation.answers).unwrap_or(u32::MAX));
        operation.per_second = answers / seconds.max(f64::MIN_POSITIVE);
    }
    merged
}
