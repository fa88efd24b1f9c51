//! Names that a server refuses, or takes for one.

use axum::http::StatusCode;
use serde_json::Value;

use crate::interpose::{Received, error, interpose};
use crate::naming::Named;
use crate::reading::{Reading, reading};

pub(super) const NAMES: &[Reading] = &[PLAIN_NAMES];
pub(super) const FOLDED: &[Reading] = &[ONE_CASE];

/// Hands each name in the body of a request to this: the parts of identifiers, and new names.
fn each_name(body: &mut Value, of: &mut impl FnMut(&mut String)) {
    match body {
        Value::Object(object) => {
            for (field, value) in object {
                match (field.as_str(), value) {
                    ("id" | "new_namespace_id", Value::Array(parts)) => {
                        for part in parts {
                            if let Value::String(name) = part {
                                of(name);
                            }
                        }
                    }
                    ("new_table_name", Value::String(name)) => of(name),
                    // What callers keep there is theirs.
                    ("properties" | "metadata", _) => {}
                    (_, value) => each_name(value, of),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| each_name(item, of)),
        _ => {}
    }
}

fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    !name.is_empty() && name.chars().all(plain)
}

const PLAIN_NAMES: Reading = reading(
    "plain-names",
    "Names of other characters than letters, digits, `-`, `_` and `.` are refused, in reads too.",
    &["REST-11", "REST-14"],
    |honest| {
        interpose(honest, async |honest, received| {
            let id = Named::of(&received)
                .map(|named| named.id)
                .unwrap_or_default();
            let mut plain = id.iter().all(|name| is_plain(name));
            each_name(&mut received.json(), &mut |name| plain &= is_plain(name));
            match plain {
                true => honest.answer(received).await,
                false => error(StatusCode::BAD_REQUEST, 13),
            }
        })
    },
);

/// The request with all its names in small letters.
fn in_small_letters(received: Received) -> Received {
    let mut body = received.json();
    let mut large = false;
    each_name(&mut body, &mut |name| {
        large |= name.contains(|c: char| c.is_ascii_uppercase());
        name.make_ascii_lowercase();
    });
    let received = match large {
        true => received.with(&body),
        false => received,
    };
    let Some(named) = Named::of(&received) else {
        return received;
    };
    let id: Vec<String> = named
        .id
        .iter()
        .map(|name| name.to_ascii_lowercase())
        .collect();
    match id == named.id {
        true => received,
        false => named.routed(&received, &id),
    }
}

const ONE_CASE: Reading = reading(
    "one-case",
    "Names are kept in small letters: two that differ in case alone are one.",
    &["REST-11"],
    |honest| {
        interpose(honest, async |honest, received| {
            honest.answer(in_small_letters(received)).await
        })
    },
);
