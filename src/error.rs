//! What can go wrong with a call.

use std::collections::HashMap;
use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::HeaderMap;

use crate::code::ErrorCode;
use crate::context;
use crate::kind::ErrorKind;
use crate::models::TableVersion;
use crate::operation::Operation;
use crate::redact::Keys;
use crate::retry::{self, RetryClass, Tried};
use crate::tls;

/// The most of a server's message that `Display` shows. [`Error::message`] has all of it.
const SHOWN: usize = 500;

/// Headers in which servers give a request an id, most usual first.
const REQUEST_IDS: [&str; 4] = [
    "x-request-id",
    "request-id",
    "x-amzn-requestid",
    "x-correlation-id",
];

/// An error of a call, or of building a client.
///
/// `Display` shows the server's words. Neither `Display` nor `Debug` shows a credential that the
/// client sends.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    lost_by: Option<ErrorKind>,
    operation: Option<&'static Operation>,
    code: Option<ErrorCode>,
    status: Option<StatusCode>,
    message: Option<String>,
    detail: Option<String>,
    instance: Option<String>,
    context: HashMap<String, String>,
    headers: HeaderMap,
    attempts: u32,
    elapsed: Duration,
    existing: Option<Box<TableVersion>>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// What kind of thing went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The operation that was called; none when building a client.
    pub fn operation(&self) -> Option<&'static Operation> {
        self.0.operation
    }

    /// The Lance code that the server gave. It is read from the field `code` of a JSON answer and
    /// never guessed from the status or the text.
    pub fn code(&self) -> Option<ErrorCode> {
        self.0.code
    }

    /// The HTTP status, if the server answered: also a successful one, of an answer that could not
    /// be read.
    pub fn status(&self) -> Option<StatusCode> {
        self.0.status
    }

    /// What was said about the error: by the server if it answered with one (the field `error`, or
    /// the whole of a body that is not JSON), else by this crate.
    pub fn message(&self) -> Option<&str> {
        self.0.message.as_deref()
    }

    /// The server's longer explanation.
    pub fn detail(&self) -> Option<&str> {
        self.0.detail.as_deref()
    }

    /// The server's name for this occurrence of the error.
    pub fn instance(&self) -> Option<&str> {
        self.0.instance.as_deref()
    }

    /// The headers of the answer; none if the server did not answer.
    pub fn headers(&self) -> &HeaderMap {
        &self.0.headers
    }

    /// The context of the answer: every header as `header.<name>`, beside what the server put into
    /// the body.
    pub fn context(&self) -> HashMap<String, String> {
        let mut all = self.0.context.clone();
        context::receive(&self.0.headers, &mut all);
        all
    }

    /// The id that the server gave the request, from the header `x-request-id` or one like it.
    pub fn request_id(&self) -> Option<&str> {
        request_id(&self.0.headers)
    }

    /// How often the request was sent; 0 when it was not.
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// The time from the call to the error, over all attempts.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed
    }

    /// How long the server asks to wait before the next call, by its header `Retry-After`.
    pub fn retry_after(&self) -> Option<Duration> {
        retry::retry_after(&self.0.headers)
    }

    /// How the answer was lost, of an error of kind [`Unknown`](ErrorKind::Unknown): `Timeout`,
    /// `Transport`, `Truncated`, `Decode`, or `Server` for a status that says nothing about the
    /// outcome.
    pub fn lost_by(&self) -> Option<ErrorKind> {
        self.0.lost_by
    }

    /// The version that stands where one was to be created, if it was read back.
    pub fn existing_version(&self) -> Option<&TableVersion> {
        self.0.existing.as_deref()
    }
}

/// What to make of it.
impl Error {
    /// Whether something else is in the place: a 409, or a version that was found to be another
    /// writer's. Nothing was done.
    pub fn is_conflict(&self) -> bool {
        let answered = self.0.kind == ErrorKind::Server
            && (self.0.status == Some(StatusCode::CONFLICT) || self.has_code(CONFLICTS));
        answered || self.0.kind == ErrorKind::Taken
    }

    /// Whether the object of the call, or what it is in, does not exist by the server's word: one of
    /// the protocol's codes for it, with whatever status. A bare 404, of a proxy or a wrong URL, is
    /// none.
    pub fn is_not_found(&self) -> bool {
        self.0.kind == ErrorKind::Server && self.has_code(NOT_FOUND)
    }

    /// Whether the same call may be made again, safely and with hope, once
    /// [`retry_after`](Self::retry_after) has passed: what this crate itself tries again. It is never
    /// true of an unknown outcome.
    pub fn is_retryable(&self) -> bool {
        let class = self.0.operation.map(Operation::retry_class);
        class.is_some_and(|class: RetryClass| class.repeats(self))
    }

    /// Whether nobody can know if the server did what it was asked:
    /// [`ErrorKind::Unknown`].
    pub fn is_unknown(&self) -> bool {
        self.0.kind == ErrorKind::Unknown
    }

    fn has_code(&self, codes: &[ErrorCode]) -> bool {
        self.0.code.is_some_and(|code| codes.contains(&code))
    }
}

/// Codes for what exists already.
const CONFLICTS: &[ErrorCode] = &[
    ErrorCode::NAMESPACE_ALREADY_EXISTS,
    ErrorCode::TABLE_ALREADY_EXISTS,
    ErrorCode::TABLE_INDEX_ALREADY_EXISTS,
    ErrorCode::TABLE_TAG_ALREADY_EXISTS,
    ErrorCode::TABLE_BRANCH_ALREADY_EXISTS,
    ErrorCode::CONCURRENT_MODIFICATION,
];

/// Codes for what does not exist.
const NOT_FOUND: &[ErrorCode] = &[
    ErrorCode::NAMESPACE_NOT_FOUND,
    ErrorCode::TABLE_NOT_FOUND,
    ErrorCode::TABLE_INDEX_NOT_FOUND,
    ErrorCode::TABLE_TAG_NOT_FOUND,
    ErrorCode::TRANSACTION_NOT_FOUND,
    ErrorCode::TABLE_VERSION_NOT_FOUND,
    ErrorCode::TABLE_COLUMN_NOT_FOUND,
    ErrorCode::TABLE_BRANCH_NOT_FOUND,
];

/// The id that a server gave a request.
pub(crate) fn request_id(headers: &HeaderMap) -> Option<&str> {
    REQUEST_IDS
        .iter()
        .find_map(|name| headers.get(*name)?.to_str().ok())
}

/// How this crate makes errors.
impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::bare(kind, Some(message.into()))
    }

    fn bare(kind: ErrorKind, message: Option<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            lost_by: None,
            operation: None,
            code: None,
            status: None,
            message,
            detail: None,
            instance: None,
            context: HashMap::new(),
            headers: HeaderMap::new(),
            attempts: 0,
            elapsed: Duration::ZERO,
            existing: None,
            source: None,
        }))
    }

    pub(crate) fn config(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Config, message)
    }

    pub(crate) fn request(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Request, message)
    }

    /// An error below HTTP. The URL is left out, since a query may hold what opens a store.
    pub(crate) fn transport(error: reqwest::Error) -> Self {
        if let Some(why) = tls::refusal(&error) {
            let message = format!("the server refused the TLS connection: {why}");
            return Self::new(ErrorKind::Connect, message).caused_by(error.without_url());
        }
        let (kind, message) = if error.is_builder() {
            (ErrorKind::Request, "the request cannot be made")
        } else if error.is_connect() {
            (ErrorKind::Connect, "no connection to the server")
        } else if error.is_timeout() {
            (ErrorKind::Timeout, "the time for the request ran out")
        } else {
            (
                ErrorKind::Transport,
                "the connection broke before an answer came",
            )
        };
        Self::new(kind, message).caused_by(error.without_url())
    }

    /// The error that an answer is.
    pub(crate) fn answered(status: StatusCode, headers: HeaderMap, body: &[u8]) -> Self {
        let kind = match status.is_redirection() {
            true => ErrorKind::Redirect,
            false => ErrorKind::Server,
        };
        let mut error = Self::bare(kind, None).received(status, headers);
        error.read(body);
        error
    }

    /// Reads whatever an error's body says.
    fn read(&mut self, body: &[u8]) {
        let inner = &mut *self.0;
        let text = String::from_utf8_lossy(body);
        let text = text.trim();
        if let Ok(serde_json::Value::Object(fields)) = serde_json::from_slice(body) {
            // What is empty says nothing.
            let text = |name: &str| fields.get(name)?.as_str().filter(|text| !text.is_empty());
            let field = |name: &str| text(name).map(str::to_owned);
            inner.code = fields
                .get("code")
                .and_then(serde_json::Value::as_i64)
                .map(ErrorCode::from);
            inner.detail = field("detail");
            inner.instance = field("instance");
            inner.message = field("error").or_else(|| field("message"));
            if let Some(serde_json::Value::Object(context)) = fields.get("context") {
                inner.context = context
                    .iter()
                    .filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
                    .collect();
            }
            // A JSON error of another protocol is shown as it is.
            if inner.code.is_some() || inner.message.is_some() || inner.detail.is_some() {
                return;
            }
        }
        inner.message = Some(text.to_owned()).filter(|text| !text.is_empty());
    }

    pub(crate) fn received(mut self, status: StatusCode, headers: HeaderMap) -> Self {
        self.0.status = Some(status);
        self.0.headers = headers;
        self
    }

    pub(crate) fn caused_by(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    pub(crate) fn of(mut self, operation: &'static Operation) -> Self {
        self.0.operation = Some(operation);
        self
    }

    pub(crate) fn tried(mut self, tried: Tried) -> Self {
        self.0.attempts = tried.attempts;
        self.0.elapsed = tried.began.elapsed();
        self
    }

    /// Makes it an error of unknown outcome.
    pub(crate) fn in_doubt(mut self) -> Self {
        self.0.lost_by = Some(self.0.kind);
        self.0.kind = ErrorKind::Unknown;
        self
    }

    /// Makes an unknown outcome a known one: the version is another writer's.
    pub(crate) fn taken(mut self, what: &str, version: TableVersion) -> Self {
        self.0.kind = ErrorKind::Taken;
        self.adds(what);
        self.with_existing(version)
    }

    /// Adds what was found by reading back.
    pub(crate) fn adding(mut self, what: &str) -> Self {
        self.adds(what);
        self
    }

    fn adds(&mut self, what: &str) {
        self.0.message = Some(match self.0.message.take() {
            Some(message) => format!("{what} ({message})"),
            None => what.to_owned(),
        });
    }

    pub(crate) fn with_existing(mut self, version: TableVersion) -> Self {
        self.0.existing = Some(Box::new(version));
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &self.0;
        let mut gap = "";
        if let Some(operation) = inner.operation {
            write!(f, "{operation}")?;
            gap = ": ";
        }
        if inner.kind == ErrorKind::Unknown {
            write!(f, "{gap}the outcome is unknown, it may have been done")?;
            gap = ": ";
        }
        if let Some(status) = inner.status {
            write!(f, "{gap}{status}")?;
            gap = ": ";
            if let Some(code) = inner.code {
                write!(f, " ({code})")?;
            }
        }
        let words = inner.message.as_deref().or(inner.detail.as_deref());
        match (words, inner.status) {
            (Some(words), _) => {
                let shown: String = words.chars().take(SHOWN).collect();
                let more = if shown.len() < words.len() { "..." } else { "" };
                write!(f, "{gap}{shown}{more}")?;
            }
            (None, Some(_)) => {}
            (None, None) => write!(f, "{gap}{}", inner.kind)?,
        }
        if inner.attempts > 1 {
            let seconds = inner.elapsed.as_secs_f64();
            write!(f, " (after {} attempts in {seconds:.1} s)", inner.attempts)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &self.0;
        f.debug_struct("Error")
            .field("kind", &inner.kind)
            .field("lost_by", &inner.lost_by)
            .field("operation", &inner.operation.map(Operation::id))
            .field("code", &inner.code)
            .field("status", &inner.status)
            .field("message", &inner.message)
            .field("detail", &inner.detail)
            .field("instance", &inner.instance)
            .field("context", &Keys(&inner.context))
            .field("headers", &inner.headers)
            .field("attempts", &inner.attempts)
            .field("elapsed", &inner.elapsed)
            .field("existing", &inner.existing)
            .field("source", &inner.source)
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        let source = self.0.source.as_deref()?;
        Some(source)
    }
}
