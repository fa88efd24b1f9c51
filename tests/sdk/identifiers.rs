//! Identifiers: whatever a name holds, a request goes to its own route or is not sent.

use lance_namespace_client::models::*;
use lance_namespace_client::{Client, ErrorKind};
use percent_encoding::percent_decode_str;
use proptest::prelude::*;
use serde_json::json;
use url::Url;
use wiremock::ResponseTemplate;

use crate::server::{answering, client};

#[path = "../../src/id.rs"]
#[expect(dead_code, reason = "the default delimiter is of no use here")]
mod id;

fn join(parts: &[&str], delimiter: &str) -> Result<String, String> {
    let parts: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
    id::join(&parts, delimiter)
}

#[test]
fn parts_are_joined_and_the_root_is_the_delimiter() {
    assert_eq!(join(&["a", "b c"], "$").unwrap(), "a$b c");
    assert_eq!(join(&["a", "b"], "::").unwrap(), "a::b");
    assert_eq!(join(&[], "$").unwrap(), "$");
    assert_eq!(join(&[], "#").unwrap(), "#");
}

#[test]
fn identifiers_that_would_be_read_as_others_are_refused() {
    let cases: [(&[&str], &str, &str); 16] = [
        (&[""], "$", "is empty"),
        (&["a", ""], "$", "is empty"),
        (&["a$b"], "$", "reads as another one"),
        (&["$"], "$", "reads as another one"),
        (&["a$", "b"], "$$", "reads as another one"),
        (&["a.b"], ".", "reads as another one"),
        (&["."], "$", "another place"),
        (&[".."], "$", "another place"),
        (&["%2e"], "$", "another place"),
        (&["%2E%2e"], "$", "another place"),
        (&[".%2e"], "$", "another place"),
        (&["%252e"], "$", "another place"),
        (&["%"], "2e", "is not"),
        (&[], ".", "another delimiter"),
        (&[], "..", "another delimiter"),
        (&[], "%2E", "another delimiter"),
    ];
    for (parts, delimiter, expected) in cases {
        match join(parts, delimiter) {
            // Alone this one is harmless; it stands here so that its neighbours do not look like
            // a ban on percent signs.
            Ok(joined) => assert_eq!((joined.as_str(), expected), ("%", "is not")),
            Err(refusal) => assert!(refusal.contains(expected), "{parts:?}: {refusal}"),
        }
    }
}

#[test]
fn names_that_only_look_alike_are_taken() {
    for name in [
        "...", ".a", "a..b", "%", "%2f", "%2e2e", "a%2e", "\\", "/", "é", "e\u{301}", "\u{202e}",
        "~",
    ] {
        assert_eq!(join(&[name], "$").unwrap(), name);
    }
}

/// Characters that mean something to a URL, beside any other.
fn name() -> impl Strategy<Value = String> {
    let telling = proptest::sample::select(vec![
        ".", "..", "/", "\\", "%", "%2e", "%2F", "?", "#", "&", "=", "+", ";", " ", "\t", "\n",
        "\0", ":", "@", "$", "|", "~", "a", "é", "list", "create",
    ]);
    let piece = prop_oneof![3 => telling.prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
    proptest::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn no_identifier_leaves_its_place_on_the_path(
        parts in proptest::collection::vec(name(), 0..4),
        delimiter in name().prop_filter("a delimiter is not empty", |name| !name.is_empty()),
    ) {
        let Ok(joined) = id::join(&parts, &delimiter) else { return Ok(()) };
        let text = format!("http://h/base/v1/table/{}/version/create", id::encode(&joined));
        let url = Url::parse(&text).unwrap();
        prop_assert_eq!(url.host_str(), Some("h"));
        prop_assert_eq!(url.query(), None);
        prop_assert_eq!(url.fragment(), None);
        let segments: Vec<_> = url.path_segments().unwrap().collect();
        prop_assert_eq!(segments.len(), 6);
        prop_assert_eq!(&segments[..3], &["base", "v1", "table"]);
        prop_assert_eq!(&segments[4..], &["version", "create"]);
        let read = percent_decode_str(segments[3]).decode_utf8().unwrap();
        prop_assert_eq!(read.as_ref(), joined.as_str());
        if parts.is_empty() {
            prop_assert_eq!(read.as_ref(), delimiter.as_str());
        } else {
            prop_assert_eq!(read.split(&delimiter).collect::<Vec<_>>(), parts);
        }
    }

    #[test]
    fn every_plain_identifier_is_taken(parts in proptest::collection::vec("[a-z é%/]{1,8}", 0..4)) {
        prop_assert!(id::join(&parts, "$").is_ok());
    }
}

#[tokio::test]
async fn a_refused_identifier_is_not_sent() {
    let server = answering(ResponseTemplate::new(200).set_body_json(json!({}))).await;
    let client = client(&server);
    for request in [
        DropTableRequest::new(),
        DropTableRequest::new().with_id([""]),
        DropTableRequest::new().with_id(["a$b"]),
        DropTableRequest::new().with_id([".."]),
    ] {
        let error = client.drop_table(&request).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Request);
        assert_eq!(error.operation().unwrap().id(), "DropTable");
    }
    for name in ["", ".", "..", "%2e"] {
        let request = DropTableIndexRequest::new()
            .with_id(["t"])
            .with_index_name(name);
        let error = client.drop_table_index(&request).await.unwrap_err();
        assert!(error.to_string().contains("`index_name`"), "{error}");
    }
    let error = client
        .drop_table_index(&DropTableIndexRequest::new().with_id(["t"]))
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("`index_name` is not set"),
        "{error}"
    );
    let error = client
        .merge_insert_into_table(&MergeInsertIntoTableRequest::new().with_id(["t"]), "")
        .await
        .unwrap_err();
    assert!(error.to_string().contains("`on` is not set"), "{error}");
    assert!(server.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_backslash_stays_within_its_segment() {
    let server = answering(ResponseTemplate::new(200).set_body_json(json!({}))).await;
    let request = DropTableRequest::new().with_id(["a\\..\\b"]);
    Client::new(format!("{}/api/lance/", server.uri()))
        .unwrap()
        .drop_table(&request)
        .await
        .unwrap();
    let sent = crate::server::only_request(&server).await;
    assert_eq!(sent.url.path(), "/api/lance/v1/table/a%5C..%5Cb/drop");
}

#[tokio::test]
async fn identifiers_within_a_batch_keep_the_same_rules() {
    let server = answering(ResponseTemplate::new(200).set_body_json(json!({}))).await;
    let client = client(&server);
    for id in [vec!["a$b"], vec![""], vec![".."]] {
        let entries = [
            CreateTableVersionEntry::new(["t"], 1, "m"),
            CreateTableVersionEntry::new(id.clone(), 1, "m"),
        ];
        let request = BatchCreateTableVersionsRequest::new(entries);
        let error = client
            .batch_create_table_versions(&request)
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Request);

        let declare = DeclareTableRequest::new().with_id(id);
        let operation = CommitTableOperation::new().with_declare_table(declare);
        let request = BatchCommitTablesRequest::new([operation]);
        let error = client.batch_commit_tables(&request).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Request);
    }
    let operation =
        CommitTableOperation::new().with_deregister_table(DeregisterTableRequest::new());
    let request = BatchCommitTablesRequest::new([operation]);
    let error = client.batch_commit_tables(&request).await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains("`id` is not set within the batch"),
        "{error}"
    );
    assert!(server.received_requests().await.unwrap().is_empty());
}
