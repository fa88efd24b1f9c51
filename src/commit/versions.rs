//! Versions of several tables, created all or none.

use std::collections::HashMap;

use super::Handle;
use super::handle::Mark;
use super::unique::Unique;
use crate::models::{
    BatchCreateTableVersionsRequest, CreateTableVersionEntry, Identity, TableVersion,
};
use crate::resolve::{Caller, Sent};
use crate::{Client, Error, ErrorKind, Operation};

const OPERATION: &str = "BatchCreateTableVersions";

/// Collects versions to create, all or none: `BatchCreateTableVersions`. From
/// [`Client::version_batch`].
#[derive(Debug, Clone)]
#[must_use = "nothing is sent before `send`"]
pub struct VersionBatch {
    client: Client,
    mark: Mark,
    request: BatchCreateTableVersionsRequest,
}

/// Versions that were created together.
#[derive(Debug, Clone)]
pub struct CommittedVersions {
    mark: Mark,
    versions: Vec<TableVersion>,
    transaction_id: Option<String>,
    context: HashMap<String, String>,
}

impl VersionBatch {
    pub(crate) fn new(client: Client) -> Self {
        Self {
            client,
            mark: Mark::new(),
            request: BatchCreateTableVersionsRequest::new([]),
        }
    }

    /// Adds a version.
    pub fn create(&mut self, entry: CreateTableVersionEntry) -> Handle<TableVersion> {
        self.request.entries.push(entry);
        self.mark.handle(self.request.entries.len() - 1)
    }

    /// Sends it on behalf of another identity than the client's.
    pub fn with_identity(mut self, identity: Identity) -> Self {
        self.request = self.request.with_identity(identity);
        self
    }

    /// Sends a context with it, see [`Client`].
    pub fn with_context(
        mut self,
        context: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>,
    ) -> Self {
        self.request = self.request.with_context(context);
        self
    }

    /// The versions so far.
    pub fn entries(&self) -> &[CreateTableVersionEntry] {
        &self.request.entries
    }

    /// Sends the batch, once for all.
    ///
    /// # Errors
    ///
    /// Kind [`Request`](ErrorKind::Request), with nothing sent, when the batch is empty or has one
    /// version twice. [`is_conflict`](Error::is_conflict) when a version exists: none was created.
    /// [`is_unknown`](Error::is_unknown) when the answer was lost and reading back did not tell: all
    /// were created or none, send the same again or look later. Otherwise those of the operation;
    /// none was created.
    pub async fn send(self) -> Result<CommittedVersions, Error> {
        let request = &self.request;
        self.check()
            .map_err(|reason| Error::request(reason).of(Operation::named(OPERATION)))?;
        let (versions, transaction_id, context) =
            match self.client.batch_create_table_versions(request).await {
                Ok(done) if done.versions.len() == request.entries.len() => {
                    (done.versions, done.transaction_id, done.context)
                }
                Ok(done) => {
                    let message = format!(
                        "the answer has {} versions for {} entries",
                        done.versions.len(),
                        request.entries.len()
                    );
                    let error = Error::new(ErrorKind::Decode, message);
                    (
                        self.resolve(error.of(Operation::named(OPERATION)).in_doubt())
                            .await?,
                        None,
                        None,
                    )
                }
                Err(error) => (self.resolve(error).await?, None, None),
            };
        Ok(CommittedVersions {
            mark: self.mark,
            versions,
            transaction_id,
            context: context.unwrap_or_default(),
        })
    }

    async fn resolve(&self, error: Error) -> Result<Vec<TableVersion>, Error> {
        let sent: Vec<_> = self.request.entries.iter().map(Sent::entry).collect();
        let caller = Caller {
            client: &self.client,
            identity: self.request.identity.as_ref(),
            context: self.request.context.as_ref(),
        };
        caller.resolve(&sent, error).await
    }

    fn check(&self) -> Result<(), String> {
        if self.request.entries.is_empty() {
            return Err("the batch is empty; add a version".to_owned());
        }
        let mut unique = Unique::default();
        for entry in &self.request.entries {
            unique.version(&entry.id, entry.branch.as_deref(), entry.version)?;
        }
        Ok(())
    }
}

impl CommittedVersions {
    /// The version of an entry, as it stands; none for a handle of another batch.
    pub fn get(&self, handle: Handle<TableVersion>) -> Option<&TableVersion> {
        self.versions.get(self.mark.index(handle)?)
    }

    /// The versions, in the order of the entries.
    pub fn versions(&self) -> &[TableVersion] {
        &self.versions
    }

    /// The transaction that the server did it in, if it said so.
    pub fn transaction_id(&self) -> Option<&str> {
        self.transaction_id.as_deref()
    }

    /// The context of the answer; empty where it was lost and the versions were read back.
    pub fn context(&self) -> &HashMap<String, String> {
        &self.context
    }
}
