//! The kinds of errors.

use std::fmt;

/// What kind of thing went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The client cannot be built from these settings.
    Config,
    /// The request cannot be sent as it is; nothing was sent.
    Request,
    /// No credential could be had; nothing was sent.
    Credentials,
    /// No connection came about; nothing was sent.
    Connect,
    /// The time for a call that changes nothing ran out.
    Timeout,
    /// The connection broke before the answer to a call that changes nothing came.
    Transport,
    /// The body of the request failed where it comes from, and was broken off. The server got a part
    /// of it and can tell that it was not all, so that to HTTP it got no request.
    Body,
    /// The server answered with a redirection, which is not followed.
    Redirect,
    /// The server answered with an error. Of an operation that changes something, that is a refusal:
    /// nothing was done.
    Server,
    /// The server answered a call that changes nothing with success, and the connection broke within
    /// the body.
    Truncated,
    /// The server answered a call that changes nothing with success, and its body is not what the
    /// protocol promises.
    Decode,
    /// An operation that changes something may have been done or not, since its answer was lost: the
    /// time ran out, the connection broke, a proxy or a failing server answered in its place, what
    /// came cannot be read, or a conflict followed an attempt of the call's own. Neither try again
    /// nor clean up before you have looked. [`Error::lost_by`](crate::Error::lost_by) tells how.
    Unknown,
    /// The version is another writer's, as reading it back after a lost answer has shown.
    /// [`Error::existing_version`](crate::Error::existing_version) has it.
    Taken,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Config => "config",
            Self::Request => "request",
            Self::Credentials => "credentials",
            Self::Connect => "connect",
            Self::Timeout => "timeout",
            Self::Transport => "transport",
            Self::Body => "body",
            Self::Redirect => "redirect",
            Self::Server => "server",
            Self::Truncated => "truncated",
            Self::Decode => "decode",
            Self::Unknown => "unknown",
            Self::Taken => "taken",
        })
    }
}
