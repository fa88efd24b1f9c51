//! Time limits, and the streams that they do not cut.

use std::time::Duration;

use futures::{StreamExt, TryStreamExt, stream};
use lance_namespace_client::models::*;
use lance_namespace_client::reqwest::Body;
use lance_namespace_client::{Client, ErrorKind};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::time::sleep;
use wiremock::ResponseTemplate;

use crate::server::{answering, raw};

const LIMIT: Duration = Duration::from_millis(300);
/// Six of it are far beyond the limit, one is far below.
const STEP: Duration = Duration::from_millis(100);

fn client(url: String) -> Client {
    Client::builder(url).timeout(LIMIT).build().unwrap()
}

#[tokio::test]
async fn an_answer_that_does_not_come_is_a_timeout() {
    let url = raw(|stream| async move {
        sleep(LIMIT * 10).await;
        drop(stream);
    })
    .await;
    let request = DropTableRequest::new().with_id(["t"]);
    let error = client(url).drop_table(&request).await.unwrap_err();
    assert_eq!(error.lost_by(), Some(ErrorKind::Timeout));
    assert_eq!(error.status(), None);
}

#[tokio::test]
async fn a_body_that_does_not_come_is_a_timeout_with_a_status() {
    let url = raw(|mut stream| async move {
        stream
            .write_all(b"HTTP/1.1 200 OK\r\nx-request-id: r1\r\ncontent-length: 9\r\n\r\n{")
            .await
            .unwrap();
        sleep(LIMIT * 10).await;
    })
    .await;
    let request = DropTableRequest::new().with_id(["t"]);
    let error = client(url).drop_table(&request).await.unwrap_err();
    assert_eq!(error.lost_by(), Some(ErrorKind::Timeout));
    assert_eq!(error.status().unwrap(), 200);
    assert_eq!(error.request_id(), Some("r1"));
}

#[tokio::test]
async fn an_error_that_comes_slowly_is_still_that_error() {
    let url = raw(|mut stream| async move {
        stream
            .write_all(b"HTTP/1.1 409 Conflict\r\ncontent-length: 9\r\n\r\nexi")
            .await
            .unwrap();
        sleep(LIMIT * 10).await;
    })
    .await;
    let request = DropTableRequest::new().with_id(["t"]);
    let error = client(url).drop_table(&request).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Server);
    assert_eq!(error.status().unwrap(), 409);
    assert_eq!(error.message(), Some("exi"));
}

#[tokio::test]
async fn a_slow_answer_is_not_cut() {
    let url = raw(|mut stream| async move {
        stream
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n")
            .await
            .unwrap();
        for _ in 0..6 {
            sleep(STEP).await;
            stream.write_all(b"x").await.unwrap();
        }
    })
    .await;
    let request = QueryTableRequest::new(1).with_id(["t"]);
    let answer = client(url).query_table(&request).await.unwrap();
    let pieces: Vec<_> = answer.try_collect().await.unwrap();
    assert_eq!(pieces.concat(), b"xxxxxx");
}

#[tokio::test]
async fn a_slow_body_is_not_cut() {
    let server = answering(ResponseTemplate::new(200).set_body_json(json!({ "version": 1 }))).await;
    let slow = stream::iter(0..6).then(|_| async {
        sleep(STEP).await;
        Ok::<_, std::io::Error>("x")
    });
    let request = InsertIntoTableRequest::new().with_id(["t"]);
    let inserted = client(server.uri())
        .insert_into_table(&request, Body::wrap_stream(slow))
        .await;
    assert_eq!(inserted.unwrap().version, Some(1));
}

#[tokio::test]
async fn after_a_body_the_answer_has_its_time_and_no_more() {
    let url = raw(|stream| async move {
        sleep(LIMIT * 10).await;
        drop(stream);
    })
    .await;
    let request = InsertIntoTableRequest::new().with_id(["t"]);
    let call = client(url);
    let inserted =
        tokio::time::timeout(LIMIT * 5, call.insert_into_table(&request, "ARROW1")).await;
    let error = inserted.unwrap().unwrap_err();
    assert_eq!(error.lost_by(), Some(ErrorKind::Timeout));
}

#[tokio::test]
async fn there_may_be_no_limit() {
    let response = ResponseTemplate::new(200)
        .set_body_json(json!({}))
        .set_delay(STEP);
    let server = answering(response).await;
    let client = Client::builder(server.uri()).timeout(None).build().unwrap();
    client
        .drop_table(&DropTableRequest::new().with_id(["t"]))
        .await
        .unwrap();
}
