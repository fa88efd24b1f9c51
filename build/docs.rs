//! Documentation of generated items: the document's descriptions, made safe for rustdoc.

use std::collections::BTreeMap;

use heck::ToUpperCamelCase;
use serde_json::Value;

use super::openapi::operations::Operation;

/// The descriptions of models and of their properties.
pub(crate) struct Docs {
    models: BTreeMap<String, Option<String>>,
    properties: BTreeMap<(String, String), String>,
}

impl Docs {
    /// Reads the descriptions of `source`, the document before its conversion, which loses those
    /// that stand beside a reference.
    pub(crate) fn read(source: &Value, operations: &[Operation]) -> Self {
        let mut docs = Self {
            models: BTreeMap::new(),
            properties: BTreeMap::new(),
        };
        let schemas = &source["components"]["schemas"];
        for (name, schema) in schemas.as_object().into_iter().flatten() {
            docs.model(name, schema, schemas);
        }
        for operation in operations {
            if let Some(schema) = &operation.synthesised {
                docs.model(&operation.request, schema, schemas);
                let text = format!("Request of `{}`.", operation.id);
                docs.models.insert(operation.request.clone(), Some(text));
            }
        }
        docs
    }

    fn model(&mut self, name: &str, schema: &Value, schemas: &Value) {
        self.models
            .insert(name.to_owned(), description(schema, schemas));
        for (property, schema) in schema["properties"].as_object().into_iter().flatten() {
            if let Some(text) = description(schema, schemas) {
                self.properties
                    .insert((name.to_owned(), property.clone()), text);
            }
            // The generator names a model that stands inside another after both.
            if schema.get("properties").is_some() {
                let inner = format!("{name}{}", property.to_upper_camel_case());
                self.model(&inner, schema, schemas);
            }
        }
    }

    /// The documentation of a model.
    pub(crate) fn of_model(&self, model: &str) -> String {
        match self.models.get(model) {
            Some(Some(text)) => safe(text),
            _ => format!("`{model}` of the protocol."),
        }
    }

    /// The documentation of a property.
    pub(crate) fn of_property(&self, model: &str, property: &str) -> String {
        match self
            .properties
            .get(&(model.to_owned(), property.to_owned()))
        {
            Some(text) => safe(text),
            None => format!("`{property}` of `{model}`."),
        }
    }
}

/// The description at a schema, or at the one that it refers to.
fn description(schema: &Value, schemas: &Value) -> Option<String> {
    let own = schema["description"].as_str();
    let far = schema["$ref"]
        .as_str()
        .and_then(|reference| reference.rsplit('/').next())
        .and_then(|name| schemas[name]["description"].as_str());
    let mut text = own.or(far).map(str::to_owned);
    if let Some(values) = schema["enum"].as_array() {
        let known: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
        let sentence = format!("Known values: {}.", known.join(", ").replace('"', ""));
        text = Some(match text {
            Some(text) => format!("{}\n\n{sentence}", text.trim_end()),
            None => sentence,
        });
    }
    text
}

/// `text` such that rustdoc takes it literally where it would see a tag or a link.
pub(crate) fn safe(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut code = false;
    for character in text.trim_end().chars() {
        code ^= character == '`';
        if !code && "<[]".contains(character) {
            safe.push('\\');
        }
        safe.push(character);
    }
    wrap_addresses(&safe)
}

/// Bare addresses become links.
fn wrap_addresses(text: &str) -> String {
    let bare = |word: &str| word.starts_with("http://") || word.starts_with("https://");
    text.split_inclusive(char::is_whitespace)
        .map(|word| {
            let address =
                word.trim_end_matches(|last: char| last.is_whitespace() || ".,;:)".contains(last));
            match bare(address) {
                true => format!("<{address}>{}", &word[address.len()..]),
                false => word.to_owned(),
            }
        })
        .collect()
}
