//! The operations of the document: what a call needs, what it answers, and how both travel.

use serde_json::{Value, json};

use super::bodies::WireBody;
use super::fault::{Fault, Place};
use super::node::{Node, referenced};
use super::schema::Schemas;

/// The media type of a streamed request body.
pub(crate) const ARROW_STREAM: &str = "application/vnd.apache.arrow.stream";
/// The media type of a streamed answer.
pub(crate) const ARROW_FILE: &str = "application/vnd.apache.arrow.file";
/// The query parameter that belongs to the client, not to a request.
pub(crate) const DELIMITER: &str = "delimiter";

/// One operation.
#[derive(Debug, Clone)]
pub(crate) struct Operation {
    pub(crate) id: String,
    /// In capitals.
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) description: Option<String>,
    /// The model that callers fill in.
    pub(crate) request: String,
    /// Set when the document has no request model and this one is made from the parameters.
    pub(crate) synthesised: Option<Value>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: Body,
    /// The model that callers get back.
    pub(crate) response: String,
    pub(crate) answer: Answer,
    /// Every status of the document, in its order.
    pub(crate) statuses: Vec<String>,
}

/// A parameter in the path or the query.
#[derive(Debug, Clone)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) in_path: bool,
    pub(crate) required: bool,
    pub(crate) description: Option<String>,
    /// Converted.
    pub(crate) schema: Value,
    /// A map that the document sends as one text: JSON.
    pub(crate) as_json: bool,
}

/// How a request's body travels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Body {
    None,
    /// The request model itself.
    Request,
    /// One property of the request model, with its schema.
    Property(String, Value),
    /// A stream beside the request model.
    Arrow,
}

/// How an answer's body travels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    Empty,
    /// The response model itself.
    Response,
    /// One property of the response model.
    Property(String),
    /// A stream; there is no response model.
    Arrow,
}

/// Reads every operation, in the document's order.
pub(crate) fn read(document: &Node<'_>) -> Result<Vec<Operation>, Fault> {
    let components = document.expect("components")?;
    let reader = Reader {
        schemas: Schemas::read(&components)?,
        components,
    };
    let mut operations: Vec<Operation> = Vec::new();
    for (path, item) in document.expect("paths")?.entries() {
        let item = item?;
        item.only(
            "a path",
            &[
                "parameters",
                "get",
                "put",
                "post",
                "delete",
                "patch",
                "summary",
                "description",
            ],
        )?;
        for method in ["get", "put", "post", "delete", "patch"] {
            if let Some(node) = item.child(method)? {
                let operation = reader.operation(path, method, &item, &node)?;
                if operations.iter().any(|known| known.id == operation.id) {
                    return Err(node.place.at("operationId").fault(format!(
                        "`{}` is the id of two operations; rename one",
                        operation.id
                    )));
                }
                operations.push(operation);
            }
        }
    }
    Ok(operations)
}

pub(super) struct Reader<'a> {
    pub(super) schemas: Schemas<'a>,
    pub(super) components: Node<'a>,
}

impl<'a> Reader<'a> {
    fn operation(
        &self,
        path: &str,
        method: &str,
        item: &Node<'a>,
        node: &Node<'a>,
    ) -> Result<Operation, Fault> {
        node.only(
            "an operation",
            &[
                "tags",
                "summary",
                "description",
                "operationId",
                "parameters",
                "requestBody",
                "responses",
                "deprecated",
                "security",
                "externalDocs",
            ],
        )?;
        let id = node.text("operationId")?.ok_or_else(|| {
            node.place
                .fault("the operation has no `operationId`; the method is named after it")
        })?;
        let mut parameters = Vec::new();
        for owner in [item, node] {
            for (value, place) in owner.elements("parameters")? {
                parameters.push(self.parameter(Node::new(value, place)?)?);
            }
        }
        let wire_body = self.wire_body(node)?;
        let (request, synthesised) = self.request(id, &parameters, wire_body.as_ref())?;
        let properties = match &synthesised {
            Some(_) => None,
            None => self.schemas.get(&request).cloned(),
        };
        if let Some(model) = &properties {
            self.schemas.refuse_binary(model)?;
            self.match_parameters(&mut parameters, model, node)?;
        }
        let body = match wire_body {
            None => Body::None,
            Some(WireBody::Arrow) => Body::Arrow,
            Some(WireBody::Json(schema)) if self.names(&schema, &request)? => Body::Request,
            Some(WireBody::Json(schema)) => {
                let model = properties.as_ref().ok_or_else(|| {
                    schema
                        .place
                        .fault("a body that is no model needs a request model; add one")
                })?;
                let property = self.carrier(model, &schema, &parameters)?;
                Body::Property(property, self.schemas.convert(&schema)?)
            }
        };
        let response = format!("{id}Response");
        let (answer, statuses, named) = self.answer(node, &response)?;
        Ok(Operation {
            id: id.to_owned(),
            method: method.to_uppercase(),
            path: path.to_owned(),
            description: node
                .text("description")?
                .or(node.text("summary")?)
                .map(str::to_owned),
            request,
            synthesised,
            parameters,
            body,
            response: named.unwrap_or(response),
            answer,
            statuses,
        })
    }

    /// A component that is referred to.
    pub(super) fn component(
        &self,
        node: &Node<'a>,
        kind: &str,
        name: &str,
    ) -> Result<Node<'a>, Fault> {
        let place = node.place.at("$ref");
        let name = referenced(name, kind, &place)?;
        self.components
            .expect(kind)?
            .child(name)?
            .ok_or_else(|| place.fault(format!("no component is called `{name}`; add it")))
    }

    /// The request model: the one that is the body, the one named after the operation, or one made
    /// from the parameters.
    fn request(
        &self,
        id: &str,
        parameters: &[Parameter],
        body: Option<&WireBody<'a>>,
    ) -> Result<(String, Option<Value>), Fault> {
        let own = format!("{id}Request");
        if self.schemas.get(&own).is_some() {
            return Ok((own, None));
        }
        if let Some(WireBody::Json(schema)) = body
            && let Some(reference) = schema.text("$ref")?
        {
            let name = referenced(reference, "schemas", &schema.place.at("$ref"))?;
            return Ok((name.to_owned(), None));
        }
        let mut properties = serde_json::Map::new();
        for common in ["Identity", "Context"] {
            if let Some(node) = self.schemas.get(common) {
                let schema = match node.child("properties")? {
                    Some(_) => json!({ "$ref": format!("#/components/schemas/{common}") }),
                    None => self.schemas.convert(node)?,
                };
                properties.insert(common.to_lowercase(), optional(schema, None));
            }
        }
        for parameter in parameters.iter().filter(|known| known.name != DELIMITER) {
            let schema = match parameter.name.as_str() {
                "id" => json!({ "type": "array", "items": { "type": "string" } }),
                _ => parameter.schema.clone(),
            };
            properties.insert(
                parameter.name.clone(),
                optional(schema, parameter.description.as_deref()),
            );
        }
        Ok((
            own,
            Some(json!({ "type": "object", "properties": properties })),
        ))
    }

    fn names(&self, schema: &Node<'a>, model: &str) -> Result<bool, Fault> {
        Ok(schema.text("$ref")? == Some(format!("#/components/schemas/{model}").as_str()))
    }
}

fn optional(mut schema: Value, description: Option<&str>) -> Value {
    if schema.get("$ref").is_none() {
        schema["nullable"] = Value::Bool(true);
        if let Some(text) = description {
            schema["description"] = json!(text);
        }
    }
    schema
}

/// The JSON pointer of a place.
pub(super) fn pointer(place: &Place) -> String {
    place.fault("").pointer
}
