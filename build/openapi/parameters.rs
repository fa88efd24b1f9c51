//! Parameters of the path and the query, and the properties that they take their values from.

use serde_json::{Value, json};

use super::fault::Fault;
use super::node::Node;
use super::operations::{DELIMITER, Parameter, Reader, pointer};

impl<'a> Reader<'a> {
    pub(super) fn parameter(&self, node: Node<'a>) -> Result<Parameter, Fault> {
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

    /// Every parameter must have a property of the request model to take its value from.
    pub(super) fn match_parameters(
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
}

fn kind(schema: &Value) -> &str {
    schema["type"].as_str().unwrap_or("object")
}
