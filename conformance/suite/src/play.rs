//! One scenario on one server: played, compared with its golden transcript, and judged.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use lance_namespace_history::operation::History;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::coverage::Answers;
use crate::expectation::Expectations;
use crate::golden;
use crate::halt::Halt;
use crate::log::{Deviation, Finding, Log, Observation};
use crate::part::Part;
use crate::requirement::Level;
use crate::scenario::{Given, Scenario, Stop, Tier};
use crate::session::Session;
use crate::stage::{Round, Stage};
use crate::support::Unsupported;
use crate::{run, soak};

/// How a scenario came out.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Status {
    /// Every requirement held.
    Pass,
    /// Something that is only recommended is not done.
    Warn,
    /// A demanded requirement is broken.
    Fail,
    /// The server lacks what the scenario needs, so nothing was checked.
    Unsupported,
    /// Nothing can be said: the set-up failed, no answer came, or the suite is at fault.
    Error,
}

impl Status {
    /// The status's name, in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Warn => "warn",
            Self::Fail => "fail",
            Self::Unsupported => "unsupported",
            Self::Error => "error",
        }
    }
}

/// A scenario that was played.
#[derive(Clone, Debug)]
pub struct Played {
    /// The scenario.
    pub scenario: &'static Scenario,
    /// How it came out.
    pub status: Status,
    /// What the scenario wrote down, one line a step.
    pub transcript: String,
    /// The requirements that were broken.
    pub findings: Vec<Finding>,
    /// The choices that the server took where it has one.
    pub observations: Vec<Observation>,
    /// The requirements that were really checked.
    pub cited: Vec<&'static str>,
    /// The answers that came, and what was judged by them.
    pub answers: Answers,
    /// Why the scenario is unsupported or in error, in a sentence.
    pub reason: Option<String>,
    /// The operations that the server lacks of those that the scenario needs.
    pub lacking: Vec<String>,
    /// What a step would have needed that the server is declared not to allow: the scenario ended
    /// before it, and is left out.
    pub lacks: Option<Given>,
    /// How it came out when it was played again, since it is known to fail now and then.
    pub again: Vec<Status>,
    /// The seed that a run must be given for the same to be played.
    pub seed: u64,
    /// What its clients asked and were told: the history that was found to be broken, or the whole. None
    /// if there was nothing that histories are about, or nobody [asked for it](Rules::histories).
    pub history: Option<History>,
    /// How long it took.
    pub took: Duration,
}

impl Played {
    /// The golden transcript against the actual one; none where they are the same, or where the
    /// scenario did not come to its end.
    #[must_use]
    pub fn diff(&self) -> Option<String> {
        let golden = golden::golden(self.scenario.id)?;
        let comparable = matches!(self.status, Status::Pass | Status::Warn | Status::Fail);
        (comparable && golden != self.transcript).then(|| golden::diff(golden, &self.transcript))
    }
}

/// How scenarios are played.
#[derive(Clone, Debug)]
pub struct Rules {
    /// How long a scenario may take.
    pub time_limit: Duration,
    /// The tiers that the server is said to have: what it lacks of them is a failure.
    pub claimed: Vec<Tier>,
    /// Whether a transcript must be the golden one. Only a run that records them says no.
    pub golden: bool,
    /// How long the run takes at least: until then its workloads are played again and again (see
    /// [`crate::soak`]).
    pub duration: Option<Duration>,
    /// Whether the history of each scenario is kept.
    pub histories: bool,
    /// What is known to fail.
    pub expectations: Expectations,
    /// Which part of what was asked for is played; none if all of it is.
    pub part: Option<Part>,
    /// Whether the run ends with the first failure that is not known.
    pub fail_fast: bool,
    /// What tells the run to end early.
    pub halt: Halt,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            time_limit: Duration::from_secs(180),
            claimed: Vec::new(),
            golden: true,
            duration: None,
            histories: false,
            expectations: Expectations::default(),
            part: None,
            fail_fast: false,
            halt: Halt::default(),
        }
    }
}

/// Plays one scenario, the `number`th of the suite.
pub async fn play(
    session: &Arc<Session>,
    scenario: &'static Scenario,
    number: usize,
    rules: &Rules,
) -> Played {
    play_round(session, scenario, number, None, rules).await
}

/// The number of the round in which a scenario is played for the second time, beyond those of a soak.
const SECOND_TIME: u32 = 1_000_000;

/// Plays one scenario, and where it fails as it is known to do now and then, again and again, until it
/// has done so too often or was played often enough.
pub async fn play_patiently(
    session: &Arc<Session>,
    scenario: &'static Scenario,
    number: usize,
    rules: &Rules,
) -> Played {
    let mut first = play(session, scenario, number, rules).await;
    let Some(fails) = rules.expectations.patience(&first) else {
        return first;
    };
    let mut failures = 1;
    for turn in 1..u32::from(fails.of) {
        if failures > fails.times {
            break;
        }
        let round = Round {
            number: SECOND_TIME + turn,
            seed: soak::seed(session.seed(), SECOND_TIME + turn),
            until: Instant::now() + run::CENTURY,
        };
        let again = play_round(session, scenario, number, Some(round), rules).await;
        session
            .remove(&Stage::place_of(session, number, Some(round)))
            .await;
        if again.status == Status::Fail {
            if rules.expectations.patience(&again).is_none() {
                // It fails in a way that nobody knows.
                return again;
            }
            failures += 1;
        }
        first.again.push(again.status);
    }
    first
}

/// Plays one scenario again, in a round of its own if one is given.
pub(crate) async fn play_round(
    session: &Arc<Session>,
    scenario: &'static Scenario,
    number: usize,
    round: Option<Round>,
    rules: &Rules,
) -> Played {
    let begun = Instant::now();
    let plain = |text: String| session.target().without_secrets(&text);
    let no_history = |log: Log, status: Status, reason: Option<String>| Played {
        scenario,
        status,
        transcript: log.lines.join("\n"),
        findings: log
            .findings
            .into_iter()
            .map(|each| each.map_text(plain))
            .collect(),
        observations: log
            .observations
            .into_iter()
            .map(|each| Observation {
                choice: plain(each.choice),
                ..each
            })
            .collect(),
        cited: log.cited.into_iter().collect(),
        answers: log.answers,
        reason: reason.map(plain),
        lacking: Vec::new(),
        lacks: None,
        again: Vec::new(),
        seed: round.map_or(session.seed(), |round| round.seed),
        history: None,
        took: begun.elapsed(),
    };
    match session.lacks(scenario.needs).await {
        Ok(lacking) if lacking.is_empty() => {}
        Ok(lacking) => {
            let operations = lacking.iter().map(|lacking| lacking.operation.clone());
            let operations = operations.collect();
            let (log, status, reason) = unsupported(scenario, lacking, rules);
            return Played {
                lacking: operations,
                ..no_history(log, status, Some(reason))
            };
        }
        Err(stop) => {
            let reason = reason_of(stop);
            return no_history(Log::default(), Status::Error, reason);
        }
    }
    let stage = Stage::new(Arc::clone(session), scenario, number, round);
    // A panic is the suite's fault and must not end the run, or pass for the server's.
    let steps = std::panic::AssertUnwindSafe((scenario.steps)(stage.clone())).catch_unwind();
    let steps = tokio::time::timeout(rules.time_limit, steps);
    let (ended, lacks) = tokio::select! {
        ended = steps => (ended, None),
        lacks = stage.lacks() => (Ok(Ok(Ok(()))), Some(lacks)),
    };
    let ended = match ended {
        Ok(Ok(ended)) => ended,
        Ok(Err(panic)) => Err(Stop::Inconclusive(format!(
            "the suite is at fault: {}",
            panic_text(panic.as_ref())
        ))),
        Err(_) => Err(Stop::Inconclusive(format!(
            "it did not end within {} s",
            rules.time_limit.as_secs()
        ))),
    };
    let history = match rules.histories {
        true => stage.history().await,
        false => None,
    };
    let played = |log: Log, status: Status, reason: Option<String>| Played {
        history,
        ..no_history(log, status, reason)
    };
    let mut log = stage.into_log();
    let ended = match silence(scenario, &mut log) {
        Some(reason) => Err(Stop::Inconclusive(reason)),
        None => ended,
    };
    let broken = log.findings.iter().map(|finding| finding.level).max();
    match (ended, broken) {
        // What was found before the end stays found.
        (_, Some(Level::Must)) => played(log, Status::Fail, None),
        (Err(Stop::Unsupported { operation, answer }), _) => {
            let lacking = Unsupported {
                operation: operation.to_owned(),
                answer,
                wrongly: None,
            };
            let (more, status, reason) = unsupported(scenario, vec![lacking], rules);
            let mut log = log;
            log.findings.extend(more.findings);
            played(log, status, Some(reason))
        }
        (Err(Stop::Inconclusive(reason)), _) => played(log, Status::Error, Some(reason)),
        _ if lacks.is_some() => Played {
            lacks,
            ..played(
                Log::default(),
                Status::Unsupported,
                lacks.map(|lacks| format!("left out for want of {}", lacks.flag())),
            )
        },
        (_, Some(_)) => played(log, Status::Warn, None),
        // Its transcript ends before the golden one does.
        (Err(Stop::NotOffered), None) => played(log, Status::Pass, None),
        (_, None) => {
            let transcript = log.lines.join("\n");
            match golden::golden(scenario.id) {
                Some(golden) if golden != transcript && rules.golden => {
                    let reason = format!(
                        "the suite is at fault: the transcript differs from the golden one and no \
                         check says why:\n{}",
                        golden::diff(golden, &transcript)
                    );
                    played(log, Status::Error, Some(reason))
                }
                None if rules.golden => {
                    let reason = "the suite is at fault: there is no golden transcript".to_owned();
                    played(log, Status::Error, Some(reason))
                }
                _ => played(log, Status::Pass, None),
            }
        }
    }
}

/// Takes out what only seems to be broken since no answer came to a read, and says so: who was told nothing
/// knows nothing. Of servers that are killed reads are lost all the time, and judged as such.
fn silence(scenario: &Scenario, log: &mut Log) -> Option<String> {
    if scenario.given.contains(&Given::ServerCommand) {
        return None;
    }
    let mut reason = None;
    log.findings.retain(|finding| {
        let Some(unanswered) = finding.unanswered_read() else {
            return true;
        };
        reason.get_or_insert_with(|| {
            let operation = &unanswered.operation.id;
            let expected = &finding.expected;
            format!(
                "no answer came to {operation}, so it cannot be told whether this holds: {expected}"
            )
        });
        false
    });
    reason
}

fn reason_of(stop: Stop) -> Option<String> {
    match stop {
        Stop::Inconclusive(reason) => Some(reason),
        Stop::Unsupported { answer, .. } => Some(answer),
        Stop::Violated | Stop::NotOffered => None,
    }
}

fn unsupported(
    scenario: &'static Scenario,
    lacking: Vec<Unsupported>,
    rules: &Rules,
) -> (Log, Status, String) {
    let mut log = Log::default();
    let mut reasons = Vec::new();
    let mut fails = false;
    for unsupported in lacking {
        // A tier is not to blame for what another lacks.
        let blamed = rules.claimed.iter().copied().find(|tier| {
            let operation = unsupported.operation.as_str();
            Tier::of(operation) == *tier || scenario.tier == *tier && tier.stands_on(operation)
        });
        fails |= blamed.is_some();
        reasons.push(format!("{}: {}", unsupported.operation, unsupported.answer));
        let level = match blamed {
            Some(_) => Level::Must,
            None => Level::Should,
        };
        let deviation = match (unsupported.wrongly, blamed) {
            (Some(deviation), _) => deviation,
            (None, Some(tier)) => Deviation::new(
                format!(
                    "{}, since the tier {tier} is claimed",
                    unsupported.operation
                ),
                unsupported.answer,
                [],
            ),
            (None, None) => continue,
        };
        log.find(Finding::new("REST-12", level, deviation));
    }
    let status = match fails {
        true => Status::Fail,
        false => Status::Unsupported,
    };
    (log, status, reasons.join("; "))
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_else(|| "it panicked".to_owned())
}
