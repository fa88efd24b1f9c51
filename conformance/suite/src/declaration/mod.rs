//! The declaration of a server, `conformance.toml`: where it is, what it claims, what it allows, and
//! which of its failures are known.

mod read;
mod values;

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use toml::Spanned;

use crate::expectation::Expectation;
use crate::names::{Characters, Names};
use crate::scenario::Tier;
use crate::staging::{Mapping, Storage};

pub use read::DeclarationError;
pub use values::{Env, HeaderKey, HeaderText, ServerUrl};

/// The name that a declaration has in a server's repository.
pub const FILE: &str = "conformance.toml";

/// What a server's repository says to the conformance suite of the Lance Namespace protocol.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(title = "conformance.toml")]
pub struct Declaration {
    /// The server: where it is, or how it is started, and what it claims to have.
    pub server: ServerSection,
    /// What requests carry so that the server knows who asks.
    pub credentials: Credentials,
    /// Other headers that every request carries, by name.
    #[schemars(with = "BTreeMap<String, HeaderText>")]
    pub headers: BTreeMap<HeaderKey, HeaderText>,
    /// What the server allows of the names of namespaces and tables.
    #[schemars(with = "NamesSection")]
    pub names: Option<Spanned<NamesSection>>,
    /// How staging manifests get to the server's storage.
    #[schemars(with = "StorageSection")]
    pub storage: Option<Spanned<StorageSection>>,
    /// Failures that are known. A run in which nothing else fails ends with exit code 0; an entry that
    /// matches nothing, does not fail any more, or is expired makes it 4.
    #[schemars(with = "Vec<Expectation>")]
    pub expect: Vec<Spanned<Expectation>>,
}

/// The server: where it is, or how it is started, and what it claims to have.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ServerSection {
    /// Its URL, with or without a path, such as `http://127.0.0.1:2333`.
    #[schemars(with = "Option<String>")]
    pub url: Option<ServerUrl>,
    /// URLs of other replicas of the service: what is written at the first is looked for there.
    #[schemars(with = "Vec<String>")]
    pub replicas: Vec<ServerUrl>,
    /// A command that starts the server, run without a shell: `{port}` stands for the port of
    /// loopback to listen on, `{dir}` for a fresh folder to keep everything in. Some scenarios kill
    /// servers that they start so. Without a URL everything is played against one of them.
    pub command: Option<String>,
    /// How many seconds a server that was started may take until it answers; 30 if nothing is said.
    pub start_timeout: Option<NonZeroU64>,
    /// The tiers that the server claims to have: only these are checked, and what it lacks of them
    /// is a violation. Without it all are probed.
    pub tiers: Vec<Tier>,
}

/// What requests carry so that the server knows who asks. Secrets stand in environment variables, and
/// the names of these stand here.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Credentials {
    /// An API key, sent as the header `x-api-key`.
    pub api_key: Option<Env>,
    /// A bearer token, sent as the header `authorization`.
    pub bearer_token: Option<Env>,
    /// Credentials that the server must refuse, each by the header in which a good one is given. The
    /// scenarios of authentication are played only with one.
    #[schemars(with = "BTreeMap<String, HeaderText>")]
    pub bad: BTreeMap<HeaderKey, HeaderText>,
}

/// What the server allows of the names of namespaces and tables.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NamesSection {
    /// The parts of an existing namespace to work in; without it, the root.
    pub parent: Vec<String>,
    /// What joins the parts of an identifier; `$` if nothing is said.
    pub delimiter: Option<String>,
    /// How many parts the identifier of a namespace may have, that of the parent included. Scenarios
    /// that need more are left out. Where that leaves no room for a namespace of the run's own, tables are
    /// made in the parent, with names that begin with the run's.
    pub max_depth: Option<usize>,
    /// How many namespaces the identifier of every table begins with, if tables live at one level
    /// only. Scenarios that make tables elsewhere are left out.
    pub table_depth: Option<usize>,
    /// The characters that names are made of, as in `a-zA-Z0-9_-`: ranges and single characters.
    /// Scenarios that make other names are left out.
    #[schemars(with = "Option<String>")]
    pub characters: Option<Characters>,
}

/// How staging manifests get to the server's storage: some servers want a real file where a version's
/// manifest is said to be.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StorageSection {
    /// The way.
    pub manifests: Manifests,
    /// For `mapped`: what the locations that the server returns begin with, a URL or an absolute path.
    pub location: Option<String>,
    /// For `mapped`: the same place as the suite reaches it, a URL or an absolute path.
    pub root: Option<String>,
}

/// How staging manifests get to the server's storage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Manifests {
    /// To the location that the server returns, with the storage options that it returns.
    #[default]
    Returned,
    /// Not at all: manifests are paths without a file.
    Nowhere,
    /// To `root`, which the server knows as `location`, such as a volume of its container.
    Mapped,
}

impl Declaration {
    /// The structure of a declaration, for editors.
    #[must_use]
    pub fn schema() -> Schema {
        schemars::schema_for!(Self)
    }

    /// What is said of names.
    #[must_use]
    pub fn names(&self) -> Names {
        let said = self.names.as_ref().map(Spanned::get_ref);
        said.map_or_else(Names::default, |said| Names {
            max_depth: said.max_depth,
            table_depth: said.table_depth,
            characters: said.characters.clone(),
        })
    }

    /// The namespace to work in; none if nothing is said.
    #[must_use]
    pub fn parent(&self) -> Option<&[String]> {
        let said = self.names.as_ref().map(|names| &names.get_ref().parent);
        said.map(Vec::as_slice).filter(|parent| !parent.is_empty())
    }

    /// What joins identifiers, if something is said.
    #[must_use]
    pub fn delimiter(&self) -> Option<&str> {
        self.names.as_ref()?.get_ref().delimiter.as_deref()
    }

    /// How staging manifests get to the storage.
    #[must_use]
    pub fn storage(&self) -> Storage {
        let Some(said) = self.storage.as_ref().map(Spanned::get_ref) else {
            return Storage::default();
        };
        match (said.manifests, &said.location, &said.root) {
            (Manifests::Nowhere, ..) => Storage::Nowhere,
            (Manifests::Mapped, Some(location), Some(root)) => Storage::Mapped(Mapping {
                location: location.clone(),
                root: root.clone(),
            }),
            _ => Storage::Returned,
        }
    }
}
