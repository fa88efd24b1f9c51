//! What the server answers when it cannot do what was asked.

use std::fmt;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// Why a request failed: one kind for each pair of status and code that this server answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The server lacks the operation.
    Unsupported,
    /// A namespace on the way, or the one named, does not exist.
    NamespaceNotFound,
    /// The name of a new namespace is taken.
    NamespaceAlreadyExists,
    /// A namespace that still holds something was to be dropped.
    NamespaceNotEmpty,
    /// The table does not exist; its namespace does.
    TableNotFound,
    /// The name of a new table is taken.
    TableAlreadyExists,
    /// The table has no such tag.
    TagNotFound,
    /// The table has that tag already.
    TagAlreadyExists,
    /// No write was answered with this transaction.
    TransactionNotFound,
    /// The branch has no such version.
    VersionNotFound,
    /// The request is malformed, or asks for what makes no sense.
    InvalidInput,
    /// The body is larger than the server reads; an invalid input with a status of its own.
    BodyTooLarge,
    /// The version to be created exists.
    ConcurrentModification,
    /// A credential is missing or wrong.
    Unauthenticated,
    /// The database is in use by another process; nothing was written.
    ServiceUnavailable,
    /// A fault of the server or its disk.
    Internal,
    /// The table has no such branch.
    BranchNotFound,
    /// The table has that branch already.
    BranchAlreadyExists,
}

impl ErrorKind {
    /// Every kind.
    pub const ALL: [Self; 18] = [
        Self::Unsupported,
        Self::NamespaceNotFound,
        Self::NamespaceAlreadyExists,
        Self::NamespaceNotEmpty,
        Self::TableNotFound,
        Self::TableAlreadyExists,
        Self::TagNotFound,
        Self::TagAlreadyExists,
        Self::TransactionNotFound,
        Self::VersionNotFound,
        Self::InvalidInput,
        Self::BodyTooLarge,
        Self::ConcurrentModification,
        Self::Unauthenticated,
        Self::ServiceUnavailable,
        Self::Internal,
        Self::BranchNotFound,
        Self::BranchAlreadyExists,
    ];

    /// The table of requirement REST-7: the Lance code, and the status that goes with it.
    fn row(self) -> (u32, StatusCode) {
        match self {
            Self::Unsupported => (0, StatusCode::NOT_ACCEPTABLE),
            Self::NamespaceNotFound => (1, StatusCode::NOT_FOUND),
            Self::NamespaceAlreadyExists => (2, StatusCode::CONFLICT),
            Self::NamespaceNotEmpty => (3, StatusCode::CONFLICT),
            Self::TableNotFound => (4, StatusCode::NOT_FOUND),
            Self::TableAlreadyExists => (5, StatusCode::CONFLICT),
            Self::TagNotFound => (8, StatusCode::NOT_FOUND),
            Self::TagAlreadyExists => (9, StatusCode::CONFLICT),
            Self::TransactionNotFound => (10, StatusCode::NOT_FOUND),
            Self::VersionNotFound => (11, StatusCode::NOT_FOUND),
            Self::InvalidInput => (13, StatusCode::BAD_REQUEST),
            Self::BodyTooLarge => (13, StatusCode::PAYLOAD_TOO_LARGE),
            Self::ConcurrentModification => (14, StatusCode::CONFLICT),
            Self::Unauthenticated => (16, StatusCode::UNAUTHORIZED),
            Self::ServiceUnavailable => (17, StatusCode::SERVICE_UNAVAILABLE),
            Self::Internal => (18, StatusCode::INTERNAL_SERVER_ERROR),
            Self::BranchNotFound => (22, StatusCode::NOT_FOUND),
            Self::BranchAlreadyExists => (23, StatusCode::CONFLICT),
        }
    }

    /// The Lance code of this kind.
    pub fn code(self) -> u32 {
        self.row().0
    }

    /// The HTTP status of this kind.
    pub fn status(self) -> StatusCode {
        self.row().1
    }
}

/// A failed request: its kind, and a sentence that names the object.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

impl Error {
    /// An error of `kind`; `message` says what happened to what.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidInput, message)
    }

    pub(crate) fn internal(source: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Internal, source.to_string())
    }

    /// The kind, from which status and code follow.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The same error, its sentence preceded by the part of the request that it is about.
    pub(crate) fn within(mut self, part: impl fmt::Display) -> Self {
        self.message = format!("{part}: {}", self.message);
        self
    }

    /// The answer as it goes out; `instance` names this one occurrence.
    pub(crate) fn render(&self, instance: &str) -> Response {
        #[derive(Serialize)]
        struct ErrorResponse<'a> {
            error: &'a str,
            code: u32,
            instance: &'a str,
        }
        let body = ErrorResponse {
            error: &self.message,
            code: self.kind.code(),
            instance,
        };
        (self.kind.status(), axum::Json(body)).into_response()
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        let kind = match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
                ErrorKind::ServiceUnavailable
            }
            _ => ErrorKind::Internal,
        };
        Self::new(kind, format!("database: {error}"))
    }
}

impl From<std::convert::Infallible> for Error {
    fn from(never: std::convert::Infallible) -> Self {
        match never {}
    }
}

impl IntoResponse for Error {
    /// The status, and the error itself for the layer that knows the request's id to render.
    fn into_response(self) -> Response {
        let mut response = self.kind.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}
