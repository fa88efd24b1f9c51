//! A handle on a table.

use crate::models::{
    BatchDeleteTableVersionsRequest, BatchDeleteTableVersionsResponse, CreateTableBranchRequest,
    CreateTableBranchResponse, CreateTableTagRequest, CreateTableTagResponse,
    CreateTableVersionRequest, CreateTableVersionResponse, DeclareTableRequest,
    DeclareTableResponse, DeleteTableBranchRequest, DeleteTableBranchResponse,
    DeleteTableTagRequest, DeleteTableTagResponse, DeregisterTableRequest, DeregisterTableResponse,
    DescribeTableRequest, DescribeTableResponse, DescribeTableVersionRequest, DropTableRequest,
    DropTableResponse, GetTableTagVersionRequest, GetTableTagVersionResponse,
    ListTableBranchesRequest, ListTableBranchesResponse, ListTableIndicesRequest,
    ListTableTagsRequest, ListTableTagsResponse, ListTableVersionsRequest,
    ListTableVersionsResponse, RegisterTableRequest, RegisterTableResponse, RenameTableRequest,
    RenameTableResponse, TableExistsRequest, TableVersion, UpdateTableTagRequest,
    UpdateTableTagResponse,
};
use crate::namespace::own;
use crate::resolve::{Caller, Sent};
use crate::{Client, Error, ErrorCode, Items};

/// A table of a server, by its identifier. It need not exist.
///
/// A request given to one of its methods gets the handle's identifier. One that already has
/// another is refused with an [`Error`] of kind [`Request`](crate::ErrorKind::Request); the other
/// errors of each method are those of the operation that it calls.
#[derive(Debug, Clone)]
pub struct Table {
    pub(crate) client: Client,
    pub(crate) id: Vec<String>,
}

impl Table {
    pub(crate) fn new(client: Client, id: Vec<String>) -> Self {
        Self { client, id }
    }

    /// The parts of its identifier.
    pub fn id(&self) -> &[String] {
        &self.id
    }
}

/// The table itself.
impl Table {
    /// Declares the table, without data: `DeclareTable`.
    ///
    /// # Errors
    ///
    /// Code 5 when it exists, code 1 when its namespace does not.
    pub async fn declare(
        &self,
        mut request: DeclareTableRequest,
    ) -> Result<DeclareTableResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.declare_table(&request).await
    }

    /// Registers a table that has data: `RegisterTable`.
    ///
    /// # Errors
    ///
    /// Code 5 when it exists, unless the request's mode says otherwise.
    pub async fn register(
        &self,
        mut request: RegisterTableRequest,
    ) -> Result<RegisterTableResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.register_table(&request).await
    }

    /// Describes the table: `DescribeTable`.
    ///
    /// # Errors
    ///
    /// Code 4 when it does not exist.
    pub async fn describe(
        &self,
        mut request: DescribeTableRequest,
    ) -> Result<DescribeTableResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.describe_table(&request).await
    }

    /// Whether the table exists: `TableExists`. Only the protocol's own answer, code 4, or code 1
    /// where its namespace is missing, means that it does not; any other 404 is an error.
    ///
    /// # Errors
    ///
    /// Those of the operation but these two codes.
    pub async fn exists(&self) -> Result<bool, Error> {
        let request = TableExistsRequest::new().with_id(&self.id);
        match self.client.table_exists(&request).await {
            Ok(_) => Ok(true),
            Err(error) => match error.code() {
                Some(ErrorCode::TABLE_NOT_FOUND | ErrorCode::NAMESPACE_NOT_FOUND) => Ok(false),
                _ => Err(error),
            },
        }
    }

    /// Gives the table another name, or another namespace: `RenameTable`.
    ///
    /// # Errors
    ///
    /// Code 4 when it does not exist, code 5 when the new name is taken.
    pub async fn rename(
        &self,
        mut request: RenameTableRequest,
    ) -> Result<RenameTableResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.rename_table(&request).await
    }

    /// Drops the table and its data: `DropTable`.
    ///
    /// # Errors
    ///
    /// Code 4 when it does not exist.
    pub async fn drop(&self) -> Result<DropTableResponse, Error> {
        let request = DropTableRequest::new().with_id(&self.id);
        self.client.drop_table(&request).await
    }

    /// Takes the table out of its namespace and keeps its data: `DeregisterTable`.
    ///
    /// # Errors
    ///
    /// Code 4 when it does not exist.
    pub async fn deregister(&self) -> Result<DeregisterTableResponse, Error> {
        let request = DeregisterTableRequest::new().with_id(&self.id);
        self.client.deregister_table(&request).await
    }
}

/// Versions.
impl Table {
    /// Creates a version if it does not exist: `CreateTableVersion`. Of all who create one version,
    /// one succeeds. Success means that the version is yours, and a conflict that it is another's:
    ///
    /// When the answer is lost, or says that the version exists, the version is read back
    /// (`DescribeTableVersion`) and compared with the request. Where it is the request's own, by its
    /// staging manifest (as sent, or relative to another place) or by an equal entity tag, that is a
    /// success, also of an earlier call with the same request. Where it is surely another's, by
    /// another staging manifest, another size or other metadata, that is a conflict. So give each
    /// attempt at a version a staging manifest with a name of its own, as Lance does; where the
    /// server moves manifests, the entity tag helps too.
    ///
    /// [`Client::create_table_version`] sends and nothing else.
    ///
    /// # Errors
    ///
    /// [`is_conflict`](Error::is_conflict) when the version exists and is not known to be the
    /// request's own: status 409, usually with code 14, or the kind
    /// [`Taken`](crate::ErrorKind::Taken) after a lost answer;
    /// [`existing_version`](Error::existing_version) then has what stands.
    /// [`is_unknown`](Error::is_unknown) when the answer was lost and reading back did not tell: call
    /// again with the same request, or look later. Code 4 when the table does not exist.
    pub async fn create_version(
        &self,
        mut request: CreateTableVersionRequest,
    ) -> Result<CreateTableVersionResponse, Error> {
        request.id = own(&self.id, request.id)?;
        let error = match self.client.create_table_version(&request).await {
            Ok(created) => return Ok(created),
            Err(error) => error,
        };
        let caller = Caller {
            client: &self.client,
            identity: request.identity.as_ref(),
            context: request.context.as_ref(),
        };
        let found = caller.resolve(&[Sent::request(&request)], error).await?;
        let mut created = CreateTableVersionResponse::new();
        created.version = found.into_iter().next();
        Ok(created)
    }

    /// Describes a version of the main branch: `DescribeTableVersion`.
    ///
    /// # Errors
    ///
    /// Code 11 when the table has no such version, code 4 when the table does not exist.
    pub async fn describe_version(&self, version: i64) -> Result<TableVersion, Error> {
        let request = DescribeTableVersionRequest::new()
            .with_id(&self.id)
            .with_version(version);
        Ok(self.client.describe_table_version(&request).await?.version)
    }

    /// The latest version of the main branch, if there is one: `ListTableVersions`, descending and
    /// limited to one.
    ///
    /// # Errors
    ///
    /// Code 4 when the table does not exist.
    pub async fn latest_version(&self) -> Result<Option<TableVersion>, Error> {
        let request = ListTableVersionsRequest::new()
            .with_id(&self.id)
            .with_descending(true)
            .with_limit(1);
        let page = self.client.list_table_versions(&request).await?;
        Ok(page.versions.into_iter().next())
    }

    /// The versions of the main branch: `ListTableVersions`, over all its pages. Another branch, and
    /// the order, are set by [`Items::with`].
    ///
    /// # Errors
    ///
    /// Code 4 when the table does not exist.
    pub fn versions(&self) -> Items<ListTableVersionsRequest> {
        let request = ListTableVersionsRequest::new().with_id(&self.id);
        self.client.items(request)
    }

    /// One page of the versions: `ListTableVersions`.
    ///
    /// # Errors
    ///
    /// Code 4 when the table does not exist.
    pub async fn list_versions(
        &self,
        mut request: ListTableVersionsRequest,
    ) -> Result<ListTableVersionsResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.list_table_versions(&request).await
    }

    /// Deletes ranges of versions, each from its start to before its end: `BatchDeleteTableVersions`.
    ///
    /// # Errors
    ///
    /// Code 4 when the table does not exist.
    pub async fn delete_versions(
        &self,
        mut request: BatchDeleteTableVersionsRequest,
    ) -> Result<BatchDeleteTableVersionsResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.batch_delete_table_versions(&request).await
    }
}

/// Tags and branches.
impl Table {
    /// Creates a tag: `CreateTableTag`.
    ///
    /// # Errors
    ///
    /// Code 9 when it exists, code 11 when the version does not.
    pub async fn create_tag(
        &self,
        mut request: CreateTableTagRequest,
    ) -> Result<CreateTableTagResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.create_table_tag(&request).await
    }

    /// The version that a tag names: `GetTableTagVersion`.
    ///
    /// # Errors
    ///
    /// Code 8 when the tag does not exist.
    pub async fn tag_version(
        &self,
        tag: impl Into<String>,
    ) -> Result<GetTableTagVersionResponse, Error> {
        let request = GetTableTagVersionRequest::new(tag).with_id(&self.id);
        self.client.get_table_tag_version(&request).await
    }

    /// Moves a tag to another version: `UpdateTableTag`.
    ///
    /// # Errors
    ///
    /// Code 8 when the tag does not exist, code 11 when the version does not.
    pub async fn update_tag(
        &self,
        mut request: UpdateTableTagRequest,
    ) -> Result<UpdateTableTagResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.update_table_tag(&request).await
    }

    /// Deletes a tag: `DeleteTableTag`.
    ///
    /// # Errors
    ///
    /// Code 8 when the tag does not exist.
    pub async fn delete_tag(
        &self,
        tag: impl Into<String>,
    ) -> Result<DeleteTableTagResponse, Error> {
        let request = DeleteTableTagRequest::new(tag).with_id(&self.id);
        self.client.delete_table_tag(&request).await
    }

    /// The tags, each a name and what it stands for: `ListTableTags`, over all its pages.
    ///
    /// # Errors
    ///
    /// Code 4 when the table does not exist.
    pub fn tags(&self) -> Items<ListTableTagsRequest> {
        let request = ListTableTagsRequest::new().with_id(&self.id);
        self.client.items(request)
    }

    /// One page of the tags: `ListTableTags`.
    ///
    /// # Errors
    ///
    /// Code 4 when the table does not exist.
    pub async fn list_tags(
        &self,
        mut request: ListTableTagsRequest,
    ) -> Result<ListTableTagsResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.list_table_tags(&request).await
    }

    /// Creates a branch: `CreateTableBranch`.
    ///
    /// # Errors
    ///
    /// Code 23 when it exists, code 22 when the one to start from does not.
    pub async fn create_branch(
        &self,
        mut request: CreateTableBranchRequest,
    ) -> Result<CreateTableBranchResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.create_table_branch(&request).await
    }

    /// Deletes a branch: `DeleteTableBranch`.
    ///
    /// # Errors
    ///
    /// Code 22 when the branch does not exist.
    pub async fn delete_branch(
        &self,
        name: impl Into<String>,
    ) -> Result<DeleteTableBranchResponse, Error> {
        let request = DeleteTableBranchRequest::new(name).with_id(&self.id);
        self.client.delete_table_branch(&request).await
    }

    /// The branches, each a name and where it comes from: `ListTableBranches`, over all its pages.
    ///
    /// # Errors
    ///
    /// Code 4 when the table does not exist.
    pub fn branches(&self) -> Items<ListTableBranchesRequest> {
        let request = ListTableBranchesRequest::new().with_id(&self.id);
        self.client.items(request)
    }

    /// One page of the branches: `ListTableBranches`.
    ///
    /// # Errors
    ///
    /// Code 4 when the table does not exist.
    pub async fn list_branches(
        &self,
        mut request: ListTableBranchesRequest,
    ) -> Result<ListTableBranchesResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.list_table_branches(&request).await
    }
}

/// Indices.
impl Table {
    /// The indices of the main branch's latest version: `ListTableIndices`, over all its pages.
    /// Another branch or version is set by [`Items::with`].
    ///
    /// # Errors
    ///
    /// Code 4 when the table does not exist.
    pub fn indices(&self) -> Items<ListTableIndicesRequest> {
        let request = ListTableIndicesRequest::new().with_id(&self.id);
        self.client.items(request)
    }
}
