//! Tokens that the server answers with 401.

use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::future::join_all;
use lance_namespace_client::OAuth2Error;
use serde_json::json;
use wiremock::matchers::header;
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use super::issuer::{Numbered, asked, call, client, server, used};

/// A namespace that rejects the token `t1`, with a token endpoint.
async fn rejecting(tokens: impl Respond + 'static) -> MockServer {
    let server = server(tokens).await;
    Mock::given(header("authorization", "Bearer t1"))
        .respond_with(ResponseTemplate::new(401).set_delay(Duration::from_millis(20)))
        .mount(&server)
        .await;
    server
}

#[tokio::test]
async fn after_a_401_the_request_is_sent_with_another_token() {
    let server = rejecting(Numbered::new(3600)).await;
    let client = client(&server);
    call(&client).await.unwrap();
    call(&client).await.unwrap();
    assert_eq!(used(&server).await, ["t1", "t2", "t2"]);
    assert_eq!(asked(&server).await.len(), 2);
}

#[tokio::test]
async fn many_that_are_rejected_together_have_one_renewal() {
    let server = rejecting(Numbered::new(3600)).await;
    let client = client(&server);
    for answer in join_all((0..32).map(|_| call(&client))).await {
        answer.unwrap();
    }
    assert_eq!(asked(&server).await.len(), 2);
    let used = used(&server).await;
    assert_eq!(used.iter().filter(|token| *token == "t1").count(), 32);
    assert_eq!(used.iter().filter(|token| *token == "t2").count(), 32);
}

#[tokio::test]
async fn a_401_stands_when_the_token_endpoint_has_no_other_token() {
    let same = json!({ "access_token": "t1", "token_type": "bearer" });
    let server = rejecting(ResponseTemplate::new(200).set_body_json(same)).await;
    let error = call(&client(&server)).await.unwrap_err();
    assert_eq!(error.status().unwrap(), 401);
    assert_eq!(used(&server).await, ["t1"]);
    assert_eq!(asked(&server).await.len(), 2);
}

#[tokio::test]
async fn a_rejected_token_is_not_sent_again_when_its_renewal_fails() {
    let tokens = Numbered::new(3600);
    let server = rejecting(move |request: &Request| {
        let response = tokens.respond(request);
        match tokens.count.load(Ordering::SeqCst) {
            2 => ResponseTemplate::new(500),
            _ => response,
        }
    })
    .await;
    let client = client(&server);
    let error = call(&client).await.unwrap_err();
    assert_eq!(error.status().unwrap(), 401);
    let source = std::error::Error::source(&error).unwrap();
    assert!(source.is::<OAuth2Error>(), "{source}");
    call(&client).await.unwrap();
    assert_eq!(used(&server).await, ["t1", "t3"]);
}
