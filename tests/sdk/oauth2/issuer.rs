//! A namespace with a token endpoint, and what it was sent.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lance_namespace_client::models::*;
use lance_namespace_client::{Client, Error, ErrorKind, OAuth2ClientCredentials, OAuth2Error};
use serde_json::{Value, json};
use wiremock::matchers::{any, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

pub(super) const SECRET: &str = "s3cret/+";
/// The time that a slow token takes.
pub(super) const SLOW: Duration = Duration::from_millis(100);

/// Gives the tokens `t1`, `t2` and so on.
pub(super) struct Numbered {
    pub(super) count: AtomicUsize,
    pub(super) expires_in: Value,
    pub(super) delay: Duration,
}

impl Numbered {
    pub(super) fn new(expires_in: impl Into<Value>) -> Self {
        Self {
            count: AtomicUsize::new(0),
            expires_in: expires_in.into(),
            delay: Duration::ZERO,
        }
    }

    pub(super) fn slow(mut self) -> Self {
        self.delay = SLOW;
        self
    }
}

impl Respond for Numbered {
    fn respond(&self, _: &Request) -> ResponseTemplate {
        let number = self.count.fetch_add(1, Ordering::SeqCst) + 1;
        ResponseTemplate::new(200)
            .set_delay(self.delay)
            .set_body_json(json!({
                "access_token": format!("t{number}"),
                "token_type": "Bearer",
                "expires_in": self.expires_in,
            }))
    }
}

/// A namespace that takes every request, with a token endpoint.
pub(super) async fn server(tokens: impl Respond + 'static) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(path("/oauth/token"))
        .respond_with(tokens)
        .mount(&server)
        .await;
    Mock::given(any())
        .respond_with(ResponseTemplate::new(200).set_body_json(json!({})))
        .with_priority(9)
        .mount(&server)
        .await;
    server
}

pub(super) fn credentials() -> OAuth2ClientCredentials {
    OAuth2ClientCredentials::new("ann", SECRET)
}

pub(super) fn client(server: &MockServer) -> Client {
    with(server, credentials())
}

pub(super) fn with(server: &MockServer, credentials: OAuth2ClientCredentials) -> Client {
    let builder = Client::builder(server.uri()).oauth2(credentials);
    builder.build().unwrap()
}

pub(super) async fn call(client: &Client) -> Result<DropTableResponse, Error> {
    client
        .drop_table(&DropTableRequest::new().with_id(["t"]))
        .await
}

pub(super) fn is_token(request: &Request) -> bool {
    request.url.path().ends_with("/token")
}

/// The requests to the token endpoint.
pub(super) async fn asked(server: &MockServer) -> Vec<Request> {
    let requests = server.received_requests().await.unwrap();
    requests.into_iter().filter(is_token).collect()
}

/// The tokens of the other requests.
pub(super) async fn used(server: &MockServer) -> Vec<String> {
    let requests = server.received_requests().await.unwrap();
    let calls = requests.iter().filter(|request| !is_token(request));
    calls
        .map(|request| {
            let value = request.headers["authorization"].to_str().unwrap();
            value.strip_prefix("Bearer ").unwrap().to_owned()
        })
        .collect()
}

/// Ends once the token endpoint got `count` requests, and what they led to has had its time.
pub(super) async fn asked_times(server: &MockServer, count: usize) {
    for _ in 0..100 {
        if asked(server).await.len() == count {
            tokio::time::sleep(Duration::from_millis(30)).await;
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("{count} tokens were not asked for");
}

/// Lets time go by without waiting.
pub(super) async fn pass(seconds: u64) {
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(seconds)).await;
    tokio::time::resume();
}

pub(super) fn form(request: &Request) -> Vec<(String, String)> {
    url::form_urlencoded::parse(&request.body)
        .into_owned()
        .collect()
}

pub(super) fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = pairs
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_string()));
    owned.collect()
}

pub(super) fn cause(error: &Error) -> &OAuth2Error {
    assert_eq!(error.kind(), ErrorKind::Credentials, "{error}");
    let source = std::error::Error::source(error).unwrap();
    source.downcast_ref().unwrap()
}
