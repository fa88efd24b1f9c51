//! Faults of listings.

use axum::response::Response;
use serde_json::{Value, json};

use crate::interpose::{Honest, Received, interpose, json_of, ok};
use crate::mutant::Mutant;

pub(super) const MUTANTS: &[Mutant] = &[VERSIONS_SORTED_AS_TEXT, VERSIONS_CUT_WITHOUT_A_TOKEN];

const VERSIONS_SORTED_AS_TEXT: Mutant = Mutant {
    name: "versions-sorted-as-text",
    does: "Versions are listed in the order of their numbers as text: 1, 10, 100, 2.",
    scenarios: &["ordering/*"],
    breaks: &["ORD-1", "ORD-2", "ORD-3", "ORD-7"],
    may_break: &[],
    warns: &[],
    wrap: |honest| interpose(honest, sorted_as_text),
};

async fn sorted_as_text(honest: Honest, received: Received) -> Response {
    let Some(table) = received.table("/version/list") else {
        return honest.answer(received).await;
    };
    let number = |name: &str| received.query(name)?.parse::<usize>().ok();
    let descending = received.query("descending").as_deref() == Some("true");
    let (limit, from) = (number("limit"), number("page_token").unwrap_or(0));
    let odd = ["limit", "page_token"]
        .iter()
        .any(|name| received.query(name).is_some() && number(name).is_none());
    // Whatever else there is to say of odd parameters and other branches, the honest server says.
    if odd || limit == Some(0) || received.query("branch").is_some() {
        return honest.answer(received).await;
    }
    let whole = honest.on_table(&table, "/version/list", &json!({})).await;
    if !whole.status().is_success() {
        return whole;
    }
    let mut versions = match json_of(whole).await["versions"].take() {
        Value::Array(versions) => versions,
        _ => Vec::new(),
    };
    versions.sort_by_key(|entry| entry["version"].to_string());
    if descending {
        versions.reverse();
    }
    let end = limit.map_or(versions.len(), |limit| (from + limit).min(versions.len()));
    let token = (end < versions.len()).then(|| end.to_string());
    let page = versions.get(from..end).unwrap_or_default();
    ok(&json!({ "versions": page, "page_token": token }))
}

const VERSIONS_CUT_WITHOUT_A_TOKEN: Mutant = Mutant {
    name: "versions-cut-without-a-token",
    does: "Versions are cut at `limit` and no page token says that there are more.",
    scenarios: &["ordering/*"],
    breaks: &["PAGE-2"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let list = received.table("/version/list").is_some();
            let answer = honest.answer(received).await;
            if !list || !answer.status().is_success() {
                return answer;
            }
            let mut body = json_of(answer).await;
            body["page_token"] = Value::Null;
            ok(&body)
        })
    },
};
