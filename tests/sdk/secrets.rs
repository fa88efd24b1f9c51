//! Credentials are not shown.

use lance_namespace_client::models::*;
use lance_namespace_client::{Client, Credential, Error};
use serde_json::json;
use wiremock::ResponseTemplate;

use crate::server::answering;

fn assert_hidden(shown: &str) {
    assert!(!shown.contains("s3cret"), "{shown}");
}

/// Everything that an error and its sources say.
fn everything(error: &Error) -> String {
    let mut text = format!("{error} {error:?} {error:#?}");
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text.push_str(&format!(" {cause} {cause:?}"));
        source = cause.source();
    }
    text
}

#[test]
fn a_client_and_its_builder_do_not_show_them() {
    let builder = Client::builder("http://localhost")
        .api_key("s3cret")
        .bearer_token("s3cret")
        .default_header("x-token", "s3cret");
    assert_hidden(&format!("{builder:?}"));
    let client = builder.build().unwrap();
    assert_hidden(&format!(
        "{client:?} {:?} {:?}",
        client.root(),
        client.table(["t"])
    ));
    assert!(format!("{client:?}").contains("x-token"));
}

#[test]
fn a_client_does_not_show_what_its_provider_holds() {
    /// Shows what it holds.
    #[derive(Debug, Clone)]
    struct Careless(#[expect(dead_code, reason = "it is there to be shown")] &'static str);

    let careless = Careless("s3cret");
    let builder = Client::builder("http://localhost").credentials(move || {
        let _ = &careless;
        async { Credential::bearer("s3cret") }
    });
    assert_hidden(&format!("{builder:?}"));
    assert_hidden(&format!("{:?}", builder.build().unwrap()));
    let several = Credential::bearer("s3cret")
        .unwrap()
        .and(Credential::api_key("s3cret").unwrap())
        .and(Credential::header("x-own", "s3cret").unwrap());
    let shown = format!("{several:?} {several:#?}");
    assert_hidden(&shown);
    assert!(shown.contains("x-own"), "{shown}");
}

#[test]
fn keys_of_certificates_are_not_shown() {
    // On one line, as a text becomes that lost its line breaks on the way through a setting.
    let broken = "-----BEGIN PRIVATE KEY-----s3cret-----END PRIVATE KEY-----";
    for builder in [
        Client::builder("https://localhost").root_certificates(broken),
        Client::builder("https://localhost").only_root_certificates(broken),
        Client::builder("https://localhost").client_certificate(broken, broken),
    ] {
        assert_hidden(&format!("{builder:?}"));
        assert_hidden(&everything(&builder.build().unwrap_err()));
    }
}

#[test]
fn a_base_url_with_credentials_is_refused_without_showing_them() {
    let error = Client::new("http://ann:s3cret@localhost").unwrap_err();
    assert!(error.to_string().contains("credentials"), "{error}");
    assert_hidden(&everything(&error));
    assert_hidden(&format!(
        "{:?}",
        Client::builder("http://ann:s3cret@localhost")
    ));
}

#[test]
fn settings_that_are_refused_are_not_shown() {
    for builder in [
        Client::builder("http://localhost").api_key("s3cret\n"),
        Client::builder("http://localhost").bearer_token("s3cret\n"),
        Client::builder("http://localhost").default_header("x", "s3cret\n"),
    ] {
        assert_hidden(&everything(&builder.build().unwrap_err()));
    }
}

#[test]
fn models_show_which_there_are_and_not_what_they_are() {
    let identity = Identity::new()
        .with_api_key("s3cret")
        .with_auth_token("s3cret");
    let request = CreateTableRequest::new()
        .with_identity(identity)
        .with_context([("header.Authorization", "s3cret")])
        .with_storage_options([("secret_access_key", "s3cret")]);
    let shown = format!("{request:?} {request:#?}");
    assert_hidden(&shown);
    for name in [
        "api_key",
        "auth_token",
        "header.Authorization",
        "secret_access_key",
    ] {
        assert!(shown.contains(name), "{shown}");
    }
    let described: DescribeTableResponse = serde_json::from_value(json!({
        "context": { "header.set-cookie": "s3cret" },
        "storage_options": { "aws_session_token": "s3cret" },
    }))
    .unwrap();
    assert_hidden(&format!("{described:?}"));
    let commit = CommitTableOperation::new().with_declare_table(
        DeclareTableRequest::new().with_identity(Identity::new().with_api_key("s3cret")),
    );
    assert_hidden(&format!("{commit:?}"));
}

#[tokio::test]
async fn errors_do_not_show_what_was_sent() {
    let request = CreateTableRequest::new()
        .with_id(["t"])
        .with_identity(Identity::new().with_auth_token("s3cret"))
        .with_storage_options([("secret_access_key", "s3cret")]);
    // The query holds the storage options, and errors of reqwest name the URL.
    let unreachable = Client::builder("http://127.0.0.1:1")
        .api_key("s3cret")
        .build()
        .unwrap();
    assert_hidden(&everything(
        &unreachable.create_table(&request, "").await.unwrap_err(),
    ));

    let response = ResponseTemplate::new(500)
        .insert_header("set-cookie", "session=s3cret")
        .insert_header("authorization", "Bearer s3cret");
    let server = answering(response).await;
    let refused = Client::new(server.uri())
        .unwrap()
        .create_table(&request, "")
        .await
        .unwrap_err();
    assert_hidden(&everything(&refused));
    assert_eq!(refused.headers()["set-cookie"], "session=s3cret");
}
