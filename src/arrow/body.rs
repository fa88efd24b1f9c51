//! Arrow data that is sent.

use std::fmt;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use bytes::Bytes;
use futures_core::Stream;
use http_body::{Body, Frame, SizeHint};

use crate::BoxError;

type Pieces = Pin<Box<dyn Stream<Item = Result<Bytes, BoxError>> + Send>>;

/// The body of `CreateTable`, `InsertIntoTable` and `MergeInsertIntoTable`: rows as an Arrow IPC
/// *stream*.
///
/// It is made of bytes that are there, or of a stream of bytes or (feature `arrow`) of record
/// batches, of which nothing is held in memory but the piece at hand. What is not encoded here is
/// sent as it is and not looked at.
///
/// Bytes can be sent again, a stream is sent once. When a stream fails, the request is broken off
/// such that no server can take what it got for a complete body, and the call ends in an
/// [`Error`](crate::Error) of kind [`Body`](crate::ErrorKind::Body) whose source is what went wrong.
///
/// ```
/// use lance_namespace_client::ArrowBody;
///
/// let here = ArrowBody::from(vec![0xff, 0xff, 0xff, 0xff]);
/// let pieces = ["ARR", "OW1"].map(Ok::<_, std::io::Error>);
/// let streamed = ArrowBody::stream(futures::stream::iter(pieces));
/// ```
pub struct ArrowBody(Content);

enum Content {
    Bytes(Bytes),
    Http(reqwest::Body),
    /// Never locked: it makes the stream `Sync`, as HTTP wants a body to be.
    Pieces(Mutex<Pieces>),
}

impl ArrowBody {
    /// Bytes as they come. They are sent chunked, without a length.
    pub fn stream<T, E>(pieces: impl Stream<Item = Result<T, E>> + Send + 'static) -> Self
    where
        T: Into<Bytes>,
        E: Into<BoxError>,
    {
        Self(Content::Pieces(Mutex::new(Box::pin(Converted(Box::pin(
            pieces,
        ))))))
    }

    /// The same once more: bytes are, a stream is not.
    pub(crate) fn again(&self) -> Option<Self> {
        match &self.0 {
            Content::Bytes(bytes) => Some(Self(Content::Bytes(bytes.clone()))),
            Content::Http(_) | Content::Pieces(_) => None,
        }
    }
}

impl From<Bytes> for ArrowBody {
    fn from(bytes: Bytes) -> Self {
        Self(Content::Bytes(bytes))
    }
}

impl From<Vec<u8>> for ArrowBody {
    fn from(bytes: Vec<u8>) -> Self {
        Self::from(Bytes::from(bytes))
    }
}

impl From<String> for ArrowBody {
    fn from(text: String) -> Self {
        Self::from(Bytes::from(text))
    }
}

impl From<&'static [u8]> for ArrowBody {
    fn from(bytes: &'static [u8]) -> Self {
        Self::from(Bytes::from_static(bytes))
    }
}

impl From<&'static str> for ArrowBody {
    fn from(text: &'static str) -> Self {
        Self::from(text.as_bytes())
    }
}

/// A body of reqwest's: its bytes if it has them, else its stream, with the length if it knows it.
impl From<reqwest::Body> for ArrowBody {
    fn from(mut body: reqwest::Body) -> Self {
        if body.as_bytes().is_none() {
            return Self(Content::Http(body));
        }
        // Bytes that are there come in one piece and at once, and are not copied.
        match Pin::new(&mut body).poll_frame(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Some(Ok(frame))) => Self::from(frame.into_data().unwrap_or_default()),
            _ => Self::from(Bytes::new()),
        }
    }
}

/// The body as HTTP sends it.
impl Body for ArrowBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match &mut self.0 {
            Content::Bytes(bytes) => match std::mem::take(bytes) {
                bytes if bytes.is_empty() => Poll::Ready(None),
                bytes => Poll::Ready(Some(Ok(Frame::data(bytes)))),
            },
            Content::Http(body) => Pin::new(body)
                .poll_frame(cx)
                .map_err(|error| Box::new(error) as BoxError),
            Content::Pieces(pieces) => {
                let pieces = pieces.get_mut().unwrap_or_else(PoisonError::into_inner);
                pieces.as_mut().poll_next(cx).map_ok(Frame::data)
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Content::Bytes(bytes) => bytes.is_empty(),
            Content::Http(body) => body.is_end_stream(),
            Content::Pieces(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Content::Bytes(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Content::Http(body) => body.size_hint(),
            Content::Pieces(_) => SizeHint::default(),
        }
    }
}

impl fmt::Debug for ArrowBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Content::Bytes(bytes) => write!(f, "ArrowBody({} bytes)", bytes.len()),
            Content::Http(_) | Content::Pieces(_) => f.write_str("ArrowBody(stream)"),
        }
    }
}

/// A stream of what becomes bytes, as one of bytes.
struct Converted<S>(Pin<Box<S>>);

impl<S, T, E> Stream for Converted<S>
where
    S: Stream<Item = Result<T, E>>,
    T: Into<Bytes>,
    E: Into<BoxError>,
{
    type Item = Result<Bytes, BoxError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let piece = ready!(self.0.as_mut().poll_next(cx));
        Poll::Ready(piece.map(|piece| piece.map(Into::into).map_err(Into::into)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_can_be_sent_again_and_a_stream_cannot() {
        for body in [
            ArrowBody::from("ARROW1"),
            reqwest::Body::from("ARROW1").into(),
        ] {
            let again = body.again().unwrap();
            assert_eq!(again.size_hint().exact(), Some(6));
            assert!(again.again().is_some());
        }
        let pieces = futures::stream::iter(["ARROW1"].map(Ok::<_, BoxError>));
        let wrapped =
            reqwest::Body::wrap_stream(futures::stream::empty::<Result<&str, BoxError>>());
        assert!(ArrowBody::stream(pieces).again().is_none());
        assert!(ArrowBody::from(wrapped).again().is_none());
    }

    #[test]
    fn bytes_are_not_copied() {
        let bytes = Bytes::from(vec![7; 1 << 20]);
        let wrapped = ArrowBody::from(reqwest::Body::from(bytes.clone()));
        assert!(matches!(&wrapped.0, Content::Bytes(same) if same.as_ptr() == bytes.as_ptr()));
    }
}
