//! Arrow data, streamed both ways.

use std::convert::Infallible;
use std::error::Error as _;
use std::io;
use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, StreamExt, TryStreamExt, stream};
use lance_namespace_client::models::*;
use lance_namespace_client::reqwest::Body;
use lance_namespace_client::{ArrowBody, Client, Error, ErrorKind};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::oneshot;
use wiremock::ResponseTemplate;

use crate::server::{answering, client, only_request, raw, raw_answer};

fn query() -> QueryTableRequest {
    QueryTableRequest::new(1).with_id(["t"])
}

fn insert() -> InsertIntoTableRequest {
    InsertIntoTableRequest::new()
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
async fn a_default_header_does_not_change_what_is_accepted() {
    let server = answering(ResponseTemplate::new(200)).await;
    let client = Client::builder(server.uri())
        .default_header("accept", "application/json")
        .build()
        .unwrap();
    client.query_table(&query()).await.unwrap();
    let accepted = &only_request(&server).await.headers["accept"];
    assert_eq!(accepted, "application/vnd.apache.arrow.file");
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
async fn a_body_may_be_bytes_or_a_stream_of_them() {
    let pieces = || ["ARR", "OW1"].map(Ok::<_, Infallible>);
    let bodies = [
        (ArrowBody::from("ARROW1"), true),
        (ArrowBody::from(b"ARROW1".as_slice()), true),
        (ArrowBody::from(b"ARROW1".to_vec()), true),
        (ArrowBody::from(String::from("ARROW1")), true),
        (ArrowBody::from(Bytes::from("ARROW1")), true),
        (ArrowBody::from(Body::from("ARROW1")), true),
        (ArrowBody::stream(stream::iter(pieces())), false),
        (Body::wrap_stream(stream::iter(pieces())).into(), false),
    ];
    for (body, has_length) in bodies {
        let server = answering(ResponseTemplate::new(200).set_body_json(json!({}))).await;
        let table = client(&server).table(["t"]);
        table.insert(insert(), body).await.unwrap();
        let sent = only_request(&server).await;
        assert_eq!(sent.body, b"ARROW1");
        assert_eq!(sent.headers.contains_key("content-length"), has_length);
    }
}

/// What a server below HTTP gets of a body that breaks off after its first piece.
async fn broken_off(body: ArrowBody, early: &'static str) -> (Result<(), Error>, Vec<u8>) {
    let (send, got) = oneshot::channel();
    let url = raw(async move |mut stream| {
        stream.write_all(early.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes).await;
        send.send(bytes).unwrap();
    })
    .await;
    let table = Client::new(url).unwrap().table(["t"]);
    let inserted = table.insert(insert(), body).await;
    (inserted.map(drop), got.await.unwrap())
}

fn breaking() -> impl Stream<Item = Result<&'static str, io::Error>> + Send {
    let later = stream::once(async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        Err(io::Error::other("disk gone"))
    });
    stream::iter([Ok("ARR")]).chain(later)
}

#[tokio::test]
async fn a_body_that_fails_is_broken_off_and_says_why() {
    let wrapped = Body::wrap_stream(breaking());
    for body in [ArrowBody::stream(breaking()), wrapped.into()] {
        let (inserted, got) = broken_off(body, "").await;
        let error = inserted.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Body);
        assert_eq!(error.operation().unwrap().id(), "InsertIntoTable");
        assert_eq!(
            error.to_string(),
            "InsertIntoTable: the body failed and was broken off, send it anew: disk gone"
        );
        let mut source = error.source().unwrap();
        while let Some(deeper) = source.source() {
            source = deeper;
        }
        assert!(source.downcast_ref::<io::Error>().is_some(), "{source:?}");
        // No last chunk, which is what makes a body complete.
        assert_eq!(got, b"3\r\nARR\r\n");
    }
}

#[tokio::test]
async fn a_refusal_says_more_than_the_body_that_it_cut() {
    let early = "HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\nno";
    let (inserted, _) = broken_off(ArrowBody::stream(breaking()), early).await;
    let error = inserted.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Server);
    assert_eq!(error.message(), Some("no"));
}
