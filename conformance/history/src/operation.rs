//! What a client asked, when, and what it was told.

/// One call of one client: what was asked, from when to when, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The client, by number. A client has one call at a time, except that it may go on after one
    /// whose outcome is unknown; nothing is concluded from that but the times.
    pub client: u32,
    /// When the call began, in nanoseconds of a monotonic clock that all clients share.
    pub start: u64,
    /// When the answer was there. Without meaning if the outcome is unknown.
    pub end: u64,
    /// What was asked.
    pub call: Call,
    /// How it ended.
    pub outcome: Outcome,
}

/// The versions of a table, or of one of its branches: those numbers are counted apart (VER-12).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ledger {
    /// The table's identifier, its parts joined as the recorder likes, but always alike.
    pub table: String,
    /// The branch; main if there is none.
    pub branch: Option<String>,
}

impl Ledger {
    /// The main branch of a table.
    #[must_use]
    pub fn main(table: impl Into<String>) -> Self {
        Self {
            table: table.into(),
            branch: None,
        }
    }
}

/// A version and what stands for its contents.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// The version number, 0 or above.
    pub version: i64,
    /// A digest of the entry or its manifest: equal for equal entries, another for each other one.
    pub entry: String,
}

/// A version to be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Put {
    /// Where.
    pub ledger: Ledger,
    /// Which version, and its contents.
    pub entry: Entry,
}

/// Versions from `start` up to but without `end`; without `end`, through the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first version, 0 or above.
    pub start: i64,
    /// The version after the last, at least `start`.
    pub end: Option<i64>,
}

/// Which part of a listing was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Whether `descending=true` was asked for. Only then is the order told, and with it what a
    /// page that is not the whole says of versions that it does not hold.
    pub descending: bool,
    /// The last version of the page before; none for the first page.
    pub after: Option<i64>,
    /// When the first page was asked for. A server may answer later pages from what it saw then.
    pub since: Option<u64>,
}

/// What a client asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// CreateTableVersion.
    CreateVersion(Put),
    /// DescribeTableVersion, of a version or, without one, of the latest.
    DescribeVersion {
        /// Where.
        ledger: Ledger,
        /// Which version; the latest if none is named.
        version: Option<i64>,
    },
    /// ListTableVersions: one page, which may be the whole.
    ListVersions {
        /// Where.
        ledger: Ledger,
        /// Which page.
        page: Page,
    },
    /// BatchDeleteTableVersions.
    DeleteVersions {
        /// Where.
        ledger: Ledger,
        /// What to delete.
        ranges: Vec<Range>,
    },
    /// DeclareTable, or RegisterTable in mode Create.
    DeclareTable(String),
    /// TableExists.
    TableExists(String),
    /// DescribeTable.
    DescribeTable(String),
    /// DropTable.
    DropTable(String),
    /// DeregisterTable.
    DeregisterTable(String),
    /// BatchCreateTableVersions.
    BatchCreate(Vec<Put>),
    /// BatchCommitTables.
    BatchCommit(Vec<Change>),
}

impl Call {
    /// Whether it is a call that can change anything.
    #[must_use]
    pub fn changes(&self) -> bool {
        match self {
            Self::CreateVersion(_)
            | Self::DeleteVersions { .. }
            | Self::DeclareTable(_)
            | Self::DropTable(_)
            | Self::DeregisterTable(_)
            | Self::BatchCreate(_)
            | Self::BatchCommit(_) => true,
            Self::DescribeVersion { .. }
            | Self::ListVersions { .. }
            | Self::TableExists(_)
            | Self::DescribeTable(_) => false,
        }
    }
}

/// One of the operations that BatchCommitTables carries out together, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// DeclareTable.
    DeclareTable(String),
    /// CreateTableVersion.
    CreateVersion(Put),
    /// BatchDeleteTableVersions.
    DeleteVersions {
        /// Where.
        ledger: Ledger,
        /// What to delete.
        ranges: Vec<Range>,
    },
    /// DeregisterTable.
    DeregisterTable(String),
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Answered with success.
    Ok(Answer),
    /// Answered as refused: nothing was changed, and what the refusal claims was so.
    Refused(Refusal),
    /// Not answered, or so that nobody can tell: the call may take effect at any time after its
    /// start, or never.
    Unknown,
}

/// What a successful answer says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is done, or it is there. All calls but those below.
    Done,
    /// DescribeTableVersion: the entry.
    Entry(Entry),
    /// ListTableVersions: the page.
    Entries {
        /// The versions on it, in any order.
        entries: Vec<Entry>,
        /// Whether a page token came with it.
        more: bool,
    },
    /// BatchDeleteTableVersions: how many there were, if it says so.
    Deleted(Option<u64>),
}

/// What a refusal claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// What was to be created exists: the version, the table, or one of them for a batch.
    Exists,
    /// What was named does not exist: the version that was asked for, or else the table, or one of
    /// the tables for a batch.
    Missing,
    /// Nothing that this model knows: throttled, invalid, denied, contention.
    Other,
}

/// A history: what was there, and every call that was made.
///
/// It must hold every call that may have changed the tables and versions in it. Calls may stand in
/// any order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// What was there before the first call.
    pub initial: Vec<Initial>,
    /// The calls.
    pub operations: Vec<Operation>,
}

/// A table that was there before the first call, with what one of its branches held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Initial {
    /// The table and branch.
    pub ledger: Ledger,
    /// The versions; often none.
    pub entries: Vec<Entry>,
}
