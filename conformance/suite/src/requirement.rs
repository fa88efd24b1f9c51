//! The catalogue of requirements: every checkable statement, with its level and its scenarios.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How strongly the specification asks for something.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Left to the implementation: what a server does is recorded and never judged.
    Open,
    /// Recommended: breaking it is a warning.
    Should,
    /// Demanded: breaking it fails the certification.
    Must,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open => "open",
            Self::Should => "should",
            Self::Must => "must",
        })
    }
}

/// One checkable statement about a server.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// Its name in reports, such as `VER-2`.
    pub id: String,
    /// How strongly it is asked for.
    pub level: Level,
    /// Whether data is lost, mixed up, or shown to the wrong one where it does not hold.
    #[serde(default)]
    pub data_at_stake: bool,
    /// The statement itself.
    pub statement: String,
    /// Which part of the specification it comes from.
    pub source: String,
    /// Where the text can be read in two ways: what counts as right, and why.
    #[serde(default)]
    pub reading: Option<String>,
    /// What goes wrong where it does not hold.
    #[serde(default)]
    pub why: Option<String>,
    /// How servers come to break it.
    #[serde(default)]
    pub causes: Vec<String>,
    /// The scenarios that check it.
    #[serde(default)]
    pub scenarios: Vec<String>,
    /// For what no single scenario checks: how the suite checks it all the same.
    #[serde(default)]
    pub checked: Option<String>,
    /// For what the suite does not check: why.
    #[serde(default)]
    pub excluded: Option<String>,
}

/// The text of `requirements.toml`.
pub(crate) const REQUIREMENTS: &str = include_str!("../requirements.toml");

/// All requirements, in the order of the catalogue.
#[derive(Debug, Deserialize)]
pub struct Catalogue {
    requirement: Vec<Requirement>,
    #[serde(skip)]
    by_id: BTreeMap<String, usize>,
}

impl Catalogue {
    /// The requirements, in the catalogue's order.
    pub fn iter(&self) -> impl Iterator<Item = &Requirement> {
        self.requirement.iter()
    }

    /// The requirement of this id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Requirement> {
        self.by_id.get(id).map(|&index| &self.requirement[index])
    }
}

/// The catalogue that this build of the suite checks.
///
/// # Panics
///
/// If `requirements.toml`, which is part of the build, cannot be read; a test reads it.
pub fn catalogue() -> &'static Catalogue {
    static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
        let mut catalogue: Catalogue = toml::from_str(REQUIREMENTS)
            .expect("requirements.toml is part of the build and is read by a test");
        catalogue.by_id = catalogue
            .requirement
            .iter()
            .enumerate()
            .map(|(index, requirement)| (requirement.id.clone(), index))
            .collect();
        catalogue
    });
    &CATALOGUE
}
