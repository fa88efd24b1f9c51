//! Bodies of requests and of answers: their media types, and which model they carry.

use serde_json::Value;

use super::fault::Fault;
use super::node::{Node, referenced};
use super::operations::{ARROW_FILE, ARROW_STREAM, Answer, Parameter, Reader, pointer};
use super::schema::is_binary;

/// The body of a request, as it travels.
pub(super) enum WireBody<'a> {
    Json(Node<'a>),
    Arrow,
}

impl<'a> Reader<'a> {
    pub(super) fn wire_body(&self, operation: &Node<'a>) -> Result<Option<WireBody<'a>>, Fault> {
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

    /// The one property of `model` that has the shape of `schema` and no other way to travel.
    pub(super) fn carrier(
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

    pub(super) fn answer(
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
                    self.schemas
                        .refuse_binary(&self.schemas.resolve(schema.clone())?)?;
                    let name = referenced(reference, "schemas", &schema.place)?;
                    Ok((Answer::Response, Some(name.to_owned())))
                }
                _ => Ok((Answer::Property(self.carrier(own?, &schema, &[])?), None)),
            },
            _ => Err(unknown_media(response, media, ARROW_FILE)),
        }
    }
}

fn unknown_media(node: &Node<'_>, media: &str, arrow: &str) -> Fault {
    node.place.at("content").at(media).fault(format!(
        "media type `{media}` with this schema is not known here; only application/json and, for \
         binary data, {arrow} are"
    ))
}

/// A converted schema without what does not matter for its shape.
fn shape(schema: &Value) -> Value {
    let Value::Object(object) = schema else {
        return schema.clone();
    };
    object
        .iter()
        // A property may be called like either, but is an object.
        .filter(|(key, value)| match key.as_str() {
            "description" => !value.is_string(),
            "nullable" => !value.is_boolean(),
            _ => true,
        })
        .map(|(key, value)| (key.clone(), shape(value)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}
