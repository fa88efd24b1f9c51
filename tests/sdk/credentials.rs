//! Credentials that are asked for with each request.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lance_namespace_client::models::*;
use lance_namespace_client::testing::{FakeServer, Reply};
use lance_namespace_client::{
    BoxError, BoxFuture, Client, ClientBuilder, Credential, CredentialProvider, Error, ErrorKind,
};
use serde_json::json;
use wiremock::matchers::{any, header};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::server::{answering, only_request};

/// Gives `first`, and after a 401 what `second` says.
struct Two {
    first: &'static str,
    second: Result<Option<&'static str>, &'static str>,
    asked: AtomicUsize,
    renewed: AtomicUsize,
}

impl Two {
    fn new(first: &'static str, second: Result<Option<&'static str>, &'static str>) -> Arc<Self> {
        Arc::new(Self {
            first,
            second,
            asked: AtomicUsize::new(0),
            renewed: AtomicUsize::new(0),
        })
    }
}

impl CredentialProvider for Two {
    fn credential(&self) -> BoxFuture<'_, Result<Credential, BoxError>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        Box::pin(async { Ok(Credential::bearer(self.first)?) })
    }

    fn renew<'a>(
        &'a self,
        rejected: &'a Credential,
    ) -> BoxFuture<'a, Result<Option<Credential>, BoxError>> {
        self.renewed.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            assert_eq!(*rejected, Credential::bearer(self.first)?);
            Ok(self.second?.map(Credential::bearer).transpose()?)
        })
    }
}

fn builder(server: &MockServer) -> ClientBuilder {
    Client::builder(server.uri())
}

async fn drop_table(client: &Client) -> Result<DropTableResponse, Error> {
    client
        .drop_table(&DropTableRequest::new().with_id(["t"]))
        .await
}

async fn fine() -> MockServer {
    answering(ResponseTemplate::new(200).set_body_json(json!({}))).await
}

/// A server that takes the bearer token `new` only.
async fn strict() -> MockServer {
    let server = MockServer::start().await;
    Mock::given(header("authorization", "Bearer new"))
        .respond_with(ResponseTemplate::new(200).set_body_json(json!({})))
        .mount(&server)
        .await;
    Mock::given(any())
        .respond_with(
            ResponseTemplate::new(401).set_body_json(json!({ "error": "who?", "code": 11 })),
        )
        .mount(&server)
        .await;
    server
}

fn value<'a>(request: &'a Request, name: &str) -> &'a str {
    request.headers[name].to_str().unwrap()
}

async fn authorizations(server: &MockServer) -> Vec<String> {
    let requests = server.received_requests().await.unwrap();
    let values = requests
        .iter()
        .map(|request| value(request, "authorization").to_owned());
    values.collect()
}

#[tokio::test]
async fn a_closure_is_asked_for_each_request() {
    let server = fine().await;
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let client = builder(&server)
        .credentials(move || {
            let number = counted.fetch_add(1, Ordering::SeqCst);
            async move { Credential::bearer(format!("t{number}")) }
        })
        .build()
        .unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 0, "building asks for nothing");
    for _ in 0..3 {
        drop_table(&client).await.unwrap();
    }
    assert_eq!(
        authorizations(&server).await,
        ["Bearer t0", "Bearer t1", "Bearer t2"]
    );
}

#[tokio::test]
async fn a_credential_may_be_several_headers_or_none() {
    let server = fine().await;
    let several = builder(&server)
        .credentials(|| async {
            let key = Credential::api_key("key")?;
            Ok::<_, Error>(key.and(Credential::header("X-Tenant", "prod")?))
        })
        .build()
        .unwrap();
    drop_table(&several).await.unwrap();
    let none = builder(&server)
        .credentials(|| async { Ok::<_, BoxError>(Credential::none()) })
        .build()
        .unwrap();
    drop_table(&none).await.unwrap();
    let requests = server.received_requests().await.unwrap();
    assert_eq!(value(&requests[0], "x-api-key"), "key");
    assert_eq!(value(&requests[0], "x-tenant"), "prod");
    for name in ["x-api-key", "x-tenant", "authorization"] {
        assert!(!requests[1].headers.contains_key(name), "{name}");
    }
}

#[tokio::test]
async fn what_is_closer_to_the_request_counts() {
    let server = fine().await;
    let client = builder(&server)
        .default_header("x-api-key", "default")
        .default_header("x-one", "default")
        .default_header("x-two", "default")
        .default_header("x-three", "default")
        .api_key("static")
        .bearer_token("static")
        .credentials(|| async {
            let both = Credential::header("x-two", "provider")?
                .and(Credential::header("x-three", "provider")?);
            Ok::<_, Error>(both.and(Credential::bearer("provider")?))
        })
        .build()
        .unwrap();
    let request = DropTableRequest::new()
        .with_id(["t"])
        .with_context([("header.x-three", "context")]);
    client.drop_table(&request).await.unwrap();
    let sent = only_request(&server).await;
    for (name, expected) in [
        ("x-one", "default"),
        ("x-api-key", "static"),
        ("authorization", "Bearer provider"),
        ("x-two", "provider"),
        ("x-three", "context"),
    ] {
        assert_eq!(value(&sent, name), expected, "{name}");
    }
}

#[tokio::test]
async fn a_request_with_a_credential_of_its_own_asks_nobody() {
    let server = fine().await;
    let provider = Two::new("provider", Ok(None));
    let client = builder(&server)
        .credentials(provider.clone())
        .build()
        .unwrap();
    for identity in [
        Identity::new().with_auth_token("own"),
        Identity::new().with_api_key("own"),
    ] {
        let request = DropTableRequest::new()
            .with_id(["t"])
            .with_identity(identity);
        client.drop_table(&request).await.unwrap();
    }
    assert_eq!(provider.asked.load(Ordering::SeqCst), 0);
    let requests = server.received_requests().await.unwrap();
    assert_eq!(value(&requests[0], "authorization"), "Bearer own");
    assert_eq!(value(&requests[1], "x-api-key"), "own");
    assert!(!requests[1].headers.contains_key("authorization"));
    // An identity without a credential is none.
    let request = DropTableRequest::new()
        .with_id(["t"])
        .with_identity(Identity::new());
    client.drop_table(&request).await.unwrap();
    assert_eq!(provider.asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn when_none_can_be_had_nothing_is_sent() {
    let server = fine().await;
    let client = builder(&server)
        .credentials(|| async { Err::<Credential, _>(std::io::Error::other("the vault is shut")) })
        .build()
        .unwrap();
    let error = drop_table(&client).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Credentials);
    assert_eq!(error.operation().unwrap().id(), "DropTable");
    assert!(error.to_string().contains("the vault is shut"), "{error}");
    let source = std::error::Error::source(&error).unwrap();
    assert!(source.downcast_ref::<std::io::Error>().is_some());
    assert!(server.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn after_a_401_another_credential_is_tried_once() {
    let server = strict().await;
    let provider = Two::new("old", Ok(Some("new")));
    let client = builder(&server)
        .credentials(provider.clone())
        .build()
        .unwrap();
    drop_table(&client).await.unwrap();
    assert_eq!(authorizations(&server).await, ["Bearer old", "Bearer new"]);
    let sent = server.received_requests().await.unwrap();
    assert_eq!(sent[0].url, sent[1].url);
    assert_eq!(sent[0].body, sent[1].body);

    let server = strict().await;
    let provider = Two::new("old", Ok(Some("older")));
    let client = builder(&server)
        .credentials(provider.clone())
        .build()
        .unwrap();
    let error = drop_table(&client).await.unwrap_err();
    assert_eq!(error.status().unwrap(), 401);
    assert_eq!(
        authorizations(&server).await,
        ["Bearer old", "Bearer older"]
    );
    assert_eq!(provider.renewed.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_401_stands_when_there_is_no_other_credential() {
    for (second, why) in [(Ok(None), None), (Err("locked out"), Some("locked out"))] {
        let server = strict().await;
        let client = builder(&server)
            .credentials(Two::new("old", second))
            .build()
            .unwrap();
        let error = drop_table(&client).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Server);
        assert_eq!(error.status().unwrap(), 401);
        assert_eq!(error.message(), Some("who?"));
        let source = std::error::Error::source(&error).map(ToString::to_string);
        assert_eq!(source.as_deref(), why);
        assert_eq!(authorizations(&server).await, ["Bearer old"]);
    }
}

#[tokio::test]
async fn other_refusals_do_not_ask_for_another_credential() {
    for status in [403, 407, 500] {
        let server = answering(ResponseTemplate::new(status)).await;
        let provider = Two::new("old", Ok(Some("new")));
        let client = builder(&server)
            .credentials(provider.clone())
            .build()
            .unwrap();
        let error = drop_table(&client).await.unwrap_err();
        assert_eq!(error.status().unwrap(), status);
        assert_eq!(provider.renewed.load(Ordering::SeqCst), 0, "{status}");
    }
}

#[tokio::test]
async fn a_streamed_body_is_not_sent_again_after_a_401() {
    let server = strict().await;
    let client = builder(&server)
        .credentials(Two::new("old", Ok(Some("new"))))
        .build()
        .unwrap();
    let request = InsertIntoTableRequest::new().with_id(["t"]);
    let body = futures::stream::iter([Ok::<_, std::io::Error>("ARROW1")]);
    let body = lance_namespace_client::reqwest::Body::wrap_stream(body);
    let error = client.insert_into_table(&request, body).await.unwrap_err();
    assert_eq!(error.status().unwrap(), 401);
    assert_eq!(authorizations(&server).await, ["Bearer old"]);
}

#[tokio::test]
async fn a_redirection_takes_no_credential_anywhere() {
    let elsewhere = fine().await;
    for status in [301, 302, 307, 308] {
        let response =
            ResponseTemplate::new(status).insert_header("location", elsewhere.uri().as_str());
        let server = answering(response).await;
        let client = builder(&server)
            .credentials(|| async {
                let key = Credential::api_key("key")?;
                Ok::<_, Error>(key.and(Credential::bearer("token")?))
            })
            .build()
            .unwrap();
        let error = drop_table(&client).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Redirect);
        assert_eq!(value(&only_request(&server).await, "x-api-key"), "key");
    }
    assert!(elsewhere.received_requests().await.unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_does_not_answer_ends_with_the_call_and_nothing_is_sent() {
    let server = FakeServer::new();
    let client = server
        .client_builder()
        .credentials(std::future::pending::<Result<Credential, Error>>)
        .build()
        .unwrap();
    let request = InsertIntoTableRequest::new().with_id(["t"]);
    for error in [
        drop_table(&client).await.unwrap_err(),
        client
            .insert_into_table(&request, "ARROW1")
            .await
            .unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Credentials);
        assert_eq!((error.attempts(), error.elapsed().as_secs()), (0, 60));
        assert!(error.to_string().contains("in time"), "{error}");
    }
    assert!(server.all_calls().is_empty());
}

#[tokio::test(start_paused = true)]
async fn each_attempt_has_the_credential_of_its_time() {
    let server = FakeServer::new();
    server.on("DescribeTable", |_| Reply::status(503));
    let asked = Arc::new(AtomicUsize::new(0));
    let client = server
        .client_builder()
        .credentials(move || {
            let number = asked.fetch_add(1, Ordering::Relaxed);
            async move { Credential::api_key(format!("key{number}")) }
        })
        .build()
        .unwrap();
    client
        .table(["t"])
        .describe(DescribeTableRequest::new())
        .await
        .unwrap_err();
    let calls = server.calls("DescribeTable");
    let keys: Vec<_> = calls
        .iter()
        .map(|call| &call.headers()["x-api-key"])
        .collect();
    assert_eq!(keys, ["key0", "key1", "key2", "key3"]);
}

#[test]
fn credentials_that_cannot_be_sent_are_refused_without_showing_them() {
    for (refused, expected) in [
        (Credential::bearer(""), "the bearer token is empty"),
        (Credential::bearer("s3cret\n"), "the bearer token cannot"),
        (Credential::api_key(""), "the API key is empty"),
        (
            Credential::api_key("s3cret\r"),
            "the API key cannot be sent",
        ),
        (Credential::header("x y", "s3cret"), "\"x y\""),
        (Credential::header("x", "s3cret\0"), "the header \"x\""),
        (
            Credential::header("content-length", "1"),
            "belongs to the client",
        ),
    ] {
        let error = refused.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Credentials);
        assert!(error.to_string().contains(expected), "{error}");
        assert!(!format!("{error} {error:?}").contains("s3cret"));
    }
}
