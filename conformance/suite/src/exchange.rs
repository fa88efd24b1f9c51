//! Requests as they were sent, and what came back.

mod shown;

use std::time::Instant;

use bytes::Bytes;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use serde_json::Value;

#[cfg(test)]
use crate::call::Call;
use crate::call::{Body, Caller};
use crate::protocol::Operation;
use crate::proxy::Fault;
use crate::rows::{Frame, FrameError};

/// What came back for a request.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// One request and what came of it.
#[derive(Clone, Debug)]
pub struct Exchange {
    pub(crate) operation: &'static Operation,
    pub(crate) method: http::Method,
    /// Whether it is no request of the operation: method or path are not its own.
    pub(crate) astray: bool,
    pub(crate) id: Option<Vec<String>>,
    pub(crate) query: Vec<(&'static str, String)>,
    pub(crate) url: String,
    pub(crate) sent: Body,
    pub(crate) odd: bool,
    pub(crate) caller: Caller,
    pub(crate) answer: Result<Received, String>,
    pub(crate) started: Instant,
    pub(crate) ended: Instant,
    /// Which of the scenario's clients asked.
    pub(crate) client: u32,
    /// Answers of 429 and 503 that were waited out before this one.
    pub(crate) put_off: u32,
    /// What was done to the request on its way.
    pub(crate) fault: Option<Fault>,
    /// Whether the server may have got the request more than once: a refusal does not say then that
    /// it was not carried out.
    pub(crate) repeated: bool,
}

#[cfg(test)]
impl Exchange {
    /// A request as it was meant to be sent, and what came of it in no time.
    pub(crate) fn of(call: &Call, answer: Result<Received, String>) -> Self {
        let now = Instant::now();
        Self {
            operation: call.operation,
            method: call.operation.method.clone(),
            astray: false,
            id: call.id.clone(),
            query: call.query.clone(),
            url: String::new(),
            sent: call.body.clone(),
            odd: call.odd,
            caller: call.caller.clone(),
            answer,
            started: now,
            ended: now,
            client: 0,
            put_off: 0,
            fault: None,
            repeated: false,
        }
    }
}

impl Exchange {
    /// The HTTP status; none if no answer came.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.answer.as_ref().ok().map(|answer| answer.status)
    }

    /// The answer's body as JSON, if it is JSON.
    #[must_use]
    pub fn json(&self) -> Option<Value> {
        let answer = self.answer.as_ref().ok()?;
        serde_json::from_slice(&answer.body).ok()
    }

    /// The answer's content type, without parameters; none if it has none.
    #[must_use]
    pub fn content_type(&self) -> Option<&str> {
        let answer = self.answer.as_ref().ok()?;
        let content_type = answer.headers.get(CONTENT_TYPE)?.to_str().ok()?;
        content_type.split(';').next().map(str::trim)
    }

    /// The rows in the answer.
    ///
    /// # Errors
    ///
    /// If its body is no Arrow.
    pub fn frame(&self) -> Result<Frame, FrameError> {
        match &self.answer {
            Ok(answer) => Frame::read(&answer.body),
            Err(_) => Frame::read(&[]),
        }
    }

    /// The name of the operation that was asked for.
    #[must_use]
    pub fn operation(&self) -> &'static str {
        &self.operation.id
    }

    /// The `code` of an `ErrorResponse`; none if the answer is no such thing.
    #[must_use]
    pub fn code(&self) -> Option<i64> {
        if self.status()? < 400 {
            return None;
        }
        self.json()?.get("code")?.as_i64()
    }

    /// A field of the JSON body that was sent; none if it was not.
    #[must_use]
    pub fn sent_field(&self, name: &str) -> Option<Value> {
        match &self.sent {
            Body::Json(body) => body.get(name).cloned(),
            Body::None | Body::Raw(..) => None,
        }
    }

    /// Which of the scenario's clients asked.
    #[must_use]
    pub fn client(&self) -> u32 {
        self.client
    }

    /// What the suite's proxy did to the request; none if it did not go through it.
    #[must_use]
    pub fn fault(&self) -> Option<Fault> {
        self.fault
    }

    /// When the request was about to be sent, for the first time if it was put off.
    #[must_use]
    pub fn started(&self) -> Instant {
        self.started
    }

    /// When the answer had been read.
    #[must_use]
    pub fn ended(&self) -> Instant {
        self.ended
    }
}
