//! Arrow data that is received, as bytes.

use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_core::Stream;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;

use crate::answer::{Answer, Chunks};
use crate::operation::Operation;
use crate::{Error, ErrorKind, context};

/// A successful answer whose body is an Arrow IPC file, as a stream of bytes. Nothing is held in
/// memory but the piece at hand, and no time limit of the client applies to it. With the feature
/// `arrow`, `batches` makes record batches of it.
///
/// A piece that cannot be read is an [`Error`] of kind [`Truncated`](ErrorKind::Truncated), and
/// ends the stream.
pub struct ArrowStream {
    operation: &'static Operation,
    status: StatusCode,
    headers: HeaderMap,
    chunks: Option<Chunks>,
}

impl ArrowStream {
    pub(crate) fn new(operation: &'static Operation, mut answer: Answer) -> Self {
        Self {
            operation,
            status: answer.status,
            headers: std::mem::take(&mut answer.headers),
            chunks: Some(answer.chunks()),
        }
    }

    /// The record batches of the answer, as they come.
    #[cfg(feature = "arrow")]
    pub fn batches(self) -> super::RecordBatches {
        super::RecordBatches::new(self)
    }

    /// An error of what came after the headers.
    pub(crate) fn fault(&self, kind: ErrorKind, message: impl Into<String>) -> Error {
        Error::new(kind, message)
            .of(self.operation)
            .received(self.status, self.headers.clone())
    }

    /// The HTTP status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The headers of the answer.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The headers of the answer as a context, each as `header.<name>`.
    pub fn context(&self) -> HashMap<String, String> {
        let mut all = HashMap::new();
        context::receive(&self.headers, &mut all);
        all
    }
}

impl Stream for ArrowStream {
    type Item = Result<Bytes, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(chunks) = &mut self.chunks else {
            return Poll::Ready(None);
        };
        let next = match chunks.as_mut().poll_next(cx) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Some(Ok(bytes))) => return Poll::Ready(Some(Ok(bytes))),
            Poll::Ready(Some(Err(error))) => {
                let message = "the connection broke within the answer";
                let fault = self.fault(ErrorKind::Truncated, message);
                Some(Err(fault.caused_by(error.without_url())))
            }
            Poll::Ready(None) => None,
        };
        self.chunks = None;
        Poll::Ready(next)
    }
}

impl fmt::Debug for ArrowStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArrowStream")
            .field("status", &self.status)
            .field("headers", &self.headers)
            .finish_non_exhaustive()
    }
}
