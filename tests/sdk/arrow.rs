//! Record batches, sent and received.

use std::error::Error as _;
use std::io;
use std::sync::Arc;

use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use futures::{StreamExt, TryStreamExt, stream};
use lance_namespace_client::arrow_array::types::Int8Type;
use lance_namespace_client::arrow_array::{
    ArrayRef, DictionaryArray, Int64Array, RecordBatch, record_batch,
};
use lance_namespace_client::arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use lance_namespace_client::models::*;
use lance_namespace_client::{ArrowBody, Error, ErrorKind};
use serde_json::json;
use wiremock::ResponseTemplate;

use crate::server::{answering, client, only_request};

fn ids(ids: std::ops::Range<i64>) -> RecordBatch {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(ids));
    RecordBatch::try_from_iter([("id", ids)]).unwrap()
}

fn words(words: &[&str]) -> RecordBatch {
    let words: DictionaryArray<Int8Type> = words.iter().copied().collect();
    RecordBatch::try_from_iter([("word", Arc::new(words) as ArrayRef)]).unwrap()
}

fn file(batches: &[RecordBatch]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = FileWriter::try_new(&mut bytes, &batches[0].schema()).unwrap();
    batches
        .iter()
        .for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    bytes
}

fn stream_of(batches: &[RecordBatch]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &batches[0].schema()).unwrap();
    batches
        .iter()
        .for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    bytes
}

/// What a server gets that is sent this body.
async fn received(body: ArrowBody) -> (SchemaRef, Vec<RecordBatch>) {
    let server = answering(ResponseTemplate::new(200).set_body_json(json!({}))).await;
    let table = client(&server).table(["t"]);
    table
        .insert(InsertIntoTableRequest::new(), body)
        .await
        .unwrap();
    let sent = only_request(&server).await;
    assert_eq!(
        sent.headers["content-type"],
        "application/vnd.apache.arrow.stream"
    );
    assert!(sent.body.ends_with(&[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]));
    let reader = StreamReader::try_new(sent.body.as_slice(), None).unwrap();
    (reader.schema(), reader.map(Result::unwrap).collect())
}

/// The error of sending this body.
async fn refused(body: ArrowBody) -> Error {
    let server = answering(ResponseTemplate::new(200).set_body_json(json!({}))).await;
    let table = client(&server).table(["t"]);
    let request = MergeInsertIntoTableRequest::new().with_on(["id"]);
    let error = table.merge_insert(request, body).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Body);
    assert!(server.received_requests().await.unwrap().is_empty());
    error
}

#[tokio::test]
async fn batches_are_sent_as_one_stream() {
    // Short buffers and long ones, none, and a part of a batch.
    let batches = vec![
        ids(0..3),
        ids(0..50_000),
        ids(0..0),
        ids(0..20_000).slice(7, 9_000),
    ];
    let body = ArrowBody::batches(batches[0].schema(), batches.clone());
    assert_eq!(received(body).await, (batches[0].schema(), batches));
}

#[tokio::test]
async fn dictionaries_are_sent_with_the_batches() {
    let batches = vec![words(&["a", "b", "a"]), words(&["c"]), words(&["c", "d"])];
    let body = ArrowBody::batches(batches[0].schema(), batches.clone());
    assert_eq!(received(body).await.1, batches);
}

#[tokio::test]
async fn no_batches_are_a_table_with_a_schema() {
    let body = ArrowBody::batches(ids(0..1).schema(), []);
    assert_eq!(received(body).await, (ids(0..1).schema(), vec![]));
}

#[tokio::test]
async fn batches_may_come_later() {
    let batches = [ids(0..3), ids(3..5)];
    let later = stream::iter(batches.clone()).then(|batch| async {
        tokio::task::yield_now().await;
        Ok::<_, io::Error>(batch)
    });
    let body = ArrowBody::batch_stream(batches[0].schema(), later);
    assert_eq!(received(body).await.1, batches);
}

#[tokio::test]
async fn an_error_among_the_batches_is_the_source_of_the_calls_error() {
    let batches = [Ok(ids(0..3)), Err(io::Error::other("disk gone"))];
    let error = refused(ArrowBody::batch_stream(
        ids(0..1).schema(),
        stream::iter(batches),
    ))
    .await;
    assert_eq!(
        error.to_string(),
        "MergeInsertIntoTable: the body failed and was broken off, send it anew: disk gone"
    );
    assert!(
        error
            .source()
            .unwrap()
            .downcast_ref::<io::Error>()
            .is_some()
    );
}

#[tokio::test]
async fn a_batch_that_does_not_fit_the_schema_is_not_sent() {
    let schema = ids(0..1).schema();
    let error = refused(ArrowBody::batches(
        schema.clone(),
        [ids(0..1), words(&["a"])],
    ))
    .await;
    let message = error.message().unwrap();
    assert!(
        message.contains("batch 2 does not fit the schema: its column is "),
        "{message}"
    );
    let two = record_batch!(("id", Int64, [1]), ("more", Int64, [1])).unwrap();
    let error = refused(ArrowBody::batches(schema.clone(), [two])).await;
    let message = error.message().unwrap();
    assert!(
        message.contains("it has 2 columns and the schema 1"),
        "{message}"
    );
    // One whose ids may be null.
    let nullable = record_batch!(("id", Int64, [1])).unwrap();
    refused(ArrowBody::batches(schema, [nullable])).await;
}

#[tokio::test]
async fn a_schema_that_cannot_be_sent_is_an_error_of_arrow() {
    let inner = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
    let nested = DataType::Dictionary(Box::new(DataType::Int8), Box::new(inner));
    let schema = Schema::new(vec![Field::new("word", nested, true)]);
    let error = refused(ArrowBody::batches(schema.into(), [])).await;
    assert!(
        error
            .source()
            .unwrap()
            .downcast_ref::<ArrowError>()
            .is_some()
    );
}

#[tokio::test]
async fn an_answer_is_read_as_a_file_and_as_a_stream() {
    let batches = [ids(0..3), ids(3..1_000)];
    for bytes in [file(&batches), stream_of(&batches)] {
        let response = ResponseTemplate::new(200)
            .insert_header("x-region", "eu")
            .set_body_bytes(bytes);
        let server = answering(response).await;
        let table = client(&server).table(["t"]);
        let answer = table.query(QueryTableRequest::new(1)).await.unwrap();
        let mut read = answer.batches();
        assert_eq!(read.schema().await.unwrap(), batches[0].schema());
        assert_eq!(read.status(), 200);
        assert_eq!(read.headers()["x-region"], "eu");
        assert_eq!(read.context()["header.x-region"], "eu");
        assert_eq!(read.try_collect::<Vec<_>>().await.unwrap(), batches);
    }
}

#[tokio::test]
async fn what_comes_before_the_end_of_a_broken_answer_is_given() {
    let batches = [ids(0..3), ids(3..5)];
    let bytes = file(&batches);
    let response = ResponseTemplate::new(200).set_body_bytes(&bytes[..bytes.len() - 1]);
    let server = answering(response).await;
    let table = client(&server).table(["t"]);
    let answer = table.query(QueryTableRequest::new(1)).await.unwrap();
    let mut items: Vec<_> = answer.batches().collect().await;
    let error = items.pop().unwrap().unwrap_err();
    let read: Vec<_> = items.into_iter().map(Result::unwrap).collect();
    assert_eq!(read, batches);
    assert_eq!(error.kind(), ErrorKind::Truncated);
    assert_eq!(
        error.to_string(),
        "QueryTable: 200 OK: the Arrow data of the answer ends before the footer of the file"
    );
}

#[tokio::test]
async fn an_answer_that_is_no_arrow_is_told() {
    let response = ResponseTemplate::new(200).set_body_string("<html>sign in");
    let server = answering(response).await;
    let table = client(&server).table(["t"]);
    let answer = table.query(QueryTableRequest::new(1)).await.unwrap();
    let error = answer.batches().schema().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Decode);
    assert_eq!(error.operation().unwrap().id(), "QueryTable");
    assert_eq!(error.status().unwrap(), 200);
}
