//! An answer of the server, whatever its status, and how its body is read.

use std::pin::Pin;

use bytes::Bytes;
use futures_core::Stream;
use reqwest::StatusCode;
use reqwest::header::{AUTHORIZATION, CONTENT_LENGTH, HeaderMap, SET_COOKIE};

use crate::retry::Tried;

/// The body of an answer, as it comes.
pub(crate) type Chunks = Pin<Box<dyn Stream<Item = reqwest::Result<Bytes>> + Send + Sync>>;

/// An answer whose body has not been read.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    /// Without its headers.
    response: reqwest::Response,
}

/// The most that is set aside for a body because of what the server says that its length is.
const TRUSTED: usize = 16 << 20;

/// A body that has been read, or the part of it that came.
#[derive(Default)]
pub(crate) struct Body {
    /// What came first: all of it, mostly, and then it is not copied.
    first: Bytes,
    /// All of it, where more came than that.
    all: Vec<u8>,
    pub(crate) broken: Option<reqwest::Error>,
}

impl Body {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self.all.is_empty() {
            true => &self.first,
            false => &self.all,
        }
    }

    fn push(&mut self, bytes: Bytes, length: Option<usize>) {
        if self.bytes().is_empty() {
            self.first = bytes;
            return;
        }
        if self.all.is_empty() {
            self.all.reserve(length.unwrap_or_default().min(TRUSTED));
            self.all.extend_from_slice(&self.first);
        }
        self.all.extend_from_slice(&bytes);
    }
}

/// A successful answer, and what it took to get it.
pub(crate) struct Received {
    pub(crate) answer: Answer,
    pub(crate) body: Body,
    pub(crate) tried: Tried,
}

impl Answer {
    pub(crate) fn new(mut response: reqwest::Response) -> Self {
        let mut headers = std::mem::take(response.headers_mut());
        // A cookie is a credential, and some servers send back what they were sent.
        for name in [SET_COOKIE.as_str(), AUTHORIZATION.as_str(), "x-api-key"] {
            // Looked up first, since a vacant entry makes the map grow.
            if headers.contains_key(name)
                && let reqwest::header::Entry::Occupied(mut entry) = headers.entry(name)
            {
                for value in entry.iter_mut() {
                    value.set_sensitive(true);
                }
            }
        }
        Self {
            status: response.status(),
            headers,
            response,
        }
    }

    /// The body, as it comes.
    pub(crate) fn chunks(self) -> Chunks {
        Box::pin(self.response.bytes_stream())
    }

    /// Adds what comes to `body` until its end, or until there are `limit` bytes.
    pub(crate) async fn read(&mut self, body: &mut Body, limit: usize) {
        let length = self.headers.get(CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse().ok());
        while body.bytes().len() < limit {
            match self.response.chunk().await {
                Ok(Some(bytes)) => body.push(bytes, length),
                Err(error) => {
                    body.broken = Some(error.without_url());
                    return;
                }
                Ok(None) => return,
            }
        }
    }
}
