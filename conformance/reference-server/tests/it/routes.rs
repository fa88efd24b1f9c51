//! The table of routes against the protocol's description.

use axum::body::Body;
use axum::http::Request;
use serde_json::Value;

use crate::harness::Client;

/// Method, path and operation id of every operation in openapi.yml.
fn operations() -> Vec<(String, String, String)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../openapi.yml");
    let text = std::fs::read_to_string(path).unwrap();
    let document: Value = yaml_serde::from_str(&text).unwrap();
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if let Some(id) = operation["operationId"].as_str() {
                operations.push((method.to_uppercase(), path.clone(), id.to_owned()));
            }
        }
    }
    operations
}

/// REST-12: 30 operations are answered as themselves, the other 24 with 406 and code 0.
#[tokio::test]
async fn each_operation_of_the_protocol_has_its_route() {
    let client = Client::new();
    let operations = operations();
    assert_eq!(operations.len(), 54);
    let mut unsupported = Vec::new();
    for (method, path, id) in operations {
        let path = path.replace("{id}", "absent").replace("{index_name}", "i");
        let request = Request::builder()
            .method(&*method)
            .uri(path)
            .body(Body::empty())
            .unwrap();
        let answer = client.send(request).await;
        assert!(answer.headers.contains_key("x-request-id"), "{id}");
        match answer.status {
            406 => {
                answer.fails(406, 0);
                unsupported.push(id);
            }
            200 => assert!(answer.body.is_object() || answer.text.is_empty(), "{id}"),
            _ => assert!(answer.body["code"].is_u64(), "{id}: {}", answer.text),
        }
    }
    unsupported.sort();
    let expected = "AlterTableAddColumns AlterTableAlterColumns AlterTableBackfillColumns \
        AlterTableDropColumns AnalyzeTableQueryPlan CountTableRows CreateMaterializedView \
        CreateTable CreateTableIndex CreateTableScalarIndex DeleteFromTable \
        DescribeTableIndexStats DropTableIndex ExplainTableQueryPlan GetTableStats \
        InsertIntoTable ListTableIndices MergeInsertIntoTable QueryTable RefreshMaterializedView \
        RestoreTable UpdateFieldMetadata UpdateTable UpdateTableSchemaMetadata";
    assert_eq!(unsupported.join(" "), expected);
}

/// REST-6: what is no operation is no success, and says so in plain text.
#[tokio::test]
async fn other_paths_and_methods_are_refused() {
    let client = Client::new();
    for path in ["/", "/v1", "/v1/table/a", "/v1/table/a/nope", "/v2/table"] {
        let answer = client.post_text(path, "").await;
        assert!(
            answer.status == 404 || answer.status == 405,
            "{path}: {}",
            answer.status
        );
        assert!(answer.headers.contains_key("x-request-id"));
    }
    client
        .post_text("/v1/table//exists", "")
        .await
        .fails(400, 13);
    let answer = client.get("/v1/table/a/describe").await;
    assert_eq!(answer.status, 405);
    assert_eq!(answer.headers["allow"], "POST");
}

/// A table may be called like a part of a route.
#[tokio::test]
async fn names_that_are_words_of_routes_are_names() {
    let client = Client::new();
    for name in ["version", "batch-commit", "list", "table"] {
        client.declare(name).await;
        client.create_version(name, 1, "m1").await.ok();
        client
            .table(name, "exists", serde_json::json!({}))
            .await
            .ok();
    }
}
