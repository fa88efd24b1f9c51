//! The operations that answer in pages: which they are, and what their pages hold.

use serde_json::Value;

use super::fault::{Fault, Place};
use super::operations::{Answer, Body, Operation};

const TOKEN: &str = "page_token";
const LIMIT: &str = "limit";
/// A map of every response, which no page is about.
const CONTEXT: &str = "context";

/// A paged operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listing {
    /// The operation id.
    pub(crate) operation: String,
    /// The property of the response that holds the items.
    pub(crate) property: String,
    /// Whether every response has it.
    pub(crate) required: bool,
    pub(crate) shape: Shape,
    pub(crate) item: Item,
}

/// How a page holds its items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    List,
    /// By name.
    Map,
}

/// What one item is; in a map, beside its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Item {
    Text,
    Model(String),
}

/// The paged operations of a converted document, in its order: those that take a page token and
/// give one. Of such an operation everything is known, or the build stops.
pub(crate) fn listings(document: &Value, operations: &[Operation]) -> Result<Vec<Listing>, Fault> {
    let schemas = &document["components"]["schemas"];
    let mut listings: Vec<Listing> = Vec::new();
    for operation in operations {
        let request = &schemas[&operation.request];
        let response = &schemas[&operation.response];
        let paged = |model: &Value| model["properties"].get(TOKEN).is_some();
        if !paged(request) && !paged(response) {
            continue;
        }
        let listing = listing(operation, request, response).map_err(|reason| {
            Place::root()
                .at("paths")
                .at(&operation.path)
                .at(operation.method.to_lowercase())
                .fault(format!(
                    "{} has a `{TOKEN}`, and {reason}; adapt build/openapi/listing.rs",
                    operation.id
                ))
        })?;
        listings.push(listing);
    }
    Ok(listings)
}

fn listing(operation: &Operation, request: &Value, response: &Value) -> Result<Listing, String> {
    if operation.answer != Answer::Response || operation.body == Body::Arrow {
        return Err("it takes or answers something else than its models".to_owned());
    }
    for (name, model, property, kind) in [
        (&operation.request, request, TOKEN, "string"),
        (&operation.request, request, LIMIT, "integer"),
        (&operation.response, response, TOKEN, "string"),
    ] {
        let optional = !requires(model, property);
        if !optional || model["properties"][property]["type"] != kind {
            return Err(format!("{name} has no optional {kind} `{property}`"));
        }
    }
    let properties = response["properties"].as_object();
    let held: Vec<(&String, Shape, &Value)> = properties
        .into_iter()
        .flatten()
        .filter(|(name, _)| *name != CONTEXT)
        .filter_map(|(name, schema)| {
            let list = schema.get("items").map(|item| (name, Shape::List, item));
            let map = schema.get("additionalProperties");
            list.or(map.map(|item| (name, Shape::Map, item)))
        })
        .collect();
    let [(property, shape, item)] = held[..] else {
        return Err(format!(
            "{} has {} lists and maps, not one that is the page",
            operation.response,
            held.len()
        ));
    };
    let item = match (item["type"].as_str(), item["$ref"].as_str()) {
        (Some("string"), _) if item["nullable"] != true => Item::Text,
        (_, Some(reference)) => {
            Item::Model(reference.rsplit('/').next().unwrap_or_default().to_owned())
        }
        _ => return Err(format!("`{property}` holds neither texts nor models")),
    };
    Ok(Listing {
        operation: operation.id.clone(),
        property: property.clone(),
        required: requires(response, property),
        shape,
        item,
    })
}

fn requires(model: &Value, property: &str) -> bool {
    let names = model["required"].as_array();
    names.is_some_and(|names| names.iter().any(|name| name == property))
}
