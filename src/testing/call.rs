//! What a fake server was asked.

use std::collections::HashMap;
use std::fmt;

use bytes::Bytes;
use reqwest::header::HeaderMap;
use serde::de::DeserializeOwned;

use crate::Operation;

/// A request that a fake server got.
#[derive(Clone)]
pub struct Call {
    pub(super) operation: &'static Operation,
    pub(super) url: reqwest::Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Call {
    /// The operation.
    pub fn operation(&self) -> &'static Operation {
        self.operation
    }

    /// The path, percent-encoded as it was sent.
    pub fn path(&self) -> &str {
        self.url.path()
    }

    /// The parameters in the query. Of one that is there several times the last value is kept.
    pub fn query(&self) -> HashMap<String, String> {
        self.url.query_pairs().into_owned().collect()
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The body: JSON, Arrow data, or empty.
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// The body as a model, usually the request model of the operation.
    ///
    /// # Panics
    ///
    /// When the body is not such a model: a fake is for tests.
    pub fn json<T: DeserializeOwned>(&self) -> T {
        match serde_json::from_slice(&self.body) {
            Ok(model) => model,
            Err(error) => panic!("the body of {} is not that model: {error}", self.operation),
        }
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The query and the body may hold what opens a store.
        f.debug_struct("Call")
            .field("operation", &self.operation.id())
            .field("path", &self.url.path())
            .field("headers", &self.headers)
            .finish_non_exhaustive()
    }
}
