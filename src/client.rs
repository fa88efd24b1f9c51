//! The client.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderMap;

use crate::auth::CredentialProvider;
use crate::commit::{TableCommit, VersionBatch};
use crate::config::ClientBuilder;
use crate::exchange::Exchange;
use crate::generated::wire;
use crate::models::Identity;
use crate::operation::Operation;
use crate::redact::Hidden;
use crate::transport::Transport;
use crate::{Error, Namespace, RetryPolicy, Table};

/// A client of a Lance namespace server. Cloning it is cheap and shares its connections.
///
/// It has a method for each operation of the protocol, which takes a request model and gives a
/// response model; [`namespace`](Self::namespace), [`table`](Self::table) and [`root`](Self::root)
/// give handles that save naming the object each time.
///
/// # Identifiers
///
/// The `id` of a request is the list of its parts, and an empty list is the root namespace. It is
/// the route: a request without one is refused. Refused as well, before anything is sent, is an
/// identifier with an empty part or with a part that contains the delimiter, and one that would
/// mean another place on the path, such as `..`.
///
/// # Identity and context
///
/// The `identity` of a request is sent as `x-api-key` and `Authorization: Bearer`, an entry
/// `header.X` of its `context` as the header `X`; neither is part of the body. The headers of the
/// answer come back in the context of the response, or of the [`Error`], as `header.<name>`.
#[derive(Clone)]
pub struct Client {
    pub(crate) shared: Arc<Shared>,
    pub(crate) settings: Settings,
}

/// What all clones of a client share.
pub(crate) struct Shared {
    pub(crate) transport: Transport,
    /// Writes requests; it holds the base URL.
    pub(crate) wire: wire::Client,
    pub(crate) credentials: Option<Arc<dyn CredentialProvider>>,
    pub(crate) delimiter: String,
    /// Of every request, credentials among them.
    pub(crate) headers: HeaderMap,
    pub(crate) legacy_context: bool,
}

/// What can be set for single calls.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) timeout: Option<Duration>,
    pub(crate) attempt_timeout: Option<Duration>,
    pub(crate) retry: RetryPolicy,
}

impl Client {
    /// A client of the server at `base_url`, such as `http://localhost:2333` or
    /// `https://host/api/lance`, with the usual settings. Nothing is sent.
    ///
    /// # Errors
    ///
    /// An [`Error`] of kind [`Config`](crate::ErrorKind::Config) when the URL cannot be used.
    pub fn new(base_url: impl Into<String>) -> Result<Self, Error> {
        Self::builder(base_url).build()
    }

    /// Begins a client of the server at `base_url` with settings of your own.
    pub fn builder(base_url: impl Into<String>) -> ClientBuilder {
        ClientBuilder::new(base_url.into())
    }

    /// A handle on a namespace, given the parts of its identifier. Nothing is sent.
    pub fn namespace(&self, id: impl IntoIterator<Item = impl Into<String>>) -> Namespace {
        Namespace::new(self.clone(), id.into_iter().map(Into::into).collect())
    }

    /// A handle on a table, given the parts of its identifier. Nothing is sent.
    pub fn table(&self, id: impl IntoIterator<Item = impl Into<String>>) -> Table {
        Table::new(self.clone(), id.into_iter().map(Into::into).collect())
    }

    /// A handle on the root namespace.
    pub fn root(&self) -> Namespace {
        Namespace::new(self.clone(), Vec::new())
    }

    /// Begins a commit over several tables, done all or none: `BatchCommitTables`.
    pub fn commit(&self) -> TableCommit {
        TableCommit::new(self.clone())
    }

    /// Begins a batch of versions of several tables, created all or none: `BatchCreateTableVersions`.
    pub fn version_batch(&self) -> VersionBatch {
        VersionBatch::new(self.clone())
    }

    /// The same client, trying again by another policy: for one call, or for as long as the clone is
    /// kept. It shares the connections.
    #[must_use]
    pub fn with_retry(&self, policy: RetryPolicy) -> Self {
        let mut other = self.clone();
        other.settings.retry = policy;
        other
    }

    /// The same client with another [timeout](ClientBuilder::timeout): for one call, or for as long as
    /// the clone is kept. It shares the connections.
    #[must_use]
    pub fn with_timeout(&self, timeout: impl Into<Option<Duration>>) -> Self {
        let mut other = self.clone();
        other.settings.timeout = timeout.into();
        other
    }

    /// What joins the parts of an identifier on the path.
    pub fn delimiter(&self) -> &str {
        &self.shared.delimiter
    }

    /// Begins one call.
    pub(crate) fn exchange(
        &self,
        operation: &'static Operation,
        identity: Option<&Identity>,
        context: Option<&HashMap<String, String>>,
    ) -> Result<Exchange<'_>, Error> {
        Exchange::new(&self.shared, self.settings, operation, identity, context)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Headers that may be secrets are marked so and print as such.
        f.debug_struct("Client")
            .field("base_url", &self.shared.wire.base.as_str())
            .field("delimiter", &self.shared.delimiter)
            .field("headers", &self.shared.headers)
            .field(
                "credentials",
                &self.shared.credentials.as_ref().map(|_| Hidden),
            )
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
