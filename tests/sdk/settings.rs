//! Settings of a client.

use std::time::Duration;

use lance_namespace_client::models::*;
use lance_namespace_client::{Client, ErrorKind, http_client_builder};
use serde_json::json;
use wiremock::ResponseTemplate;

use crate::server::{answering, only_request};

async fn path_below(suffix: &str) -> String {
    let server = answering(ResponseTemplate::new(200).set_body_json(json!({}))).await;
    let client = Client::new(format!("{}{suffix}", server.uri())).unwrap();
    client
        .drop_table(&DropTableRequest::new().with_id(["t"]))
        .await
        .unwrap();
    only_request(&server).await.url.path().to_owned()
}

#[tokio::test]
async fn a_base_url_has_a_path_or_none() {
    assert_eq!(path_below("").await, "/v1/table/t/drop");
    assert_eq!(path_below("/").await, "/v1/table/t/drop");
    assert_eq!(path_below("/api/lance").await, "/api/lance/v1/table/t/drop");
    assert_eq!(
        path_below("/api/lance/").await,
        "/api/lance/v1/table/t/drop"
    );
}

#[test]
fn base_urls_that_cannot_be_used_are_errors() {
    for url in [
        "",
        "localhost",
        "ftp://h",
        "unix:/a",
        "http://",
        "http://h?a=b",
        "http://h#a",
    ] {
        let error = Client::new(url).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config, "{url}");
        assert!(error.to_string().contains("base URL"), "{error}");
        assert!(error.operation().is_none());
    }
}

#[test]
fn settings_that_cannot_be_used_are_errors() {
    let builder = || Client::builder("http://localhost");
    let own = || {
        builder().http_client(
            http_client_builder("http://localhost")
                .unwrap()
                .build()
                .unwrap(),
        )
    };
    let cases = [
        (builder().delimiter(""), "delimiter"),
        (builder().default_header("x y", "a"), "default header"),
        (
            builder().default_header("content-length", "1"),
            "belongs to the client",
        ),
        (builder().user_agent("a\n"), "user agent"),
        (builder().root_certificates("x"), "root certificates"),
        (
            own().connect_timeout(Duration::from_secs(1)),
            "connect timeout",
        ),
        (own().root_certificates("x"), "root certificates"),
        (builder().only_root_certificates("x"), "root certificates"),
        (own().only_root_certificates("x"), "root certificates"),
        (
            builder().client_certificate("x", "y"),
            "client certificates",
        ),
        (own().client_certificate("x", "y"), "client certificates"),
    ];
    for (builder, expected) in cases {
        let error = builder.build().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[tokio::test]
async fn the_user_agent_is_this_crate_or_set() {
    let server = answering(ResponseTemplate::new(200).set_body_json(json!({}))).await;
    let own = http_client_builder(&server.uri())
        .unwrap()
        .user_agent("own/1")
        .build()
        .unwrap();
    for builder in [
        Client::builder(server.uri()),
        Client::builder(server.uri()).user_agent("app/2"),
        Client::builder(server.uri()).http_client(own.clone()),
        Client::builder(server.uri())
            .http_client(own)
            .user_agent("app/2"),
    ] {
        let client = builder.build().unwrap();
        client
            .drop_table(&DropTableRequest::new().with_id(["t"]))
            .await
            .unwrap();
    }
    let requests = server.received_requests().await.unwrap();
    let agents: Vec<_> = requests
        .iter()
        .map(|request| request.headers["user-agent"].to_str().unwrap())
        .collect();
    let crate_itself = concat!("lance-namespace-client/", env!("CARGO_PKG_VERSION"));
    assert_eq!(agents, [crate_itself, "app/2", "own/1", "app/2"]);
}

#[tokio::test]
async fn calls_can_be_spawned_and_clients_shared() {
    let server = answering(ResponseTemplate::new(200).set_body_json(json!({}))).await;
    let client = Client::new(server.uri()).unwrap();
    let calls: Vec<_> = (0..3)
        .map(|number| {
            let table = client.table([format!("t{number}")]);
            tokio::spawn(async move { table.drop().await })
        })
        .collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert_eq!(server.received_requests().await.unwrap().len(), 3);
}

#[cfg(not(any(feature = "rustls", feature = "aws-lc", feature = "native-tls")))]
#[test]
fn without_the_feature_https_is_an_error() {
    let error = Client::new("https://localhost").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(error.to_string().contains("switch the feature"), "{error}");
}
