//! A handle on a namespace.

use crate::models::{
    CreateNamespaceRequest, CreateNamespaceResponse, DescribeNamespaceRequest,
    DescribeNamespaceResponse, DropNamespaceRequest, DropNamespaceResponse, ListNamespacesRequest,
    ListNamespacesResponse, ListTablesRequest, ListTablesResponse, NamespaceExistsRequest,
};
use crate::{Client, Error, ErrorCode, Items, Table};

/// A namespace of a server, by its identifier. It need not exist.
///
/// A request given to one of its methods gets the handle's identifier. One that already has
/// another is refused with an [`Error`] of kind [`Request`](crate::ErrorKind::Request); the other
/// errors of each method are those of the operation that it calls.
#[derive(Debug, Clone)]
pub struct Namespace {
    client: Client,
    id: Vec<String>,
}

impl Namespace {
    pub(crate) fn new(client: Client, id: Vec<String>) -> Self {
        Self { client, id }
    }

    /// The parts of its identifier; none for the root namespace.
    pub fn id(&self) -> &[String] {
        &self.id
    }

    /// A handle on a namespace within this one.
    pub fn namespace(&self, name: impl Into<String>) -> Self {
        Self::new(self.client.clone(), self.below(name.into()))
    }

    /// A handle on a table within this namespace.
    pub fn table(&self, name: impl Into<String>) -> Table {
        Table::new(self.client.clone(), self.below(name.into()))
    }

    fn below(&self, name: String) -> Vec<String> {
        let mut id = self.id.clone();
        id.push(name);
        id
    }

    /// Creates the namespace: `CreateNamespace`.
    ///
    /// # Errors
    ///
    /// Code 2 when it exists, unless the request's mode says otherwise.
    pub async fn create(
        &self,
        mut request: CreateNamespaceRequest,
    ) -> Result<CreateNamespaceResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.create_namespace(&request).await
    }

    /// Describes the namespace: `DescribeNamespace`.
    ///
    /// # Errors
    ///
    /// Code 1 when it does not exist.
    pub async fn describe(&self) -> Result<DescribeNamespaceResponse, Error> {
        let request = DescribeNamespaceRequest::new().with_id(&self.id);
        self.client.describe_namespace(&request).await
    }

    /// Whether the namespace exists: `NamespaceExists`. Only the protocol's own answer, code 1,
    /// means that it does not; any other 404 is an error.
    ///
    /// # Errors
    ///
    /// Those of the operation but code 1.
    pub async fn exists(&self) -> Result<bool, Error> {
        let request = NamespaceExistsRequest::new().with_id(&self.id);
        match self.client.namespace_exists(&request).await {
            Ok(_) => Ok(true),
            Err(error) if error.code() == Some(ErrorCode::NAMESPACE_NOT_FOUND) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Drops the namespace: `DropNamespace`.
    ///
    /// # Errors
    ///
    /// Code 1 when it does not exist and code 3 when it is not empty, unless the request's mode and
    /// behavior say otherwise.
    pub async fn drop(
        &self,
        mut request: DropNamespaceRequest,
    ) -> Result<DropNamespaceResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.drop_namespace(&request).await
    }

    /// The names of the namespaces directly within this one: `ListNamespaces`, over all its pages.
    ///
    /// # Errors
    ///
    /// Code 1 when this one does not exist.
    pub fn namespaces(&self) -> Items<ListNamespacesRequest> {
        let request = ListNamespacesRequest::new().with_id(&self.id);
        self.client.items(request)
    }

    /// The tables within this namespace: `ListTables`, over all its pages. Servers differ in what they
    /// give: the names of those directly within it, or the identifiers of all below it.
    ///
    /// # Errors
    ///
    /// Code 1 when this namespace does not exist.
    pub fn tables(&self) -> Items<ListTablesRequest> {
        let request = ListTablesRequest::new().with_id(&self.id);
        self.client.items(request)
    }

    /// One page of the namespaces within this one: `ListNamespaces`.
    ///
    /// # Errors
    ///
    /// Code 1 when this one does not exist.
    pub async fn list_namespaces(
        &self,
        mut request: ListNamespacesRequest,
    ) -> Result<ListNamespacesResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.list_namespaces(&request).await
    }

    /// One page of the tables within this namespace: `ListTables`.
    ///
    /// # Errors
    ///
    /// Code 1 when this namespace does not exist.
    pub async fn list_tables(
        &self,
        mut request: ListTablesRequest,
    ) -> Result<ListTablesResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.list_tables(&request).await
    }
}

/// The identifier of a handle for a request that has none, or the same.
pub(crate) fn own(
    handle: &[String],
    given: Option<Vec<String>>,
) -> Result<Option<Vec<String>>, Error> {
    match given {
        Some(given) if given != handle => Err(Error::request(format!(
            "the request names {given:?} and the handle {handle:?}; leave the request's `id` unset"
        ))),
        _ => Ok(Some(handle.to_vec())),
    }
}
