//! The operations of the protocol, as values.

use std::fmt;

use crate::generated::facade::OPERATIONS;
use crate::retry::RetryClass;

/// An operation of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    id: &'static str,
    method: &'static str,
    path: &'static str,
    accept: &'static str,
}

impl Operation {
    pub(crate) const fn new(
        id: &'static str,
        method: &'static str,
        path: &'static str,
        accept: &'static str,
    ) -> Self {
        Self {
            id,
            method,
            path,
            accept,
        }
    }

    /// Every operation, in the order of [`OPENAPI`](crate::OPENAPI).
    pub fn all() -> &'static [Self] {
        &OPERATIONS
    }

    /// An operation that this crate's own code names.
    pub(crate) fn named(id: &str) -> &'static Self {
        let found = OPERATIONS.iter().find(|operation| operation.id == id);
        found.expect("the operations that the crate names are the protocol's, which tests hold")
    }

    /// The operation id, such as `CreateTableVersion`.
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// The HTTP method, in capitals.
    pub fn method(&self) -> &'static str {
        self.method
    }

    /// The path below the base URL, such as `/v1/table/{id}/version/create`.
    pub fn path(&self) -> &'static str {
        self.path
    }

    /// How it takes being called twice.
    pub fn retry_class(&self) -> RetryClass {
        RetryClass::of(self.id)
    }

    /// The media type of a successful answer.
    pub(crate) fn accept(&self) -> &'static str {
        self.accept
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}
