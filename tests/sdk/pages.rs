//! Servers that answer in pages, and what they were asked for.

use serde_json::{Value, json};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

/// The token of a place. It holds whatever would change on its way if it were not carried as it is.
pub(crate) fn token(place: usize) -> String {
    format!("{place} +&=%2F#é\"\\$ ")
}

pub(crate) fn sent_token(request: &Request) -> Option<String> {
    sent(request, "page_token").map(|value| value.as_str().unwrap().to_owned())
}

pub(crate) fn sent_limit(request: &Request) -> Option<i64> {
    sent(request, "limit").map(|value| value.as_i64().unwrap())
}

/// A value of a request, wherever it stands; a number in the query is one.
pub(crate) fn sent(request: &Request, name: &str) -> Option<Value> {
    let mut query = request.url.query_pairs();
    match query.find(|(key, _)| key == name) {
        Some((_, value)) if name == "limit" => Some(json!(value.parse::<i64>().unwrap())),
        Some((_, value)) => Some(json!(value)),
        None => serde_json::from_slice::<Value>(&request.body)
            .ok()?
            .get(name)
            .cloned(),
    }
}

pub(crate) async fn served(
    respond: impl Fn(&Request) -> ResponseTemplate + Send + Sync + 'static,
) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(any())
        .respond_with(respond)
        .mount(&server)
        .await;
    server
}

pub(crate) fn page(names: &[String], next: Option<String>) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(json!({ "tables": names, "page_token": next }))
}

pub(crate) fn names(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("t{number}")).collect()
}

/// A server of these pages, whatever the limit is.
pub(crate) async fn serving_pages(pages: Vec<Vec<String>>) -> MockServer {
    served(move |request| {
        let number = match sent_token(request) {
            None => 0,
            Some(given) => (1..pages.len())
                .find(|place| token(*place) == given)
                .unwrap(),
        };
        let next = (number + 1 < pages.len()).then(|| token(number + 1));
        page(&pages[number], next)
    })
    .await
}

/// A server of so many tables, in pages of the size that the limit says.
pub(crate) async fn serving(count: usize) -> MockServer {
    let names = names(count);
    served(move |request| {
        let start = match sent_token(request) {
            None => 0,
            Some(given) => (1..count).find(|place| token(*place) == given).unwrap(),
        };
        let size = sent_limit(request).map_or(4, |limit| usize::try_from(limit).unwrap());
        let end = names.len().min(start + size);
        let next = (end < names.len()).then(|| token(end));
        page(&names[start..end], next)
    })
    .await
}

/// A server whose answers carry these tokens, one after another, and one table each.
pub(crate) async fn serving_tokens(tokens: &'static [&'static str]) -> MockServer {
    let server = MockServer::start().await;
    for (place, token) in tokens.iter().enumerate() {
        Mock::given(any())
            .respond_with(page(&[format!("t{place}")], Some((*token).to_owned())))
            .up_to_n_times(1)
            .mount(&server)
            .await;
    }
    server
}

pub(crate) async fn requests(server: &MockServer) -> Vec<Request> {
    server.received_requests().await.unwrap()
}

pub(crate) async fn limits(server: &MockServer) -> Vec<Option<i64>> {
    requests(server).await.iter().map(sent_limit).collect()
}
