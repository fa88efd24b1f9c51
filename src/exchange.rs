//! One call: what is checked before it, how it is sent, and what becomes of the answer.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock};
use std::task::Poll;

use progenitor_client::{ByteStream, ClientHooks, Error as Wire, OperationInfo, ResponseValue};
use reqwest::header::{CONTENT_LENGTH, HeaderMap, HeaderValue};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::Notify;

use crate::answer::{Answer, Body};
use crate::arrow::ArrowStream;
use crate::client::Inner;
use crate::context::CarriesContext;
use crate::generated::wire;
use crate::id::{self, DEFAULT_DELIMITER};
use crate::operation::Operation;
use crate::upload::Upload;
use crate::{Error, ErrorKind, context};

/// The most of an error's body that is read.
const ERROR_LIMIT: usize = 1 << 20;

/// The headers that one call adds to what progenitor makes.
#[derive(Debug, Clone)]
pub(crate) struct Sending(pub(crate) HeaderMap);

impl ClientHooks<Sending> for wire::Client {
    async fn pre<E>(
        &self,
        request: &mut reqwest::Request,
        _: &OperationInfo,
    ) -> Result<(), Wire<E>> {
        let bare = request.body().is_none() && request.method() == reqwest::Method::POST;
        let headers = request.headers_mut();
        // progenitor's own, of which the protocol knows nothing.
        headers.remove("api-version");
        for (name, value) in &self.inner.0 {
            headers.insert(name, value.clone());
        }
        if bare {
            // Some servers answer 411 without it.
            headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        Ok(())
    }
}

type Answered = Result<ResponseValue<ByteStream>, Wire<ByteStream>>;
/// A call of progenitor's client. Boxed, so that 54 methods do not make 54 copies of this file.
pub(crate) type Call<'a> = Pin<Box<dyn Future<Output = Answered> + Send + 'a>>;

/// One call of an operation.
pub(crate) struct Exchange<'a> {
    client: &'a Inner,
    operation: &'static Operation,
    wire: wire::Client,
    /// Set when a body is streamed: tells when it has been sent.
    sent: OnceLock<Arc<Notify>>,
}

/// What a request is made of.
impl<'a> Exchange<'a> {
    pub(crate) fn new(
        client: &'a Inner,
        operation: &'static Operation,
        wire: wire::Client,
    ) -> Self {
        Self {
            client,
            operation,
            wire,
            sent: OnceLock::new(),
        }
    }

    pub(crate) fn wire(&self) -> &wire::Client {
        &self.wire
    }

    /// The query parameter `delimiter`, which is sent only where it is not the protocol's own.
    pub(crate) fn delimiter(&self) -> Option<&str> {
        Some(self.client.delimiter.as_str()).filter(|known| *known != DEFAULT_DELIMITER)
    }

    /// The path segment of an identifier.
    pub(crate) fn identifier(&self, id: Option<&[String]>) -> Result<String, Error> {
        let id = id
            .ok_or_else(|| self.refuse("`id` is not set; an empty one names the root namespace"))?;
        id::join(id, &self.client.delimiter).map_err(|reason| self.refuse(reason))
    }

    /// Checks an identifier within a batch, whose path has none. It travels in parts, yet one that
    /// could not stand on a path names an object that no other operation reaches.
    pub(crate) fn nested(&self, id: Option<&[String]>) -> Result<(), Error> {
        let id = id.ok_or_else(|| self.refuse("`id` is not set within the batch"))?;
        id::join(id, &self.client.delimiter)
            .map(drop)
            .map_err(|reason| self.refuse(reason))
    }

    /// Another path segment.
    pub(crate) fn segment(&self, name: &str, value: Option<&str>) -> Result<String, Error> {
        let value = self.required(name, value)?;
        id::check_segment(&format!("`{name}`"), value).map_err(|reason| self.refuse(reason))?;
        Ok(value.to_owned())
    }

    /// A value that the route needs although the model lets it be absent.
    pub(crate) fn required<T>(&self, name: &str, value: Option<T>) -> Result<T, Error> {
        value.ok_or_else(|| self.refuse(format!("`{name}` is not set, and the request needs it")))
    }

    /// A value that travels as JSON within a query parameter.
    pub(crate) fn json_text<T: Serialize>(
        &self,
        name: &str,
        value: Option<&T>,
    ) -> Result<Option<String>, Error> {
        value
            .map(serde_json::to_string)
            .transpose()
            .map_err(|error| {
                self.refuse(format!("`{name}` is not JSON"))
                    .caused_by(error)
            })
    }

    /// A body that is streamed.
    pub(crate) fn upload(&self, body: impl Into<reqwest::Body>) -> reqwest::Body {
        let sent = self.sent.get_or_init(|| Arc::new(Notify::new()));
        reqwest::Body::wrap(Upload::new(body.into(), sent.clone()))
    }

    fn refuse(&self, reason: impl Into<String>) -> Error {
        Error::request(reason).of(self.operation)
    }
}

/// What becomes of the answer.
impl Exchange<'_> {
    /// Calls, and reads the answer as a response model.
    pub(crate) async fn json<T>(&self, call: Call<'_>) -> Result<T, Error>
    where
        T: DeserializeOwned + CarriesContext,
    {
        self.decode(call, |bytes| match bytes.trim_ascii_start() {
            // An answer without a body, such as a 204, is a model in which nothing is set.
            [] => serde_json::from_str("{}"),
            [b'{', ..] => serde_json::from_slice(bytes),
            // Models can be read from lists too, which is not lenience but luck.
            _ => Err(serde::de::Error::custom("expected an object")),
        })
        .await
    }

    /// Calls, and reads the answer as one property of a response model.
    pub(crate) async fn property<T>(&self, property: &str, call: Call<'_>) -> Result<T, Error>
    where
        T: DeserializeOwned + CarriesContext,
    {
        self.decode(call, |bytes| {
            let value: serde_json::Value = serde_json::from_slice(bytes)?;
            serde_json::from_value(serde_json::json!({ property: value }))
        })
        .await
    }

    /// Calls, and gives the body of the answer as it comes.
    pub(crate) async fn arrow(&self, call: Call<'_>) -> Result<ArrowStream, Error> {
        let mut deadline = pin!(self.deadline());
        let mut answer = self.head(call, deadline.as_mut()).await?;
        if answer.status.is_success() {
            return Ok(ArrowStream::new(self.operation, answer));
        }
        let body = self.body(&mut answer, deadline).await?;
        Err(self.refusal(answer, body))
    }

    async fn decode<T: CarriesContext>(
        &self,
        call: Call<'_>,
        read: impl FnOnce(&[u8]) -> serde_json::Result<T>,
    ) -> Result<T, Error> {
        let mut deadline = pin!(self.deadline());
        let mut answer = self.head(call, deadline.as_mut()).await?;
        let body = self.body(&mut answer, deadline).await?;
        if !answer.status.is_success() {
            return Err(self.refusal(answer, body));
        }
        let Answer {
            status, headers, ..
        } = answer;
        if let Some(error) = body.broken {
            let message = "the connection broke within the answer";
            return Err(Error::new(ErrorKind::Truncated, message)
                .of(self.operation)
                .received(status, headers)
                .caused_by(error));
        }
        match read(&body.bytes) {
            Ok(mut model) => {
                let context = model.context_mut().get_or_insert_default();
                context::receive(&headers, context);
                Ok(model)
            }
            Err(error) => {
                let message = format!("the answer is not what the protocol promises: {error}");
                Err(Error::new(ErrorKind::Decode, message)
                    .of(self.operation)
                    .received(status, headers)
                    .caused_by(error))
            }
        }
    }

    /// Calls, and gives the answer once its status and headers are there.
    async fn head(&self, call: Call<'_>, deadline: Pin<&mut impl Future>) -> Result<Answer, Error> {
        let error = match before(deadline, call).await {
            Some(Ok(value) | Err(Wire::ErrorResponse(value))) => return Ok(Answer::new(value)),
            Some(Err(Wire::CommunicationError(error) | Wire::ResponseBodyError(error))) => {
                Error::transport(error)
            }
            // Every status is declared as a stream and the hooks refuse nothing, so that this does
            // not come up. What progenitor says here could hold the URL, and is left out.
            Some(Err(_)) => Error::new(ErrorKind::Transport, "the answer was not understood"),
            None => Error::new(ErrorKind::Timeout, "the time for the request ran out"),
        };
        Err(error.of(self.operation))
    }

    /// Reads the body, or the part of an error's body that anybody will look at.
    async fn body(
        &self,
        answer: &mut Answer,
        deadline: Pin<&mut impl Future>,
    ) -> Result<Body, Error> {
        let limit = match answer.status.is_success() {
            true => usize::MAX,
            false => ERROR_LIMIT,
        };
        let mut body = Body::default();
        let in_time = before(deadline, pin!(answer.read(&mut body, limit)))
            .await
            .is_some();
        match (in_time, answer.status.is_success()) {
            (false, true) => Err(Error::new(
                ErrorKind::Timeout,
                "the time for the request ran out within the answer",
            )
            .of(self.operation)
            .received(answer.status, answer.headers.clone())),
            // What an error says is more than that it came slowly.
            _ => Ok(body),
        }
    }

    fn refusal(&self, answer: Answer, body: Body) -> Error {
        let error = Error::answered(answer.status, answer.headers, &body.bytes).of(self.operation);
        match body.broken {
            Some(broken) => error.caused_by(broken),
            None => error,
        }
    }

    /// Ends when the time for the request has run out.
    async fn deadline(&self) {
        let Some(limit) = self.client.timeout else {
            return std::future::pending().await;
        };
        if let Some(sent) = self.sent.get() {
            sent.notified().await;
        }
        tokio::time::sleep(limit).await;
    }
}

/// The outcome of `work`, if it comes before the deadline.
async fn before<T>(
    mut deadline: Pin<&mut impl Future>,
    mut work: impl Future<Output = T> + Unpin,
) -> Option<T> {
    std::future::poll_fn(|cx| {
        if let Poll::Ready(done) = Pin::new(&mut work).poll(cx) {
            return Poll::Ready(Some(done));
        }
        deadline.as_mut().poll(cx).map(|_| None)
    })
    .await
}
