//! Operations on several tables, done all or none.

use std::collections::HashMap;

use super::Handle;
use super::handle::Mark;
use super::unique::Unique;
use crate::models::{
    BatchCommitTablesRequest, BatchCommitTablesResponse, BatchDeleteTableVersionsRequest,
    BatchDeleteTableVersionsResponse, CommitTableOperation, CommitTableResult,
    CreateTableVersionRequest, CreateTableVersionResponse, DeclareTableRequest,
    DeclareTableResponse, DeregisterTableRequest, DeregisterTableResponse, Identity,
};
use crate::namespace::own;
use crate::resolve::{Caller, Sent};
use crate::{Client, Error, ErrorKind, Operation};

const OPERATION: &str = "BatchCommitTables";

/// Collects operations on tables, to be done all or none and in the order of their addition:
/// `BatchCommitTables`. From [`Client::commit`].
#[derive(Debug, Clone)]
#[must_use = "nothing is sent before `send`"]
pub struct TableCommit {
    client: Client,
    mark: Mark,
    request: BatchCommitTablesRequest,
    /// The first thing that is wrong with it.
    fault: Option<String>,
}

/// What was done together.
#[derive(Debug, Clone)]
pub struct CommittedTables {
    mark: Mark,
    results: Vec<CommitTableResult>,
    transaction_id: Option<String>,
    context: HashMap<String, String>,
}

impl TableCommit {
    pub(crate) fn new(client: Client) -> Self {
        Self {
            client,
            mark: Mark::new(),
            request: BatchCommitTablesRequest::new([]),
            fault: None,
        }
    }

    /// Adds: declare a table.
    pub fn declare_table(
        &mut self,
        id: impl IntoIterator<Item = impl Into<String>>,
        mut request: DeclareTableRequest,
    ) -> Handle<DeclareTableResponse> {
        request.id = self.named(id, request.id);
        self.add(CommitTableOperation::new().with_declare_table(request))
    }

    /// Adds: create a version of a table if it does not exist.
    pub fn create_version(
        &mut self,
        id: impl IntoIterator<Item = impl Into<String>>,
        mut request: CreateTableVersionRequest,
    ) -> Handle<CreateTableVersionResponse> {
        request.id = self.named(id, request.id);
        self.add(CommitTableOperation::new().with_create_table_version(request))
    }

    /// Adds: delete ranges of versions of a table.
    pub fn delete_versions(
        &mut self,
        id: impl IntoIterator<Item = impl Into<String>>,
        mut request: BatchDeleteTableVersionsRequest,
    ) -> Handle<BatchDeleteTableVersionsResponse> {
        request.id = self.named(id, request.id);
        self.add(CommitTableOperation::new().with_delete_table_versions(request))
    }

    /// Adds: take a table out of its namespace and keep its data.
    pub fn deregister_table(
        &mut self,
        id: impl IntoIterator<Item = impl Into<String>>,
    ) -> Handle<DeregisterTableResponse> {
        let mut request = DeregisterTableRequest::new();
        request.id = self.named(id, None);
        self.add(CommitTableOperation::new().with_deregister_table(request))
    }

    /// Adds an operation as the protocol writes it. One of no kind or of two is refused by
    /// [`send`](Self::send).
    pub fn operation(&mut self, operation: CommitTableOperation) -> Handle<CommitTableResult> {
        self.add(operation)
    }

    /// Sends it on behalf of another identity than the client's. Those of single operations do not
    /// travel.
    pub fn with_identity(mut self, identity: Identity) -> Self {
        self.request = self.request.with_identity(identity);
        self
    }

    /// Sends a context with it, see [`Client`]. Those of single operations do not travel.
    pub fn with_context(
        mut self,
        context: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>,
    ) -> Self {
        self.request = self.request.with_context(context);
        self
    }

    /// The operations so far, in order.
    pub fn operations(&self) -> &[CommitTableOperation] {
        &self.request.operations
    }

    /// Sends the commit, once for all.
    ///
    /// # Errors
    ///
    /// Kind [`Request`](ErrorKind::Request), with nothing sent, when the commit is empty, has an
    /// operation of no kind or of two, a request with another identifier than it was added with, or
    /// the same thing twice. [`is_conflict`](Error::is_conflict) when a version or a table exists:
    /// nothing was done. [`is_unknown`](Error::is_unknown) when the answer was lost and reading back
    /// did not tell, as where no version is created: all was done or nothing, look before you send
    /// again. Otherwise those of the operation; nothing was done.
    pub async fn send(self) -> Result<CommittedTables, Error> {
        let operation = Operation::named(OPERATION);
        self.check()
            .map_err(|reason| Error::request(reason).of(operation))?;
        let done = match self.client.batch_commit_tables(&self.request).await {
            Ok(done) => match mismatch(&self.request, &done) {
                None => done,
                Some(message) => {
                    let error = Error::new(ErrorKind::Decode, message);
                    self.resolve(error.of(operation).in_doubt()).await?
                }
            },
            Err(error) => self.resolve(error).await?,
        };
        Ok(CommittedTables {
            mark: self.mark,
            results: done.results,
            transaction_id: done.transaction_id,
            context: done.context.unwrap_or_default(),
        })
    }

    /// The results as far as they can be read back, if the commit was done.
    async fn resolve(&self, error: Error) -> Result<BatchCommitTablesResponse, Error> {
        let operations = &self.request.operations;
        let sent: Vec<_> = operations
            .iter()
            .filter_map(|operation| Some(Sent::request(operation.create_table_version.as_ref()?)))
            .collect();
        let caller = Caller {
            client: &self.client,
            identity: self.request.identity.as_ref(),
            context: self.request.context.as_ref(),
        };
        // A refused commit's versions may stand by an earlier commit, or by themselves: they do not tell
        // of the other operations.
        if error.is_conflict() && !sent.is_empty() && sent.len() < operations.len() {
            return Err(match caller.all_stand(&sent).await {
                true => error.in_doubt().adding(
                    "the versions stand as they were sent, and whether the other operations were done \
                     with them is not known",
                ),
                false => error,
            });
        }
        let mut versions = caller.resolve(&sent, error).await?.into_iter();
        let results = operations.iter().map(|operation| {
            let mut result = CommitTableResult::new();
            if operation.create_table_version.is_some() {
                let mut created = CreateTableVersionResponse::new();
                created.version = versions.next();
                result.create_table_version = Some(created);
            }
            result
        });
        Ok(BatchCommitTablesResponse::new(results))
    }

    /// The identifier of an addition. That of a request which differs from it is a fault.
    fn named(
        &mut self,
        id: impl IntoIterator<Item = impl Into<String>>,
        given: Option<Vec<String>>,
    ) -> Option<Vec<String>> {
        let id: Vec<String> = id.into_iter().map(Into::into).collect();
        if let Err(error) = own(&id, given)
            && self.fault.is_none()
        {
            self.fault = error.message().map(str::to_owned);
        }
        Some(id)
    }

    fn add<T>(&mut self, operation: CommitTableOperation) -> Handle<T> {
        self.request.operations.push(operation);
        self.mark.handle(self.request.operations.len() - 1)
    }

    fn check(&self) -> Result<(), String> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        if self.request.operations.is_empty() {
            return Err("the commit is empty; add an operation".to_owned());
        }
        let mut unique = Unique::default();
        for (place, operation) in self.request.operations.iter().enumerate() {
            let kinds = kinds_asked(operation)
                .into_iter()
                .filter(|kind| *kind)
                .count();
            if kinds != 1 {
                return Err(format!(
                    "operation {place} of the commit is of {kinds} kinds; set exactly one"
                ));
            }
            if let Some(create) = &operation.create_table_version {
                let id = create.id.as_deref().unwrap_or_default();
                unique.version(id, create.branch.as_deref(), create.version)?;
            }
            if let Some(declare) = &operation.declare_table {
                unique.declared(declare.id.as_deref().unwrap_or_default())?;
            }
            if let Some(deregister) = &operation.deregister_table {
                unique.deregistered(deregister.id.as_deref().unwrap_or_default())?;
            }
        }
        Ok(())
    }
}

/// Which kinds an operation is of, in the order of [`kinds_answered`].
fn kinds_asked(operation: &CommitTableOperation) -> [bool; 4] {
    [
        operation.declare_table.is_some(),
        operation.create_table_version.is_some(),
        operation.delete_table_versions.is_some(),
        operation.deregister_table.is_some(),
    ]
}

/// Which kinds a result is of, in the order of [`kinds_asked`].
fn kinds_answered(result: &CommitTableResult) -> [bool; 4] {
    [
        result.declare_table.is_some(),
        result.create_table_version.is_some(),
        result.delete_table_versions.is_some(),
        result.deregister_table.is_some(),
    ]
}

/// What is wrong with the results, if they are not those of the operations.
fn mismatch(
    request: &BatchCommitTablesRequest,
    done: &BatchCommitTablesResponse,
) -> Option<String> {
    let (asked, answered) = (&request.operations, &done.results);
    if asked.len() != answered.len() {
        return Some(format!(
            "the answer has {} results for {} operations",
            answered.len(),
            asked.len()
        ));
    }
    let place = asked
        .iter()
        .zip(answered)
        .position(|(asked, answered)| kinds_asked(asked) != kinds_answered(answered))?;
    Some(format!(
        "result {place} of the answer is not of its operation's kind"
    ))
}

impl CommittedTables {
    /// The result of an operation. None for a handle of another commit, and where the answer was lost
    /// and only versions could be read back.
    pub fn get<T: OperationResult>(&self, handle: Handle<T>) -> Option<&T> {
        T::of(self.results.get(self.mark.index(handle)?)?)
    }

    /// The results, in the order of the operations.
    pub fn results(&self) -> &[CommitTableResult] {
        &self.results
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

/// What an operation within a commit gives.
pub trait OperationResult: sealed::Sealed {
    #[doc(hidden)]
    fn of(result: &CommitTableResult) -> Option<&Self>;
}

macro_rules! results {
    ($($field:ident: $model:ident),*) => {
        $(
            impl sealed::Sealed for $model {}

            impl OperationResult for $model {
                fn of(result: &CommitTableResult) -> Option<&Self> {
                    result.$field.as_ref()
                }
            }
        )*
    };
}

results! {
    declare_table: DeclareTableResponse,
    create_table_version: CreateTableVersionResponse,
    delete_table_versions: BatchDeleteTableVersionsResponse,
    deregister_table: DeregisterTableResponse
}

impl sealed::Sealed for CommitTableResult {}

impl OperationResult for CommitTableResult {
    fn of(result: &CommitTableResult) -> Option<&Self> {
        Some(result)
    }
}

mod sealed {
    pub trait Sealed {}
}
