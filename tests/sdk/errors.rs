//! Errors: whatever a server answers, its status, its headers and its words stay.

use std::error::Error as _;

use lance_namespace_client::models::*;
use lance_namespace_client::{Client, Error, ErrorCode, ErrorKind, RetryPolicy};
use serde_json::json;
use tokio::net::TcpListener;
use wiremock::ResponseTemplate;

use crate::server::{answering, client, raw_answer};

/// The error of a create at `url`.
async fn create(url: String) -> Error {
    let request = CreateTableVersionRequest::new(7, "m").with_id(["t"]);
    Client::builder(url)
        .retry(RetryPolicy::none())
        .build()
        .unwrap()
        .create_table_version(&request)
        .await
        .unwrap_err()
}

async fn answered(response: ResponseTemplate) -> Error {
    create(
        answering(response.insert_header("x-request-id", "r1"))
            .await
            .uri(),
    )
    .await
}

/// What every answered error has. A create whose outcome it leaves open is of unknown kind.
fn assert_answered(error: &Error, kind: ErrorKind, status: u16) {
    assert_eq!(error.lost_by().unwrap_or(error.kind()), kind);
    assert_eq!(error.status().unwrap(), status);
    assert_eq!(error.operation().unwrap().id(), "CreateTableVersion");
    assert_eq!(error.request_id(), Some("r1"));
    assert_eq!(error.headers()["x-request-id"], "r1");
    assert_eq!(error.context()["header.x-request-id"], "r1");
}

#[tokio::test]
async fn an_error_of_the_protocol_keeps_everything() {
    let error = answered(ResponseTemplate::new(409).set_body_json(json!({
        "error": "version 7 exists",
        "code": 14,
        "detail": "another manifest",
        "instance": "/v1/table/t/version/create",
        "context": { "shard": "3" },
    })))
    .await;
    assert_answered(&error, ErrorKind::Server, 409);
    assert_eq!(error.code(), Some(ErrorCode::CONCURRENT_MODIFICATION));
    assert_eq!(error.message(), Some("version 7 exists"));
    assert_eq!(error.detail(), Some("another manifest"));
    assert_eq!(error.instance(), Some("/v1/table/t/version/create"));
    assert_eq!(error.context()["shard"], "3");
    assert_eq!(
        error.to_string(),
        "CreateTableVersion: 409 Conflict (code 14, ConcurrentModification): version 7 exists"
    );
}

#[tokio::test]
async fn an_empty_message_does_not_hide_the_detail() {
    let body = json!({ "error": "", "code": 13, "detail": "version -1" });
    let error = answered(ResponseTemplate::new(400).set_body_json(body)).await;
    assert_eq!(
        (error.message(), error.detail()),
        (None, Some("version -1"))
    );
    assert!(error.to_string().ends_with(": version -1"), "{error}");
}

#[tokio::test]
async fn statuses_that_the_protocol_does_not_declare_are_kept_too() {
    for (status, code) in [
        (406, 0),
        (409, 14),
        (429, 21),
        (503, 17),
        (418, 99),
        (500, -1),
    ] {
        let body = json!({ "error": "no", "code": code });
        let error = answered(ResponseTemplate::new(status).set_body_json(body)).await;
        assert_answered(&error, ErrorKind::Server, status);
        assert_eq!(error.code(), Some(ErrorCode::from(code)));
        assert_eq!(error.code().unwrap().number(), code);
    }
}

#[tokio::test]
async fn retry_after_is_among_the_headers() {
    let response = ResponseTemplate::new(429).insert_header("retry-after", "3");
    assert_eq!(answered(response).await.headers()["retry-after"], "3");
}

#[tokio::test]
async fn a_text_is_the_message_and_no_code_is_guessed_from_it() {
    let response = ResponseTemplate::new(404).set_body_string("code 4: TableNotFound\n");
    let error = answered(response).await;
    assert_answered(&error, ErrorKind::Server, 404);
    assert_eq!(error.code(), None);
    assert_eq!(error.message(), Some("code 4: TableNotFound"));
    assert_eq!(
        error.to_string(),
        "CreateTableVersion: 404 Not Found: code 4: TableNotFound"
    );
}

#[tokio::test]
async fn a_page_is_the_message_and_shown_cut() {
    let page = format!("<html>{}</html>", "é".repeat(2_000));
    let response = ResponseTemplate::new(502).set_body_raw(page.clone(), "text/html");
    let error = answered(response).await;
    assert_answered(&error, ErrorKind::Server, 502);
    assert_eq!(error.message(), Some(page.as_str()));
    assert!(error.to_string().ends_with("é..."));
    assert!(error.to_string().chars().count() < 600);
}

#[tokio::test]
async fn an_empty_body_leaves_the_status() {
    let error = answered(ResponseTemplate::new(503)).await;
    assert_answered(&error, ErrorKind::Server, 503);
    assert_eq!(error.message(), None);
    assert_eq!(
        error.to_string(),
        "CreateTableVersion: the outcome is unknown, it may have been done: 503 Service Unavailable"
    );
}

#[tokio::test]
async fn errors_of_other_shapes_are_shown_as_they_are() {
    for body in [
        json!({ "message": 5 }),
        json!(["no"]),
        json!({ "error": { "type": "X" } }),
    ] {
        let error = answered(ResponseTemplate::new(400).set_body_json(&body)).await;
        assert_answered(&error, ErrorKind::Server, 400);
        assert_eq!(error.message(), Some(body.to_string().as_str()));
    }
    let body = json!({ "message": "no" });
    let error = answered(ResponseTemplate::new(400).set_body_json(body)).await;
    assert_eq!(error.message(), Some("no"));
    let body = json!({ "error": "no", "code": "14" });
    let error = answered(ResponseTemplate::new(400).set_body_json(body)).await;
    assert_eq!((error.code(), error.message()), (None, Some("no")));
}

#[tokio::test]
async fn a_body_cut_off_in_the_middle_leaves_what_came() {
    let answer =
        "HTTP/1.1 409 Conflict\r\nx-request-id: r1\r\ncontent-length: 99\r\n\r\n{\"error\": \"ver";
    let error = create(raw_answer(answer).await).await;
    assert_answered(&error, ErrorKind::Server, 409);
    assert_eq!(error.message(), Some("{\"error\": \"ver"));
    assert!(error.source().is_some());
}

#[tokio::test]
async fn a_success_cut_off_in_the_middle_keeps_its_status() {
    let answer = "HTTP/1.1 200 OK\r\nx-request-id: r1\r\ncontent-length: 99\r\n\r\n{\"version\": {";
    let error = create(raw_answer(answer).await).await;
    assert_answered(&error, ErrorKind::Truncated, 200);
    assert!(error.source().is_some());
}

#[tokio::test]
async fn a_success_that_cannot_be_read_keeps_its_status() {
    for body in ["<html>", "[]", "{\"version\": 7}"] {
        let error = answered(ResponseTemplate::new(200).set_body_string(body)).await;
        assert_answered(&error, ErrorKind::Decode, 200);
        assert!(error.source().is_some());
        assert!(
            error.to_string().contains("not what the protocol promises"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn an_empty_success_is_a_model_in_which_nothing_is_set() {
    let server = answering(ResponseTemplate::new(204)).await;
    let request = DropNamespaceRequest::new().with_id(["a"]).with_mode("Skip");
    let dropped = client(&server).drop_namespace(&request).await.unwrap();
    assert_eq!((dropped.properties, dropped.transaction_id), (None, None));
}

#[tokio::test]
async fn a_redirection_is_an_error_and_not_followed() {
    let target = answering(ResponseTemplate::new(200)).await;
    let response = ResponseTemplate::new(307).insert_header("location", target.uri());
    let error = answered(response).await;
    assert_answered(&error, ErrorKind::Redirect, 307);
    assert_eq!(error.headers()["location"], target.uri());
    assert!(target.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn an_address_where_nothing_listens_is_no_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = create(url).await;
    assert_eq!(error.kind(), ErrorKind::Connect);
    assert_eq!(error.status(), None);
    assert!(error.headers().is_empty());
}

#[tokio::test]
async fn a_connection_that_ends_without_an_answer_leaves_the_outcome_open() {
    let error = create(raw_answer("").await).await;
    assert_eq!(error.kind(), ErrorKind::Unknown);
    assert_eq!(error.lost_by(), Some(ErrorKind::Transport));
    assert_eq!(error.status(), None);
}

#[test]
fn codes_are_open() {
    assert_eq!(ErrorCode::ALL.len(), 24);
    for (number, code) in (0..).zip(ErrorCode::ALL) {
        assert_eq!(code.number(), number);
        assert!(code.name().is_some());
    }
    let unknown = ErrorCode::from(24);
    assert_eq!(unknown.name(), None);
    assert_eq!(unknown.to_string(), "code 24");
    assert_eq!(format!("{:?}", ErrorCode::THROTTLING), "Throttling(21)");
}
