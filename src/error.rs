//! What can go wrong with a call.

use std::collections::HashMap;
use std::error::Error as StdError;
use std::fmt;

use reqwest::StatusCode;
use reqwest::header::HeaderMap;

use crate::code::ErrorCode;
use crate::context;
use crate::operation::Operation;
use crate::redact::Keys;

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
    operation: Option<&'static Operation>,
    code: Option<ErrorCode>,
    status: Option<StatusCode>,
    message: Option<String>,
    detail: Option<String>,
    instance: Option<String>,
    context: HashMap<String, String>,
    headers: HeaderMap,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// What kind of thing went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The client cannot be built from these settings.
    Config,
    /// The request cannot be sent as it is; nothing was sent.
    Request,
    /// No connection came about; nothing was sent.
    Connect,
    /// The time for the request ran out. The server may have carried it out.
    Timeout,
    /// The connection broke before an answer came. The server may have carried the request out.
    Transport,
    /// The server answered with a redirection, which is not followed.
    Redirect,
    /// The server answered with an error.
    Server,
    /// The server answered with success, and the connection broke within the body.
    Truncated,
    /// The server answered with success, and its body is not what the protocol promises.
    Decode,
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
        REQUEST_IDS
            .iter()
            .find_map(|name| self.0.headers.get(*name)?.to_str().ok())
    }
}

/// How this crate makes errors.
impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::bare(kind, Some(message.into()))
    }

    fn bare(kind: ErrorKind, message: Option<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            operation: None,
            code: None,
            status: None,
            message,
            detail: None,
            instance: None,
            context: HashMap::new(),
            headers: HeaderMap::new(),
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
            let field = |name: &str| fields.get(name)?.as_str().map(str::to_owned);
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
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &self.0;
        let mut gap = "";
        if let Some(operation) = inner.operation {
            write!(f, "{operation}")?;
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
                write!(f, "{gap}{shown}{more}")
            }
            (None, Some(_)) => Ok(()),
            (None, None) => write!(f, "{gap}{:?}", inner.kind),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &self.0;
        f.debug_struct("Error")
            .field("kind", &inner.kind)
            .field("operation", &inner.operation.map(Operation::id))
            .field("code", &inner.code)
            .field("status", &inner.status)
            .field("message", &inner.message)
            .field("detail", &inner.detail)
            .field("instance", &inner.instance)
            .field("context", &Keys(&inner.context))
            .field("headers", &inner.headers)
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
