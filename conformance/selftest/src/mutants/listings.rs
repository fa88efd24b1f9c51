//! Faults of listings: their order and their pages.

use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use crate::interpose::{
    Honest, Received, error, interpose, json_of, misanswer, misread, misrefuse, ok,
};
use crate::mutant::Mutant;
use crate::relist::{Page, field, relist};

pub(super) const MUTANTS: &[Mutant] = &[
    VERSIONS_SORTED_AS_TEXT,
    VERSIONS_CUT_WITHOUT_A_TOKEN,
    VERSIONS_ARE_TEN_WITHOUT_A_LIMIT,
    QUERY_IS_LOOKED_FOR_IN_THE_BODY,
    DESCENDING_IS_FORGOTTEN_AFTER_A_PAGE,
    DESCENDING_PAGES_REVERSE_ASCENDING_ONES,
    ONE_IS_LOST_AT_EACH_BOUNDARY,
    ONE_COMES_TWICE_AT_EACH_BOUNDARY,
    TOKEN_IS_AN_OFFSET,
    TOKENS_NEVER_END,
    LIMIT_IS_IGNORED,
    PAGE_HOLDS_ONE_MORE,
    ODD_LIMIT_FAILS,
    ALL_TABLES_ARE_THOSE_OF_THE_ROOT,
];

fn lists(received: &Received) -> bool {
    field(received).is_some()
}

const VERSIONS_SORTED_AS_TEXT: Mutant = Mutant {
    name: "versions-sorted-as-text",
    does: "Versions are listed in the order of their numbers as text: 1, 10, 100, 2.",
    scenarios: &["ordering/*descending*", "ordering/contending-*"],
    breaks: &["ORD-1", "ORD-2", "ORD-3"],
    may_break: &["ORD-7", "ORD-6"],
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
    scenarios: &["ordering/descending-across-pages", "ordering/*versions*"],
    breaks: &["PAGE-2"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        let list = |received: &Received| received.is("/version/list");
        misanswer(honest, list, |body| body["page_token"] = Value::Null)
    },
};

const VERSIONS_ARE_TEN_WITHOUT_A_LIMIT: Mutant = Mutant {
    name: "versions-are-ten-without-a-limit",
    does: "Where no limit is given, ten versions come, and no token.",
    scenarios: &[
        "ordering/order-without-descending",
        "ordering/pages-of-versions",
    ],
    breaks: &["PAGE-2"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            if !received.is("/version/list") || received.query("limit").is_some() {
                return honest.answer(received).await;
            }
            let answer = honest
                .answer(received.with_query("limit", Some("10")))
                .await;
            if !answer.status().is_success() {
                return answer;
            }
            let mut body = json_of(answer).await;
            body["page_token"] = Value::Null;
            ok(&body)
        })
    },
};

const QUERY_IS_LOOKED_FOR_IN_THE_BODY: Mutant = Mutant {
    name: "query-is-looked-for-in-the-body",
    does: "`limit` and `descending` of a version list are expected in the body, where they are not.",
    scenarios: &["ordering/*descending*"],
    breaks: &["ORD-1", "ORD-2", "ORD-3", "PAGE-1"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        let list = |received: &Received| received.is("/version/list");
        misread(honest, list, |received| {
            received
                .with_query("limit", None)
                .with_query("descending", None)
        })
    },
};

const DESCENDING_IS_FORGOTTEN_AFTER_A_PAGE: Mutant = Mutant {
    name: "descending-is-forgotten-after-a-page",
    does: "The second page of a list of versions, descending, goes on upwards.",
    scenarios: &["ordering/descending-across-pages"],
    breaks: &["ORD-2", "PAGE-2"],
    may_break: &["PAGE-4", "ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        let second = |received: &Received| {
            received.is("/version/list") && received.query("page_token").is_some()
        };
        misread(honest, second, |received| {
            received.with_query("descending", None)
        })
    },
};

const DESCENDING_PAGES_REVERSE_ASCENDING_ONES: Mutant = Mutant {
    name: "descending-pages-reverse-ascending-ones",
    does: "A page is read upwards and turned round afterwards, so that limit 1 gives the oldest.",
    scenarios: &[
        "ordering/first-descending-is-the-latest",
        "ordering/descending-across-pages",
    ],
    breaks: &["ORD-2", "ORD-3"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let descending = received.query("descending").as_deref() == Some("true");
            if !received.is("/version/list") || !descending {
                return honest.answer(received).await;
            }
            let answer = honest.answer(received.with_query("descending", None)).await;
            if !answer.status().is_success() {
                return answer;
            }
            let mut body = json_of(answer).await;
            if let Some(versions) = body["versions"].as_array_mut() {
                versions.reverse();
            }
            ok(&body)
        })
    },
};

const ONE_IS_LOST_AT_EACH_BOUNDARY: Mutant = Mutant {
    name: "one-is-lost-at-each-boundary",
    does: "The token names the first item of the next page, which then begins after it.",
    scenarios: &["ordering/pages-of-*"],
    breaks: &["PAGE-4"],
    may_break: &["LIST-1", "PAGE-2", "ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            relist(honest, received, |count, from, limit| {
                let end = from.saturating_add(limit).min(count);
                Page {
                    items: (from..end).collect(),
                    next: (end < count).then_some(end + 1),
                }
            })
            .await
        })
    },
};

const ONE_COMES_TWICE_AT_EACH_BOUNDARY: Mutant = Mutant {
    name: "one-comes-twice-at-each-boundary",
    does: "A page begins with the last item of the one before.",
    scenarios: &["ordering/pages-of-*"],
    breaks: &["PAGE-4"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            relist(honest, received, |count, from, limit| {
                let from = if limit > 1 {
                    from.saturating_sub(1)
                } else {
                    from
                };
                let end = from.saturating_add(limit).min(count);
                Page {
                    items: (from..end).collect(),
                    next: (end < count).then_some(end),
                }
            })
            .await
        })
    },
};

const TOKEN_IS_AN_OFFSET: Mutant = Mutant {
    name: "token-is-an-offset",
    does: "A page token counts the items before the page, whatever comes or goes.",
    scenarios: &["ordering/*-come-and-go-while-paging"],
    breaks: &[],
    may_break: &["ORD-6", "ORD-7"],
    warns: &["PAGE-5"],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            relist(honest, received, |count, from, limit| {
                let end = from.saturating_add(limit).min(count);
                Page {
                    items: (from..end).collect(),
                    next: (end < count).then_some(end),
                }
            })
            .await
        })
    },
};

const TOKENS_NEVER_END: Mutant = Mutant {
    name: "tokens-never-end",
    does: "Every page carries a token, those after the last item, too.",
    scenarios: &["ordering/pages-of-*", "ordering/order-without-descending"],
    breaks: &["PAGE-3"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            relist(honest, received, |count, from, limit| {
                let end = from.saturating_add(limit).min(count);
                Page {
                    items: (from..end).collect(),
                    next: Some(end),
                }
            })
            .await
        })
    },
};

const LIMIT_IS_IGNORED: Mutant = Mutant {
    name: "limit-is-ignored",
    does: "A list is given whole, whatever the limit.",
    scenarios: &["ordering/pages-of-*"],
    breaks: &["PAGE-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        let natural = |received: &Received| {
            let limit = received
                .query("limit")
                .and_then(|limit| limit.parse::<u32>().ok());
            lists(received) && limit.is_some_and(|limit| limit > 0)
        };
        misread(honest, natural, |received| {
            received.with_query("limit", None)
        })
    },
};

const PAGE_HOLDS_ONE_MORE: Mutant = Mutant {
    name: "page-holds-one-more",
    does: "The item that is read to see whether there are more is given out with the page.",
    scenarios: &["ordering/pages-of-*"],
    breaks: &["PAGE-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            relist(honest, received, |count, from, limit| {
                let end = from.saturating_add(limit).saturating_add(1).min(count);
                Page {
                    items: (from..end).collect(),
                    next: (end < count).then_some(end),
                }
            })
            .await
        })
    },
};

const ODD_LIMIT_FAILS: Mutant = Mutant {
    name: "odd-limit-fails",
    does: "A limit or page token that cannot be read is a server error.",
    scenarios: &["ordering/pages-of-*"],
    breaks: &["PAGE-6"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        misrefuse(honest, lists, StatusCode::BAD_REQUEST, |_| {
            error(StatusCode::INTERNAL_SERVER_ERROR, 18)
        })
    },
};

const ALL_TABLES_ARE_THOSE_OF_THE_ROOT: Mutant = Mutant {
    name: "all-tables-are-those-of-the-root",
    does: "ListAllTables lists the tables of the root namespace.",
    scenarios: &["ordering/pages-of-all-tables"],
    breaks: &["LIST-1"],
    may_break: &["ORD-6", "ORD-7"],
    warns: &[],
    wrap: |honest| {
        let all = |received: &Received| received.is("/v1/table") || received.is("/v1/table/");
        misanswer(honest, all, |body| {
            if let Some(tables) = body["tables"].as_array_mut() {
                tables.retain(|table| table.as_str().is_some_and(|table| !table.contains('$')));
            }
        })
    },
};
