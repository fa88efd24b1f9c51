//! Answers made from the schemas of openapi.yml.

use lance_namespace_client::OPENAPI;
use serde_json::{Map, Value, json};

/// The document, parsed.
pub(crate) fn document() -> Value {
    yaml_serde::from_str(OPENAPI).unwrap()
}

/// How much of a schema a sample fills in.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Amount {
    /// Only what is required.
    Least,
    /// Everything.
    All,
    /// Everything, with unknown properties in each object.
    More,
    /// What is required, and `null` for the rest.
    Nulls,
}

/// A successful answer of an operation: its status and its body, none for one that is empty.
pub(crate) fn answer(document: &Value, operation: &str, amount: Amount) -> (u16, Option<Value>) {
    let paths = document["paths"].as_object().unwrap();
    let found = paths
        .values()
        .flat_map(|item| item.as_object().unwrap().values())
        .find(|candidate| candidate["operationId"] == operation)
        .unwrap_or_else(|| panic!("no operation {operation}"));
    let responses = found["responses"].as_object().unwrap();
    let (status, response) = responses
        .iter()
        .find(|(status, _)| status.starts_with('2'))
        .unwrap();
    let response = resolve(document, response);
    let schema = &response["content"]["application/json"]["schema"];
    let body = (!schema.is_null()).then(|| sample(document, schema, amount, 0));
    (status.parse().unwrap(), body)
}

/// A value that fits a schema.
pub(crate) fn sample(document: &Value, schema: &Value, amount: Amount, depth: usize) -> Value {
    let schema = resolve(document, schema);
    if let Some(choices) = schema["oneOf"].as_array() {
        let choice = choices.iter().find(|choice| choice["type"] != "null");
        return sample(document, choice.unwrap(), amount, depth);
    }
    let kind = match &schema["type"] {
        Value::Array(names) => names.iter().find(|name| *name != "null").unwrap(),
        other => other,
    };
    match kind.as_str().unwrap() {
        "object" => object(document, schema, amount, depth),
        "array" => json!([sample(document, &schema["items"], amount, depth)]),
        "string" => json!("text"),
        "integer" => json!(7),
        "number" => json!(0.5),
        "boolean" => json!(true),
        other => panic!("no sample of a {other}"),
    }
}

fn object(document: &Value, schema: &Value, amount: Amount, depth: usize) -> Value {
    let mut object = Map::new();
    if let Some(properties) = schema["properties"].as_object() {
        let required = schema["required"].as_array();
        for (name, property) in properties {
            let needed = required.is_some_and(|names| names.contains(&json!(name)));
            // Models contain themselves; somewhere a sample has to end.
            let deep = depth > 6;
            if needed || matches!(amount, Amount::All | Amount::More) && !deep {
                let value = sample(document, property, amount, depth + 1);
                object.insert(name.clone(), value);
            } else if amount == Amount::Nulls {
                object.insert(name.clone(), Value::Null);
            }
        }
        if amount == Amount::More {
            object.insert("unheard_of".to_owned(), json!({ "nested": [1, null] }));
        }
    } else if schema["additionalProperties"].is_object() {
        let value = sample(document, &schema["additionalProperties"], amount, depth + 1);
        object.insert("key".to_owned(), value);
    }
    Value::Object(object)
}

fn resolve<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(reference) => resolve(document, document.pointer(&reference[1..]).unwrap()),
        None => schema,
    }
}
