//! A body that is streamed to the server, the moment when it has been sent, and why it was not.

use std::error::Error as StdError;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::sync::Notify;

use crate::arrow::ArrowBody;
use crate::{BoxError, Error, ErrorKind};

/// What became of a body, once HTTP is done with it.
#[derive(Default)]
pub(crate) struct Sent {
    done: Notify,
    fault: Mutex<Option<BoxError>>,
}

impl Sent {
    /// Waits until HTTP is done with the body.
    pub(crate) async fn notified(&self) {
        self.done.notified().await;
    }

    /// The error that a body which failed is; given once.
    pub(crate) fn broken_off(&self) -> Option<Error> {
        let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        let fault = fault.take()?;
        // reqwest's own says no more than that there is a source.
        let said = match fault
            .downcast_ref::<reqwest::Error>()
            .and_then(StdError::source)
        {
            Some(source) => source.to_string(),
            None => fault.to_string(),
        };
        let message = format!("the body failed and was broken off, send it anew: {said}");
        Some(Error::new(ErrorKind::Body, message).caused_by(fault))
    }
}

/// A body that tells what becomes of it. HTTP drops a body once all of it has been sent, or once
/// no more of it will be.
pub(crate) struct Upload {
    body: ArrowBody,
    sent: Arc<Sent>,
}

impl Upload {
    pub(crate) fn new(body: ArrowBody, sent: Arc<Sent>) -> Self {
        Self { body, sent }
    }
}

impl Body for Upload {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        frame.map_err(|fault| {
            let mut slot = self
                .sent
                .fault
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            *slot = Some(fault);
            BrokenOff
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        self.sent.done.notify_one();
    }
}

/// What HTTP is told of a body that failed. What it was stands in [`Sent`].
#[derive(Debug)]
pub(crate) struct BrokenOff;

impl fmt::Display for BrokenOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the body was broken off")
    }
}

impl StdError for BrokenOff {}
