//! What answers look like.

use axum::http::{HeaderValue, header};
use axum::response::Response;
use serde_json::{Map, Value, json};

use crate::interpose::{Received, interpose, json_parts, reword};
use crate::reading::{Reading, reading};

pub(super) const MANIFESTS: &[Reading] = &[MANIFESTS_MOVE, METADATA_OF_ITS_OWN];
pub(super) const TIMES: &[Reading] = &[NO_TIMES, TIMES_IN_WHOLE_SECONDS];
pub(super) const FIELDS: &[Reading] = &[MORE_FIELDS, NULLS];
pub(super) const REST: &[Reading] = &[WITH_CHARSET, NO_TRANSACTION_IDS];

/// Changes each entry of a version in an answer, wherever it stands.
fn each_entry(body: &mut Value, change: fn(&mut Map<String, Value>)) {
    match body {
        Value::Object(object) => {
            if object.contains_key("manifest_path") {
                change(object);
            } else {
                object
                    .values_mut()
                    .for_each(|value| each_entry(value, change));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| each_entry(item, change)),
        _ => {}
    }
}

fn append(field: Option<&mut Value>, end: &str) {
    if let Some(Value::String(text)) = field {
        text.push_str(end);
    }
}

const MANIFESTS_MOVE: Reading = reading(
    "manifests-move",
    "The manifest of a version is moved: its path and its e_tag are others than were sent.",
    &["VER-7", "VER-10"],
    |honest| {
        reword(honest, |_, body| {
            each_entry(body, |entry| {
                append(entry.get_mut("manifest_path"), ".final");
                append(entry.get_mut("e_tag"), "-moved");
            });
        })
    },
);

const METADATA_OF_ITS_OWN: Reading = reading(
    "metadata-of-its-own",
    "The metadata of a version says who wrote it, beside what was sent.",
    &["VER-10"],
    |honest| {
        reword(honest, |_, body| {
            each_entry(body, |entry| {
                let metadata = entry.entry("metadata").or_insert_with(|| json!({}));
                if metadata.is_null() {
                    *metadata = json!({});
                }
                metadata["written_by"] = json!("somebody");
            });
        })
    },
);

const NO_TIMES: Reading = reading(
    "no-times",
    "No version says when it was created.",
    &["VER-15"],
    |honest| {
        reword(honest, |_, body| {
            each_entry(body, |entry| {
                entry.remove("timestamp_millis");
            });
        })
    },
);

const TIMES_IN_WHOLE_SECONDS: Reading = reading(
    "times-in-whole-seconds",
    "The times of versions are those of a storage that counts in seconds.",
    &["VER-15"],
    |honest| {
        reword(honest, |_, body| {
            each_entry(body, |entry| {
                let time = entry.get_mut("timestamp_millis");
                if let Some((time, millis)) = time.and_then(|time| time.as_i64().map(|m| (time, m)))
                {
                    *time = json!(millis - millis % 1000);
                }
            });
        })
    },
);

const NO_TRANSACTION_IDS: Reading = Reading {
    name: "no-transaction-ids",
    does: "No write names its transaction.",
    of: &["TX-1", "TX-7"],
    unjudged: &["transactions/*"],
    wrap: |honest| {
        reword(honest, |_, body| {
            let results = body.get_mut("results").and_then(Value::as_array_mut);
            let results = results.into_iter().flatten();
            let parts = results.filter_map(Value::as_object_mut);
            for answer in parts.flat_map(|result| result.values_mut()) {
                without_transaction(answer);
            }
            without_transaction(body);
        })
    },
};

fn without_transaction(answer: &mut Value) {
    if let Some(answer) = answer.as_object_mut() {
        answer.remove("transaction_id");
    }
}

/// Whether the answer's fields are names that callers gave.
fn is_a_map(received: &Received) -> bool {
    received.is("/schema_metadata/update")
}

const MORE_FIELDS: Reading = reading(
    "more-fields",
    "Answers, errors and entries of versions have fields that the protocol does not name.",
    &["REST-9"],
    |honest| {
        reword(honest, |received, body| {
            each_entry(body, |entry| {
                entry.insert("region".to_owned(), json!(["north", 7]));
            });
            if let Some(answer) = body.as_object_mut().filter(|_| !is_a_map(received)) {
                answer.insert(
                    "served_by".to_owned(),
                    json!({ "node": 3, "cached": false }),
                );
            }
        })
    },
);

const NULLS: Reading = reading(
    "nulls-for-what-is-absent",
    "What an answer does not say it says by a null.",
    &["REST-9"],
    |honest| {
        reword(honest, |received, body| {
            each_entry(body, |entry| {
                for field in ["manifest_size", "e_tag", "timestamp_millis", "metadata"] {
                    entry.entry(field).or_insert(Value::Null);
                }
            });
            let Some(answer) = body.as_object_mut().filter(|_| !is_a_map(received)) else {
                return;
            };
            let fields: &[&str] = match answer.contains_key("code") {
                true => &["error", "detail", "instance"],
                false => &[
                    "context",
                    "transaction_id",
                    "properties",
                    "page_token",
                    "location",
                    "storage_options",
                    "managed_versioning",
                    "schema",
                    "stats",
                    "metadata",
                ],
            };
            for field in fields {
                answer.entry(*field).or_insert(Value::Null);
            }
        })
    },
);

const WITH_CHARSET: Reading = reading(
    "json-with-its-charset",
    "Answers are indented, and their content type names its charset.",
    &["REST-9"],
    |honest| {
        interpose(honest, async |honest, received| {
            let answer = honest.answer(received).await;
            match json_parts(answer).await {
                Ok((mut parts, body)) => {
                    let json = HeaderValue::from_static("application/json; charset=utf-8");
                    parts.headers.insert(header::CONTENT_TYPE, json);
                    Response::from_parts(parts, format!("{body:#}\n").into())
                }
                Err(other) => other,
            }
        })
    },
);
