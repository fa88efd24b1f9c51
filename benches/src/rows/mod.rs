//! The rows of the table, one piece of work a file.

pub(crate) mod build;
pub(crate) mod callers;
pub(crate) mod decode;
pub(crate) mod describe;
pub(crate) mod instructions;
pub(crate) mod list;
pub(crate) mod memory;
pub(crate) mod transfer;

use crate::Result;
use crate::report::Row;
use crate::server::Server;

/// A piece of work, which may make several rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Describe,
    Instructions,
    Callers,
    Decode,
    List,
    Memory,
    Transfer,
    Build,
}

impl Kind {
    /// In the order of the table.
    pub(crate) const ALL: [Self; 8] = [
        Self::Describe,
        Self::Instructions,
        Self::Callers,
        Self::Decode,
        Self::List,
        Self::Memory,
        Self::Transfer,
        Self::Build,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Describe => "describe",
            Self::Instructions => "instructions",
            Self::Callers => "callers",
            Self::Decode => "decode",
            Self::List => "list",
            Self::Memory => "memory",
            Self::Transfer => "transfer",
            Self::Build => "build",
        }
    }

    pub(crate) fn named(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| format!("there is no row {name:?}").into())
    }

    pub(crate) fn run(self, server: &Server) -> Result<Vec<Row>> {
        match self {
            Self::Describe => describe::run(server.url()),
            Self::Instructions => instructions::run(server.url()),
            Self::Callers => callers::run(server.url()),
            Self::Decode => decode::run(),
            Self::List => list::run(server.url()),
            Self::Memory => memory::run(server.url()),
            Self::Transfer => transfer::run(server.url()),
            Self::Build => build::run(),
        }
    }
}
