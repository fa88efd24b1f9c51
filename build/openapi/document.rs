//! The whole document, rewritten to the OpenAPI 3.0 that the generator takes.
//!
//! Every answer becomes a stream of bytes of any status: the generated client then hands out the
//! status and the headers of each answer, also of one whose body is not what was promised, and
//! reading the body is the SDK's own work.

use serde_json::{Map, Value, json};

use super::fault::{Fault, Place};
use super::node::Node;
use super::operations::{self, Body, Operation};
use super::schema::Schemas;

/// What the generator takes for a body that is streamed.
pub(crate) const STREAM: &str = "application/octet-stream";

/// A document ready for the generator.
#[derive(Debug)]
pub(crate) struct Converted {
    /// OpenAPI 3.0.
    pub(crate) document: Value,
    /// In the document's order.
    pub(crate) operations: Vec<Operation>,
}

/// Converts a parsed openapi.yml, or says what in it is not known.
pub(crate) fn convert(source: &Value) -> Result<Converted, Fault> {
    let root = Node::new(source, Place::root())?;
    root.only(
        "a document",
        &[
            "openapi",
            "info",
            "servers",
            "tags",
            "security",
            "paths",
            "components",
            "externalDocs",
        ],
    )?;
    match root.text("openapi")? {
        Some(version) if version.starts_with("3.1.") => {}
        other => {
            return Err(root.place.at("openapi").fault(format!(
                "OpenAPI {} is not known, only 3.1; check what the other release changed",
                other.unwrap_or("without a version")
            )));
        }
    }
    let components = root.expect("components")?;
    components.only(
        "the components",
        &["schemas", "parameters", "responses", "securitySchemes"],
    )?;
    let operations = operations::read(&root)?;
    let mut models = Schemas::read(&components)?.models()?;
    let mut paths = Map::new();
    for operation in &operations {
        if let Some(model) = &operation.synthesised {
            models.insert(operation.request.clone(), model.clone());
        }
        let item = paths
            .entry(operation.path.clone())
            .or_insert_with(|| json!({}));
        item[operation.method.to_lowercase()] = plain(operation);
    }
    let info = root.expect("info")?;
    Ok(Converted {
        document: json!({
            "openapi": "3.0.3",
            "info": { "title": info.text("title")?, "version": info.text("version")? },
            "paths": paths,
            "components": { "schemas": models },
        }),
        operations,
    })
}

fn plain(operation: &Operation) -> Value {
    let parameters: Vec<Value> = operation
        .parameters
        .iter()
        .map(|parameter| {
            json!({
                "name": parameter.name,
                "in": if parameter.in_path { "path" } else { "query" },
                "required": parameter.required,
                "schema": without_nulls(&parameter.schema),
            })
        })
        .collect();
    let mut plain = json!({
        "operationId": operation.id,
        "parameters": parameters,
        "responses": { "default": {
            "description": "",
            "content": { STREAM: { "schema": { "type": "string", "format": "binary" } } },
        } },
    });
    if let Some((media, schema)) = body(operation) {
        plain["requestBody"] =
            json!({ "required": true, "content": { media: { "schema": schema } } });
    }
    plain
}

fn body(operation: &Operation) -> Option<(&'static str, Value)> {
    match &operation.body {
        Body::None => None,
        Body::Request => Some((
            "application/json",
            json!({ "$ref": format!("#/components/schemas/{}", operation.request) }),
        )),
        Body::Property(_, schema) => Some(("application/json", schema.clone())),
        Body::Arrow => Some((STREAM, json!({ "type": "string", "format": "binary" }))),
    }
}

fn without_nulls(schema: &Value) -> Value {
    match schema {
        Value::Object(object) => object
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect::<Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}
