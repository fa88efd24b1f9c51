//! Servers that lose something when they are killed. Each is a process of its own.

use std::io::{Error, Result};
use std::net::SocketAddr;

use crate::kept::{self, HONEST, Keeping};

/// A server that keeps its catalog in a file, and badly.
#[derive(Clone, Copy, Debug)]
pub struct KeptBadly {
    /// What the server does, in kebab case.
    pub name: &'static str,
    /// What the server does, in one sentence.
    pub does: &'static str,
    /// The scenarios that are played against it, as patterns.
    pub scenarios: &'static [&'static str],
    /// The requirements that the suite must report as broken.
    pub breaks: &'static [&'static str],
    /// The requirements that it may report besides, since they depend on the moment of the kill; no
    /// others.
    pub may_break: &'static [&'static str],
    /// How it keeps its catalog.
    pub keeping: Keeping,
}

/// A server that keeps its catalog well, in the same way: the others differ from it by their fault
/// only.
pub const KEPT_WELL: KeptBadly = KeptBadly {
    name: "log-written-before-the-answer",
    does: "Each request is recorded before it is answered; there is no fault in that.",
    scenarios: &["recovery/*"],
    breaks: &[],
    may_break: &[],
    keeping: Keeping::Well,
};

/// Every server that keeps its catalog badly.
pub const MUTANTS: &[KeptBadly] = &[
    KeptBadly {
        name: "catalog-in-memory",
        does: "A restart begins with an empty catalog.",
        scenarios: &["recovery/names-survive-a-kill"],
        breaks: &["REST-15"],
        may_break: &[],
        keeping: Keeping::InMemory,
    },
    KeptBadly {
        name: "log-written-after-the-answer",
        does: "Requests are answered at once and recorded every 40 ms.",
        scenarios: &["recovery/*"],
        breaks: &["BAT-10", "REST-15"],
        may_break: &["COM-1", "ORD-6", "ORD-7"],
        keeping: Keeping::Later,
    },
    KeptBadly {
        name: "names-written-after-the-answer",
        does: "Declares and deregisters are answered at once and recorded every 40 ms.",
        scenarios: &["recovery/names-survive-a-kill"],
        breaks: &["REST-15"],
        may_break: &[],
        keeping: Keeping::NamesLater,
    },
    KeptBadly {
        name: "batch-logged-entry-by-entry",
        does: "A batch or commit is recorded part by part; a kill leaves the parts that were written.",
        scenarios: &[
            "recovery/batches-survive-a-kill",
            "recovery/commits-survive-a-kill",
            "recovery/one-history-of-batches-over-kills",
        ],
        breaks: &["BAT-10", "COM-1"],
        may_break: &["ORD-6", "ORD-7"],
        keeping: Keeping::ByParts,
    },
    KeptBadly {
        name: "last-records-taken-for-torn",
        does: "A start drops the last three records of the log, whether or not they are whole.",
        scenarios: &["recovery/*"],
        breaks: &["BAT-10", "REST-15"],
        may_break: &["COM-1", "ORD-6", "ORD-7"],
        keeping: Keeping::WithoutTheLast,
    },
    KeptBadly {
        name: "removals-not-logged",
        does: "Deleted versions and deregistered tables are there again after a restart.",
        scenarios: &[
            "recovery/deletions-survive-a-kill",
            "recovery/names-survive-a-kill",
        ],
        breaks: &["REST-15"],
        may_break: &[],
        keeping: Keeping::WithoutRemovals,
    },
    KeptBadly {
        name: "refused-creates-logged",
        does: "Creates are recorded before it is known whether they win, and a restart believes the last.",
        scenarios: &["recovery/one-history-*", "recovery/versions-survive-a-kill"],
        breaks: &["REST-15"],
        may_break: &["ORD-6", "ORD-7"],
        keeping: Keeping::WithRefusals,
    },
    KeptBadly {
        name: "conditions-forgotten-at-a-restart",
        does: "A version is only known to exist if it was created since the last start.",
        scenarios: &["recovery/versions-survive-a-kill"],
        breaks: &["VER-2", "VER-3"],
        may_break: &["REST-15"],
        keeping: Keeping::WithoutConditions,
    },
    KeptBadly {
        name: "served-before-the-log-is-read",
        does: "Requests are answered while the log is still read after a restart.",
        scenarios: &["recovery/*"],
        breaks: &["BAT-10", "REST-15"],
        may_break: &["COM-1", "ORD-6", "ORD-7", "VER-2", "VER-3"],
        keeping: Keeping::ReadWhileServing,
    },
];

/// Serves one of them, or the reference server itself, until the process is killed: the words are
/// its name, the address to listen on, and the file that keeps the catalog.
///
/// # Errors
///
/// If the words are others, or the address or the file cannot be used.
pub async fn serve(words: &[String]) -> Result<()> {
    let [name, address, file] = words else {
        return Err(Error::other("want NAME ADDRESS FILE"));
    };
    let address: SocketAddr = address.parse().map_err(Error::other)?;
    if name == HONEST {
        return kept::serve_honestly(address, file.into()).await;
    }
    let mut all = MUTANTS.iter().chain([&KEPT_WELL]);
    let mutant = all.find(|mutant| mutant.name == name);
    let mutant = mutant.ok_or_else(|| Error::other(format!("there is no mutant {name}")))?;
    kept::serve(mutant.keeping, address, file.as_ref()).await
}
