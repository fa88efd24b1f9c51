//! Pages and their tokens, and what lists hold.

use axum::Router;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use crate::interpose::{Honest, Received, interpose, json_of, ok, reword};
use crate::naming::{Kind, Named};
use crate::reading::{Reading, reading};
use crate::relist::field;

pub(super) const LIMITS: &[Reading] = &[LIMIT_OF_ZERO_IS_NONE, FORGED_TOKEN_BEGINS_ANEW];
pub(super) const PAGES: &[Reading] = &[EMPTY_PAGES, ODD_TOKENS];
pub(super) const SMALL_PAGES: &[Reading] = &[PAGES_OF_ONE];
pub(super) const ENDS: &[Reading] = &[EMPTY_TOKEN_ENDS, LAST_PAGE_IS_EMPTY];
pub(super) const TABLES: &[Reading] = &[FULL_IDENTIFIERS, TABLES_OF_ALL_BELOW];
pub(super) const ORDERS: &[Reading] = &[OTHER_ORDER];

/// Changes what a listing is asked and what it answers; nothing of other operations.
fn listing(
    honest: Router,
    ask: fn(Received) -> Received,
    answer: fn(&Received, &str, &mut Value),
) -> Router {
    interpose(honest, move |honest, received| async move {
        let Some(field) = field(&received) else {
            return honest.answer(received).await;
        };
        let answered = honest.answer(ask(received.clone())).await;
        if answered.status() != StatusCode::OK {
            return answered;
        }
        let mut body = json_of(answered).await;
        answer(&received, field, &mut body);
        ok(&body)
    })
}

const LIMIT_OF_ZERO_IS_NONE: Reading = reading(
    "limit-of-zero-is-none",
    "A limit of 0 or less is no limit.",
    &["PAGE-6"],
    |honest| {
        listing(
            honest,
            |received| {
                let limit = received.query("limit").and_then(|limit| limit.parse().ok());
                match limit {
                    Some(i64::MIN..=0) => received.with_query("limit", None),
                    _ => received,
                }
            },
            |_, _, _| {},
        )
    },
);

const FORGED_TOKEN_BEGINS_ANEW: Reading = reading(
    "forged-token-begins-anew",
    "A page token that the server did not make is passed over.",
    &["PAGE-6", "PAGE-7"],
    |honest| {
        interpose(honest, async |honest, received| {
            let forged = field(&received).is_some() && received.query("page_token").is_some();
            let answer = honest.answer(received.clone()).await;
            if !forged || answer.status() != StatusCode::BAD_REQUEST {
                return answer;
            }
            let anew = received.with_query("page_token", None);
            honest.answer(anew).await
        })
    },
);

const PAGES_OF_ONE: Reading = Reading {
    name: "pages-of-one",
    does: "No page holds more than one item, whatever the limit, and where there is none.",
    of: &["PAGE-1", "PAGE-2"],
    // All tables of a server that others fill are more pages than anybody reads.
    unjudged: &["ordering/pages-of-all-tables"],
    wrap: |honest| {
        listing(
            honest,
            |received| match received.query("limit") {
                None => received.with_query("limit", Some("1")),
                Some(limit) if limit.parse::<i64>().is_ok_and(|limit| limit > 1) => {
                    received.with_query("limit", Some("1"))
                }
                Some(_) => received,
            },
            |_, _, _| {},
        )
    },
};

const EMPTY_PAGES: Reading = reading(
    "empty-pages",
    "Before each page comes one without items, with a token, but before the first of versions.",
    &["PAGE-2", "PAGE-3"],
    |honest| {
        interpose(honest, async |honest, received| {
            let Some(field) = field(&received) else {
                return honest.answer(received).await;
            };
            let token = received.query("page_token");
            // The first of a table's versions, the latest first, is the latest (ORD-3).
            let first = match field {
                "versions" => "page ",
                _ => "before ",
            };
            let token = token.as_deref().unwrap_or(first);
            if let Some(next) = token.strip_prefix("before ") {
                return empty_page(honest, &received, field, &format!("page {next}")).await;
            }
            let Some(place) = token.strip_prefix("page ") else {
                return honest.answer(received).await;
            };
            let place = Some(place).filter(|place| !place.is_empty());
            let answer = honest
                .answer(received.with_query("page_token", place))
                .await;
            if answer.status() != StatusCode::OK {
                return answer;
            }
            let mut body = json_of(answer).await;
            if let Some(next) = body["page_token"].as_str() {
                body["page_token"] = json!(format!("before {next}"));
            }
            ok(&body)
        })
    },
);

/// A page without items, of a listing that is there.
async fn empty_page(honest: Honest, received: &Received, field: &str, next: &str) -> Response {
    let first = received.clone().with_query("page_token", None);
    let answer = honest.answer(first).await;
    if answer.status() != StatusCode::OK {
        return answer;
    }
    let body = json_of(answer).await;
    let none = match body[field].is_object() {
        true => json!({}),
        false => json!([]),
    };
    ok(&json!({ field: none, "page_token": Some(next).filter(|next| !next.is_empty()) }))
}

const ODD_TOKENS: Reading = reading(
    "odd-tokens",
    "Page tokens are long, and have characters that stand for something in a URL.",
    &["PAGE-2"],
    |honest| {
        listing(
            honest,
            |received| {
                let token = received.query("page_token");
                let inner = token
                    .as_deref()
                    .and_then(|token| token.strip_prefix(&odd()));
                let inner = inner.map(str::to_owned);
                match inner {
                    Some(inner) => received.with_query("page_token", Some(&inner)),
                    None => received,
                }
            },
            |_, _, body| {
                if let Some(token) = body["page_token"].as_str() {
                    body["page_token"] = json!(format!("{}{token}", odd()));
                }
            },
        )
    },
);

/// What an odd token begins with.
fn odd() -> String {
    format!("a+b/c== &x=%41#?é{}", "0".repeat(900))
}

const EMPTY_TOKEN_ENDS: Reading = reading(
    "empty-token-ends",
    "The last page has an empty page token.",
    &["PAGE-3"],
    |honest| {
        listing(
            honest,
            |received| received,
            |_, _, body| {
                if body["page_token"].is_null() {
                    body["page_token"] = json!("");
                }
            },
        )
    },
);

const LAST_PAGE_IS_EMPTY: Reading = reading(
    "last-page-is-empty",
    "A page with items has a token: that nothing follows is told by an empty page.",
    &["PAGE-2"],
    |honest| {
        interpose(honest, async |honest, received| {
            let Some(field) = field(&received) else {
                return honest.answer(received).await;
            };
            if received.query("page_token").as_deref() == Some("the end") {
                return empty_page(honest, &received, field, "").await;
            }
            let answer = honest.answer(received).await;
            if answer.status() != StatusCode::OK {
                return answer;
            }
            let mut body = json_of(answer).await;
            let items = body[field].as_array().map_or(0, Vec::len)
                + body[field].as_object().map_or(0, serde_json::Map::len);
            if body["page_token"].is_null() && items > 0 {
                body["page_token"] = json!("the end");
            }
            ok(&body)
        })
    },
);

const OTHER_ORDER: Reading = reading(
    "other-order",
    "Lists come backwards; versions too, where nobody asks for an order.",
    &["ORD-4"],
    |honest| {
        reword(honest, |received, body| {
            let ordered = received.query("descending").as_deref() == Some("true");
            if let Some(field) = field(received).filter(|_| !ordered)
                && let Some(items) = body[field].as_array_mut()
            {
                items.reverse();
            }
        })
    },
);

const FULL_IDENTIFIERS: Reading = reading(
    "full-identifiers",
    "ListTables answers full identifiers.",
    &["LIST-1"],
    |honest| {
        reword(honest, |received, body| {
            let Some(named) = lists_tables(received) else {
                return;
            };
            let tables = body["tables"].as_array_mut().into_iter().flatten();
            for table in tables {
                if let Some(name) = table.as_str() {
                    let id = [named.id.clone(), vec![name.to_owned()]].concat();
                    *table = json!(id.join(named.delimiter()));
                }
            }
        })
    },
);

fn lists_tables(received: &Received) -> Option<Named> {
    Named::of(received).filter(|named| named.asks(Kind::Namespace, "table/list"))
}

const TABLES_OF_ALL_BELOW: Reading = reading(
    "tables-of-all-below",
    "ListTables answers the tables of the namespaces below, too, all by their full identifiers.",
    &["LIST-1"],
    |honest| {
        interpose(honest, async |honest, received| {
            let Some(named) = lists_tables(&received) else {
                return honest.answer(received).await;
            };
            // Whether it is there, and whether this can be asked.
            let first = received.clone().with_query("page_token", None);
            let answer = honest.answer(first).await;
            if answer.status() != StatusCode::OK {
                return answer;
            }
            let begin = match named.id.as_slice() {
                [] => String::new(),
                id => id.join(named.delimiter()) + named.delimiter(),
            };
            let mut tables = every_table(honest, &received, &begin).await;
            tables.sort_unstable();
            if let Some(after) = received.query("page_token") {
                tables.retain(|table| *table > after);
            }
            let limit = received.query("limit").and_then(|limit| limit.parse().ok());
            let limit = limit.filter(|limit| *limit > 0).unwrap_or(usize::MAX);
            let next = tables
                .get(limit)
                .is_some()
                .then(|| tables[limit - 1].clone());
            tables.truncate(limit);
            ok(&json!({ "tables": tables, "page_token": next }))
        })
    },
);

/// The identifiers of all tables that begin so, as ListAllTables answers them.
async fn every_table(honest: Honest, received: &Received, begin: &str) -> Vec<String> {
    let mut tables = Vec::new();
    let mut token: Option<String> = None;
    loop {
        let page = received.clone().with_query("limit", None);
        let mut page = page.with_query("page_token", token.as_deref());
        let query = page.uri.query().unwrap_or_default();
        if let Ok(uri) = format!("/v1/table?{query}").parse() {
            page.uri = uri;
        }
        let mut body = json_of(honest.answer(page).await).await;
        if let Value::Array(items) = body["tables"].take() {
            let items = items.iter().filter_map(Value::as_str);
            tables.extend(items.filter(|id| id.starts_with(begin)).map(str::to_owned));
        }
        token = body["page_token"].as_str().map(str::to_owned);
        if token.as_deref().is_none_or(str::is_empty) {
            return tables;
        }
    }
}
