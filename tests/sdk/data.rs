//! The data of a table, by its handle.

use lance_namespace_client::ErrorKind;
use lance_namespace_client::models::*;
use wiremock::ResponseTemplate;

use crate::server::{answering, client};

/// Calls each method of a table, and holds the operation that it calls against its name.
macro_rules! called {
    ($($method:ident($request:expr $(, $body:expr)?) $operation:literal;)*) => {
        #[tokio::test]
        async fn each_method_calls_its_operation_on_the_table() {
            let server = answering(ResponseTemplate::new(406)).await;
            let table = client(&server).table(["prod", "users"]);
            $(
                let error = table.$method($request $(, $body)?).await.unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Server);
                assert_eq!(error.operation().unwrap().id(), $operation);
                let sent = server.received_requests().await.unwrap();
                assert!(sent.last().unwrap().url.path().starts_with("/v1/table/prod$users/"));
            )*
        }

        #[tokio::test]
        async fn a_request_that_names_another_table_is_not_sent() {
            let server = answering(ResponseTemplate::new(406)).await;
            let table = client(&server).table(["prod", "users"]);
            $(
                let request = $request.with_id(["prod", "other"]);
                let error = table.$method(request $(, $body)?).await.unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Request, "{}", $operation);
            )*
            assert!(server.received_requests().await.unwrap().is_empty());
        }
    };
}

called! {
    create(CreateTableRequest::new(), "ARROW1") "CreateTable";
    insert(InsertIntoTableRequest::new(), "ARROW1") "InsertIntoTable";
    merge_insert(MergeInsertIntoTableRequest::new().with_on(["id"]), "ARROW1") "MergeInsertIntoTable";
    query(QueryTableRequest::new(1)) "QueryTable";
    count_rows(CountTableRowsRequest::new()) "CountTableRows";
    update(UpdateTableRequest::new([])) "UpdateTable";
    delete(DeleteFromTableRequest::new("id = 7")) "DeleteFromTable";
    restore(RestoreTableRequest::new(3)) "RestoreTable";
    stats(GetTableStatsRequest::new()) "GetTableStats";
    explain_query(ExplainTableQueryPlanRequest::new(QueryTableRequest::new(1))) "ExplainTableQueryPlan";
    analyze_query(AnalyzeTableQueryPlanRequest::new(1)) "AnalyzeTableQueryPlan";
    add_columns(AlterTableAddColumnsRequest::new([])) "AlterTableAddColumns";
    alter_columns(AlterTableAlterColumnsRequest::new([])) "AlterTableAlterColumns";
    drop_columns(AlterTableDropColumnsRequest::new(["age"])) "AlterTableDropColumns";
    create_index(CreateTableIndexRequest::new("v", "IVF_PQ")) "CreateTableIndex";
    create_scalar_index(CreateTableIndexRequest::new("age", "BTREE")) "CreateTableScalarIndex";
    list_indices(ListTableIndicesRequest::new()) "ListTableIndices";
    index_stats(DescribeTableIndexStatsRequest::new().with_index_name("i")) "DescribeTableIndexStats";
    drop_index(DropTableIndexRequest::new().with_index_name("i")) "DropTableIndex";
}
