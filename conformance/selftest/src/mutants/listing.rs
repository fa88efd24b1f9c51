//! Faults of the lists of namespaces and tables.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::StatusCode;
use axum::response::Response;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::interpose::{Honest, Received, interpose, json_of, ok};
use crate::mutant::Mutant;
use crate::naming::{Kind, Named};

pub(super) const MUTANTS: &[Mutant] = &[
    LISTS_BY_PREFIX,
    NAMESPACES_ARE_LISTED_AT_ANY_DEPTH,
    MISSING_NAMESPACE_LISTS_ITS_PARENT,
    MISSING_NAMESPACE_LISTS_NOTHING,
    DECLARED_TABLES_ARE_ALWAYS_LISTED,
    ALL_TABLES_BY_PARTS_IN_REVERSE,
    PAGES_WITHOUT_REGARD_TO_CASE,
    TOKENS_REMEMBER_THEIR_NAMESPACE,
];

/// The list that a request asks for, and the field of its answer.
fn lists(received: &Received) -> Option<(Named, &'static str)> {
    let named = Named::of(received).filter(|named| named.kind == Kind::Namespace)?;
    let field = match named.action.as_str() {
        "list" => "namespaces",
        "table/list" => "tables",
        _ => return None,
    };
    Some((named, field))
}

/// Whether a list is asked for whole: pages stay as they are.
fn whole(received: &Received) -> Option<(Named, &'static str)> {
    let paged = received.query("limit").is_some() || received.query("page_token").is_some();
    lists(received).filter(|_| !paged)
}

/// The answer with these names more.
async fn with_more(answer: Response, field: &str, more: Vec<String>) -> Response {
    if !answer.status().is_success() {
        return answer;
    }
    let mut body = json_of(answer).await;
    if let Some(names) = body[field].as_array_mut() {
        for name in more.into_iter().map(Value::from) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    ok(&body)
}

const LISTS_BY_PREFIX: Mutant = Mutant {
    name: "lists-by-prefix",
    does: "A list holds what is inside any namespace whose name begins with the one asked for.",
    scenarios: &["listing/*", "identifiers/odd-names-list-their-own"],
    breaks: &["LIST-1", "REST-11"],
    may_break: &["NS-1", "NS-2", "NS-11", "REST-15"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some((named, field)) = whole(&received) else {
                return honest.answer(received).await;
            };
            let answer = honest.answer(received.clone()).await;
            let mut more = Vec::new();
            let parent = named.parent().to_vec();
            for name in named.names(&honest, &received, &parent, "list").await {
                if name.starts_with(named.name()) && name != named.name() {
                    let id = named.sibling(&name);
                    more.extend(named.names(&honest, &received, &id, &named.action).await);
                }
            }
            with_more(answer, field, more).await
        })
    },
};

const NAMESPACES_ARE_LISTED_AT_ANY_DEPTH: Mutant = Mutant {
    name: "namespaces-are-listed-at-any-depth",
    does: "ListNamespaces names the children of the children too.",
    scenarios: &["listing/namespaces-are-direct-children"],
    breaks: &["LIST-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some((named, field)) = whole(&received).filter(|(_, field)| *field == "namespaces")
            else {
                return honest.answer(received).await;
            };
            let answer = honest.answer(received.clone()).await;
            let mut more = Vec::new();
            for name in named.names(&honest, &received, &named.id, "list").await {
                let id = [named.id.clone(), vec![name]].concat();
                more.extend(named.names(&honest, &received, &id, "list").await);
            }
            with_more(answer, field, more).await
        })
    },
};

const MISSING_NAMESPACE_LISTS_ITS_PARENT: Mutant = Mutant {
    name: "missing-namespace-lists-its-parent",
    does: "The list of a namespace that does not exist is that of the one above.",
    scenarios: &[
        "listing/missing-namespace-is-not-listed",
        "identifiers/look-alike-*",
    ],
    breaks: &["LIST-1", "REST-11"],
    may_break: &[],
    warns: &["LIST-3"],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let list = lists(&received);
            let answer = honest.answer(received.clone()).await;
            match list {
                Some((named, _)) if answer.status() == StatusCode::NOT_FOUND => {
                    let parent = named.parent().to_vec();
                    honest.answer(named.about(&received, &parent)).await
                }
                _ => answer,
            }
        })
    },
};

const MISSING_NAMESPACE_LISTS_NOTHING: Mutant = Mutant {
    name: "missing-namespace-lists-nothing",
    does: "The list of a namespace that does not exist is empty.",
    scenarios: &["listing/*"],
    breaks: &[],
    may_break: &[],
    warns: &["LIST-3"],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let list = lists(&received);
            let answer = honest.answer(received).await;
            match list {
                Some((_, field)) if answer.status() == StatusCode::NOT_FOUND => {
                    ok(&json!({ field: [] }))
                }
                _ => answer,
            }
        })
    },
};

const DECLARED_TABLES_ARE_ALWAYS_LISTED: Mutant = Mutant {
    name: "declared-tables-are-always-listed",
    does: "`include_declared` is not looked at.",
    scenarios: &["listing/declared-tables-*"],
    breaks: &["LIST-2"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, mut received| {
            let query = received.uri.query().unwrap_or_default();
            let kept: Vec<&str> = query
                .split('&')
                .filter(|pair| !pair.starts_with("include_declared"))
                .collect();
            let uri = format!("{}?{}", received.uri.path(), kept.join("&"));
            if let Ok(uri) = uri.parse() {
                received.uri = uri;
            }
            honest.answer(received).await
        })
    },
};

const ALL_TABLES_BY_PARTS_IN_REVERSE: Mutant = Mutant {
    name: "all-tables-by-parts-in-reverse",
    does: "ListAllTables joins the parts of an identifier from the last to the first.",
    scenarios: &["listing/all-tables-by-full-identifier"],
    breaks: &["LIST-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let all = received.uri.path() == "/v1/table";
            let delimiter = received
                .query("delimiter")
                .unwrap_or_else(|| "$".to_owned());
            let answer = honest.answer(received).await;
            if !all || !answer.status().is_success() {
                return answer;
            }
            let mut body = json_of(answer).await;
            for name in body["tables"].as_array_mut().into_iter().flatten() {
                let joined = name.as_str().unwrap_or_default();
                let parts: Vec<&str> = joined.rsplit(delimiter.as_str()).collect();
                *name = json!(parts.join(&delimiter));
            }
            ok(&body)
        })
    },
};

const PAGES_WITHOUT_REGARD_TO_CASE: Mutant = Mutant {
    name: "pages-without-regard-to-case",
    does: "A page begins after the last name of the one before, whatever the case of its letters.",
    scenarios: &["listing/*-that-sort-oddly"],
    breaks: &["PAGE-4"],
    may_break: &["PAGE-2", "PAGE-5"],
    warns: &[],
    wrap: |honest| interpose(honest, pages_without_case),
};

async fn pages_without_case(honest: Honest, received: Received) -> Response {
    let limit = received
        .query("limit")
        .and_then(|limit| limit.parse::<usize>().ok());
    let (Some((named, field)), Some(limit)) = (lists(&received), limit.filter(|limit| *limit > 0))
    else {
        return honest.answer(received).await;
    };
    let mut names = named
        .names(&honest, &received, &named.id, &named.action)
        .await;
    names.sort_by_key(|name| name.to_lowercase());
    if let Some(token) = received.query("page_token") {
        names.retain(|name| name.to_lowercase() > token.to_lowercase());
    }
    let more = names.len() > limit;
    names.truncate(limit);
    let token = names.last().filter(|_| more).cloned();
    ok(&json!({ field: names, "page_token": token }))
}

const TOKENS_REMEMBER_THEIR_NAMESPACE: Mutant = Mutant {
    name: "tokens-remember-their-namespace",
    does: "A page token leads on in the namespace that it came from, whichever is listed.",
    scenarios: &["listing/tokens-stay-in-their-listing"],
    breaks: &["PAGE-7"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let from: Arc<Mutex<BTreeMap<String, Vec<String>>>> = Arc::default();
        interpose(honest, move |honest, received| {
            let from = Arc::clone(&from);
            async move {
                let Some((named, _)) = lists(&received) else {
                    return honest.answer(received).await;
                };
                let sent = received.query("page_token").unwrap_or_default();
                let known = {
                    let from = from.lock().unwrap_or_else(PoisonError::into_inner);
                    from.get(&sent).cloned()
                };
                let id = known.unwrap_or_else(|| named.id.clone());
                let mut request = named.about(&received, &id);
                let own = sent.split('@').next_back().unwrap_or_default();
                let query = received.uri.query().unwrap_or_default();
                let query = query.replace(
                    &utf8_percent_encode(&sent, NON_ALPHANUMERIC).to_string(),
                    &utf8_percent_encode(own, NON_ALPHANUMERIC).to_string(),
                );
                if let Ok(uri) = format!("{}?{query}", request.uri.path()).parse() {
                    request.uri = uri;
                }
                let answer = honest.answer(request).await;
                if !answer.status().is_success() {
                    return answer;
                }
                let mut body = json_of(answer).await;
                if let Some(token) = body["page_token"].as_str() {
                    let token = format!("{}@{token}", id.join("."));
                    body["page_token"] = json!(token);
                    let mut from = from.lock().unwrap_or_else(PoisonError::into_inner);
                    from.insert(token, id);
                }
                ok(&body)
            }
        })
    },
};
