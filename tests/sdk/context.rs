//! Identity and context: headers out, headers in.

use lance_namespace_client::models::*;
use lance_namespace_client::{Client, ErrorKind};
use serde_json::json;
use wiremock::ResponseTemplate;

use crate::server::{answering, client, only_request};

fn request() -> DescribeTableRequest {
    DescribeTableRequest::new().with_id(["t"])
}

#[tokio::test]
async fn the_more_particular_credential_wins() {
    let server = answering(ResponseTemplate::new(200).set_body_json(json!({}))).await;
    let client = Client::builder(server.uri())
        .default_header("x-api-key", "default")
        .default_header("x-team", "default")
        .api_key("builder")
        .bearer_token("builder")
        .build()
        .unwrap();
    client.describe_table(&request()).await.unwrap();
    let context = request().with_context([
        ("header.X-Api-Key", "context"),
        ("header.x-team", "context"),
    ]);
    client.describe_table(&context).await.unwrap();
    let identity = context.with_identity(Identity::new().with_api_key("identity"));
    client.describe_table(&identity).await.unwrap();

    let requests = server.received_requests().await.unwrap();
    let sent: Vec<_> = requests
        .iter()
        .map(|request| {
            let text = |name: &str| request.headers[name].to_str().unwrap();
            (text("x-api-key"), text("authorization"), text("x-team"))
        })
        .collect();
    assert_eq!(
        sent,
        [
            ("builder", "Bearer builder", "default"),
            ("context", "Bearer builder", "context"),
            ("identity", "Bearer builder", "context"),
        ]
    );
}

#[tokio::test]
async fn other_entries_of_a_context_travel_only_when_asked_to() {
    let server = answering(ResponseTemplate::new(200).set_body_json(json!({}))).await;
    let request = request().with_context([("header.x-a", "1"), ("tenant", "2")]);
    client(&server).describe_table(&request).await.unwrap();
    let old = Client::builder(server.uri())
        .legacy_context_headers(true)
        .build()
        .unwrap();
    old.describe_table(&request).await.unwrap();
    let requests = server.received_requests().await.unwrap();
    assert_eq!(requests[0].headers["x-a"], "1");
    assert!(!requests[0].headers.contains_key("x-lance-ctx-tenant"));
    assert_eq!(requests[1].headers["x-a"], "1");
    assert_eq!(requests[1].headers["x-lance-ctx-tenant"], "2");
}

#[tokio::test]
async fn a_context_or_identity_that_is_no_header_is_not_sent() {
    let server = answering(ResponseTemplate::new(200).set_body_json(json!({}))).await;
    let entries = [
        ("header.", "a"),
        ("header.x y", "a"),
        ("header.é", "a"),
        ("header.x", "secret\r\nx-evil: 1"),
        ("header.x", "secret\0"),
        ("header.Content-Length", "3"),
        ("header.transfer-encoding", "chunked"),
    ];
    for entry in entries {
        let error = client(&server)
            .describe_table(&request().with_context([entry]))
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Request);
        assert!(error.to_string().contains(entry.0), "{error}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
    for identity in [
        Identity::new().with_api_key("secret\n"),
        Identity::new().with_auth_token("secret\n"),
    ] {
        let error = client(&server)
            .describe_table(&request().with_identity(identity))
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Request);
        assert!(!error.to_string().contains("secret"), "{error}");
    }
    assert!(server.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn the_headers_of_an_answer_come_back_beside_its_own_context() {
    let response = ResponseTemplate::new(200)
        .append_header("X-Region", "eu")
        .append_header("x-many", "1")
        .append_header("x-many", "2")
        .set_body_json(json!({ "context": { "shard": "3", "header.x-region": "forged" } }));
    let server = answering(response).await;
    let context = client(&server)
        .describe_table(&request())
        .await
        .unwrap()
        .context
        .unwrap();
    assert_eq!(context["header.x-region"], "eu");
    assert_eq!(context["header.x-many"], "1, 2");
    assert_eq!(context["shard"], "3");
}

#[tokio::test]
async fn answers_that_are_no_object_have_a_context_too() {
    let response = |body| {
        ResponseTemplate::new(200)
            .insert_header("x-region", "eu")
            .set_body_json(body)
    };
    let server = answering(response(json!(41))).await;
    let counted = client(&server)
        .count_table_rows(&CountTableRowsRequest::new().with_id(["t"]))
        .await
        .unwrap();
    assert_eq!(counted.count, Some(41));
    assert_eq!(counted.context.unwrap()["header.x-region"], "eu");

    let server = answering(response(json!("Scan"))).await;
    let query = QueryTableRequest::new(1);
    let request = ExplainTableQueryPlanRequest::new(query).with_id(["t"]);
    let explained = client(&server)
        .explain_table_query_plan(&request)
        .await
        .unwrap();
    assert_eq!(explained.plan, "Scan");
    assert_eq!(explained.context.unwrap()["header.x-region"], "eu");

    let server = answering(response(json!({ "a": "b" }))).await;
    let request = UpdateTableSchemaMetadataRequest::new()
        .with_id(["t"])
        .with_metadata([("a", "b")]);
    let updated = client(&server)
        .update_table_schema_metadata(&request)
        .await
        .unwrap();
    assert_eq!(updated.metadata.unwrap()["a"], "b");
    assert_eq!(updated.context.unwrap()["header.x-region"], "eu");
}

#[tokio::test]
async fn an_answer_without_a_body_has_a_context_too() {
    let server = answering(ResponseTemplate::new(200).insert_header("x-region", "eu")).await;
    let request = TableExistsRequest::new().with_id(["t"]);
    let exists = client(&server).table_exists(&request).await.unwrap();
    assert_eq!(exists.context.unwrap()["header.x-region"], "eu");
    assert_eq!(only_request(&server).await.url.path(), "/v1/table/t/exists");
}
