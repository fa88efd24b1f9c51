//! The properties of namespaces and tables, and where tables lie.

use serde_json::{Value, json};

use crate::interpose::{Received, reword};
use crate::reading::{Reading, reading};

pub(super) const PROPERTIES: &[Reading] = &[PROPERTIES_OF_ITS_OWN, NO_PROPERTIES];
pub(super) const LOCATIONS: &[Reading] = &[LOCATION_WITHOUT_ITS_SLASH];

/// Whether the answer says the properties of a namespace or a table.
fn says_properties(received: &Received) -> bool {
    let path = received.uri.path();
    let kinds = ["/v1/namespace/", "/v1/table/"];
    let operations = ["/create", "/declare", "/describe", "/drop"];
    kinds.iter().any(|kind| path.starts_with(kind))
        && operations.iter().any(|operation| path.ends_with(operation))
        && !["/version/", "/tags/", "/branches/", "/index/"]
            .iter()
            .any(|part| path.contains(part))
}

const PROPERTIES_OF_ITS_OWN: Reading = reading(
    "properties-of-its-own",
    "Namespaces and tables have properties that nobody has set, from the beginning.",
    &["NS-8", "TBL-16"],
    |honest| {
        reword(honest, |received, body| {
            if says_properties(received) && body.is_object() && body["code"].is_null() {
                if !body["properties"].is_object() {
                    body["properties"] = json!({});
                }
                body["properties"]["owner"] = json!("somebody");
            }
        })
    },
);

const NO_PROPERTIES: Reading = reading(
    "no-properties",
    "The server keeps no properties, of namespaces or tables.",
    &["NS-8", "TBL-16"],
    |honest| {
        reword(honest, |received, body| {
            if says_properties(received) && body["properties"].is_object() {
                body["properties"] = Value::Null;
            }
        })
    },
);

const LOCATION_WITHOUT_ITS_SLASH: Reading = reading(
    "location-without-its-slash",
    "DescribeTable answers a table's location without the slash that it was declared with.",
    &["TBL-15"],
    |honest| {
        reword(honest, |received, body| {
            let described = received.is("/describe") && !received.is("/version/describe");
            if let Some(location) = body["location"].as_str().filter(|_| described) {
                body["location"] = json!(location.trim_end_matches('/'));
            }
        })
    },
);
