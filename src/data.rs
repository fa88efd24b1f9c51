//! The data of a table, by its handle.

use crate::models::{
    AlterTableAddColumnsRequest, AlterTableAddColumnsResponse, AlterTableAlterColumnsRequest,
    AlterTableAlterColumnsResponse, AlterTableDropColumnsRequest, AlterTableDropColumnsResponse,
    AnalyzeTableQueryPlanRequest, AnalyzeTableQueryPlanResponse, CountTableRowsRequest,
    CountTableRowsResponse, CreateTableIndexRequest, CreateTableIndexResponse, CreateTableRequest,
    CreateTableResponse, CreateTableScalarIndexResponse, DeleteFromTableRequest,
    DeleteFromTableResponse, DescribeTableIndexStatsRequest, DescribeTableIndexStatsResponse,
    DropTableIndexRequest, DropTableIndexResponse, ExplainTableQueryPlanRequest,
    ExplainTableQueryPlanResponse, GetTableStatsRequest, GetTableStatsResponse,
    InsertIntoTableRequest, InsertIntoTableResponse, ListTableIndicesRequest,
    ListTableIndicesResponse, MergeInsertIntoTableRequest, MergeInsertIntoTableResponse,
    QueryTableRequest, RestoreTableRequest, RestoreTableResponse, UpdateTableRequest,
    UpdateTableResponse,
};
use crate::namespace::own;
use crate::{ArrowBody, ArrowStream, Error, Table};

/// Rows.
impl Table {
    /// Creates the table with the schema and the rows of the body: `CreateTable`.
    ///
    /// # Errors
    ///
    /// Code 5 when it exists, unless the request's mode says otherwise; code 1 when its namespace
    /// does not.
    pub async fn create(
        &self,
        mut request: CreateTableRequest,
        body: impl Into<ArrowBody>,
    ) -> Result<CreateTableResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.create_table(&request, body).await
    }

    /// Adds the rows of the body: `InsertIntoTable`.
    ///
    /// # Errors
    ///
    /// Code 4 when the table does not exist.
    pub async fn insert(
        &self,
        mut request: InsertIntoTableRequest,
        body: impl Into<ArrowBody>,
    ) -> Result<InsertIntoTableResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.insert_into_table(&request, body).await
    }

    /// Merges the rows of the body into those that match: `MergeInsertIntoTable`.
    ///
    /// # Errors
    ///
    /// Code 4 when the table does not exist, code 12 when a field does not.
    pub async fn merge_insert(
        &self,
        mut request: MergeInsertIntoTableRequest,
        body: impl Into<ArrowBody>,
    ) -> Result<MergeInsertIntoTableResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.merge_insert_into_table(&request, body).await
    }

    /// Finds rows, and streams them: `QueryTable`.
    ///
    /// # Errors
    ///
    /// Code 4 when the table does not exist, code 11 when the version and code 12 when a field does
    /// not. What goes wrong once the answer has begun is an error of the stream.
    pub async fn query(&self, mut request: QueryTableRequest) -> Result<ArrowStream, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.query_table(&request).await
    }

    /// Counts rows: `CountTableRows`.
    ///
    /// # Errors
    ///
    /// Code 4 when the table does not exist, code 11 when the version does not.
    pub async fn count_rows(
        &self,
        mut request: CountTableRowsRequest,
    ) -> Result<CountTableRowsResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.count_table_rows(&request).await
    }

    /// Changes the rows that match: `UpdateTable`.
    ///
    /// # Errors
    ///
    /// Code 4 when the table does not exist, code 12 when a field does not.
    pub async fn update(
        &self,
        mut request: UpdateTableRequest,
    ) -> Result<UpdateTableResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.update_table(&request).await
    }

    /// Deletes the rows that match: `DeleteFromTable`.
    ///
    /// # Errors
    ///
    /// Code 4 when the table does not exist.
    pub async fn delete(
        &self,
        mut request: DeleteFromTableRequest,
    ) -> Result<DeleteFromTableResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.delete_from_table(&request).await
    }

    /// Makes an earlier version the latest: `RestoreTable`.
    ///
    /// # Errors
    ///
    /// Code 4 when the table does not exist, code 11 when the version does not.
    pub async fn restore(
        &self,
        mut request: RestoreTableRequest,
    ) -> Result<RestoreTableResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.restore_table(&request).await
    }

    /// What the server knows of the table's size: `GetTableStats`.
    ///
    /// # Errors
    ///
    /// Code 4 when the table does not exist.
    pub async fn stats(
        &self,
        mut request: GetTableStatsRequest,
    ) -> Result<GetTableStatsResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.get_table_stats(&request).await
    }

    /// How a query would be carried out: `ExplainTableQueryPlan`.
    ///
    /// # Errors
    ///
    /// Code 4 when the table does not exist.
    pub async fn explain_query(
        &self,
        mut request: ExplainTableQueryPlanRequest,
    ) -> Result<ExplainTableQueryPlanResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.explain_table_query_plan(&request).await
    }

    /// Carries a query out, and says what each step of it cost: `AnalyzeTableQueryPlan`.
    ///
    /// # Errors
    ///
    /// Code 4 when the table does not exist, code 11 when the version does not.
    pub async fn analyze_query(
        &self,
        mut request: AnalyzeTableQueryPlanRequest,
    ) -> Result<AnalyzeTableQueryPlanResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.analyze_table_query_plan(&request).await
    }
}

/// Columns.
impl Table {
    /// Adds columns: `AlterTableAddColumns`.
    ///
    /// # Errors
    ///
    /// Code 4 when the table does not exist.
    pub async fn add_columns(
        &self,
        mut request: AlterTableAddColumnsRequest,
    ) -> Result<AlterTableAddColumnsResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.alter_table_add_columns(&request).await
    }

    /// Changes columns: `AlterTableAlterColumns`.
    ///
    /// # Errors
    ///
    /// Code 4 when the table does not exist, code 12 when a column does not.
    pub async fn alter_columns(
        &self,
        mut request: AlterTableAlterColumnsRequest,
    ) -> Result<AlterTableAlterColumnsResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.alter_table_alter_columns(&request).await
    }

    /// Drops columns: `AlterTableDropColumns`.
    ///
    /// # Errors
    ///
    /// Code 4 when the table does not exist, code 12 when a column does not.
    pub async fn drop_columns(
        &self,
        mut request: AlterTableDropColumnsRequest,
    ) -> Result<AlterTableDropColumnsResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.alter_table_drop_columns(&request).await
    }
}

/// Indices.
impl Table {
    /// Begins to build an index, of any type: `CreateTableIndex`.
    ///
    /// # Errors
    ///
    /// Code 4 when the table does not exist, code 12 when the field does not.
    pub async fn create_index(
        &self,
        mut request: CreateTableIndexRequest,
    ) -> Result<CreateTableIndexResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.create_table_index(&request).await
    }

    /// Begins to build an index of scalars: `CreateTableScalarIndex`.
    ///
    /// # Errors
    ///
    /// Code 4 when the table does not exist, code 12 when the field does not.
    pub async fn create_scalar_index(
        &self,
        mut request: CreateTableIndexRequest,
    ) -> Result<CreateTableScalarIndexResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.create_table_scalar_index(&request).await
    }

    /// One page of the indices: `ListTableIndices`.
    ///
    /// # Errors
    ///
    /// Code 4 when the table does not exist, code 11 when the version does not.
    pub async fn list_indices(
        &self,
        mut request: ListTableIndicesRequest,
    ) -> Result<ListTableIndicesResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.list_table_indices(&request).await
    }

    /// What the server knows of an index: `DescribeTableIndexStats`.
    ///
    /// # Errors
    ///
    /// Code 6 when the index does not exist, code 4 when the table does not.
    pub async fn index_stats(
        &self,
        mut request: DescribeTableIndexStatsRequest,
    ) -> Result<DescribeTableIndexStatsResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.describe_table_index_stats(&request).await
    }

    /// Drops an index: `DropTableIndex`.
    ///
    /// # Errors
    ///
    /// Code 6 when the index does not exist, code 4 when the table does not.
    pub async fn drop_index(
        &self,
        mut request: DropTableIndexRequest,
    ) -> Result<DropTableIndexResponse, Error> {
        request.id = own(&self.id, request.id)?;
        self.client.drop_table_index(&request).await
    }
}
