//! What a result says of the part of a plan that it is of, and of the parts that it was merged from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::expectation::Entry;
use crate::part::{Part, Shard};
use crate::result::digest::sha256;
use crate::result::{RunResult, SCHEMA};
use crate::run::{PlayedPart, Run};
use crate::scenario::Tier;
use crate::target::Target;

/// The part of the plan that was played, and what all parts must have in common.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PartResult {
    /// Which shard, as `1/4`; none if a test target was asked for some of its tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// The scenarios of the part, by name, in the suite's order: those that were left out, too.
    pub scenarios: Vec<String>,
    /// The tiers that the server claims to have; none if they were probed.
    pub claimed: Vec<Tier>,
    /// Everything that is said to be known to fail, in whichever part.
    pub expectations: Vec<Entry>,
    /// Whether the server was started for this part alone, so that its URL is another one in each.
    pub started: bool,
    /// SHA-256, in hexadecimal, of what else is declared of the server: names, storage, what it can be
    /// asked for, and the command that starts it.
    pub declared_sha256: String,
}

/// One of the results that a result was merged from.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MergedPart {
    /// Which shard it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// Its run's name.
    pub run: String,
    /// The server's URL.
    pub url: String,
    /// When it began.
    #[schemars(extend("format" = "date-time"))]
    pub began: String,
    /// Its digest.
    pub digest: String,
}

impl PartResult {
    pub(super) fn new(run: &Run, target: &Target) -> Option<Self> {
        let PlayedPart {
            part,
            scenarios,
            expectations,
        } = run.part.as_ref()?;
        let Part {
            shard, started_by, ..
        } = part;
        let declared = json!({
            "schema": SCHEMA,
            "server": started_by,
            "settings": target.settings(),
        });
        Some(Self {
            shard: *shard,
            scenarios: scenarios.iter().map(ToString::to_string).collect(),
            claimed: run.claimed.clone(),
            expectations: expectations.clone(),
            started: started_by.is_some(),
            declared_sha256: sha256(&declared.to_string()),
        })
    }
}

impl RunResult {
    /// Which part of the plan it is of, in words such as `shard 1 of 4`; none if it is of the whole.
    #[must_use]
    pub fn part_words(&self) -> Option<String> {
        let part = self.part.as_ref()?;
        let (own, whole) = (part.scenarios.len(), self.plan.len());
        Some(Part::words(part.shard, own, whole))
    }

    /// The scenarios of which it has to tell: those of its plan, or of its part of it.
    pub fn own_plan(&self) -> &[String] {
        match &self.part {
            Some(part) => &part.scenarios,
            None => &self.plan,
        }
    }
}
