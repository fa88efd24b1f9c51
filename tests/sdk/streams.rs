//! Arrow data, streamed both ways.

use futures::{StreamExt, TryStreamExt, stream};
use lance_namespace_client::models::*;
use lance_namespace_client::reqwest::Body;
use lance_namespace_client::{Client, ErrorKind};
use serde_json::json;
use wiremock::ResponseTemplate;

use crate::server::{answering, client, only_request, raw_answer};

fn query() -> QueryTableRequest {
    QueryTableRequest::new(1).with_id(["t"])
}

#[tokio::test]
async fn an_answer_is_a_stream_with_its_headers() {
    let arrow = "application/vnd.apache.arrow.file";
    let response = ResponseTemplate::new(200)
        .insert_header("x-region", "eu")
        .set_body_raw("ARROW1", arrow);
    let server = answering(response).await;
    let answer = client(&server).query_table(&query()).await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["content-type"], arrow);
    assert_eq!(answer.context()["header.x-region"], "eu");
    let bytes: Vec<_> = answer.try_collect().await.unwrap();
    assert_eq!(bytes.concat(), b"ARROW1");
    assert_eq!(only_request(&server).await.headers["accept"], arrow);
}

#[tokio::test]
async fn an_error_in_place_of_a_stream_is_an_error() {
    let body = json!({ "error": "no", "code": 4 });
    let server = answering(ResponseTemplate::new(404).set_body_json(body)).await;
    let error = client(&server).query_table(&query()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Server);
    assert_eq!(error.code().unwrap().number(), 4);
}

#[tokio::test]
async fn a_stream_that_breaks_says_so_once() {
    let url = raw_answer("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nARROW1").await;
    let mut answer = Client::new(url)
        .unwrap()
        .query_table(&query())
        .await
        .unwrap();
    assert_eq!(answer.next().await.unwrap().unwrap(), "ARROW1");
    let error = answer.next().await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Truncated);
    assert_eq!(error.status().unwrap(), 200);
    assert_eq!(error.operation().unwrap().id(), "QueryTable");
    assert!(answer.next().await.is_none());
}

#[tokio::test]
async fn a_body_is_streamed_as_it_comes() {
    let server = answering(ResponseTemplate::new(200).set_body_json(json!({ "version": 3 }))).await;
    let pieces = ["ARR", "OW1"].map(Ok::<_, std::io::Error>);
    let body = Body::wrap_stream(stream::iter(pieces));
    let request = InsertIntoTableRequest::new().with_id(["t"]);
    let inserted = client(&server)
        .insert_into_table(&request, body)
        .await
        .unwrap();
    assert_eq!(inserted.version, Some(3));
    let sent = only_request(&server).await;
    assert_eq!(sent.body, b"ARROW1");
    assert_eq!(
        sent.headers["content-type"],
        "application/vnd.apache.arrow.stream"
    );
    assert_eq!(sent.headers["transfer-encoding"], "chunked");
}

#[tokio::test]
async fn a_body_that_breaks_off_is_an_error() {
    let server = answering(ResponseTemplate::new(200).set_body_json(json!({}))).await;
    let broken = stream::iter([Ok("ARR"), Err(std::io::Error::other("gone"))]);
    let request = InsertIntoTableRequest::new().with_id(["t"]);
    let call = client(&server);
    let error = call
        .insert_into_table(&request, Body::wrap_stream(broken))
        .await
        .unwrap_err();
    assert_eq!(error.lost_by(), Some(ErrorKind::Transport));
}
