//! Documentation of generated items: the document's descriptions, made safe for rustdoc.

use std::collections::BTreeMap;

use heck::ToUpperCamelCase;
use serde_json::Value;

use super::openapi::operations::Operation;
use super::snake;

/// The descriptions of models and of their properties.
pub(crate) struct Docs {
    models: BTreeMap<String, Option<String>>,
    properties: BTreeMap<(String, String), String>,
    /// The method of each operation, by the operation's id.
    methods: BTreeMap<String, String>,
}

impl Docs {
    /// Reads the descriptions of `source`, the document before its conversion, which loses those
    /// that stand beside a reference.
    pub(crate) fn read(source: &Value, operations: &[Operation]) -> Self {
        let mut docs = Self {
            models: BTreeMap::new(),
            properties: BTreeMap::new(),
            methods: operations
                .iter()
                .map(|operation| {
                    let method = format!("crate::Client::{}", snake(&operation.id));
                    (operation.id.clone(), method)
                })
                .collect(),
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
            Some(Some(text)) => self.safe(&summarised(text)),
            _ => format!("`{model}` of the protocol."),
        }
    }

    /// The documentation of a property.
    pub(crate) fn of_property(&self, model: &str, property: &str) -> String {
        match self
            .properties
            .get(&(model.to_owned(), property.to_owned()))
        {
            Some(text) => self.safe(text),
            None => format!("`{property}` of `{model}`."),
        }
    }

    /// What an operation does, and with which statuses it fails.
    pub(crate) fn of_operation(&self, operation: &Operation) -> (String, String) {
        let Some(text) = &operation.description else {
            return (format!("Calls `{}`.", operation.id), String::new());
        };
        let (errors, does): (Vec<&str>, Vec<&str>) = text
            .trim_end()
            .split("\n\n")
            .partition(|paragraph| begins_with_error_status(paragraph));
        let does = self.safe(&summarised(&does.join("\n\n")));
        (does, self.safe(&errors.join("\n\n")))
    }

    /// `text` such that rustdoc takes it literally where it would see a tag or a link, with links
    /// to the methods of the operations that it names.
    fn safe(&self, text: &str) -> String {
        let mut safe = String::with_capacity(text.len());
        for (index, part) in text.trim_end().split('`').enumerate() {
            let code = index % 2 == 1;
            match self.methods.get(part) {
                Some(method) if code => safe.push_str(&format!("[`{part}`]({method})")),
                _ if code => safe.push_str(&format!("`{part}`")),
                _ => safe.push_str(&escaped(part)),
            }
        }
        wrap_addresses(&safe)
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

/// Whether a paragraph says when an operation fails: `404 (code 1) when ...`.
fn begins_with_error_status(paragraph: &str) -> bool {
    let word = paragraph.split_whitespace().next().unwrap_or_default();
    word.len() == 3 && word.starts_with(['4', '5']) && word.parse::<u16>().is_ok()
}

/// `text` with its first sentence as a paragraph, which lists of items show.
fn summarised(text: &str) -> String {
    let mut code = false;
    let mut nested = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '`' => code = !code,
            '(' if !code => nested += 1,
            ')' if !code => nested = nested.saturating_sub(1),
            '.' if !code && nested == 0 => {
                let after = &text[at + 1..];
                let next = after.trim_start();
                let begins = next.starts_with(|next: char| !next.is_lowercase());
                if after.starts_with(char::is_whitespace) && begins {
                    return format!("{}\n\n{next}", &text[..=at]);
                }
            }
            '\n' if text[at..].starts_with("\n\n") => break,
            _ => {}
        }
    }
    text.to_owned()
}

/// Prose in which rustdoc sees no tag and no link.
fn escaped(prose: &str) -> String {
    let mut escaped = String::with_capacity(prose.len());
    for character in prose.chars() {
        if "<[]".contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
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
