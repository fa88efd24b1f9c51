//! Errors, whatever a server answers: nothing panics, and nothing that was said is lost.

use std::collections::BTreeMap;

use lance_namespace_client::models::*;
use lance_namespace_client::reqwest::header::{HeaderName, HeaderValue};
use lance_namespace_client::{Client, Error, ErrorCode, ErrorKind, RetryPolicy};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use wiremock::ResponseTemplate;

use crate::server::answering;

type Headers = BTreeMap<String, Vec<u8>>;

/// The outcome of a call that is answered so.
fn answered(
    status: u16,
    headers: &Headers,
    body: &[u8],
) -> Result<CreateTableVersionResponse, Error> {
    let mut response = ResponseTemplate::new(status);
    for (name, value) in headers {
        let name: HeaderName = name.parse().unwrap();
        response = response.insert_header(name, HeaderValue::from_bytes(value).unwrap());
    }
    let response = response.set_body_bytes(body);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let server = answering(response).await;
        let request = CreateTableVersionRequest::new(7, "m").with_id(["t"]);
        Client::builder(server.uri())
            .retry(RetryPolicy::none())
            .build()
            .unwrap()
            .create_table_version(&request)
            .await
    })
}

/// What stays of every answer. Gives `Display`.
fn check(error: &Error, status: u16, headers: &Headers) -> Result<String, TestCaseError> {
    prop_assert_eq!(error.status().unwrap().as_u16(), status);
    prop_assert_eq!(error.operation().unwrap().id(), "CreateTableVersion");
    let context = error.context();
    for (name, value) in headers {
        prop_assert_eq!(error.headers()[name].as_bytes(), value);
        let text = String::from_utf8_lossy(value);
        prop_assert_eq!(&context[&format!("header.{name}")], text.as_ref());
    }
    let shown = error.to_string();
    prop_assert!(shown.contains(&status.to_string()), "{}", shown);
    let debug = format!("{error:?}");
    prop_assert!(debug.contains(&status.to_string()), "{}", debug);
    Ok(shown)
}

/// Any status that is an error. A 304 cannot have a body.
fn status() -> impl Strategy<Value = u16> {
    let any = (300_u16..1000).prop_filter("304 has no body", |status| *status != 304);
    let usual = proptest::sample::select(vec![307, 400, 401, 404, 406, 409, 412, 500, 501, 507]);
    prop_oneof![any, usual]
}

/// Headers with values that a server may send, also beyond ASCII. A value has no blanks around it.
fn headers() -> impl Strategy<Value = Headers> {
    let usual = ["content-type", "location", "retry-after", "x-request-id"];
    let name = prop_oneof![
        proptest::sample::select(usual.map(str::to_owned).to_vec()),
        "x-[a-z0-9_.-]{1,12}",
    ];
    let byte = prop_oneof![3 => 0x21_u8..0x7f, 1 => 0x80_u8..=0xff];
    proptest::collection::btree_map(name, proptest::collection::vec(byte, 0..20), 0..4)
}

/// Any JSON.
fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (-1_i64..30).prop_map(Value::from),
        proptest::sample::select(vec!["14", "14.0", "", " ", "TableNotFound"])
            .prop_map(Value::from),
        text(),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let list = proptest::collection::vec(inner.clone(), 0..4);
        let map = proptest::collection::vec((name(), inner), 0..4);
        prop_oneof![
            list.prop_map(Value::from),
            map.prop_map(|entries| Value::from(entries.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn text() -> impl Strategy<Value = Value> {
    any::<String>().prop_map(Value::from)
}

/// A name that means something in an error, or another.
fn name() -> impl Strategy<Value = String> {
    let known = [
        "error", "code", "detail", "instance", "message", "context", "type",
    ];
    prop_oneof![4 => proptest::sample::select(known.map(str::to_owned).to_vec()), 1 => any::<String>()]
}

/// A body of bytes: JSON, JSON that breaks off, text, anything.
fn body() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        any::<Vec<u8>>(),
        any::<String>().prop_map(String::into_bytes),
        json().prop_map(|value| value.to_string().into_bytes()),
        (json(), any::<proptest::sample::Index>()).prop_map(|(value, end)| {
            let mut bytes = value.to_string().into_bytes();
            bytes.truncate(end.index(bytes.len() + 1));
            bytes
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_answer_that_is_an_error_keeps_its_status_its_headers_and_its_words(
        status in status(),
        headers in headers(),
        body in body(),
    ) {
        let error = answered(status, &headers, &body).unwrap_err();
        let shown = check(&error, status, &headers)?;
        let kind = match status < 400 {
            true => ErrorKind::Redirect,
            false => ErrorKind::Server,
        };
        // A create whose outcome the answer leaves open is of unknown kind.
        prop_assert_eq!(error.lost_by().unwrap_or(error.kind()), kind);
        if !matches!(serde_json::from_slice(&body), Ok(Value::Object(_))) {
            let text = String::from_utf8_lossy(&body);
            let words = Some(text.trim()).filter(|text| !text.is_empty());
            prop_assert_eq!(error.message(), words);
            prop_assert_eq!(error.code(), None);
            let start: String = words.unwrap_or_default().chars().take(400).collect();
            prop_assert!(shown.contains(&start), "{}", shown);
        }
    }

    #[test]
    fn the_fields_of_an_error_are_read_each_by_itself(
        status in status(),
        fields in proptest::collection::vec((name(), prop_oneof![json(), text()]), 0..8),
    ) {
        let fields: Map<String, Value> = fields.into_iter().collect();
        let body = Value::from(fields.clone()).to_string();
        let error = answered(status, &Headers::new(), body.as_bytes()).unwrap_err();
        let shown = check(&error, status, &Headers::new())?;

        // What is empty says nothing.
        let said = |text: &&str| !text.is_empty();
        let text = |name: &str| fields.get(name).and_then(Value::as_str).filter(said);
        let code = fields.get("code").and_then(Value::as_i64);
        prop_assert_eq!(error.code().map(ErrorCode::number), code);
        prop_assert_eq!(error.detail(), text("detail"));
        prop_assert_eq!(error.instance(), text("instance"));
        let words = text("error").or(text("message"));
        match error.message() {
            Some(message) if words.is_none() => {
                // An error of another protocol is shown as it came.
                prop_assert_eq!(message, body);
                prop_assert_eq!((code, text("detail")), (None, None));
            }
            message => prop_assert_eq!(message, words),
        }
        let said = error.message().or(error.detail()).unwrap_or_default();
        let start: String = said.chars().take(400).collect();
        prop_assert!(shown.contains(&start), "{}", shown);
        if let Some(Value::Object(context)) = fields.get("context") {
            let all = error.context();
            for (key, value) in context {
                // A header that was really sent comes before what the body says of it.
                if !key.starts_with("header.") {
                    prop_assert_eq!(all.get(key).map(String::as_str), value.as_str());
                }
            }
        }
    }

    #[test]
    fn any_answer_that_is_a_success_is_read_or_keeps_its_status_and_its_headers(
        status in proptest::sample::select(vec![200_u16, 201, 202, 203, 206, 299]),
        headers in headers(),
        body in body(),
    ) {
        if let Err(error) = answered(status, &headers, &body) {
            check(&error, status, &headers)?;
            prop_assert_eq!(error.lost_by(), Some(ErrorKind::Decode));
            prop_assert_eq!(error.code(), None);
        }
    }
}

#[test]
fn json_that_is_nested_without_end_is_a_text() {
    for open in ["[", "{\"error\":", "{\"code\":["] {
        let body = open.repeat(20_000);
        let error = answered(400, &Headers::new(), body.as_bytes()).unwrap_err();
        assert_eq!(error.message(), Some(body.as_str()));
        assert_eq!(error.code(), None);
        assert!(error.to_string().len() < 1_000);
    }
}

#[test]
fn a_code_is_a_number_and_nothing_that_looks_like_one() {
    for code in [
        json!("14"),
        json!(14.5),
        json!(14.0),
        json!(1e30),
        json!([14]),
        json!({ "code": 14 }),
        json!(true),
        json!(null),
        json!(u64::MAX),
    ] {
        let body = json!({ "error": "code 14", "code": code }).to_string();
        let error = answered(409, &Headers::new(), body.as_bytes()).unwrap_err();
        assert_eq!(error.code(), None, "{body}");
        assert_eq!(error.message(), Some("code 14"));
    }
}
