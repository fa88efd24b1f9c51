//! What a run found of a mutant, against what it must find.

use std::collections::{BTreeMap, BTreeSet};

use lance_namespace_suite::play::Status;
use lance_namespace_suite::requirement::Level;
use lance_namespace_suite::run::{Run, Verdict};

use crate::broken::Expected;

/// What runs against one mutant reported, taken together.
#[derive(Clone, Debug, Default)]
pub struct Reported {
    /// The requirements that were reported as broken.
    pub broken: BTreeSet<&'static str>,
    /// The requirements that were warned of.
    pub warned: BTreeSet<&'static str>,
    /// Whether there was a verdict against the server.
    pub violation: bool,
}

impl Reported {
    /// Takes in what a run reports.
    pub fn add(&mut self, run: &Run) {
        for finding in run.played.iter().flat_map(|played| &played.findings) {
            match finding.level {
                Level::Must => self.broken.insert(finding.requirement),
                _ => self.warned.insert(finding.requirement),
            };
        }
        self.violation |= run.verdict() == Verdict::Violation;
    }

    /// What should have been reported of a broken service, and was not. Another seed may report it, where
    /// it depends on who comes first.
    #[must_use]
    pub fn misses(&self, expected: &Expected) -> Vec<String> {
        let mut misses = Vec::new();
        for requirement in expected.breaks {
            if !self.broken.contains(requirement) {
                misses.push(format!("{requirement} is not reported as broken"));
            }
        }
        for requirement in expected.warns {
            if !self.warned.contains(requirement) {
                misses.push(format!("{requirement} is not warned of"));
            }
        }
        let must_fail = expected.warns.is_empty() || !expected.breaks.is_empty();
        if must_fail && !self.violation {
            misses.push("there is no verdict against it".to_owned());
        }
        misses
    }

    /// What was reported as broken of a service that does not break it.
    #[must_use]
    pub fn false_alarms(&self, expected: &Expected) -> Vec<String> {
        let known = [expected.breaks, expected.may_break].concat();
        let others = self
            .broken
            .iter()
            .filter(|requirement| !known.contains(requirement));
        let others = others.map(|requirement| format!("{requirement} is reported as broken"));
        others.collect()
    }

    /// Both of them.
    #[must_use]
    pub fn faults(&self, expected: &Expected) -> Vec<String> {
        [self.misses(expected), self.false_alarms(expected)].concat()
    }
}

/// The scenarios that find something, each with what it reports first.
#[must_use]
pub fn catches(run: &Run) -> BTreeMap<&'static str, String> {
    let caught = run
        .played
        .iter()
        .filter(|played| matches!(played.status, Status::Fail | Status::Warn));
    caught
        .map(|played| {
            let worst = played.findings.iter().max_by_key(|finding| finding.level);
            let text = worst.map(|finding| {
                let (requirement, level) = (finding.requirement, finding.level);
                format!("{requirement} ({level}): {}", finding.actual)
            });
            (played.scenario.id, text.unwrap_or_default())
        })
        .collect()
}

/// What the scenarios reported, for whoever reads why a mutant is not judged as it must be.
#[must_use]
pub fn report(run: &Run) -> Vec<String> {
    let mut lines = Vec::new();
    for played in &run.played {
        for finding in &played.findings {
            let (requirement, level) = (finding.requirement, finding.level);
            let (id, actual) = (played.scenario.id, &finding.actual);
            lines.push(format!("{id}: {requirement} ({level}): {actual}"));
        }
        if played.status == Status::Error {
            let reason = played.reason.as_deref().unwrap_or_default();
            lines.push(format!("{}: error: {reason}", played.scenario.id));
        }
    }
    lines
}
