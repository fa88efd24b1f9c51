//! How a token is asked for, and by whom.

use std::time::Duration;

use futures::future::join_all;
use lance_namespace_client::{Client, ErrorKind, OAuth2ClientCredentials};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::issuer::{
    Numbered, SECRET, SLOW, asked, call, cause, client, credentials, form, pairs, server, used,
    with,
};

#[tokio::test]
async fn a_token_is_asked_for_once_and_sent_with_each_request() {
    let server = server(Numbered::new(3600)).await;
    let client = client(&server);
    for _ in 0..3 {
        call(&client).await.unwrap();
    }
    assert_eq!(used(&server).await, ["t1", "t1", "t1"]);
    let asked = asked(&server).await;
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].method, "POST");
    assert_eq!(
        form(&asked[0]),
        pairs(&[("grant_type", "client_credentials")])
    );
    // base64 of `ann:s3cret%2F%2B`
    assert_eq!(
        asked[0].headers["authorization"],
        "Basic YW5uOnMzY3JldCUyRiUyQg=="
    );
    assert_eq!(asked[0].headers["accept"], "application/json");
    let agent = asked[0].headers["user-agent"].to_str().unwrap();
    assert!(agent.starts_with("lance-namespace-client/"), "{agent}");
}

#[tokio::test]
async fn the_secret_may_travel_in_the_body_beside_scopes_and_other_parameters() {
    let server = server(Numbered::new(3600)).await;
    let credentials = credentials()
        .secret_in_body()
        .scope("read write")
        .scope("admin")
        .parameter("audience", "https://a/?b");
    call(&with(&server, credentials)).await.unwrap();
    let asked = asked(&server).await;
    assert!(!asked[0].headers.contains_key("authorization"));
    assert_eq!(
        form(&asked[0]),
        pairs(&[
            ("grant_type", "client_credentials"),
            ("scope", "read write admin"),
            ("audience", "https://a/?b"),
            ("client_id", "ann"),
            ("client_secret", SECRET),
        ])
    );
}

#[tokio::test]
async fn the_token_endpoint_is_below_the_base_url_unless_set() {
    let server = MockServer::start().await;
    let absolute = format!("{}/login/token?tenant=a", server.uri());
    for (url, expected) in [
        (None, "/api/lance/oauth/token"),
        (Some("auth/token"), "/api/lance/auth/token"),
        (Some("/oauth/token"), "/oauth/token"),
        (Some(&*absolute), "/login/token?tenant=a"),
    ] {
        server.reset().await;
        Mock::given(any())
            .respond_with(Numbered::new(3600))
            .mount(&server)
            .await;
        for slash in ["", "/"] {
            let credentials = match url {
                Some(url) => credentials().token_url(url),
                None => credentials(),
            };
            let base = format!("{}/api/lance{slash}", server.uri());
            let client = Client::builder(base).oauth2(credentials).build().unwrap();
            call(&client).await.unwrap();
        }
        for request in asked(&server).await {
            let end = &request.url[url::Position::BeforePath..];
            assert_eq!(end, expected);
        }
        assert_eq!(asked(&server).await.len(), 2);
    }
}

#[tokio::test]
async fn many_callers_wait_for_one_token() {
    let server = server(Numbered::new(3600).slow()).await;
    let client = client(&server);
    for answer in join_all((0..64).map(|_| call(&client))).await {
        answer.unwrap();
    }
    assert_eq!(asked(&server).await.len(), 1);
    assert_eq!(used(&server).await, ["t1"; 64]);
}

#[tokio::test]
async fn many_callers_share_one_failure_and_the_next_asks_again() {
    let failing = ResponseTemplate::new(503).set_delay(SLOW);
    let server = server(failing).await;
    let client = client(&server);
    for answer in join_all((0..16).map(|_| call(&client))).await {
        let error = answer.unwrap_err();
        assert_eq!(cause(&error).status().unwrap(), 503);
    }
    assert_eq!(asked(&server).await.len(), 1);
    call(&client).await.unwrap_err();
    assert_eq!(asked(&server).await.len(), 2);
    assert!(used(&server).await.is_empty());
}

#[tokio::test]
async fn a_caller_that_vanishes_while_asking_stops_nobody() {
    let server = server(Numbered::new(3600).slow()).await;
    let client = client(&server);
    let first = tokio::spawn({
        let client = client.clone();
        async move { call(&client).await }
    });
    while asked(&server).await.is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let others: Vec<_> = (0..8)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { call(&client).await })
        })
        .collect();
    tokio::task::yield_now().await;
    first.abort();
    for other in others {
        other.await.unwrap().unwrap();
    }
    assert!(first.await.unwrap_err().is_cancelled());
    assert_eq!(asked(&server).await.len(), 2);
    assert_eq!(used(&server).await, ["t2"; 8]);
}

#[test]
fn settings_that_cannot_be_used_are_errors() {
    let cases = [
        (OAuth2ClientCredentials::new("", SECRET), "client id"),
        (OAuth2ClientCredentials::new("ann", ""), "client secret"),
        (credentials().token_url("http://"), "token URL"),
        (credentials().token_url("ftp://h/"), "scheme"),
        (credentials().token_url("http://a:s3cret@h/"), "credentials"),
        (credentials().token_url("/token#s3cret"), "fragment"),
        (
            credentials().parameter("client_secret", "s3cret"),
            "client_secret",
        ),
        (credentials().parameter("scope", "a"), "scope"),
    ];
    for (credentials, expected) in cases {
        let builder = Client::builder("http://localhost").oauth2(credentials);
        let error = builder.build().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        let shown = error.to_string();
        assert!(shown.contains("OAuth 2 cannot be used"), "{shown}");
        assert!(shown.contains(expected), "{shown}");
        assert!(!format!("{shown} {error:?}").contains("s3cret"));
    }
}
