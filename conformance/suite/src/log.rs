//! What a scenario writes down while it runs: transcript, findings and observations.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::coverage::Answers;
use crate::exchange::Exchange;
use crate::outcome::Outcome;
use crate::requirement::Level;

/// A requirement that a server broke, and what shows it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The requirement, by id.
    pub requirement: &'static str,
    /// How much it weighs: at most the requirement's own level.
    pub level: Level,
    /// What an honest server does.
    pub expected: String,
    /// What this one did.
    pub actual: String,
    /// The requests that show it.
    pub exchanges: Vec<Arc<Exchange>>,
    /// A picture of when these happened, as SVG: where the order of requests by several clients is
    /// the point.
    pub timeline: Option<String>,
}

impl Finding {
    /// A deviation from this requirement that weighs this much.
    #[must_use]
    pub fn new(requirement: &'static str, level: Level, deviation: Deviation) -> Self {
        Self {
            requirement,
            level,
            expected: deviation.expected,
            actual: deviation.actual,
            exchanges: deviation.exchanges,
            timeline: None,
        }
    }

    /// A read among its requests that no answer came to, though nobody has broken its connection.
    pub(crate) fn unanswered_read(&self) -> Option<&Exchange> {
        let shown = self.exchanges.iter().map(AsRef::as_ref);
        shown.into_iter().find(|exchange: &&Exchange| {
            let lost = Outcome::of(exchange) == Outcome::Lost && exchange.fault().is_none();
            lost && exchange.operation.reads_only() && !exchange.astray
        })
    }

    /// The same with its words changed; its exchanges stay.
    pub(crate) fn map_text(self, change: impl Fn(String) -> String) -> Self {
        Self {
            expected: change(self.expected),
            actual: change(self.actual),
            timeline: self.timeline.map(change),
            ..self
        }
    }
}

/// What a server does where the specification leaves the choice to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// The requirement that leaves it open, by id.
    pub requirement: &'static str,
    /// The choice that the server took.
    pub choice: String,
}

/// How a check came out badly.
#[derive(Clone, Debug)]
pub struct Deviation {
    /// What an honest server does.
    pub expected: String,
    /// What this one did.
    pub actual: String,
    /// The requests that show it.
    pub exchanges: Vec<Arc<Exchange>>,
}

impl Deviation {
    /// A deviation, in words, and the requests that show it.
    pub fn new(
        expected: impl Into<String>,
        actual: impl Into<String>,
        exchanges: impl IntoIterator<Item = Arc<Exchange>>,
    ) -> Self {
        Self {
            expected: expected.into(),
            actual: actual.into(),
            exchanges: exchanges.into_iter().collect(),
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) lines: Vec<String>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) observations: Vec<Observation>,
    pub(crate) cited: BTreeSet<&'static str>,
    pub(crate) answers: Answers,
}

impl Log {
    pub(crate) fn find(&mut self, finding: Finding) {
        let same = |other: &Finding| {
            other.requirement == finding.requirement
                && other.expected == finding.expected
                && other.actual == finding.actual
        };
        if !self.findings.iter().any(same) {
            self.findings.push(finding);
        }
    }

    pub(crate) fn observe(&mut self, observation: Observation) {
        if !self.observations.contains(&observation) {
            self.observations.push(observation);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http::HeaderMap;

    use super::*;
    use crate::call::Call;
    use crate::exchange::Received;
    use crate::proxy::Fault;

    #[test]
    fn a_read_without_an_answer_shows_nothing() {
        let answered = || {
            Ok(Received {
                status: 404,
                headers: HeaderMap::new(),
                body: "{}".into(),
            })
        };
        let silent = || Err("timed out".to_owned());
        let read = Call::new("DescribeTableVersion");
        let write = Call::new("BatchCreateTableVersions");
        let cut = Exchange {
            fault: Some(Fault::CutAfterRequest(Duration::ZERO)),
            ..Exchange::of(&read, silent())
        };
        for (shown, unanswered) in [
            (vec![Exchange::of(&read, answered())], false),
            // Half of what a lost write asked for shows by reads that were answered.
            (
                vec![
                    Exchange::of(&write, silent()),
                    Exchange::of(&read, answered()),
                ],
                false,
            ),
            (vec![cut], false),
            (vec![], false),
            (
                vec![
                    Exchange::of(&write, answered()),
                    Exchange::of(&read, silent()),
                ],
                true,
            ),
        ] {
            let shown = shown.into_iter().map(Arc::new);
            let deviation = Deviation::new("it is there", "it is not", shown);
            let finding = Finding::new("VER-1", Level::Must, deviation);
            assert_eq!(finding.unanswered_read().is_some(), unanswered);
        }
    }
}
