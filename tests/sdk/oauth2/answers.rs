//! What a token endpoint may answer.

use serde_json::{Value, json};
use wiremock::ResponseTemplate;

use super::issuer::{
    Numbered, SLOW, asked, call, cause, client, credentials, pass, server, used, with,
};

#[tokio::test]
async fn expires_in_is_read_however_it_is_written() {
    for expires_in in [json!("60"), json!(60.5), json!(60)] {
        let server = server(Numbered::new(expires_in)).await;
        let client = client(&server);
        call(&client).await.unwrap();
        pass(50).await;
        call(&client).await.unwrap();
        pass(15).await;
        call(&client).await.unwrap();
        assert_eq!(used(&server).await, ["t1", "t1", "t2"]);
    }
    // Over at once, or never: each is a token to use now.
    for expires_in in [json!(0), json!(-1), json!(u64::MAX), json!(1e300)] {
        let server = server(Numbered::new(expires_in)).await;
        call(&client(&server)).await.unwrap();
        assert_eq!(used(&server).await, ["t1"]);
    }
}

#[tokio::test]
async fn what_the_token_endpoint_says_is_shown_without_the_secret() {
    let said = json!({
        "error": "invalid_client",
        "error_description": "no client ann with s3cret/+ or s3cret%2F%2B or \
            Basic YW5uOnMzY3JldCUyRiUyQg==",
    });
    let server = server(ResponseTemplate::new(401).set_body_json(said)).await;
    let error = call(&client(&server)).await.unwrap_err();
    let cause = cause(&error);
    assert_eq!(cause.error(), Some("invalid_client"));
    assert_eq!(cause.status().unwrap(), 401);
    let url = format!("{}/oauth/token", server.uri());
    let hidden = "no client ann with [hidden] or [hidden] or Basic [hidden]";
    assert_eq!(
        cause.to_string(),
        format!("no token from {url}: 401 Unauthorized: invalid_client: {hidden}")
    );
    assert!(error.to_string().contains("invalid_client"), "{error}");
    assert_eq!(asked(&server).await.len(), 1, "its 401 is not a call's");
}

#[tokio::test]
async fn answers_without_a_token_are_errors() {
    let ok = |body: Value| ResponseTemplate::new(200).set_body_json(body);
    let cases = [
        (ResponseTemplate::new(200), "not a JSON object"),
        (
            ResponseTemplate::new(200).set_body_string("[1]"),
            "not a JSON object",
        ),
        (ok(json!({})), "no access_token"),
        (ok(json!({ "access_token": 7 })), "no access_token"),
        (ok(json!({ "access_token": "" })), "is empty"),
        (ok(json!({ "access_token": "s3cret\n" })), "cannot be sent"),
        (
            ok(json!({ "access_token": "s3cret", "token_type": "mac" })),
            "of the type mac",
        ),
        (
            ok(json!({ "access_token": "s3cret", "expires_in": "soon" })),
            "expires_in",
        ),
        (
            ok(json!({ "access_token": "s3cret", "expires_in": "nan" })),
            "expires_in",
        ),
        (
            ResponseTemplate::new(502).set_body_string("<html>"),
            "502 Bad Gateway",
        ),
        (
            ResponseTemplate::new(400).set_body_json(json!(["s3cret"])),
            "400 Bad Request",
        ),
        (
            ResponseTemplate::new(308).insert_header("location", "/"),
            "redirection, which is not followed",
        ),
    ];
    for (response, expected) in cases {
        let server = server(response).await;
        let error = call(&client(&server)).await.unwrap_err();
        let cause = cause(&error);
        assert!(cause.status().is_some());
        assert!(cause.to_string().contains(expected), "{cause}");
        assert!(!format!("{error:?} {cause} {cause:?}").contains("s3cret"));
        assert_eq!(server.received_requests().await.unwrap().len(), 1);
    }
}

#[tokio::test]
async fn a_token_endpoint_that_is_slow_or_gone_is_an_error() {
    let server = server(Numbered::new(3600).slow()).await;
    let slow = with(&server, credentials().timeout(SLOW / 4));
    let error = call(&slow).await.unwrap_err();
    assert!(cause(&error).to_string().contains("within 25ms"), "{error}");

    let gone = credentials().token_url("http://127.0.0.1:1/token?key=s3cret");
    let error = call(&with(&server, gone)).await.unwrap_err();
    let cause = cause(&error);
    assert_eq!(cause.status(), None);
    assert!(cause.to_string().contains("no connection"), "{cause}");
    assert!(!format!("{error:?} {cause:?}").contains("s3cret"));
    assert!(used(&server).await.is_empty());
}
