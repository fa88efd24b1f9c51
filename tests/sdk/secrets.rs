//! Credentials are not shown.

use lance_namespace_client::models::*;
use lance_namespace_client::{Client, Credential, Error, OAuth2ClientCredentials};
use serde_json::{Value, json};
use wiremock::ResponseTemplate;

use crate::sample::{Amount, document, sample};
use crate::server::answering;

/// Properties of models that hold secrets.
const SECRETS: [&str; 5] = [
    "api_key",
    "auth_token",
    "context",
    "identity",
    "storage_options",
];

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

#[tokio::test]
async fn oauth2_is_not_shown_before_or_after_a_token_was_had() {
    let credentials = OAuth2ClientCredentials::new("ann", "s3cret")
        .token_url("/token?key=s3cret")
        .parameter("password", "s3cret");
    let shown = format!("{credentials:?} {credentials:#?}");
    assert_hidden(&shown);
    assert!(
        shown.contains("ann") && shown.contains("password"),
        "{shown}"
    );

    let token = json!({ "access_token": "s3cret", "expires_in": 60 });
    let server = answering(ResponseTemplate::new(200).set_body_json(token)).await;
    let builder = Client::builder(server.uri()).oauth2(credentials);
    assert_hidden(&format!("{builder:?}"));
    let client = builder.build().unwrap();
    client.table(["t"]).drop().await.unwrap();
    assert_hidden(&format!("{client:?} {:?}", client.table(["t"])));
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

/// Reads a model of the listed ones, and shows it.
macro_rules! models {
    ($($model:ident)*) => {
        fn shown(name: &str, value: Value) -> Option<String> {
            match name {
                $(stringify!($model) => {
                    let model: $model = serde_json::from_value(value).unwrap();
                    Some(format!("{model:?} {model:#?}"))
                })*
                _ => None,
            }
        }
    };
}

models! {
    AlterTableAddColumnsRequest AlterTableAddColumnsResponse AlterTableAlterColumnsRequest
    AlterTableAlterColumnsResponse AlterTableBackfillColumnsRequest
    AlterTableBackfillColumnsResponse AlterTableDropColumnsRequest AlterTableDropColumnsResponse
    AlterTransactionRequest AlterTransactionResponse AnalyzeTableQueryPlanRequest
    AnalyzeTableQueryPlanResponse BatchCommitTablesRequest BatchCommitTablesResponse
    BatchCreateTableVersionsRequest BatchCreateTableVersionsResponse
    BatchDeleteTableVersionsRequest BatchDeleteTableVersionsResponse CountTableRowsRequest
    CountTableRowsResponse CreateMaterializedViewRequest CreateMaterializedViewResponse
    CreateNamespaceRequest CreateNamespaceResponse CreateTableBranchRequest
    CreateTableBranchResponse CreateTableIndexRequest CreateTableIndexResponse
    CreateTableRequest CreateTableResponse CreateTableScalarIndexResponse CreateTableTagRequest
    CreateTableTagResponse CreateTableVersionRequest CreateTableVersionResponse
    DeclareTableRequest DeclareTableResponse DeleteFromTableRequest DeleteFromTableResponse
    DeleteTableBranchRequest DeleteTableBranchResponse DeleteTableTagRequest
    DeleteTableTagResponse DeregisterTableRequest DeregisterTableResponse
    DescribeNamespaceRequest DescribeNamespaceResponse DescribeTableIndexStatsRequest
    DescribeTableIndexStatsResponse DescribeTableRequest DescribeTableResponse
    DescribeTableVersionRequest DescribeTableVersionResponse DescribeTransactionRequest
    DescribeTransactionResponse DropNamespaceRequest DropNamespaceResponse DropTableIndexRequest
    DropTableIndexResponse DropTableRequest DropTableResponse ErrorResponse
    ExplainTableQueryPlanRequest ExplainTableQueryPlanResponse GetTableStatsRequest
    GetTableStatsResponse GetTableTagVersionRequest GetTableTagVersionResponse Identity
    InsertIntoTableRequest InsertIntoTableResponse ListNamespacesRequest ListNamespacesResponse
    ListTableBranchesRequest ListTableBranchesResponse ListTableIndicesRequest
    ListTableIndicesResponse ListTableTagsRequest ListTableTagsResponse ListTableVersionsRequest
    ListTableVersionsResponse ListTablesRequest ListTablesResponse MergeInsertIntoTableRequest
    MergeInsertIntoTableResponse NamespaceExistsRequest NamespaceExistsResponse
    QueryTableRequest RefreshMaterializedViewRequest RefreshMaterializedViewResponse
    RegisterTableRequest RegisterTableResponse RenameTableRequest RenameTableResponse
    RestoreTableRequest RestoreTableResponse TableExistsRequest TableExistsResponse
    UpdateFieldMetadataRequest UpdateFieldMetadataResponse UpdateTableRequest
    UpdateTableResponse UpdateTableSchemaMetadataRequest UpdateTableSchemaMetadataResponse
    UpdateTableTagRequest UpdateTableTagResponse
}

/// Makes every text within a property that holds secrets one.
fn plant(value: &mut Value, secret: bool) {
    match value {
        Value::String(text) if secret => *text = "s3cret".to_owned(),
        Value::Array(items) => items.iter_mut().for_each(|item| plant(item, secret)),
        Value::Object(fields) => {
            for (name, field) in fields {
                plant(field, secret || SECRETS.contains(&name.as_str()));
            }
        }
        _ => {}
    }
}

#[test]
fn no_model_of_the_protocol_shows_them() {
    let document = document();
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        let holds = SECRETS
            .iter()
            .any(|secret| !schema["properties"][secret].is_null());
        // The answer to a query is a stream.
        if !holds || name == "QueryTableResponse" {
            continue;
        }
        let mut value = sample(&document, schema, Amount::All, 0);
        plant(&mut value, false);
        assert!(value.to_string().contains("s3cret"), "{name}");
        let shown = shown(name, value).unwrap_or_else(|| panic!("{name} is not in the list"));
        assert!(!shown.contains("s3cret"), "{name}: {shown}");
        assert!(shown.contains("[hidden]"), "{name}: {shown}");
    }
}

#[tokio::test]
async fn a_stream_does_not_show_the_headers_of_its_answer() {
    let response = ResponseTemplate::new(200)
        .insert_header("set-cookie", "session=s3cret")
        .insert_header("x-api-key", "s3cret");
    let server = answering(response).await;
    let client = Client::builder(server.uri()).api_key("s3cret").build();
    let request = QueryTableRequest::new(1).with_id(["t"]);
    let stream = client.unwrap().query_table(&request).await.unwrap();
    assert_hidden(&format!("{stream:?} {stream:#?}"));
    assert_eq!(stream.headers()["x-api-key"], "s3cret");
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
