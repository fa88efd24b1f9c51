//! What a workload is: who does what, how often, and where.

use super::spread::Spread;

/// A workload: so many clients on so few tables, in phases.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// How many clients there are.
    pub clients: usize,
    /// How many tables they meet on.
    pub tables: usize,
    /// Over how many namespaces those are spread; at least 1.
    pub namespaces: usize,
    /// How many names there are beside them for tables that come and go, and as many for namespaces.
    /// As many as clients, or none.
    pub siblings: usize,
    /// What is done, one phase after the other: no client begins with one before all have done
    /// with the one before it.
    pub phases: &'static [Phase],
}

/// A part of a workload in which clients keep to one mix of actions.
#[derive(Clone, Copy, Debug)]
pub struct Phase {
    /// How many steps each client takes.
    pub steps: usize,
    /// Who does what: the first client has the first role, and so on, and from the first again.
    pub roles: &'static [Role],
    /// Which tables are chosen.
    pub tables: Spread,
    /// Which versions are read: how far they lie below the latest that the client has seen.
    pub versions: Spread,
}

/// What a client does, each with its weight.
pub type Role = &'static [(u32, Action)];

/// Something that a client does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// Creates the version after the latest.
    Create,
    /// Creates a version that is there: no server may replace it.
    CreateAgain,
    /// Creates a version further above the latest, which a server may refuse.
    CreateAhead,
    /// Creates the next versions of several tables in one batch.
    Batch,
    /// Does the same by a commit.
    Commit,
    /// Deletes all versions but the last few.
    DeleteOld,
    /// Deletes one version, the latest or one below.
    DeleteOne,
    /// Describes a version by its number.
    Describe,
    /// Describes the latest version.
    DescribeLatest,
    /// Lists the versions.
    List,
    /// Lists the versions from the latest down, in small pages.
    PageDown,
    /// Asks whether a table is there, by exists or describe.
    LookForTable,
    /// Deregisters a table and declares one of another name in its place.
    Replace,
    /// Declares the client's own sibling, or drops it if it is there. Nobody else does: that a drop
    /// of what is gone already is refused, only the error page says.
    TurnSibling,
    /// Creates a version of a sibling.
    CreateOnSibling,
    /// Lists a sibling's versions.
    ListSibling,
    /// Creates a namespace, or drops it if it is there.
    TurnNamespace,
}
