//! Where a result comes from: which suite, when, where and by which command.

use std::sync::LazyLock;
use std::time::UNIX_EPOCH;

use lance_namespace_client::OPENAPI;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::requirement::REQUIREMENTS;
use crate::result::digest::sha256;
use crate::run::Run;
use crate::scenarios;

/// The suite that was played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Suite {
    /// Its version.
    pub version: String,
    /// The release of the protocol that it checks.
    pub protocol: String,
    /// How many scenarios it has.
    pub scenarios: usize,
    /// SHA-256, in hexadecimal, of its catalogue `requirements.toml`.
    pub requirements_sha256: String,
    /// SHA-256, in hexadecimal, of its `openapi.yml`.
    pub openapi_sha256: String,
}

impl Suite {
    /// The suite that this program is built of.
    #[must_use]
    pub fn this() -> Self {
        static THIS: LazyLock<Suite> = LazyLock::new(|| {
            let mut lines = OPENAPI.lines();
            let release = lines.find_map(|line| line.strip_prefix("x-release:"));
            Suite {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                protocol: release.unwrap_or_default().trim().to_owned(),
                scenarios: scenarios::all().count(),
                requirements_sha256: sha256(REQUIREMENTS),
                openapi_sha256: sha256(OPENAPI),
            }
        });
        THIS.clone()
    }
}

/// When, where and by which command a run was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Environment {
    /// When it began, in UTC: a date and a time of RFC 3339, such as `2026-02-28T12:00:00Z`.
    #[schemars(extend("format" = "date-time"))]
    pub began: String,
    /// The operating system that the suite ran on, such as `linux`.
    pub os: String,
    /// The processor's architecture, such as `x86_64`.
    pub arch: String,
    /// The command line, word by word; what may be a secret stands there as `redacted`. Empty if
    /// another program called the suite as a library.
    pub command: Vec<String>,
}

impl Environment {
    /// Where this program runs.
    pub(super) fn of(run: &Run) -> Self {
        // A clock that stands before 1970 has no date that could be written.
        let began = run.began.max(UNIX_EPOCH);
        Self {
            began: humantime::format_rfc3339_seconds(began).to_string(),
            os: std::env::consts::OS.to_owned(),
            arch: std::env::consts::ARCH.to_owned(),
            command: Vec::new(),
        }
    }
}
