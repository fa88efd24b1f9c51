//! Models: lenient in reading, and absent apart from empty.

use lance_namespace_client::models::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::sample::{Amount, document, sample};

fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

fn written(model: impl Serialize) -> Value {
    serde_json::to_value(model).unwrap()
}

/// Reads samples of the listed models, and writes back what was read.
macro_rules! samples {
    ($($model:ident)*) => {
        fn read_sample(name: &str, value: Value) -> Option<serde_json::Result<Value>> {
            match name {
                $(stringify!($model) => Some(serde_json::from_value::<$model>(value).map(written)),)*
                _ => None,
            }
        }
    };
}

samples! {
    AlterTableAddColumnsResponse AlterTableAlterColumnsResponse AlterTableBackfillColumnsResponse
    AlterTableDropColumnsResponse AlterTransactionResponse AnalyzeTableQueryPlanResponse
    BatchCommitTablesResponse BatchCreateTableVersionsResponse BatchDeleteTableVersionsResponse
    CountTableRowsResponse CreateMaterializedViewResponse CreateNamespaceResponse
    CreateTableBranchResponse CreateTableIndexResponse CreateTableResponse
    CreateTableScalarIndexResponse CreateTableTagResponse CreateTableVersionResponse
    DeclareTableResponse DeleteFromTableResponse DeleteTableBranchResponse DeleteTableTagResponse
    DeregisterTableResponse DescribeNamespaceResponse DescribeTableIndexStatsResponse
    DescribeTableResponse DescribeTableVersionResponse DescribeTransactionResponse
    DropNamespaceResponse DropTableIndexResponse DropTableResponse ErrorResponse
    ExplainTableQueryPlanResponse GetTableStatsResponse GetTableTagVersionResponse
    InsertIntoTableResponse ListNamespacesResponse ListTableBranchesResponse
    ListTableIndicesResponse ListTablesResponse ListTableTagsResponse ListTableVersionsResponse
    MergeInsertIntoTableResponse NamespaceExistsResponse RefreshMaterializedViewResponse
    RegisterTableResponse RenameTableResponse RestoreTableResponse TableExistsResponse
    UpdateFieldMetadataResponse UpdateTableResponse UpdateTableSchemaMetadataResponse
    UpdateTableTagResponse
}

/// The response models of the document, each with its sample.
fn responses(amount: Amount) -> Vec<(String, Value)> {
    let document = document();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    schemas
        .iter()
        .filter(|(name, _)| name.ends_with("Response") && *name != "QueryTableResponse")
        .map(|(name, schema)| (name.clone(), sample(&document, schema, amount, 0)))
        .collect()
}

#[test]
fn every_response_model_is_read_whole_and_written_back_the_same() {
    for (name, value) in responses(Amount::All) {
        let back = read_sample(&name, value.clone())
            .unwrap_or_else(|| panic!("{name} is not in the list of this test"))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(back, value, "{name}");
    }
}

#[test]
fn the_least_unknown_properties_and_nulls_are_read() {
    for amount in [Amount::Least, Amount::More, Amount::Nulls] {
        for (name, value) in responses(amount) {
            if let Some(Err(error)) = read_sample(&name, value) {
                panic!("{name}: {error}");
            }
        }
    }
}

#[test]
fn values_that_nobody_listed_are_read() {
    let read: DescribeTransactionResponse = read(json!({ "status": "POSTPONED" }));
    assert_eq!(read.status, "POSTPONED");
}

#[test]
fn values_below_the_limits_are_read() {
    let read: TableVersion = read(json!({ "version": -1, "manifest_path": "" }));
    assert_eq!(read.version, -1);
}

#[test]
fn an_absent_map_is_not_an_empty_one() {
    let absent: DescribeNamespaceResponse = read(json!({}));
    let null: DescribeNamespaceResponse = read(json!({ "properties": null }));
    let empty: DescribeNamespaceResponse = read(json!({ "properties": {} }));
    assert_eq!(absent.properties, None);
    assert_eq!(null.properties, None);
    assert_eq!(empty.properties, Some([].into()));
}

#[test]
fn an_absent_list_is_not_an_empty_one() {
    let absent: DropTableResponse = read(json!({}));
    let empty: DropTableResponse = read(json!({ "id": [] }));
    assert_eq!(absent.id, None);
    assert_eq!(empty.id, Some(vec![]));
    assert_eq!(
        written(DropTableRequest::new().with_id(Vec::<String>::new())),
        json!({ "id": [] })
    );
    assert_eq!(written(DropTableRequest::new()), json!({}));
}

#[test]
fn null_is_an_empty_list_where_one_is_required() {
    let page: ListTablesResponse = read(json!({ "tables": null, "page_token": null }));
    assert!(page.tables.is_empty());
    assert_eq!(page.page_token, None);
    serde_json::from_value::<ListTablesResponse>(json!({})).unwrap_err();
}

#[test]
fn a_null_within_a_map_is_left_out() {
    let read: TableVersion =
        read(json!({ "version": 1, "manifest_path": "m", "metadata": { "a": null, "b": "c" } }));
    assert_eq!(
        read.metadata,
        Some([("b".to_owned(), "c".to_owned())].into())
    );
}

#[test]
fn a_listing_keeps_its_order_and_its_twins() {
    let page: ListTablesResponse = read(json!({ "tables": ["b", "a", "b"] }));
    assert_eq!(page.tables, ["b", "a", "b"]);
}

#[test]
fn identity_and_context_are_never_written_in_a_request() {
    let identity = Identity::new().with_api_key("k");
    let request = DeclareTableRequest::new()
        .with_identity(identity)
        .with_context([("a", "b")]);
    assert_eq!(written(&request), json!({}));
    let operation = CommitTableOperation::new().with_declare_table(request);
    assert_eq!(written(operation), json!({ "declare_table": {} }));
}

#[test]
fn a_model_that_contains_itself_can_be_made() {
    let inner = FtsQuery::new().with_match(MatchQuery::new("a"));
    let boost = BoostQuery::new(inner.clone(), inner).with_negative_boost(0.5);
    assert_eq!(
        written(FtsQuery::new().with_boost(boost)),
        json!({ "boost": { "positive": { "match": { "terms": "a" } },
                           "negative": { "match": { "terms": "a" } }, "negative_boost": 0.5 } })
    );
}
