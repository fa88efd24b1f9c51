//! Failures that are known: what a run expects, and what to think of it afterwards.

mod date;
mod judge;

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wildmatch::WildMatch;

pub use date::Date;
pub use judge::{Expectations, Judgement, Known, Stale, Why};

/// A failure that is known: of a scenario, of a requirement, or of a requirement in a scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// The scenario that fails, by name; `*` stands for anything. Without it, any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario: Option<String>,
    /// The requirement that is broken, such as `VER-2`. Without it, any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requirement: Option<String>,
    /// Why it fails, and why that is accepted for now.
    pub reason: String,
    /// Where one can read more: an issue, say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// The last day on which the failure is accepted, as in `2027-01-31`.
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Date>,
    /// For what fails now and then: how many times of how many, as in `1 of 5`. A scenario that fails
    /// is played again, up to so many times in all, and may fail so often and no more.
    #[schemars(with = "Option<String>", extend("pattern" = "^[0-9]+ of [0-9]+$"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fails: Option<Fails>,
}

/// How many times of how many something fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fails {
    /// So often at most.
    pub times: u16,
    /// Of so many times that it is played.
    pub of: u16,
}

/// An expectation, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// The file and the line.
    pub place: String,
    /// What is expected.
    #[serde(flatten)]
    pub expectation: Expectation,
}

/// How often the most patient expectation lets a scenario be played.
const MOST_PLAYS: u16 = 100;

impl Expectation {
    /// Whether it says what an expectation has to.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.scenario.is_none() && self.requirement.is_none() {
            return Err("an expectation needs a scenario or requirement that fails".to_owned());
        }
        if self.reason.trim().is_empty() {
            return Err("an expectation needs a reason that a reader can judge".to_owned());
        }
        Ok(())
    }

    /// Whether it is about this scenario.
    fn names(&self, scenario: &str) -> bool {
        let pattern = self.scenario.as_deref();
        pattern.is_none_or(|pattern| WildMatch::new(pattern).matches(scenario))
    }

    /// Whether it is about this requirement.
    fn cites(&self, requirement: &str) -> bool {
        let own = self.requirement.as_deref();
        own.is_none_or(|own| own.eq_ignore_ascii_case(requirement))
    }

    /// What it is about, in words.
    #[must_use]
    pub fn subject(&self) -> String {
        match (&self.requirement, &self.scenario) {
            (Some(requirement), Some(scenario)) => format!("{requirement} in {scenario}"),
            (Some(subject), None) | (None, Some(subject)) => subject.clone(),
            (None, None) => String::new(),
        }
    }
}

impl FromStr for Fails {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "{text:?} does not say how many times of how many, as in \"1 of 5\": at least one, \
                 fewer than all, and of {MOST_PLAYS} at most"
            )
        };
        let (times, of) = text.split_once(" of ").ok_or_else(wrong)?;
        let number = |text: &str| text.trim().parse::<u16>().map_err(|_| wrong());
        let (times, of) = (number(times)?, number(of)?);
        match 0 < times && times < of && of <= MOST_PLAYS {
            true => Ok(Self { times, of }),
            false => Err(wrong()),
        }
    }
}

impl fmt::Display for Fails {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.times, self.of)
    }
}

impl Serialize for Fails {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
