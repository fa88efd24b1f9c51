//! What a scenario is: a name, the requirements it checks, what it needs of a server, and steps.

use std::fmt;

use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::stage::Stage;

/// A part of the protocol that a server can have or lack.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Tier {
    /// The eight operations that the specification recommends as a minimum.
    Basic,
    /// The rest of the operations on tables.
    Tables,
    /// Versions, put-if-not-exists.
    Versions,
    /// Many versions or operations at once, all or nothing.
    Batch,
    /// Branches.
    Branches,
    /// Tags.
    Tags,
    /// Rows.
    Data,
    /// Transactions.
    Transactions,
}

impl Tier {
    /// All tiers, in the order of reports.
    pub const ALL: [Self; 8] = [
        Self::Basic,
        Self::Tables,
        Self::Versions,
        Self::Batch,
        Self::Branches,
        Self::Tags,
        Self::Data,
        Self::Transactions,
    ];

    /// The tier's name, in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Tables => "tables",
            Self::Versions => "versions",
            Self::Batch => "batch",
            Self::Branches => "branches",
            Self::Tags => "tags",
            Self::Data => "data",
            Self::Transactions => "transactions",
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Tier {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|tier| tier.name() == name)
            .ok_or_else(|| {
                let names: Vec<&str> = Self::ALL.iter().map(|tier| tier.name()).collect();
                format!(
                    "there is no tier {name}; the tiers are {}",
                    names.join(", ")
                )
            })
    }
}

/// What a run must be given, beside a server's URL, for some scenarios to be played.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Given {
    /// A command that starts the server, so that it can be killed and started again.
    ServerCommand,
    /// The URL of another replica of the service.
    Replica,
    /// Credentials that the server knows, and others that it does not.
    Credentials,
    /// The same for an API key or a bearer token, which have a place in a request's `identity`.
    Identity,
    /// Namespaces as deep as the scenario makes them, which the declaration does not allow.
    Depth,
    /// Tables at other levels than the one that the declaration says.
    TablesElsewhere,
    /// Names of characters that the declaration does not allow.
    Characters,
}

impl Given {
    /// The flag that gives it, or what the server would have to be declared to allow.
    #[must_use]
    pub fn flag(self) -> &'static str {
        match self {
            Self::ServerCommand => "--server-cmd",
            Self::Replica => "a second --server-url",
            Self::Credentials => "--bad-credential",
            Self::Identity => "--bad-credential for x-api-key or authorization",
            Self::Depth => "deeper namespaces (names.max_depth of the declaration)",
            Self::TablesElsewhere => {
                "tables at other levels (names.table_depth of the declaration)"
            }
            Self::Characters => "other characters in names (names.characters of the declaration)",
        }
    }
}

/// Why a scenario ends before its last step.
#[derive(Debug)]
pub enum Stop {
    /// A requirement was broken in a way that makes the steps after it meaningless; the finding
    /// has been recorded.
    Violated,
    /// Nothing can be said: the set-up failed, or an answer never came.
    Inconclusive(String),
    /// The server says of a step that it does not support it (requirement REST-12), so the scenario is
    /// none for this server.
    Unsupported {
        /// The operation.
        operation: &'static str,
        /// The step, and what the server answered.
        answer: String,
    },
    /// The server says that it lacks a choice which it may lack, as was observed: there is nothing more to
    /// ask, and nothing wrong.
    NotOffered,
}

/// What a step leads to: a value to go on with, or the scenario's end.
pub type Flow<T = ()> = Result<T, Stop>;

/// One scenario.
#[derive(Clone, Copy)]
pub struct Scenario {
    /// The scenario's name: its family, a slash, and what must hold, in kebab case.
    pub id: &'static str,
    /// One sentence: what must hold.
    pub title: &'static str,
    /// The tier it belongs to.
    pub tier: Tier,
    /// The requirements that it checks, by id.
    pub requirements: &'static [&'static str],
    /// The operations that a server must have for the scenario to say anything, beside the basic
    /// ones.
    pub needs: &'static [&'static str],
    /// What the run must be given; without it the scenario is left out of the plan, and the
    /// report says so.
    pub given: &'static [Given],
    /// The steps.
    pub steps: fn(Stage) -> BoxFuture<'static, Flow>,
}

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scenario")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// Defines a module's scenarios, `pub(super) const SCENARIOS: &[Scenario]`, each after its
/// function:
///
/// ```text
/// scenarios! {
///     /// A version that exists is not replaced by another manifest.
///     "put-if-not-exists/second-create-is-refused" => second_create_is_refused {
///         tier: Versions,
///         checks: ["VER-2", "VER-3"],
///         needs: ["CreateTableVersion", "DescribeTableVersion"],
///     }
/// }
///
/// async fn second_create_is_refused(s: Stage) -> Flow { … }
/// ```
///
/// After `needs`, `given: [ServerCommand]` names what the run must be given.
macro_rules! scenarios {
    ($(
        #[doc = $title:literal]
        $id:literal => $steps:ident {
            tier: $tier:ident,
            checks: [$($requirement:literal),+ $(,)?],
            needs: [$($need:literal),* $(,)?] $(,)?
            $(given: [$($given:ident),* $(,)?] $(,)?)?
        }
    )+) => {
        pub(super) const SCENARIOS: &[$crate::scenario::Scenario] = &[$(
            $crate::scenario::Scenario {
                id: $id,
                title: $title.trim_ascii(),
                tier: $crate::scenario::Tier::$tier,
                requirements: &[$($requirement),+],
                needs: &[$($need),*],
                given: &[$($($crate::scenario::Given::$given),*)?],
                steps: |stage| Box::pin($steps(stage)),
            }
        ),+];
    };
}
pub(crate) use scenarios;
