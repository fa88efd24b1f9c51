//! Handles on namespaces and tables.

use lance_namespace_client::ErrorKind;
use lance_namespace_client::models::*;
use serde_json::{Value, json};
use wiremock::ResponseTemplate;

use crate::server::{answering, client, only_request};

#[tokio::test]
async fn a_handle_names_its_object_in_the_route_and_the_body() {
    let server = answering(ResponseTemplate::new(200).set_body_json(json!({}))).await;
    let table = client(&server)
        .namespace(["prod"])
        .namespace("eu")
        .table("users");
    assert_eq!(table.id(), ["prod", "eu", "users"]);
    table
        .create_version(CreateTableVersionRequest::new(7, "m"))
        .await
        .unwrap();
    let sent = only_request(&server).await;
    assert_eq!(sent.url.path(), "/v1/table/prod$eu$users/version/create");
    assert_eq!(
        sent.body_json::<Value>().unwrap(),
        json!({ "id": ["prod", "eu", "users"], "version": 7, "manifest_path": "m" })
    );
}

#[tokio::test]
async fn the_root_is_named_by_the_delimiter() {
    let server =
        answering(ResponseTemplate::new(200).set_body_json(json!({ "namespaces": [] }))).await;
    let root = client(&server).root();
    assert!(root.id().is_empty());
    root.list_namespaces(ListNamespacesRequest::new())
        .await
        .unwrap();
    assert_eq!(
        only_request(&server).await.url.path(),
        "/v1/namespace/$/list"
    );
}

#[tokio::test]
async fn a_request_that_names_another_object_is_not_sent() {
    let server = answering(ResponseTemplate::new(200).set_body_json(json!({}))).await;
    let table = client(&server).table(["a", "t"]);
    let error = table
        .declare(DeclareTableRequest::new().with_id(["a", "u"]))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Request);
    assert!(server.received_requests().await.unwrap().is_empty());
    table
        .declare(DeclareTableRequest::new().with_id(["a", "t"]))
        .await
        .unwrap();
}

#[tokio::test]
async fn exists_is_answered_by_the_protocols_codes_only() {
    let not_found = |code: Value| {
        ResponseTemplate::new(404).set_body_json(json!({ "error": "no", "code": code }))
    };
    let table = |server: &_| client(server).table(["a", "t"]);
    let namespace = |server: &_| client(server).namespace(["a"]);

    let server = answering(ResponseTemplate::new(200)).await;
    assert!(table(&server).exists().await.unwrap());
    assert!(namespace(&server).exists().await.unwrap());
    let server = answering(not_found(json!(4))).await;
    assert!(!table(&server).exists().await.unwrap());
    namespace(&server).exists().await.unwrap_err();
    let server = answering(not_found(json!(1))).await;
    assert!(!table(&server).exists().await.unwrap());
    assert!(!namespace(&server).exists().await.unwrap());
    let server = answering(ResponseTemplate::new(404).set_body_string("no such route")).await;
    table(&server).exists().await.unwrap_err();
    namespace(&server).exists().await.unwrap_err();
}

#[tokio::test]
async fn the_latest_version_is_the_first_of_a_descending_list() {
    let versions = json!({ "versions": [{ "version": 12, "manifest_path": "m" }] });
    let server = answering(ResponseTemplate::new(200).set_body_json(versions)).await;
    let latest = client(&server).table(["t"]).latest_version().await.unwrap();
    assert_eq!(latest.unwrap().version, 12);
    assert_eq!(
        only_request(&server).await.url.query(),
        Some("descending=true&limit=1")
    );

    let server =
        answering(ResponseTemplate::new(200).set_body_json(json!({ "versions": [] }))).await;
    assert_eq!(
        client(&server).table(["t"]).latest_version().await.unwrap(),
        None
    );
}
