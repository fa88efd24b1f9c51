//! The error codes of the protocol.

use std::fmt;

/// A Lance error code, open: a number that this release does not know stays what it is.
///
/// The constants can be matched on:
///
/// ```
/// use lance_namespace_client::ErrorCode;
///
/// let code = ErrorCode::from(14);
/// assert!(matches!(code, ErrorCode::CONCURRENT_MODIFICATION));
/// assert_eq!(code.name(), Some("ConcurrentModification"));
/// assert_eq!(ErrorCode::from(99).number(), 99);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ErrorCode(i64);

macro_rules! codes {
    ($($number:literal $constant:ident $name:literal $doc:literal)*) => {
        impl ErrorCode {
            $(#[doc = $doc] pub const $constant: Self = Self($number);)*

            /// Every code of the protocol, by number.
            pub const ALL: &'static [Self] = &[$(Self::$constant),*];

            /// The name in the protocol, such as `TableNotFound`, of a known code.
            pub fn name(self) -> Option<&'static str> {
                match self {
                    $(Self::$constant => Some($name),)*
                    _ => None,
                }
            }
        }
    };
}

codes! {
    0 UNSUPPORTED "Unsupported" "The server lacks the operation."
    1 NAMESPACE_NOT_FOUND "NamespaceNotFound" "There is no such namespace."
    2 NAMESPACE_ALREADY_EXISTS "NamespaceAlreadyExists" "A namespace of this name exists."
    3 NAMESPACE_NOT_EMPTY "NamespaceNotEmpty" "The namespace holds tables or namespaces."
    4 TABLE_NOT_FOUND "TableNotFound" "There is no such table."
    5 TABLE_ALREADY_EXISTS "TableAlreadyExists" "A table of this name exists."
    6 TABLE_INDEX_NOT_FOUND "TableIndexNotFound" "The table has no such index."
    7 TABLE_INDEX_ALREADY_EXISTS "TableIndexAlreadyExists" "The table has an index of this name."
    8 TABLE_TAG_NOT_FOUND "TableTagNotFound" "The table has no such tag."
    9 TABLE_TAG_ALREADY_EXISTS "TableTagAlreadyExists" "The table has a tag of this name."
    10 TRANSACTION_NOT_FOUND "TransactionNotFound" "There is no such transaction."
    11 TABLE_VERSION_NOT_FOUND "TableVersionNotFound" "The table has no such version."
    12 TABLE_COLUMN_NOT_FOUND "TableColumnNotFound" "The table has no such column."
    13 INVALID_INPUT "InvalidInput" "The request is malformed or a value in it is not valid."
    14 CONCURRENT_MODIFICATION "ConcurrentModification" "Another writer was first."
    15 PERMISSION_DENIED "PermissionDenied" "The caller may not do this."
    16 UNAUTHENTICATED "Unauthenticated" "Credentials are missing or not valid."
    17 SERVICE_UNAVAILABLE "ServiceUnavailable" "The server cannot serve at the moment."
    18 INTERNAL "Internal" "The server failed in an unexpected way."
    19 INVALID_TABLE_STATE "InvalidTableState" "The table's state does not allow this."
    20 TABLE_SCHEMA_VALIDATION_ERROR "TableSchemaValidationError" "The schema is not valid."
    21 THROTTLING "Throttling" "Too many requests."
    22 TABLE_BRANCH_NOT_FOUND "TableBranchNotFound" "The table has no such branch."
    23 TABLE_BRANCH_ALREADY_EXISTS "TableBranchAlreadyExists" "The table has a branch of this name."
}

impl ErrorCode {
    /// The number that travels.
    pub fn number(self) -> i64 {
        self.0
    }
}

impl From<i64> for ErrorCode {
    fn from(number: i64) -> Self {
        Self(number)
    }
}

impl fmt::Debug for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.name().unwrap_or("ErrorCode"), self.0)
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "code {}, {name}", self.0),
            None => write!(f, "code {}", self.0),
        }
    }
}
