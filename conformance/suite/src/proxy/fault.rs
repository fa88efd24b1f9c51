//! What the proxy does to a request.

use std::fmt;
use std::time::Duration;

use http::HeaderValue;

/// The header in which the suite's client tells the proxy what to do; no server sees it.
pub(crate) const HEADER: &str = "x-conformance-fault";

/// What the proxy does to a request and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// The connection ends before the server hears of it.
    Refuse,
    /// The request reaches the server this much later, and is answered.
    Delay(Duration),
    /// The server is connected to and hears nothing.
    CutBeforeRequest,
    /// The server hears the head of the request and no body.
    CutAfterHead,
    /// The server hears the head of the request and half of the body.
    CutInBody,
    /// The server hears the whole request; the connection ends this much later, answered or not.
    CutAfterRequest(Duration),
    /// The server answers, and the client hears half of it.
    CutInAnswer,
    /// The server answers, and the client hears 503 in place of that.
    Unavailable,
    /// The server hears the request again after it has answered; the client hears the second answer.
    SendTwice,
}

impl Fault {
    /// What is sent to the proxy.
    pub(crate) fn header(self) -> HeaderValue {
        let text = match self {
            Self::Delay(time) | Self::CutAfterRequest(time) => {
                format!("{} {}", self.name(), time.as_micros())
            }
            _ => self.name().to_owned(),
        };
        // ASCII letters and digits always stand in a header.
        HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static(""))
    }

    /// Reads what was sent to the proxy.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (name, time) = match text.split_once(' ') {
            Some((name, micros)) => (name, Duration::from_micros(micros.parse().ok()?)),
            None => (text, Duration::ZERO),
        };
        [
            Self::Refuse,
            Self::Delay(time),
            Self::CutBeforeRequest,
            Self::CutAfterHead,
            Self::CutInBody,
            Self::CutAfterRequest(time),
            Self::CutInAnswer,
            Self::Unavailable,
            Self::SendTwice,
        ]
        .into_iter()
        .find(|fault| fault.name() == name)
    }

    /// Whether the server may have heard the whole request.
    #[must_use]
    pub fn may_be_carried_out(self) -> bool {
        !matches!(
            self,
            Self::Refuse | Self::CutBeforeRequest | Self::CutAfterHead | Self::CutInBody
        )
    }

    /// Whether the answer that the client hears is the server's own.
    #[must_use]
    pub fn passes_the_answer(self) -> bool {
        matches!(self, Self::Delay(_) | Self::SendTwice)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Refuse => "refuse",
            Self::Delay(_) => "delay",
            Self::CutBeforeRequest => "cut-before-request",
            Self::CutAfterHead => "cut-after-head",
            Self::CutInBody => "cut-in-body",
            Self::CutAfterRequest(_) => "cut-after-request",
            Self::CutInAnswer => "cut-in-answer",
            Self::Unavailable => "unavailable",
            Self::SendTwice => "send-twice",
        }
    }
}

/// What happened to a request, for reports.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refuse => f.write_str("the connection was refused"),
            Self::Delay(time) => write!(f, "the request came {} ms late", time.as_millis()),
            Self::CutBeforeRequest => f.write_str("the connection was cut before the request"),
            Self::CutAfterHead => f.write_str("the connection was cut before the body"),
            Self::CutInBody => f.write_str("the connection was cut in the middle of the body"),
            Self::CutAfterRequest(time) => write!(
                f,
                "the connection was cut {} µs after the request was sent",
                time.as_micros()
            ),
            Self::CutInAnswer => f.write_str("the connection was cut in the middle of the answer"),
            Self::Unavailable => f.write_str("503 came in place of the server's answer"),
            Self::SendTwice => {
                f.write_str("the request was sent twice, and this is the second answer")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_is_read_as_it_was_sent() {
        let time = Duration::from_micros(1234);
        for fault in [
            Fault::Refuse,
            Fault::Delay(time),
            Fault::CutBeforeRequest,
            Fault::CutAfterHead,
            Fault::CutInBody,
            Fault::CutAfterRequest(time),
            Fault::CutInAnswer,
            Fault::Unavailable,
            Fault::SendTwice,
        ] {
            let sent = fault.header();
            assert_eq!(Fault::read(sent.to_str().unwrap()), Some(fault));
        }
        assert_eq!(Fault::read("something else"), None);
    }
}
