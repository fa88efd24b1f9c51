//! A body that is streamed to the server, and the moment when it has been sent.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::sync::Notify;

/// A body that tells when it is done with. HTTP drops a body once all of it has been sent, or once
/// no more of it will be.
pub(crate) struct Upload {
    body: reqwest::Body,
    sent: Arc<Notify>,
}

impl Upload {
    pub(crate) fn new(body: reqwest::Body, sent: Arc<Notify>) -> Self {
        Self { body, sent }
    }
}

impl Body for Upload {
    type Data = Bytes;
    type Error = reqwest::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, reqwest::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
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
        self.sent.notify_one();
    }
}
