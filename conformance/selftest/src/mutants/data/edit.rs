//! Changes of requests, for mutants that read them wrongly.

use axum::body::Bytes;
use lance_namespace_suite::rows::Frame;
use serde_json::Value;

use crate::interpose::Received;

/// Changes the JSON body.
pub(super) fn json(received: &mut Received, change: impl FnOnce(&mut Value)) {
    let mut body = received.json();
    change(&mut body);
    received.body = Bytes::from(body.to_string());
}

/// Takes a field out of the JSON body.
pub(super) fn without_field(received: &mut Received, name: &str) {
    json(received, |body| {
        if let Some(fields) = body.as_object_mut() {
            fields.remove(name);
        }
    });
}

/// Sets a query parameter, or takes it out.
pub(super) fn query(received: &mut Received, name: &str, value: Option<&str>) {
    let before = received.uri.query().unwrap_or_default().to_owned();
    let mut pairs: Vec<String> = before
        .split('&')
        .filter(|pair| !pair.is_empty() && pair.split('=').next() != Some(name))
        .map(str::to_owned)
        .collect();
    pairs.extend(value.map(|value| format!("{name}={value}")));
    let path = received.uri.path().to_owned();
    address(received, &format!("{path}?{}", pairs.join("&")));
}

/// Sends the request elsewhere.
pub(super) fn address(received: &mut Received, path_and_query: &str) {
    if let Ok(uri) = path_and_query.parse() {
        received.uri = uri;
    }
}

/// Changes the rows that the request carries.
pub(super) fn rows(received: &mut Received, change: impl FnOnce(&mut Frame)) {
    let Ok(mut frame) = Frame::read(&received.body) else {
        return;
    };
    change(&mut frame);
    if let Ok(stream) = frame.stream() {
        received.body = stream;
    }
}
