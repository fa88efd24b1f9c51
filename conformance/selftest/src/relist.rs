//! Listings that are cut into pages again, in another way than the honest server's.

use axum::response::Response;
use serde_json::{Map, Value, json};

use crate::interpose::{Honest, Received, json_of, ok};

/// A page: the places of its items in the whole, and the place that its token stands for.
pub struct Page {
    /// The items, by their places.
    pub items: Vec<usize>,
    /// Where the next page begins, if there is one.
    pub next: Option<usize>,
}

/// The field that holds the items of a listing, if the request is for one.
#[must_use]
pub fn field(received: &Received) -> Option<&'static str> {
    let path = received.uri.path();
    let fields = [
        ("/version/list", "versions"),
        ("/tags/list", "tags"),
        ("/branches/list", "branches"),
        ("/table/list", "tables"),
        ("/v1/table", "tables"),
        ("/v1/table/", "tables"),
    ];
    let of_tables = fields.iter().find(|(suffix, _)| path.ends_with(suffix));
    let namespaces = || path.starts_with("/v1/namespace/") && path.ends_with("/list");
    match of_tables {
        Some((_, field)) => Some(field),
        None => namespaces().then_some("namespaces"),
    }
}

/// Answers a listing, cut by `cut`, which is given the number of items, the place to begin at, and
/// the limit. Tokens are places in the whole; what is odd, the honest server answers.
pub async fn relist(
    honest: Honest,
    received: Received,
    cut: impl Fn(usize, usize, usize) -> Page,
) -> Response {
    let Some(field) = field(&received) else {
        return honest.answer(received).await;
    };
    let token = received.query("page_token");
    let from = token.as_ref().map_or(Some(0), |token| token.parse().ok());
    let limit = received.query("limit");
    let limit = limit.map_or(Some(usize::MAX), |limit| limit.parse().ok());
    let (Some(from), Some(limit @ 1..)) = (from, limit) else {
        return honest.answer(received).await;
    };
    let received = received.with_query("limit", None);
    let mut items: Vec<(String, Value)> = Vec::new();
    let mut token = None;
    loop {
        let page = received.clone().with_query("page_token", token.as_deref());
        let answer = honest.answer(page).await;
        if !answer.status().is_success() {
            return answer;
        }
        let mut body = json_of(answer).await;
        match body[field].take() {
            Value::Array(page) => items.extend(page.into_iter().map(|item| (String::new(), item))),
            Value::Object(page) => items.extend(page),
            _ => {}
        }
        token = body["page_token"].as_str().map(str::to_owned);
        if token.is_none() {
            break;
        }
    }
    let page = cut(items.len(), from, limit);
    let chosen = page.items.iter().filter_map(|place| items.get(*place));
    let chosen = chosen.cloned();
    let body = match field {
        "tags" | "branches" => Value::Object(Map::from_iter(chosen)),
        _ => chosen.map(|(_, item)| item).collect(),
    };
    ok(&json!({ field: body, "page_token": page.next.map(|place| place.to_string()) }))
}
