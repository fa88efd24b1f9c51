//! Faults of listings.

use serde_json::Value;

use crate::interpose::{interpose, json_of, ok};
use crate::mutant::Mutant;

/// Versions are listed in the order of their numbers as text: 1, 10, 100, 2.
pub(super) const VERSIONS_SORTED_AS_TEXT: Mutant = Mutant {
    name: "versions-sorted-as-text",
    breaks: &["ORD-1", "ORD-3"],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            if received.table("/version/list").is_none() {
                return honest.answer(received).await;
            }
            let query = received.uri.query().unwrap_or_default().to_owned();
            let mut body = json_of(honest.answer(received).await).await;
            if let Some(versions) = body["versions"].as_array_mut() {
                versions.sort_by_key(|entry| entry["version"].to_string());
                if query.contains("descending=true") {
                    versions.reverse();
                }
            }
            ok(&body)
        })
    },
};

/// Versions are cut at `limit` and no page token says that there are more.
pub(super) const VERSIONS_CUT_WITHOUT_A_TOKEN: Mutant = Mutant {
    name: "versions-cut-without-a-token",
    breaks: &["PAGE-2", "ORD-2"],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            if received.table("/version/list").is_none() {
                return honest.answer(received).await;
            }
            let mut body = json_of(honest.answer(received).await).await;
            body["page_token"] = Value::Null;
            ok(&body)
        })
    },
};
