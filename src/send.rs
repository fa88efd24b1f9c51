//! Sending: attempts, one after another, until there is an answer to give or an error to end with.

use reqwest::StatusCode;
use reqwest::header::{ACCEPT, CONTENT_LENGTH, HeaderMap, HeaderValue};
use tokio::time::Instant;
use tracing::Instrument;

use crate::answer::{Answer, Body, Received};
use crate::auth::{BoxError, Credential};
use crate::deadline::Deadline;
use crate::exchange::{Exchange, Write};
use crate::retry::Tried;
use crate::{Error, ErrorKind, trace};

/// The most of an error's body that is read.
const ERROR_LIMIT: usize = 1 << 20;

/// How much of a successful answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Want {
    /// Status and headers; the body is read by whoever asked.
    Head,
    /// All of it.
    Whole,
}

impl Exchange<'_> {
    /// Sends the request, again if need be.
    pub(crate) async fn send(&self, write: Write<'_>, want: Want) -> Result<Received, Error> {
        let span = trace::call(self.operation, self.id.get());
        let sent = self.attempts(write, want).instrument(span.clone()).await;
        match &sent {
            Ok(received) => trace::answered(&span, &received.answer, &received.tried),
            Err(error) => trace::failed(&span, error),
        }
        sent
    }

    async fn attempts(&self, write: Write<'_>, want: Want) -> Result<Received, Error> {
        let mut deadline = Deadline::new(self.settings.timeout);
        // Most calls need none.
        let mut delays = None;
        let mut tried = Tried::nothing();
        let mut renewed = None;
        loop {
            deadline.attempt(self.settings.attempt_timeout);
            let credential = match &renewed {
                Some(_) => renewed.clone(),
                None => match self.credential(&mut deadline).await {
                    Ok(credential) => credential,
                    Err(error) => return Err(self.ended(error, tried)),
                },
            };
            tried.attempts += 1;
            let span = trace::attempt(tried.attempts);
            let began = Instant::now();
            let attempt = self.attempt(write, want, credential.as_ref(), &mut deadline);
            let mut error = match attempt.instrument(span.clone()).await {
                Ok((answer, body)) => {
                    trace::attempt_answered(&span, &answer, began);
                    return Ok(Received {
                        answer,
                        body,
                        tried,
                    });
                }
                Err(error) => error,
            };
            trace::attempt_failed(&span, &error, began);
            if renewed.is_none() && error.status() == Some(StatusCode::UNAUTHORIZED) {
                match self.renew(credential, &mut deadline).await {
                    Ok(Some(another)) => {
                        renewed = Some(another);
                        continue;
                    }
                    Ok(None) => {}
                    Err(failure) => error = error.caused_by(failure),
                }
            }
            if !self.operation.retry_class().repeats(&error) || !self.repeatable() {
                return Err(self.ended(error, tried));
            }
            let delays = delays.get_or_insert_with(|| self.settings.retry.delays());
            let Some(delay) = delays.next() else {
                return Err(self.ended(error, tried));
            };
            let delay = delay.max(error.retry_after().unwrap_or_default());
            if !deadline.wait(delay).await {
                return Err(self.ended(error, tried));
            }
            tried.reached |= error.status().is_some();
        }
    }

    /// The credential of an attempt; none where nobody is to be asked.
    async fn credential(&self, deadline: &mut Deadline) -> Result<Option<Credential>, Error> {
        let Some(provider) = self.credentials else {
            return Ok(None);
        };
        let error = match deadline.hold(None, provider.credential()).await {
            Ok(Ok(credential)) => return Ok(Some(credential)),
            Ok(Err(failure)) => {
                let message = format!("no credential could be had, so nothing was sent: {failure}");
                Error::new(ErrorKind::Credentials, message).caused_by(failure)
            }
            Err(_) => Error::new(
                ErrorKind::Credentials,
                "no credential could be had in time, so nothing was sent",
            ),
        };
        Err(error)
    }

    /// Another credential than one that was answered with 401, where the request can be sent again.
    async fn renew(
        &self,
        rejected: Option<Credential>,
        deadline: &mut Deadline,
    ) -> Result<Option<Credential>, BoxError> {
        let (Some(provider), Some(rejected)) = (self.credentials, rejected) else {
            return Ok(None);
        };
        if !self.repeatable() {
            return Ok(None);
        }
        match deadline.hold(None, provider.renew(&rejected)).await {
            Ok(renewed) => renewed,
            Err(_) => Ok(None),
        }
    }

    /// One attempt: an answer of success, or an error.
    async fn attempt(
        &self,
        write: Write<'_>,
        want: Want,
        credential: Option<&Credential>,
        deadline: &mut Deadline,
    ) -> Result<(Answer, Body), Error> {
        let mut request = write().map_err(Error::transport)?;
        self.complete(credential, &mut request);
        let sending = self.client.transport.send(self.operation, request);
        let sent = self.uploading();
        let response = deadline
            .hold(sent.clone(), sending)
            .await
            .map_err(|_| Error::new(ErrorKind::Timeout, "the time for the request ran out"))
            .and_then(|response| response)
            .map_err(|error| sent.and_then(|sent| sent.broken_off()).unwrap_or(error))?;
        let mut answer = Answer::new(response);
        let mut body = Body::default();
        if answer.status.is_success() {
            if want == Want::Whole {
                self.read(&mut answer, &mut body, deadline).await?;
            }
            return Ok((answer, body));
        }
        // What an error says is more than that it came slowly or not whole.
        let reading = answer.read(&mut body, ERROR_LIMIT);
        let in_time = deadline.hold(None, reading).await.is_ok();
        let error = Error::answered(answer.status, answer.headers, body.bytes());
        Err(match body.broken {
            Some(broken) if in_time => error.caused_by(broken),
            _ => error,
        })
    }

    /// Reads the body of a success.
    async fn read(
        &self,
        answer: &mut Answer,
        body: &mut Body,
        deadline: &mut Deadline,
    ) -> Result<(), Error> {
        let reading = answer.read(body, usize::MAX);
        let in_time = deadline.hold(None, reading).await.is_ok();
        let (kind, message) = match (in_time, &body.broken) {
            (true, None) => return Ok(()),
            (true, Some(_)) => (
                ErrorKind::Truncated,
                "the connection broke within the answer",
            ),
            (false, _) => (
                ErrorKind::Timeout,
                "the time for the request ran out within the answer",
            ),
        };
        let error = Error::new(kind, message).received(answer.status, answer.headers.clone());
        Err(match body.broken.take() {
            Some(broken) => error.caused_by(broken),
            None => error,
        })
    }

    /// Adds the headers: of the client, of the credential, of the call, in rising order.
    fn complete(&self, credential: Option<&Credential>, request: &mut reqwest::Request) {
        let bare = request.body().is_none() && request.method() == reqwest::Method::POST;
        let headers = request.headers_mut();
        #[cfg(feature = "trace-context")]
        trace::propagate(headers);
        set(headers, &self.client.headers);
        headers.insert(ACCEPT, HeaderValue::from_static(self.operation.accept()));
        if let Some(credential) = credential {
            credential.apply(headers);
        }
        set(headers, &self.headers);
        if bare {
            // Some servers answer 411 without it.
            headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
    }

    /// An error that a call ends with.
    pub(crate) fn ended(&self, error: Error, tried: Tried) -> Error {
        let class = self.operation.retry_class();
        let in_doubt = class.in_doubt(&error, tried.reached);
        let error = error.of(self.operation).tried(tried);
        match in_doubt {
            true => error.in_doubt(),
            false => error,
        }
    }
}

fn set(headers: &mut HeaderMap, more: &HeaderMap) {
    for (name, value) in more {
        headers.insert(name, value.clone());
    }
}
