//! An answer that waits for its check: each way to check writes one line of the transcript.

use std::sync::Arc;

use serde_json::Value;

use crate::entry::Entry;
use crate::exchange::Exchange;
use crate::log::{Deviation, Observation};
use crate::outcome::{Fit, Outcome, Refusal};
use crate::pages::page_token;
use crate::requirement::Level;
use crate::scenario::{Flow, Stop};
use crate::stage::Stage;

/// An answer that has not been judged yet.
#[must_use = "an answer that nobody looks at checks nothing"]
pub struct Answer {
    stage: Stage,
    label: String,
    exchange: Arc<Exchange>,
}

/// The answer of an operation that was carried out.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The request and its answer.
    pub exchange: Arc<Exchange>,
    /// The answer's body; null if it has none.
    pub body: Value,
}

impl Answer {
    pub(crate) fn new(stage: Stage, label: String, exchange: Arc<Exchange>) -> Self {
        Self {
            stage,
            label,
            exchange,
        }
    }

    /// What the answer amounts to.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        Outcome::of(&self.exchange)
    }

    /// The request and its answer.
    #[must_use]
    pub fn exchange(&self) -> Arc<Exchange> {
        Arc::clone(&self.exchange)
    }

    /// A step that is no check: if it is not carried out, nothing after it can be judged.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if the operation was not carried out.
    pub fn set_up(self) -> Flow<Reply> {
        match self.outcome() {
            Outcome::Ok => Ok(self.reply()),
            Outcome::Refused(406, Some(0)) => Err(Stop::Unsupported {
                operation: self.exchange.operation(),
                answer: format!("{}: {}", self.label, self.said()),
            }),
            _ => Err(Stop::Inconclusive(format!(
                "set-up failed: {}: {}",
                self.label,
                self.said()
            ))),
        }
    }

    /// The operation must be carried out.
    ///
    /// # Errors
    ///
    /// [`Stop::Violated`] if it was refused or failed, [`Stop::Inconclusive`] if no answer came.
    pub fn ok(self, requirement: &'static str) -> Flow<Reply> {
        if self.outcome() == Outcome::Ok {
            self.line("ok");
        }
        self.ok_as_ever(requirement)
    }

    /// The operation must be carried out, as it has been before: no line says so.
    ///
    /// # Errors
    ///
    /// [`Stop::Violated`] if it was refused or failed, [`Stop::Inconclusive`] if no answer came.
    pub fn ok_as_ever(self, requirement: &'static str) -> Flow<Reply> {
        self.answered()?;
        if self.outcome() == Outcome::Ok {
            self.stage.cite_for(requirement, &self.exchange);
            return Ok(self.reply());
        }
        self.deviates(requirement, "200");
        Err(Stop::Violated)
    }

    /// The operation should be carried out. Answers the reply if it was.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if no answer came.
    pub fn ok_should(self, requirement: &'static str) -> Flow<Option<Reply>> {
        self.answered()?;
        self.stage.cite_for(requirement, &self.exchange);
        if self.outcome() == Outcome::Ok {
            self.line("ok");
            return Ok(Some(self.reply()));
        }
        self.line(&self.outcome().to_string());
        let expected = format!("{}: 200", self.label);
        self.stage.warn(
            requirement,
            Deviation::new(expected, self.said(), [self.exchange()]),
        );
        Ok(None)
    }

    /// A choice that a server may lack is observed to be lacking if the answer says so, by 406 with code 0.
    ///
    /// # Errors
    ///
    /// [`Stop::NotOffered`] if it is lacking.
    pub fn may_be_not_offered(&self, requirement: &'static str, what: &str) -> Flow {
        if !matches!(self.outcome(), Outcome::Refused(406, Some(0))) {
            return Ok(());
        }
        self.stage.cite(requirement);
        self.line("not supported, as it may be");
        self.stage.observe(Observation {
            requirement,
            choice: format!("{what}: not supported"),
        });
        Err(Stop::NotOffered)
    }

    /// The operation must be refused in this way; the code weighs no more than a should.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if no answer came.
    pub fn refused(self, requirement: &'static str, refusal: Refusal) -> Flow {
        self.answered()?;
        self.stage.cite_for(requirement, &self.exchange);
        match refusal.fits(self.outcome()) {
            Fit::Whole => self.line(refusal.label),
            Fit::StatusOnly => self.other_code(requirement, refusal),
            Fit::None => self.deviates(requirement, &refusal.expected()),
        }
        Ok(())
    }

    /// The operation must be refused, with a 4xx of any kind; these kinds are a should.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if no answer came.
    pub fn refused_best_as(self, requirement: &'static str, refusals: &[Refusal]) -> Flow {
        let refused = |outcome| matches!(outcome, Outcome::Refused(..));
        self.best_as(requirement, refusals, "a refusal", refused)
    }

    /// The operation must not be carried out, with an error of any kind; these kinds are a should.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if no answer came.
    pub fn not_done(self, requirement: &'static str, refusals: &[Refusal]) -> Flow {
        let not_done = |outcome| outcome != Outcome::Ok;
        self.best_as(requirement, refusals, "an error", not_done)
    }

    /// The operation must not be carried out, as it has not been before: no line says so.
    ///
    /// # Errors
    ///
    /// [`Stop::Violated`] if it was carried out.
    pub fn not_done_as_ever(self, requirement: &'static str) -> Flow {
        if self.outcome() != Outcome::Ok {
            return Ok(());
        }
        self.deviates(requirement, "an error");
        Err(Stop::Violated)
    }

    fn best_as(
        self,
        requirement: &'static str,
        refusals: &[Refusal],
        demand: &str,
        demanded: fn(Outcome) -> bool,
    ) -> Flow {
        self.answered()?;
        self.stage.cite_for(requirement, &self.exchange);
        let expected = refusals
            .iter()
            .map(Refusal::expected)
            .collect::<Vec<_>>()
            .join(", or ");
        let outcome = self.outcome();
        if !demanded(outcome) {
            self.deviates(requirement, &format!("{demand}: {expected}"));
            return Ok(());
        }
        if refusals
            .iter()
            .any(|refusal| refusal.fits(outcome) == Fit::Whole)
        {
            self.line("refused");
        } else {
            self.line(&format!("refused: {}", self.status_and_code()));
            self.stage.warn(
                requirement,
                Deviation::new(
                    format!("{}: {expected}", self.label),
                    self.said(),
                    [self.exchange()],
                ),
            );
        }
        Ok(())
    }

    /// The specification leaves open whether the operation is carried out: which it was becomes an
    /// observation. Answers the reply if it was.
    ///
    /// # Errors
    ///
    /// [`Stop::Violated`] if it failed with a 5xx, [`Stop::Inconclusive`] if no answer came.
    pub fn open(self, requirement: &'static str) -> Flow<Option<Reply>> {
        self.open_weighing(requirement, Level::Must)
    }

    /// The same, where a failure with a 5xx weighs this much.
    ///
    /// # Errors
    ///
    /// [`Stop::Violated`] if it failed with a 5xx, [`Stop::Inconclusive`] if no answer came.
    pub fn open_weighing(self, requirement: &'static str, failure: Level) -> Flow<Option<Reply>> {
        self.answered()?;
        match self.outcome() {
            Outcome::Failed(_) => {
                self.stage.cite_for(requirement, &self.exchange);
                // What is open is whether to do it or to refuse: a server error is neither.
                self.line(&self.outcome().to_string());
                self.stage.violated(
                    requirement,
                    failure,
                    Deviation::new(
                        "done or refused, never a server error",
                        self.said(),
                        [self.exchange()],
                    ),
                );
                Err(Stop::Violated)
            }
            outcome => {
                self.line("done or refused");
                self.stage.cite_for(requirement, &self.exchange);
                self.stage.observe(Observation {
                    requirement,
                    choice: format!("{}: {outcome}", self.label),
                });
                Ok((outcome == Outcome::Ok).then(|| self.reply()))
            }
        }
    }

    fn reply(&self) -> Reply {
        Reply {
            exchange: self.exchange(),
            body: self.exchange.json().unwrap_or_default(),
        }
    }

    /// Nothing is judged by an answer that never came, or that may come in passing from anything
    /// between here and the server (requirement REST-13).
    pub(crate) fn answered(&self) -> Flow {
        match self.outcome() {
            Outcome::Lost | Outcome::Refused(429, _) | Outcome::Failed(502..=504) => Err(
                Stop::Inconclusive(format!("{}: {}", self.label, self.said())),
            ),
            _ => Ok(()),
        }
    }

    fn line(&self, outcome: &str) {
        self.stage.line(format!("{}: {outcome}", self.label));
    }

    fn other_code(&self, requirement: &'static str, refusal: Refusal) {
        self.line(&self.status_and_code());
        self.stage.warn(
            requirement,
            Deviation::new(refusal.expected(), self.said(), [self.exchange()]),
        );
    }

    fn deviates(&self, requirement: &'static str, expected: &str) {
        self.line(&self.outcome().to_string());
        self.stage.cite_for(requirement, &self.exchange);
        self.stage.violates(
            requirement,
            Deviation::new(
                format!("{}: {expected}", self.label),
                self.said(),
                [self.exchange()],
            ),
        );
    }

    fn status_and_code(&self) -> String {
        match self.outcome() {
            Outcome::Refused(status, Some(code)) => format!("{status} with code {code}"),
            Outcome::Refused(status, None) => format!("{status} without a code"),
            outcome => outcome.to_string(),
        }
    }

    /// The status, and the code of an error.
    pub(crate) fn said(&self) -> String {
        match &self.exchange.answer {
            Err(error) => format!("no answer: {error}"),
            Ok(answer) => match self.exchange.code() {
                Some(code) => format!("{} with code {code}", answer.status),
                None if answer.status >= 400 => format!("{} without a code", answer.status),
                None => answer.status.to_string(),
            },
        }
    }
}

impl Reply {
    /// The version's entry in the answer, in the field `version`; none if it is not there.
    #[must_use]
    pub fn entry(&self) -> Option<Entry> {
        Entry::read(self.body.get("version")?)
    }

    /// The entries in the answer, in the field `versions`.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        let items = self.body.get("versions").and_then(Value::as_array);
        items
            .into_iter()
            .flatten()
            .filter_map(Entry::read)
            .collect()
    }

    /// The names in this field of the answer.
    #[must_use]
    pub fn names(&self, field: &str) -> Vec<String> {
        let items = self.body.get(field).and_then(Value::as_array);
        let names = items.into_iter().flatten().filter_map(Value::as_str);
        names.map(str::to_owned).collect()
    }

    /// The token that asks for the next page; none at the end of a listing (requirement PAGE-3).
    #[must_use]
    pub fn page_token(&self) -> Option<String> {
        page_token(&self.body).map(str::to_owned)
    }
}
