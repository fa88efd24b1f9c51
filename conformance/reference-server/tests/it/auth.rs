//! Credentials.

use axum::body::Body;
use axum::http::Request;
use lance_namespace_reference_server::{Credentials, Store, router};
use serde_json::{Value, json};

use crate::harness::{Answer, Client};

fn client(api_key: Option<&str>, bearer_token: Option<&str>) -> Client {
    let credentials = Credentials {
        api_key: api_key.map(str::to_owned),
        bearer_token: bearer_token.map(str::to_owned),
    };
    Client::with(router(Store::in_memory().unwrap(), credentials))
}

async fn exists(client: &Client, headers: &[(&str, &str)], body: Value) -> Answer {
    let mut request = Request::post("/v1/namespace/$/exists");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    client
        .send(request.body(Body::from(body.to_string())).unwrap())
        .await
}

/// REST-5.
#[tokio::test]
async fn headers_go_before_the_identity_in_the_body() {
    let client = client(Some("k"), None);
    let right = json!({"identity": {"api_key": "k"}});
    let wrong = json!({"identity": {"api_key": "x"}});
    exists(&client, &[("x-api-key", "k")], json!({})).await.ok();
    exists(&client, &[("x-api-key", "k")], wrong.clone())
        .await
        .ok();
    exists(&client, &[], right.clone()).await.ok();
    exists(&client, &[("x-api-key", "x")], right)
        .await
        .fails(401, 16);
    exists(&client, &[], wrong).await.fails(401, 16);
    exists(&client, &[], json!({})).await.fails(401, 16);
    exists(&client, &[], json!({"identity": null}))
        .await
        .fails(401, 16);
    client.get("/v1/table").await.fails(401, 16);
}

#[tokio::test]
async fn what_is_required_is_required_together() {
    let client = client(Some("k"), Some("t"));
    let key = ("x-api-key", "k");
    exists(&client, &[key, ("authorization", "Bearer t")], json!({}))
        .await
        .ok();
    exists(&client, &[key, ("authorization", "bearer t")], json!({}))
        .await
        .ok();
    exists(&client, &[key], json!({"identity": {"auth_token": "t"}}))
        .await
        .ok();
    exists(&client, &[key], json!({})).await.fails(401, 16);
    exists(&client, &[key, ("authorization", "t")], json!({}))
        .await
        .fails(401, 16);
    let basic = [key, ("authorization", "Basic t")];
    exists(&client, &basic, json!({"identity": {"auth_token": "t"}}))
        .await
        .fails(401, 16);
    exists(&client, &[("authorization", "Bearer t")], json!({}))
        .await
        .fails(401, 16);
}

#[test]
fn credentials_do_not_show_in_debug() {
    let credentials = Credentials {
        api_key: Some("hidden".to_owned()),
        bearer_token: None,
    };
    assert!(!format!("{credentials:?}").contains("hidden"));
}
