//! What each operation sends.

use std::collections::BTreeMap;
use std::fmt::Write;

use heck::ToSnakeCase;
use lance_namespace_client::Operation;
use lance_namespace_client::models::*;
use serde_json::{Value, json};
use wiremock::{Request, ResponseTemplate};

use crate::sample::{Amount, answer, document};
use crate::server::{answering, client, only_request};

const TABLE: [&str; 3] = ["prod", "eu west", "users"];
const ARROW: &[u8] = b"ARROW1";

/// Calls each operation of the list with its request and, for Arrow, its body; holds what was sent
/// against its snapshot, and lists the operations.
macro_rules! sent {
    ($($operation:ident($request:expr $(, $body:expr)?);)*) => {
        $(
            #[tokio::test]
            async fn $operation() {
                let id = operation_id(stringify!($operation));
                let (status, body) = answer(&document(), id, Amount::Least);
                let response = ResponseTemplate::new(status);
                let server = answering(match body {
                    Some(body) => response.set_body_json(body),
                    None => response,
                })
                .await;
                let mut request = $request;
                request.identity = Some(
                    Identity::new()
                        .with_api_key("key")
                        .with_auth_token("token")
                );
                request.context = Some([("header.X-Trace".to_owned(), "a1".to_owned())].into());
                client(&server).$operation(&request $(, $body)?).await.unwrap();
                let sent = show(&only_request(&server).await);
                insta::with_settings!({
                    snapshot_path => "snapshots/wire",
                    prepend_module_to_snapshot => false,
                }, {
                    insta::assert_snapshot!(id, sent);
                });
            }
        )*

        const SENT: &[&str] = &[$(stringify!($operation)),*];
    };
}

fn operation_id(method: &str) -> &'static str {
    let named = |operation: &&Operation| operation.id().to_snake_case() == method;
    Operation::all().iter().find(named).unwrap().id()
}

/// A request as text: what the protocol says about it, and nothing of how it got here.
fn show(request: &Request) -> String {
    let mut text = format!("{} {}\n", request.method, request.url.path());
    for (name, value) in request.url.query_pairs() {
        writeln!(text, "  {name} = {value}").unwrap();
    }
    let mut headers = BTreeMap::new();
    for (name, value) in &request.headers {
        let bare = request.body.is_empty() || name != "content-length";
        if bare && !["host", "user-agent"].contains(&name.as_str()) {
            headers.insert(name.as_str(), value.to_str().unwrap());
        }
    }
    for (name, value) in headers {
        writeln!(text, "{name}: {value}").unwrap();
    }
    match serde_json::from_slice(&request.body) {
        _ if request.body.is_empty() => {}
        Ok(body) => writeln!(text, "\n{:#}", sorted(body)).unwrap(),
        Err(_) => writeln!(text, "\n{}", String::from_utf8_lossy(&request.body)).unwrap(),
    }
    text
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let sorted: BTreeMap<_, _> = object.into_iter().map(|(k, v)| (k, sorted(v))).collect();
            json!(sorted)
        }
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        other => other,
    }
}

fn query() -> QueryTableRequest {
    let vector = QueryTableRequestVector::new().with_single_vector([0.5, 0.25]);
    QueryTableRequest::new(10)
        .with_vector(vector)
        .with_id(TABLE)
        .with_filter("age > 3")
        .with_row_id(true)
}

sent! {
    create_namespace(
        CreateNamespaceRequest::new()
            .with_id(["prod"])
            .with_mode("ExistOk")
            .with_properties([("owner", "ann")])
    );
    list_namespaces(
        ListNamespacesRequest::new()
            .with_id(Vec::<String>::new())
            .with_limit(2)
            .with_page_token("a b")
    );
    describe_namespace(DescribeNamespaceRequest::new().with_id(["prod"]));
    drop_namespace(
        DropNamespaceRequest::new()
            .with_id(["prod"])
            .with_mode("Skip")
            .with_behavior("Restrict")
    );
    namespace_exists(NamespaceExistsRequest::new().with_id(["prod"]));
    list_tables(
        ListTablesRequest::new()
            .with_id(["prod"])
            .with_limit(2)
            .with_page_token("t")
            .with_include_declared(false)
    );
    list_all_tables(
        ListAllTablesRequest::new()
            .with_limit(2)
            .with_page_token("t")
            .with_include_declared(true)
    );
    register_table(
        RegisterTableRequest::new("s3://data/users")
            .with_id(TABLE)
            .with_mode("Create")
            .with_properties([("a", "b")])
    );
    describe_table(
        DescribeTableRequest::new()
            .with_id(TABLE)
            .with_version(3)
            .with_table_uri(true)
            .with_load_detailed_metadata(false)
            .with_check_declared(true)
            .with_vend_credentials(true)
    );
    table_exists(TableExistsRequest::new().with_id(TABLE).with_version(3));
    drop_table(DropTableRequest::new().with_id(TABLE));
    deregister_table(DeregisterTableRequest::new().with_id(TABLE));
    restore_table(RestoreTableRequest::new(3).with_id(TABLE).with_branch("dev"));
    rename_table(
        RenameTableRequest::new("people")
            .with_id(TABLE)
            .with_new_namespace_id(["archive"])
    );
    update_table_schema_metadata(
        UpdateTableSchemaMetadataRequest::new()
            .with_id(TABLE)
            .with_branch("dev")
            .with_metadata([("a", "b")])
    );
    list_table_versions(
        ListTableVersionsRequest::new()
            .with_id(TABLE)
            .with_branch("dev")
            .with_descending(true)
            .with_limit(1)
            .with_page_token("t")
    );
    create_table_version(
        CreateTableVersionRequest::new(7, "_versions/7.manifest")
            .with_id(TABLE)
            .with_branch("dev")
            .with_manifest_size(99)
            .with_e_tag("e")
            .with_naming_scheme("V2")
            .with_metadata([("a", "b")])
    );
    describe_table_version(
        DescribeTableVersionRequest::new()
            .with_id(TABLE)
            .with_version(7)
            .with_branch("dev")
    );
    batch_delete_table_versions(
        BatchDeleteTableVersionsRequest::new([VersionRange::new(0, -1)])
            .with_id(TABLE)
            .with_branch("dev")
    );
    batch_create_table_versions(BatchCreateTableVersionsRequest::new([
        CreateTableVersionEntry::new(TABLE, 7, "_versions/7.manifest"),
        CreateTableVersionEntry::new(["prod", "orders"], 8, "_versions/8.manifest").with_e_tag("e"),
    ]));
    batch_commit_tables({
        let identity = Identity::new().with_api_key("inner");
        let declare = DeclareTableRequest::new(
            ).with_id(TABLE).with_identity(identity).with_context([("header.x", "y")]
        );
        let create = CreateTableVersionRequest::new(1, "_versions/1.manifest").with_id(TABLE);
        BatchCommitTablesRequest::new([
            CommitTableOperation::new().with_declare_table(declare),
            CommitTableOperation::new().with_create_table_version(create),
        ])
    });
    alter_table_alter_columns(
        AlterTableAlterColumnsRequest::new([
            AlterColumnsEntry::new("age").with_rename("years").with_nullable(true),
        ])
            .with_id(TABLE)
    );
    update_field_metadata(
        UpdateFieldMetadataRequest::new([
            UpdateFieldMetadataEntry::new("age", [("unit", Some("years".to_owned())), ("old", None)]),
        ])
            .with_id(TABLE)
    );
    alter_table_drop_columns(AlterTableDropColumnsRequest::new(["age"]).with_id(TABLE));
    get_table_stats(GetTableStatsRequest::new().with_id(TABLE));
    insert_into_table(
        InsertIntoTableRequest::new()
            .with_id(TABLE)
            .with_branch("dev")
            .with_mode("append"),
        ARROW
    );
    merge_insert_into_table(
        MergeInsertIntoTableRequest::new()
            .with_id(TABLE)
            .with_on(["id", "day"])
            .with_when_matched_update_all(true)
            .with_when_matched_update_all_filt("a > 1")
            .with_timeout("30s"),
        ARROW
    );
    update_table(
        UpdateTableRequest::new([vec!["age".to_owned(), "age + 1".to_owned()]])
            .with_id(TABLE)
            .with_predicate("age > 3")
    );
    delete_from_table(DeleteFromTableRequest::new("age > 3").with_id(TABLE));
    query_table(query());
    count_table_rows(CountTableRowsRequest::new().with_id(TABLE).with_predicate("age > 3"));
    create_table(
        CreateTableRequest::new()
            .with_id(TABLE)
            .with_mode("create")
            .with_properties([("a", "b")])
            .with_storage_options([("region", "eu")]),
        ARROW
    );
    explain_table_query_plan(
        ExplainTableQueryPlanRequest::new(query())
            .with_id(TABLE)
            .with_verbose(true)
    );
    analyze_table_query_plan(AnalyzeTableQueryPlanRequest::new(10).with_id(TABLE));
    alter_table_add_columns(
        AlterTableAddColumnsRequest::new([AddColumnsEntry::new("twice").with_expression("age * 2")])
            .with_id(TABLE)
    );
    alter_table_backfill_columns(
        AlterTableBackfillColumnsRequest::new("twice")
            .with_id(TABLE)
            .with_where("age > 3")
    );
    refresh_materialized_view(RefreshMaterializedViewRequest::new().with_id(TABLE));
    create_materialized_view(
        CreateMaterializedViewRequest::new("query", "select 1", "{}")
            .with_id(TABLE)
    );
    create_table_index(
        CreateTableIndexRequest::new("vector", "IVF_PQ")
            .with_id(TABLE)
            .with_num_partitions(8)
    );
    create_table_scalar_index(CreateTableIndexRequest::new("age", "BTREE").with_id(TABLE));
    list_table_indices(ListTableIndicesRequest::new().with_id(TABLE).with_limit(2));
    describe_table_index_stats(
        DescribeTableIndexStatsRequest::new()
            .with_id(TABLE)
            .with_index_name("by age/day")
    );
    drop_table_index(
        DropTableIndexRequest::new()
            .with_id(TABLE)
            .with_index_name("by age/day")
            .with_branch("dev")
    );
    list_table_tags(ListTableTagsRequest::new().with_id(TABLE).with_limit(2).with_page_token("t"));
    get_table_tag_version(GetTableTagVersionRequest::new("v1").with_id(TABLE));
    declare_table(
        DeclareTableRequest::new()
            .with_id(TABLE)
            .with_location("s3://data/users")
            .with_vend_credentials(false)
            .with_properties([("a", "b")])
    );
    create_table_tag(CreateTableTagRequest::new("v1", 7).with_id(TABLE).with_branch("dev"));
    delete_table_tag(DeleteTableTagRequest::new("v1").with_id(TABLE));
    update_table_tag(UpdateTableTagRequest::new("v1", 8).with_id(TABLE));
    list_table_branches(
        ListTableBranchesRequest::new()
            .with_id(TABLE)
            .with_limit(2)
            .with_page_token("t")
    );
    create_table_branch(CreateTableBranchRequest::new("dev").with_id(TABLE).with_from_version(7));
    delete_table_branch(DeleteTableBranchRequest::new("dev").with_id(TABLE));
    describe_transaction(DescribeTransactionRequest::new().with_id(["prod", "tx 1"]));
    alter_transaction(
        AlterTransactionRequest::new([
            AlterTransactionAction::new().with_set_status_action(
                AlterTransactionSetStatus::new().with_status("SUCCEEDED"),
            ),
        ])
            .with_id(["tx"])
    );
}

#[test]
fn every_operation_is_sent() {
    let mut sent = SENT.to_vec();
    let mut known: Vec<_> = Operation::all()
        .iter()
        .map(|known| known.id().to_snake_case())
        .collect();
    sent.sort_unstable();
    known.sort();
    assert_eq!(sent, known);
}

#[tokio::test]
async fn nothing_is_sent_that_was_not_set() {
    let server = answering(ResponseTemplate::new(200).set_body_json(json!({}))).await;
    let request = DescribeTableRequest::new().with_id(["t"]);
    client(&server).describe_table(&request).await.unwrap();
    let sent = only_request(&server).await;
    assert_eq!(sent.url.query(), None);
    assert_eq!(sent.body_json::<Value>().unwrap(), json!({ "id": ["t"] }));
}

#[tokio::test]
async fn another_delimiter_joins_the_parts_and_is_told() {
    let server = answering(ResponseTemplate::new(200).set_body_json(json!({}))).await;
    let client = lance_namespace_client::Client::builder(server.uri())
        .delimiter("||")
        .build()
        .unwrap();
    client
        .drop_table(&DropTableRequest::new().with_id(["a$b", "c"]))
        .await
        .unwrap();
    let sent = only_request(&server).await;
    assert_eq!(sent.url.path(), "/v1/table/a$b%7C%7Cc/drop");
    assert_eq!(sent.url.query(), Some("delimiter=%7C%7C"));
}
