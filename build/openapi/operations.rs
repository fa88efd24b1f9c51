//! The operations of the document: what a call needs, what it answers, and how both travel.

use serde_json::{Value, json};

use super::fault::{Fault, Place};
use super::node::{Node, referenced};
use super::schema::{Schemas, is_binary};

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

struct Reader<'a> {
    schemas: Schemas<'a>,
    components: Node<'a>,
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

    fn parameter(&self, node: Node<'a>) -> Result<Parameter, Fault> {
        let node = match node.text("$ref")? {
            None => node,
            Some(reference) => self.component(&node, "parameters", reference)?,
        };
        node.only(
            "a parameter",
            &[
                "name",
                "in",
                "required",
                "schema",
                "description",
                "example",
                "examples",
                "deprecated",
            ],
        )?;
        let name = node
            .text("name")?
            .ok_or_else(|| node.place.fault("the parameter has no `name`; add it"))?;
        let in_path = match node.text("in")? {
            Some("path") => true,
            Some("query") => false,
            other => {
                return Err(node.place.at("in").fault(format!(
                    "parameters in {} are not known; only path and query are",
                    other.unwrap_or("no place")
                )));
            }
        };
        let schema = self.schemas.convert(&node.expect("schema")?)?;
        let kind = schema["type"].as_str().unwrap_or_default();
        let plain = ["string", "integer", "number", "boolean"];
        let list =
            kind == "array" && !in_path && schema["items"]["type"].as_str() == Some("string");
        if !plain.contains(&kind) && !list || in_path && kind != "string" {
            return Err(node.place.at("schema").fault(
                "a path parameter is a string; a query parameter is a string, a number, a flag or \
                 a list of strings",
            ));
        }
        Ok(Parameter {
            name: name.to_owned(),
            in_path,
            required: node.flag("required")? || in_path,
            description: node.text("description")?.map(str::to_owned),
            schema: json!({ "type": schema["type"], "format": schema["format"],
                            "items": schema["items"] }),
            as_json: false,
        })
    }

    /// A component that is referred to.
    fn component(&self, node: &Node<'a>, kind: &str, name: &str) -> Result<Node<'a>, Fault> {
        let place = node.place.at("$ref");
        let name = referenced(name, kind, &place)?;
        self.components
            .expect(kind)?
            .child(name)?
            .ok_or_else(|| place.fault(format!("no component is called `{name}`; add it")))
    }

    fn wire_body(&self, operation: &Node<'a>) -> Result<Option<WireBody<'a>>, Fault> {
        let Some(node) = operation.child("requestBody")? else {
            return Ok(None);
        };
        node.only("a request body", &["content", "required", "description"])?;
        let (media, schema) = self.only_content(&node)?.ok_or_else(|| {
            node.place
                .fault("the request body has no content; add a media type or remove the body")
        })?;
        match media {
            "application/json" => Ok(Some(WireBody::Json(schema))),
            ARROW_STREAM if is_binary(&schema)? => Ok(Some(WireBody::Arrow)),
            _ => Err(unknown_media(&node, media, ARROW_STREAM)),
        }
    }

    /// The one media type of a body and its schema.
    fn only_content(&self, node: &Node<'a>) -> Result<Option<(&'a str, Node<'a>)>, Fault> {
        let Some(content) = node.child("content")? else {
            return Ok(None);
        };
        let mut found = None;
        for (media, body) in content.entries() {
            let body = body?;
            if found.is_some() {
                return Err(body
                    .place
                    .fault("a second media type of one body is not known; keep one of them"));
            }
            body.only("a body", &["schema", "example", "examples"])?;
            found = Some((media, body.expect("schema")?));
        }
        Ok(found)
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

    /// Every parameter must have a property of the request model to take its value from.
    fn match_parameters(
        &self,
        parameters: &mut [Parameter],
        model: &Node<'a>,
        operation: &Node<'a>,
    ) -> Result<(), Fault> {
        let properties = model.expect("properties")?;
        for parameter in parameters
            .iter_mut()
            .filter(|known| known.name != DELIMITER)
        {
            let property = properties.child(&parameter.name)?.ok_or_else(|| {
                operation.place.at("parameters").fault(format!(
                    "`{}` has no property of its name at {}; add one to that model",
                    parameter.name,
                    pointer(&model.place)
                ))
            })?;
            let property = self.schemas.convert(&property)?;
            let identifier = parameter.in_path && parameter.name == "id";
            let expected = if identifier {
                "array"
            } else {
                kind(&parameter.schema)
            };
            parameter.as_json = kind(&parameter.schema) == "string" && kind(&property) == "object";
            if kind(&property) != expected && !parameter.as_json {
                return Err(operation.place.at("parameters").fault(format!(
                    "`{}` is a {} here and a {} at {}; make them agree",
                    parameter.name,
                    kind(&parameter.schema),
                    kind(&property),
                    pointer(&model.place)
                )));
            }
        }
        Ok(())
    }

    fn names(&self, schema: &Node<'a>, model: &str) -> Result<bool, Fault> {
        Ok(schema.text("$ref")? == Some(format!("#/components/schemas/{model}").as_str()))
    }

    /// The one property of `model` that has the shape of `schema` and no other way to travel.
    fn carrier(
        &self,
        model: &Node<'a>,
        schema: &Node<'a>,
        parameters: &[Parameter],
    ) -> Result<String, Fault> {
        let wanted = shape(&self.schemas.convert(schema)?);
        let mut carriers = Vec::new();
        for (name, property) in model.expect("properties")?.entries() {
            let taken = ["identity", "context"].contains(&name)
                || parameters.iter().any(|parameter| parameter.name == name);
            if !taken && shape(&self.schemas.convert(&property?)?) == wanted {
                carriers.push(name.to_owned());
            }
        }
        match carriers.as_slice() {
            [carrier] => Ok(carrier.clone()),
            _ => Err(schema.place.fault(format!(
                "{} properties at {} have the shape of this body, not one; name the model here",
                carriers.len(),
                pointer(&model.place)
            ))),
        }
    }

    fn answer(
        &self,
        operation: &Node<'a>,
        model: &str,
    ) -> Result<(Answer, Vec<String>, Option<String>), Fault> {
        let responses = operation.expect("responses")?;
        let mut statuses = Vec::new();
        let mut success = None;
        for (status, response) in responses.entries() {
            let mut response = response?;
            if let Some(reference) = response.text("$ref")? {
                response = self.component(&response, "responses", reference)?;
            }
            response.only("a response", &["description", "content", "headers"])?;
            statuses.push(status.to_owned());
            if !status.starts_with('2') {
                continue;
            }
            if success.is_some() {
                return Err(responses
                    .place
                    .at(status)
                    .fault("a second successful answer is not known; give the operation one"));
            }
            success = Some(self.success(&response, model)?);
        }
        let (answer, named) = success.ok_or_else(|| {
            responses
                .place
                .fault("no successful answer is declared; add one")
        })?;
        Ok((answer, statuses, named))
    }

    fn success(&self, response: &Node<'a>, model: &str) -> Result<(Answer, Option<String>), Fault> {
        let own = self.schemas.get(model).ok_or_else(|| {
            response.place.fault(format!(
                "the answer needs a model `{model}` that holds the context; add it"
            ))
        });
        let Some((media, schema)) = self.only_content(response)? else {
            own?;
            return Ok((Answer::Empty, None));
        };
        match media {
            ARROW_FILE if is_binary(&schema)? => Ok((Answer::Arrow, None)),
            "application/json" => match schema.text("$ref")? {
                Some(reference)
                    if self
                        .schemas
                        .resolve(schema.clone())?
                        .get("properties")
                        .is_some() =>
                {
                    let name = referenced(reference, "schemas", &schema.place)?;
                    Ok((Answer::Response, Some(name.to_owned())))
                }
                _ => Ok((Answer::Property(self.carrier(own?, &schema, &[])?), None)),
            },
            _ => Err(unknown_media(response, media, ARROW_FILE)),
        }
    }
}

enum WireBody<'a> {
    Json(Node<'a>),
    Arrow,
}

fn unknown_media(node: &Node<'_>, media: &str, arrow: &str) -> Fault {
    node.place.at("content").at(media).fault(format!(
        "media type `{media}` with this schema is not known here; only application/json and, for \
         binary data, {arrow} are"
    ))
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

/// A converted schema without what does not matter for its shape.
fn shape(schema: &Value) -> Value {
    let mut shape = schema.clone();
    if let Value::Object(object) = &mut shape {
        object.remove("description");
        object.remove("nullable");
    }
    shape
}

fn kind(schema: &Value) -> &str {
    schema["type"].as_str().unwrap_or("object")
}

fn pointer(place: &Place) -> String {
    place.fault("").pointer
}
