//! What scenarios write down: the lines of the transcript, what was checked, and what is broken.

use super::{Stage, lock};
use crate::exchange::Exchange;
use crate::log::{Deviation, Finding, Observation};
use crate::requirement::{Level, catalogue};

impl Stage {
    /// Writes a line of the transcript.
    pub fn line(&self, line: String) {
        lock(&self.0.log).lines.push(line);
    }

    /// Judges something against a requirement, at the requirement's own level, and writes one line
    /// about it: `label: held` if it holds, else `label: ` and what there was instead. Answers
    /// whether it held.
    pub fn judge(
        &self,
        requirement: &'static str,
        label: &str,
        held: &str,
        result: Result<(), Deviation>,
    ) -> bool {
        self.judge_at(requirement, level_of(requirement), label, held, result)
    }

    /// As [`judge`](Self::judge), at another level than the requirement's own.
    pub fn judge_at(
        &self,
        requirement: &'static str,
        level: Level,
        label: &str,
        held: &str,
        result: Result<(), Deviation>,
    ) -> bool {
        self.cite(requirement);
        match result {
            Ok(()) => {
                self.line(format!("{label}: {held}"));
                true
            }
            Err(deviation) => {
                self.line(format!("{label}: {}", deviation.actual));
                self.find(requirement, level, deviation);
                false
            }
        }
    }

    /// Records that a requirement was checked.
    ///
    /// # Panics
    ///
    /// If the scenario does not declare the requirement, which is a fault of the suite.
    pub fn cite(&self, requirement: &'static str) {
        assert!(
            self.0.scenario.requirements.contains(&requirement),
            "{} checks {requirement} without declaring it",
            self.0.scenario.id
        );
        lock(&self.0.log).cited.insert(requirement);
    }

    /// Records that a requirement was checked by this answer.
    ///
    /// # Panics
    ///
    /// As [`cite`](Self::cite).
    pub fn cite_for(&self, requirement: &'static str, exchange: &Exchange) {
        self.cite(requirement);
        lock(&self.0.log).answers.judged(exchange, requirement);
    }

    /// Records that a requirement is broken, at the requirement's own level.
    ///
    /// # Panics
    ///
    /// If the catalogue has no such requirement, which is a fault of the suite.
    pub fn violates(&self, requirement: &'static str, deviation: Deviation) {
        self.find(requirement, level_of(requirement), deviation);
    }

    /// Records that a requirement is broken, at another level than its own: where a row of the
    /// catalogue asks for one thing as a must and for another as a should.
    pub fn violated(&self, requirement: &'static str, level: Level, deviation: Deviation) {
        self.find(requirement, level, deviation);
    }

    /// Records that what a requirement only recommends is not done.
    pub fn warn(&self, requirement: &'static str, deviation: Deviation) {
        self.find(requirement, Level::Should, deviation);
    }

    /// As [`violated`](Self::violated), with a picture (SVG) of what happened when.
    pub(crate) fn violated_in_time(
        &self,
        requirement: &'static str,
        level: Level,
        deviation: Deviation,
        timeline: String,
    ) {
        let finding = Finding::new(requirement, level, deviation);
        lock(&self.0.log).find(Finding {
            timeline: Some(timeline),
            ..finding
        });
    }

    pub(super) fn find(&self, requirement: &'static str, level: Level, deviation: Deviation) {
        lock(&self.0.log).find(Finding::new(requirement, level, deviation));
    }

    /// Records a choice that the specification leaves to the server.
    pub fn observe(&self, observation: Observation) {
        self.cite(observation.requirement);
        lock(&self.0.log).observe(observation);
    }
}

fn level_of(requirement: &str) -> Level {
    catalogue()
        .get(requirement)
        .unwrap_or_else(|| panic!("the catalogue has no requirement {requirement}"))
        .level
}
