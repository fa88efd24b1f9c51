//! What kind of operation may be tried again after which failure.

use reqwest::StatusCode;

use crate::{Error, ErrorCode, ErrorKind};

/// How an operation takes being called twice. It depends on the operation and not on the HTTP
/// method: nearly all are `POST`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RetryClass {
    /// Changes nothing. Tried again after a failure to connect, a time-out of an attempt, a broken
    /// connection, the statuses 429, 502, 503 and 504, and the codes 17 and 21.
    Read,
    /// Changes something. Tried again only where the server surely did not do it: after a failure to
    /// connect, the status 429 and the code 21.
    Write,
    /// A write after which the same call finds nothing, such as a drop. Tried again as
    /// [`Write`](Self::Write) is.
    Removal,
}

/// The operations that change nothing.
const READS: &[&str] = &[
    "ListNamespaces",
    "DescribeNamespace",
    "NamespaceExists",
    "ListTables",
    "ListAllTables",
    "DescribeTable",
    "TableExists",
    "ListTableVersions",
    "DescribeTableVersion",
    "CountTableRows",
    "QueryTable",
    "ExplainTableQueryPlan",
    "AnalyzeTableQueryPlan",
    "ListTableIndices",
    "DescribeTableIndexStats",
    "GetTableStats",
    "ListTableTags",
    "GetTableTagVersion",
    "ListTableBranches",
    "DescribeTransaction",
];

/// The operations after which the object is gone.
const REMOVALS: &[&str] = &[
    "DropNamespace",
    "DropTable",
    "DeregisterTable",
    // Gone from where it was.
    "RenameTable",
    "DropTableIndex",
    "DeleteTableTag",
    "DeleteTableBranch",
    "AlterTableDropColumns",
];

/// The other writes. Nothing is looked up here: an operation in no list is a write. The list is
/// there so that each operation of the protocol has been thought about, which a test holds.
#[cfg(test)]
const WRITES: &[&str] = &[
    "CreateNamespace",
    "RegisterTable",
    "DeclareTable",
    "RestoreTable",
    "CreateTableVersion",
    "BatchDeleteTableVersions",
    "BatchCreateTableVersions",
    "BatchCommitTables",
    "CreateTable",
    "InsertIntoTable",
    "MergeInsertIntoTable",
    "UpdateTable",
    "DeleteFromTable",
    "CreateTableIndex",
    "CreateTableScalarIndex",
    "AlterTableAddColumns",
    "AlterTableAlterColumns",
    "AlterTableBackfillColumns",
    "UpdateTableSchemaMetadata",
    "UpdateFieldMetadata",
    "CreateMaterializedView",
    "RefreshMaterializedView",
    "CreateTableTag",
    "UpdateTableTag",
    "CreateTableBranch",
    "AlterTransaction",
];

impl RetryClass {
    /// The class of an operation, by its id.
    pub(crate) fn of(operation: &str) -> Self {
        if READS.contains(&operation) {
            Self::Read
        } else if REMOVALS.contains(&operation) {
            Self::Removal
        } else {
            Self::Write
        }
    }

    /// Whether an attempt that ended so may be followed by another.
    pub(crate) fn repeats(self, error: &Error) -> bool {
        if error.code() == Some(ErrorCode::CONCURRENT_MODIFICATION) {
            return false;
        }
        let read = self == Self::Read;
        match error.kind() {
            ErrorKind::Connect => true,
            ErrorKind::Timeout | ErrorKind::Transport | ErrorKind::Truncated => read,
            ErrorKind::Server => throttled(error) || read && unavailable(error),
            _ => false,
        }
    }

    /// Whether nobody can know, after the last attempt of a call ended so, if the server did what it
    /// was asked. `before` is whether an earlier attempt had reached the server.
    pub(crate) fn in_doubt(self, error: &Error, before: bool) -> bool {
        if self == Self::Read {
            return false;
        }
        match error.kind() {
            ErrorKind::Timeout
            | ErrorKind::Transport
            | ErrorKind::Truncated
            | ErrorKind::Decode => true,
            ErrorKind::Server => {
                let status = error.status();
                // What the call's own first attempt did is in the way of the next one.
                let own = match self {
                    Self::Removal => status == Some(StatusCode::NOT_FOUND),
                    _ => false,
                };
                lost(error) || before && (own || status == Some(StatusCode::CONFLICT))
            }
            _ => false,
        }
    }
}

fn throttled(error: &Error) -> bool {
    error.status() == Some(StatusCode::TOO_MANY_REQUESTS)
        || error.code() == Some(ErrorCode::THROTTLING)
}

fn unavailable(error: &Error) -> bool {
    error.code() == Some(ErrorCode::SERVICE_UNAVAILABLE)
        || matches!(
            error.status().map(|status| status.as_u16()),
            Some(502..=504)
        )
}

/// Whether an error that was answered says nothing about what was done: that of a proxy that gave
/// up waiting, or of a server that failed on the way. Other codes than those of failing are a
/// refusal, whatever the status that they came with.
fn lost(error: &Error) -> bool {
    let failed = match error.code() {
        None => true,
        Some(code) => {
            code == ErrorCode::SERVICE_UNAVAILABLE
                || code == ErrorCode::INTERNAL
                || code.name().is_none()
        }
    };
    let status = error.status();
    let late = status == Some(StatusCode::REQUEST_TIMEOUT);
    let broken = status
        .is_some_and(|status| status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED);
    failed && (late || broken)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::Operation;

    #[test]
    fn every_operation_has_one_class_and_every_entry_is_an_operation() {
        let listed: Vec<&str> = [READS, REMOVALS, WRITES].concat();
        let known: BTreeSet<&str> = Operation::all().iter().map(Operation::id).collect();
        assert_eq!(listed.iter().copied().collect::<BTreeSet<_>>(), known);
        assert_eq!(listed.len(), known.len(), "an operation is listed twice");
    }
}
