//! Refusals of one kind that many operations owe: one line of the transcript about all of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::answer::Answer;
use crate::call::Call;
use crate::exchange::Exchange;
use crate::log::{Deviation, Observation};
use crate::outcome::{Fit, Outcome, Refusal};
use crate::requirement::Level;
use crate::scenario::Flow;
use crate::stage::Stage;
use crate::steps::Scene;

/// How many exchanges a finding shows: more of one kind teach nothing.
const SHOWN: usize = 6;

/// How many requests an observation names.
const NAMED: usize = 4;

/// What weighs as much as the requirement; that the answer is one of the best is a should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// The request is refused, with a 4xx.
    Refusal,
    /// The request is not carried out, and the server does not fail either.
    NoServerError,
    /// The request is not carried out.
    Error,
    /// Nothing does.
    Nothing,
}

impl Demand {
    fn is_met(self, outcome: Outcome) -> bool {
        match self {
            Self::Refusal => matches!(outcome, Outcome::Refused(..)),
            Self::NoServerError => !matches!(outcome, Outcome::Failed(_)),
            Self::Error => outcome != Outcome::Ok,
            Self::Nothing => true,
        }
    }
}

/// Requests that all must be refused in one way.
pub struct Owed {
    requirement: &'static str,
    label: String,
    best: Vec<Refusal>,
    demand: Demand,
    /// Whether a 400 without a code is right as well.
    in_plain_text: bool,
    broken: Vec<(String, Arc<Exchange>)>,
    doubtful: Vec<(String, Arc<Exchange>)>,
}

impl Owed {
    /// None asked so far. The best answer is any of `best`.
    #[must_use]
    pub fn new(requirement: &'static str, label: &str, best: &[Refusal], demand: Demand) -> Self {
        Self {
            requirement,
            label: label.to_owned(),
            best: best.to_vec(),
            demand,
            in_plain_text: false,
            broken: Vec::new(),
            doubtful: Vec::new(),
        }
    }

    /// What is refused may be refused by middleware, which knows no codes (requirement REST-6).
    #[must_use]
    pub fn or_in_plain_text(mut self) -> Self {
        self.in_plain_text = true;
        self
    }

    /// Sends a request, if the server has the operation, and looks whether it changed anything.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`](crate::scenario::Stop::Inconclusive) if no answer came.
    pub async fn ask(&mut self, s: &Stage, what: &str, call: Call, scene: &mut Scene) -> Flow {
        if s.has_or_is_basic(call.operation()).await? {
            let answer = s.ask(what, call).await;
            self.take(s, what, answer, scene).await?;
        }
        Ok(())
    }

    /// The same of each of these requests, with the name of its operation for a label.
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask).
    pub async fn ask_all(
        &mut self,
        s: &Stage,
        calls: impl IntoIterator<Item = Call>,
        scene: &mut Scene,
    ) -> Flow {
        for call in calls {
            let operation = call.operation();
            self.ask(s, operation, call, scene).await?;
        }
        Ok(())
    }

    /// Judges an answer.
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask).
    pub async fn take(&mut self, s: &Stage, what: &str, answer: Answer, scene: &mut Scene) -> Flow {
        answer.answered()?;
        let (outcome, exchange) = (answer.outcome(), answer.exchange());
        s.cite_for(self.requirement, &exchange);
        scene.after(s, &exchange).await?;
        let is_best = |refusal: &Refusal| refusal.fits(outcome) == Fit::Whole;
        let in_plain_text = self.in_plain_text && outcome == Outcome::Refused(400, None);
        if in_plain_text || self.best.iter().any(is_best) {
            return Ok(());
        }
        let said = (format!("{what}: {}", answer.said()), exchange);
        match self.demand.is_met(outcome) {
            true => self.doubtful.push(said),
            false => self.broken.push(said),
        }
        Ok(())
    }

    /// Judges all of it, in one line.
    pub fn end(self, s: &Stage) {
        let best: Vec<String> = self.best.iter().map(Refusal::expected).collect();
        let expected = format!("{}: {}", self.label, best.join(", or "));
        s.cite(self.requirement);
        if self.broken.is_empty() && self.doubtful.is_empty() {
            s.line(format!("{}: {}", self.label, self.best[0].label));
        }
        let weights: [(Option<Level>, _); 2] =
            [(None, self.broken), (Some(Level::Should), self.doubtful)];
        for (level, found) in weights {
            if found.is_empty() {
                continue;
            }
            let (words, mut exchanges): (Vec<String>, Vec<_>) = found.into_iter().unzip();
            exchanges.truncate(SHOWN);
            let actual = words.join("; ");
            s.line(format!("{}: {actual}", self.label));
            let deviation = Deviation::new(expected.as_str(), actual, exchanges);
            match level {
                None => s.violates(self.requirement, deviation),
                Some(level) => s.violated(self.requirement, level, deviation),
            }
        }
    }
}

/// Requests that may be carried out or refused, but must not make the server fail.
pub struct Tolerated {
    requirement: &'static str,
    label: String,
    failed: Vec<(String, Arc<Exchange>)>,
    /// What was answered how.
    choices: BTreeMap<String, Vec<String>>,
}

impl Tolerated {
    /// None asked so far.
    #[must_use]
    pub fn new(requirement: &'static str, label: &str) -> Self {
        Self {
            requirement,
            label: label.to_owned(),
            failed: Vec::new(),
            choices: BTreeMap::new(),
        }
    }

    /// Sends a request, if the server has the operation. Where it fails, `plain` tells whether that
    /// is for what is odd about it: the same request without that.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`](crate::scenario::Stop::Inconclusive) if no answer came.
    pub async fn ask(&mut self, s: &Stage, what: &str, call: Call, plain: Call) -> Flow {
        if !s.has_or_is_basic(call.operation()).await? {
            return Ok(());
        }
        let answer = s.ask(what, call).await;
        answer.answered()?;
        let (outcome, exchange) = (answer.outcome(), answer.exchange());
        s.cite_for(self.requirement, &exchange);
        match outcome {
            Outcome::Failed(_) => {
                let plain = s.exchange(plain).await;
                if !matches!(Outcome::of(&plain), Outcome::Failed(_)) {
                    let said = format!("{what}: {}", answer.said());
                    self.failed.push((said, exchange));
                }
            }
            _ => {
                let whats = self.choices.entry(answer.said()).or_default();
                whats.push(what.to_owned());
            }
        }
        Ok(())
    }

    /// Judges all of it, in one line.
    pub fn end(self, s: &Stage) {
        s.cite(self.requirement);
        for (said, whats) in &self.choices {
            let named = whats.iter().take(NAMED).cloned();
            let named: Vec<String> = named.collect();
            let more = match whats.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            s.observe(Observation {
                requirement: self.requirement,
                choice: format!("{}: {said}: {}{more}", self.label, named.join(", ")),
            });
        }
        if self.failed.is_empty() {
            s.line(format!("{}: done or refused", self.label));
            return;
        }
        let (words, mut exchanges): (Vec<String>, Vec<_>) = self.failed.into_iter().unzip();
        exchanges.truncate(SHOWN);
        let actual = words.join("; ");
        s.line(format!("{}: {actual}", self.label));
        let expected = format!("{}: done or refused, never a server error", self.label);
        let deviation = Deviation::new(expected, actual, exchanges);
        s.violated(self.requirement, Level::Must, deviation);
    }
}
