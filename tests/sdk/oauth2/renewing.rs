//! Tokens that grow old.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};
use wiremock::{Request, Respond, ResponseTemplate};

use super::issuer::{Numbered, asked, asked_times, call, cause, client, pass, server, used};

#[tokio::test]
async fn a_token_is_renewed_before_it_expires_without_delay() {
    let server = server(Numbered::new(3600)).await;
    let client = client(&server);
    call(&client).await.unwrap();
    pass(3560).await;
    call(&client).await.unwrap();
    assert_eq!(asked(&server).await.len(), 1);
    pass(15).await;
    for answer in join_all((0..8).map(|_| call(&client))).await {
        answer.unwrap();
    }
    asked_times(&server, 2).await;
    call(&client).await.unwrap();
    let used = used(&server).await;
    assert_eq!(used[..3], ["t1"; 3], "nobody waits for a renewal");
    assert_eq!(used.last().unwrap(), "t2");
    assert_eq!(asked(&server).await.len(), 2);
}

#[tokio::test]
async fn a_short_life_is_renewed_in_its_last_tenth() {
    let server = server(Numbered::new(60)).await;
    let client = client(&server);
    call(&client).await.unwrap();
    pass(50).await;
    call(&client).await.unwrap();
    assert_eq!(asked(&server).await.len(), 1);
    pass(5).await;
    call(&client).await.unwrap();
    asked_times(&server, 2).await;
}

#[tokio::test]
async fn an_expired_token_is_not_sent() {
    let server = server(Numbered::new(3600)).await;
    let client = client(&server);
    call(&client).await.unwrap();
    pass(3601).await;
    call(&client).await.unwrap();
    assert_eq!(used(&server).await, ["t1", "t2"]);
}

#[tokio::test]
async fn a_renewal_that_fails_does_no_harm_before_the_token_has_expired() {
    let tokens = Arc::new(AtomicUsize::new(0));
    let count = tokens.clone();
    let server = server(
        move |_: &Request| match count.fetch_add(1, Ordering::SeqCst) {
            0 => ResponseTemplate::new(200)
                .set_body_json(json!({ "access_token": "t1", "expires_in": 3600 })),
            _ => ResponseTemplate::new(500),
        },
    )
    .await;
    let client = client(&server);
    call(&client).await.unwrap();
    pass(3571).await;
    call(&client).await.unwrap();
    asked_times(&server, 2).await;
    call(&client).await.unwrap();
    tokio::time::sleep(Duration::from_millis(30)).await;
    assert_eq!(asked(&server).await.len(), 2, "not tried again at once");
    pass(2).await;
    call(&client).await.unwrap();
    asked_times(&server, 3).await;
    assert_eq!(used(&server).await, ["t1"; 4]);
    pass(60).await;
    let error = call(&client).await.unwrap_err();
    assert_eq!(cause(&error).status().unwrap(), 500);
    assert_eq!(used(&server).await, ["t1"; 4]);
}

#[tokio::test]
async fn a_token_endpoint_that_hangs_holds_nobody_up_before_the_token_has_expired() {
    let tokens = Numbered::new(3600);
    let server = server(move |request: &Request| {
        let response = tokens.respond(request);
        match tokens.count.load(Ordering::SeqCst) {
            1 => response,
            _ => response.set_delay(Duration::from_secs(20)),
        }
    })
    .await;
    let client = client(&server);
    call(&client).await.unwrap();
    pass(3571).await;
    for _ in 0..3 {
        let answer = tokio::time::timeout(Duration::from_secs(5), call(&client)).await;
        answer.unwrap().unwrap();
    }
    assert_eq!(used(&server).await, ["t1"; 4]);
}

#[tokio::test]
async fn a_token_that_does_not_say_when_it_expires_is_kept() {
    let server = server(Numbered::new(Value::Null)).await;
    let client = client(&server);
    call(&client).await.unwrap();
    pass(10_000_000).await;
    call(&client).await.unwrap();
    assert_eq!(used(&server).await, ["t1", "t1"]);
}
