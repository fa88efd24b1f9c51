//! Faults of identifiers.

use axum::Router;
use axum::http::StatusCode;
use axum::response::Response;
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use crate::interpose::{Honest, Received, interpose, ok};
use crate::mutant::Mutant;
use crate::naming::{Kind, Named, refusal};

pub(super) const MUTANTS: &[Mutant] = &[
    BODY_GOES_BEFORE_THE_ROUTE,
    ID_IN_THE_BODY_IS_NEEDED,
    JOINED_PARTS_IN_THE_BODY_ARE_SPLIT,
    DELIMITER_IS_IGNORED,
    PARTS_ARE_SPLIT_BY_THE_USUAL_DELIMITER,
    EMPTY_PARTS_ARE_LEFT_OUT,
    PLUS_IS_A_SPACE,
    ROUTES_ARE_DECODED_TWICE,
    SLASH_IN_A_NAME_IS_LOST,
    QUOTES_ARE_TAKEN_IN_PAIRS,
    REMOVALS_PUT_NAMES_INTO_SQL,
    PERCENT_LISTS_ANY_NAMESPACE,
    NAMES_ARE_CUT,
    REMOVALS_IGNORE_CASE,
    DOT_DOT_CLIMBS,
    ODD_NAMES_FAIL,
];

/// Carries out each request as if it named another object.
fn misread(honest: Router, change: fn(&Named) -> Vec<String>) -> Router {
    interpose(honest, move |honest, received| async move {
        let Some(named) = Named::of(&received) else {
            return honest.answer(received).await;
        };
        let id = change(&named);
        if id == named.id {
            return honest.answer(received).await;
        }
        honest.answer(named.about(&received, &id)).await
    })
}

/// The identifier with its parts changed so.
fn each(named: &Named, change: impl Fn(&str) -> String) -> Vec<String> {
    named.id.iter().map(|part| change(part)).collect()
}

fn parts(body: &Value) -> Option<Vec<String>> {
    let parts = body.get("id")?.as_array()?.iter();
    Some(
        parts
            .filter_map(|part| Some(part.as_str()?.to_owned()))
            .collect(),
    )
}

const BODY_GOES_BEFORE_THE_ROUTE: Mutant = Mutant {
    name: "body-goes-before-the-route",
    does: "Where the body names another object than the route, that one is acted on.",
    scenarios: &["identifiers/body-*differs-from-route"],
    breaks: &["REST-1", "REST-11"],
    may_break: &["REST-16"],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            match (Named::of(&received), parts(&received.json())) {
                (Some(named), Some(id)) if id != named.id => {
                    honest.answer(named.about(&received, &id)).await
                }
                _ => honest.answer(received).await,
            }
        })
    },
};

const ID_IN_THE_BODY_IS_NEEDED: Mutant = Mutant {
    name: "id-in-the-body-is-needed",
    does: "DeclareTable without the identifier in the body is refused.",
    scenarios: &["identifiers/route-alone-names-the-object"],
    breaks: &["REST-2"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let body = received.json();
            let declares =
                Named::of(&received).is_some_and(|named| named.asks(Kind::Table, "declare"));
            if declares && body.is_object() && body["id"].is_null() {
                return refusal(StatusCode::BAD_REQUEST, 13);
            }
            honest.answer(received).await
        })
    },
};

const JOINED_PARTS_IN_THE_BODY_ARE_SPLIT: Mutant = Mutant {
    name: "joined-parts-in-the-body-are-split",
    does: "The parts of an identifier in the body are joined, and split by the delimiter.",
    scenarios: &["identifiers/body-is-a-list-of-parts"],
    breaks: &["REST-16"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let delimiter = received
                .query("delimiter")
                .unwrap_or_else(|| "$".to_owned());
            match (Named::of(&received), parts(&received.json())) {
                (Some(named), Some(id)) if id.join(&delimiter) == named.id.join(&delimiter) => {
                    let id = named.id.clone();
                    honest.answer(named.about(&received, &id)).await
                }
                _ => honest.answer(received).await,
            }
        })
    },
};

const DELIMITER_IS_IGNORED: Mutant = Mutant {
    name: "delimiter-is-ignored",
    does: "The query parameter `delimiter` is not looked at.",
    scenarios: &["identifiers/any-*", "identifiers/delimiter-*"],
    breaks: &["REST-3", "REST-4"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, mut received| {
            let query = received.uri.query().unwrap_or_default();
            let kept: Vec<&str> = query
                .split('&')
                .filter(|pair| !pair.starts_with("delimiter"))
                .collect();
            let uri = format!("{}?{}", received.uri.path(), kept.join("&"));
            if let Ok(uri) = uri.parse() {
                received.uri = uri;
            }
            honest.answer(received).await
        })
    },
};

const PARTS_ARE_SPLIT_BY_THE_USUAL_DELIMITER: Mutant = Mutant {
    name: "parts-are-split-by-the-usual-delimiter",
    does: "Inside, parts are joined by `$`: one part with it is the same as two.",
    scenarios: &["identifiers/part-with-a-delimiter-is-one-part"],
    breaks: &["REST-11"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(named) = Named::of(&received) else {
                return honest.answer(received).await;
            };
            let split = |part: &String| part.split('$').map(str::to_owned).collect::<Vec<_>>();
            let id: Vec<String> = named.id.iter().flat_map(split).collect();
            honest.answer(named.about(&received, &id)).await
        })
    },
};

const EMPTY_PARTS_ARE_LEFT_OUT: Mutant = Mutant {
    name: "empty-parts-are-left-out",
    does: "An empty part of an identifier is left out.",
    scenarios: &["identifiers/empty-part-names-nothing"],
    breaks: &[],
    may_break: &[],
    warns: &["REST-11"],
    wrap: |honest| {
        misread(honest, |named| {
            let id = named.id.iter().filter(|part| !part.is_empty());
            id.cloned().collect()
        })
    },
};

const PLUS_IS_A_SPACE: Mutant = Mutant {
    name: "plus-is-a-space",
    does: "A plus in a route is read as a space.",
    scenarios: &["identifiers/odd-names-of-*", "identifiers/look-alike-*"],
    breaks: &["REST-11"],
    may_break: &["LIST-1", "REST-15"],
    warns: &[],
    wrap: |honest| misread(honest, |named| each(named, |part| part.replace('+', " "))),
};

const ROUTES_ARE_DECODED_TWICE: Mutant = Mutant {
    name: "routes-are-decoded-twice",
    does: "What is percent-encoded in a name is decoded once more.",
    scenarios: &["identifiers/odd-names-of-*", "identifiers/look-alike-*"],
    breaks: &["REST-11"],
    may_break: &["LIST-1", "REST-15"],
    warns: &[],
    wrap: |honest| {
        misread(honest, |named| {
            each(named, |part| {
                percent_decode_str(part).decode_utf8_lossy().into_owned()
            })
        })
    },
};

const SLASH_IN_A_NAME_IS_LOST: Mutant = Mutant {
    name: "slash-in-a-name-is-lost",
    does: "Several slashes in a name are one, as in a path.",
    scenarios: &["identifiers/odd-names-*"],
    breaks: &[],
    may_break: &[],
    warns: &["REST-11"],
    wrap: |honest| misread(honest, |named| each(named, |part| part.replace("//", "/"))),
};

const QUOTES_ARE_TAKEN_IN_PAIRS: Mutant = Mutant {
    name: "quotes-are-taken-in-pairs",
    does: "Lists put the name into a filter, where two quotes are one and one ends it.",
    scenarios: &[
        "identifiers/look-alike-*",
        "identifiers/odd-names-list-their-own",
    ],
    breaks: &["REST-11"],
    may_break: &["LIST-1"],
    warns: &["REST-14"],
    wrap: |honest| interpose(honest, quotes_in_pairs),
};

fn lists(named: &Named) -> bool {
    named.kind == Kind::Namespace && named.action.ends_with("list")
}

async fn quotes_in_pairs(honest: Honest, received: Received) -> Response {
    let Some(named) = Named::of(&received).filter(lists) else {
        return honest.answer(received).await;
    };
    let joined = named.id.join("$").replace("''", "");
    if joined.contains('\'') {
        return refusal(StatusCode::INTERNAL_SERVER_ERROR, 18);
    }
    let id = each(&named, |part| part.replace("''", "'"));
    honest.answer(named.about(&received, &id)).await
}

const REMOVALS_PUT_NAMES_INTO_SQL: Mutant = Mutant {
    name: "removals-put-names-into-sql",
    does: "Removals put the name into SQL as it is: it ends at a quote, and what follows is a condition.",
    scenarios: &["identifiers/odd-names-of-*"],
    breaks: &["REST-11"],
    may_break: &["REST-15"],
    warns: &[],
    wrap: |honest| interpose(honest, removal_by_sql),
};

async fn removal_by_sql(honest: Honest, received: Received) -> Response {
    let Some(named) = Named::of(&received).filter(Named::removes) else {
        return honest.answer(received).await;
    };
    let id = named.id.join("$").replace("''", "\u{0}");
    let Some((id, condition)) = id.split_once('\'') else {
        return honest.answer(received).await;
    };
    let id: Vec<String> = id.split('$').map(|part| part.replace('\0', "'")).collect();
    let condition: String = condition.split_whitespace().collect::<Vec<_>>().join(" ");
    if condition.starts_with("OR '1'='1") {
        return everything_removed(&honest, &named, &received).await;
    }
    let is_sql = ["--", ";", ") AND ", "AND "]
        .iter()
        .any(|start| condition.starts_with(start));
    match is_sql {
        true => honest.answer(named.about(&received, &id)).await,
        false => refusal(StatusCode::INTERNAL_SERVER_ERROR, 18),
    }
}

/// What a condition that always holds does: no table is left in the root, and none in a namespace there.
async fn everything_removed(honest: &Honest, named: &Named, received: &Received) -> Response {
    let mut places = vec![Vec::new()];
    let namespaces = named.names(honest, received, &[], "list").await;
    places.extend(namespaces.into_iter().map(|name| vec![name]));
    for place in places {
        for table in named.names(honest, received, &place, "table/list").await {
            let id = [&place[..], &[table]].concat();
            honest.on_table(&id, "/deregister", &json!({})).await;
        }
    }
    ok(&json!({}))
}

const PERCENT_LISTS_ANY_NAMESPACE: Mutant = Mutant {
    name: "percent-lists-any-namespace",
    does: "Lists look for the name with LIKE, where a percent sign stands for anything.",
    scenarios: &[
        "identifiers/look-alike-*",
        "identifiers/odd-names-list-their-own",
    ],
    breaks: &["REST-11"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let Some(named) =
                Named::of(&received).filter(|named| lists(named) && named.name().ends_with('%'))
            else {
                return honest.answer(received).await;
            };
            let stem = named.name().trim_end_matches('%');
            let parent = named.parent().to_vec();
            let mut found = Vec::new();
            for name in named.names(&honest, &received, &parent, "list").await {
                if name.starts_with(stem) {
                    let id = named.sibling(&name);
                    found.extend(named.names(&honest, &received, &id, &named.action).await);
                }
            }
            let field = if named.action == "list" {
                "namespaces"
            } else {
                "tables"
            };
            found.sort_unstable();
            found.dedup();
            ok(&json!({ field: found }))
        })
    },
};

const NAMES_ARE_CUT: Mutant = Mutant {
    name: "names-are-cut",
    does: "Names are cut after 250 bytes.",
    scenarios: &["identifiers/long-names"],
    breaks: &["LIST-1"],
    may_break: &["REST-11", "REST-15"],
    warns: &[],
    wrap: |honest| {
        misread(honest, |named| {
            each(named, |part| {
                let cuts = (0..=part.len().min(250)).rev();
                let end = cuts.into_iter().find(|at| part.is_char_boundary(*at));
                part[..end.unwrap_or_default()].to_owned()
            })
        })
    },
};

const REMOVALS_IGNORE_CASE: Mutant = Mutant {
    name: "removals-ignore-case",
    does: "Removals read names without regard to case, all else with.",
    scenarios: &["identifiers/spellings-are-one-name-or-two"],
    breaks: &["REST-11"],
    may_break: &["REST-15"],
    warns: &[],
    wrap: |honest| {
        misread(honest, |named| match named.removes() {
            true => each(named, str::to_lowercase),
            false => named.id.clone(),
        })
    },
};

const DOT_DOT_CLIMBS: Mutant = Mutant {
    name: "dot-dot-climbs",
    does: "Parts are folders: two dots lead to the one above, and one dot nowhere.",
    scenarios: &["identifiers/dot-names-*"],
    breaks: &["REST-11"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        misread(honest, |named| {
            let mut id: Vec<String> = Vec::new();
            for part in &named.id {
                match part.as_str() {
                    ".." => drop(id.pop()),
                    "." => {}
                    _ => id.push(part.clone()),
                }
            }
            id
        })
    },
};

const ODD_NAMES_FAIL: Mutant = Mutant {
    name: "odd-names-fail",
    does: "A name with a character beyond ASCII is a server error.",
    scenarios: &["identifiers/*"],
    breaks: &[],
    may_break: &[],
    warns: &["REST-14"],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let odd = Named::of(&received).is_some_and(|named| !named.name().is_ascii());
            if odd {
                return refusal(StatusCode::INTERNAL_SERVER_ERROR, 18);
            }
            honest.answer(received).await
        })
    },
};
