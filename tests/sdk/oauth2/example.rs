//! The example works.

use serde_json::json;
use wiremock::matchers::path;
use wiremock::{Mock, Request, ResponseTemplate};

use super::issuer::{Numbered, client, server, used};

#[path = "../../../examples/oauth2.rs"]
#[expect(dead_code, reason = "the test calls what `main` calls")]
mod oauth2;

#[tokio::test]
async fn the_example_lists_every_namespace() {
    let server = server(Numbered::new(3600)).await;
    let pages = |request: &Request| {
        let body = match request.url.query() {
            Some(query) if query.contains("page_token=a") => json!({ "namespaces": ["dev"] }),
            _ => json!({ "namespaces": ["prod"], "page_token": "a" }),
        };
        ResponseTemplate::new(200).set_body_json(body)
    };
    Mock::given(path("/v1/namespace/$/list"))
        .respond_with(pages)
        .mount(&server)
        .await;
    let mut out = Vec::new();
    oauth2::list_namespaces(&client(&server), &mut out)
        .await
        .unwrap();
    assert_eq!(out, b"prod\ndev\n");
    assert_eq!(used(&server).await, ["t1", "t1"]);
}

#[tokio::test]
async fn the_example_says_that_the_secret_is_wrong() {
    let refused = json!({ "error": "invalid_client" });
    let server = server(ResponseTemplate::new(401).set_body_json(refused)).await;
    let error = oauth2::list_namespaces(&client(&server), &mut Vec::new())
        .await
        .unwrap_err();
    assert!(error.to_string().contains("secret is wrong"), "{error}");
}
