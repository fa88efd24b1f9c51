//! What a fake server answers.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream;
use serde::Serialize;

use crate::{Error, ErrorKind};

/// An answer of a fake server, or the lack of one.
#[derive(Debug, Clone)]
pub struct Reply {
    end: End,
    delay: Duration,
}

#[derive(Debug, Clone)]
enum End {
    Answer(Answer),
    Refused,
    Lost,
    Never,
}

#[derive(Debug, Clone)]
struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Bytes,
    /// Where the connection breaks within the body.
    cut: Option<usize>,
}

impl Reply {
    /// 200 with a model.
    ///
    /// # Panics
    ///
    /// When the model cannot be written as JSON, which those of this crate can.
    pub fn ok(model: &impl Serialize) -> Self {
        match serde_json::to_vec(model) {
            Ok(body) => Self::status(200).with_body(body),
            Err(error) => panic!("a reply that is not JSON: {error}"),
        }
    }

    /// An error as the protocol has it: a status, a code and a message.
    pub fn error(status: u16, code: i64, message: &str) -> Self {
        let body = serde_json::json!({ "error": message, "code": code });
        Self::status(status).with_body(body.to_string())
    }

    /// Any status, with an empty body.
    ///
    /// # Panics
    ///
    /// When it is no status of HTTP, which are 100 to 999.
    pub fn status(status: u16) -> Self {
        assert!(
            (100..1000).contains(&status),
            "{status} is no status of HTTP"
        );
        Self::ends(End::Answer(Answer {
            status,
            headers: Vec::new(),
            body: Bytes::new(),
            cut: None,
        }))
    }

    /// No connection comes about.
    pub fn refused() -> Self {
        Self::ends(End::Refused)
    }

    /// The connection breaks after the request was sent and before an answer.
    pub fn lost() -> Self {
        Self::ends(End::Lost)
    }

    /// No answer ever comes.
    pub fn never() -> Self {
        Self::ends(End::Never)
    }

    fn ends(end: End) -> Self {
        Self {
            end,
            delay: Duration::ZERO,
        }
    }

    /// The same with a body: JSON, Arrow data or anything.
    ///
    /// # Panics
    ///
    /// When it is a reply without an answer, as [`lost`](Self::lost).
    #[must_use]
    pub fn with_body(mut self, body: impl Into<Bytes>) -> Self {
        self.answer_mut().body = body.into();
        self
    }

    /// The same with a header.
    ///
    /// # Panics
    ///
    /// When it is a reply without an answer, as [`lost`](Self::lost).
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        let header = (name.to_owned(), value.to_owned());
        self.answer_mut().headers.push(header);
        self
    }

    /// The same, and the connection breaks after this many bytes of the body.
    ///
    /// # Panics
    ///
    /// When it is a reply without an answer, as [`lost`](Self::lost).
    #[must_use]
    pub fn cut_after(mut self, bytes: usize) -> Self {
        self.answer_mut().cut = Some(bytes);
        self
    }

    /// The same, after a while.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    fn answer_mut(&mut self) -> &mut Answer {
        match &mut self.end {
            End::Answer(answer) => answer,
            other => panic!("{other:?} has no answer to change"),
        }
    }

    /// What the client gets.
    pub(super) async fn give(self) -> Result<reqwest::Response, Error> {
        if !self.delay.is_zero() {
            tokio::time::sleep(self.delay).await;
        }
        match self.end {
            End::Answer(answer) => Ok(answer.response()),
            End::Refused => Err(Error::new(
                ErrorKind::Connect,
                "no connection to the server",
            )),
            End::Lost => Err(Error::new(
                ErrorKind::Transport,
                "the connection broke before an answer came",
            )),
            End::Never => std::future::pending().await,
        }
    }
}

impl Answer {
    fn response(self) -> reqwest::Response {
        let body = match self.cut {
            None => reqwest::Body::from(self.body),
            Some(cut) => {
                let part = self.body.slice(..cut.min(self.body.len()));
                reqwest::Body::wrap_stream(Cut(vec![
                    Err(std::io::Error::other("cut by the fake server")),
                    Ok(part),
                ]))
            }
        };
        let mut response = http::Response::builder().status(self.status);
        for (name, value) in self.headers {
            response = response.header(name, value);
        }
        match response.body(body) {
            Ok(response) => response.into(),
            Err(error) => panic!("a reply that is not HTTP: {error}"),
        }
    }
}

/// A body that breaks off, last piece first.
struct Cut(Vec<std::io::Result<Bytes>>);

impl Stream for Cut {
    type Item = std::io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.0.pop())
    }
}
