//! Schemas of OpenAPI 3.1, rewritten to what the generator takes and to what makes lenient models.
//!
//! Limits (`minimum`, `minLength`, ...), defaults and closed lists of values are left out: a limit
//! would become a type that rejects answers, a default would be sent although nobody set it, and
//! an unknown value of a closed list would make an answer unreadable.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::fault::Fault;
use super::node::{Node, referenced};

const KEYWORDS: &[&str] = &[
    "$ref",
    "additionalProperties",
    "default",
    "deprecated",
    "description",
    "enum",
    "example",
    "examples",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "nullable",
    "oneOf",
    "properties",
    "propertyNames",
    "required",
    "title",
    "type",
    "uniqueItems",
];

/// The component schemas of a document.
pub(crate) struct Schemas<'a>(BTreeMap<&'a str, Node<'a>>);

impl<'a> Schemas<'a> {
    /// The schemas below `components`.
    pub(crate) fn read(components: &Node<'a>) -> Result<Self, Fault> {
        components
            .expect("schemas")?
            .entries()
            .map(|(name, node)| Ok((name, node?)))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// The schema called `name`.
    pub(crate) fn get(&self, name: &str) -> Option<&Node<'a>> {
        self.0.get(name)
    }

    /// Every named model, converted. Aliases are left out, since their users have them inlined,
    /// and so are models that hold binary data, which no JSON text can carry.
    pub(crate) fn models(&self) -> Result<Map<String, Value>, Fault> {
        let mut models = Map::new();
        for (name, node) in &self.0 {
            if is_binary(node)? || self.binary_property(node)?.is_some() {
                continue;
            }
            // An alias is converted where it is used. Converting it here as well lets a fault in
            // one that nothing uses stop the build too.
            let converted = self.convert(node)?;
            if is_model(node)? {
                models.insert((*name).to_owned(), converted);
            }
        }
        Ok(models)
    }

    /// Refuses a model that holds binary data and is to travel as JSON.
    pub(crate) fn refuse_binary(&self, model: &Node<'a>) -> Result<(), Fault> {
        match self.binary_property(model)? {
            Some(property) => Err(binary(&property)),
            None => Ok(()),
        }
    }

    fn binary_property(&self, model: &Node<'a>) -> Result<Option<Node<'a>>, Fault> {
        if let Some(properties) = model.child("properties")? {
            for (_, property) in properties.entries() {
                let property = property?;
                if is_binary(&self.resolve(property.clone())?)? {
                    return Ok(Some(property));
                }
            }
        }
        Ok(None)
    }

    /// Follows references until a schema is reached.
    pub(crate) fn resolve(&self, node: Node<'a>) -> Result<Node<'a>, Fault> {
        let mut node = node;
        let mut hops = 0;
        while let Some(reference) = node.text("$ref")? {
            let place = node.place.at("$ref");
            let name = referenced(reference, "schemas", &place)?;
            node = self
                .get(name)
                .ok_or_else(|| place.fault(format!("no schema is called `{name}`; add it")))?
                .clone();
            hops += 1;
            if hops > self.0.len() {
                return Err(place.fault("the references go round in a circle; break it"));
            }
        }
        Ok(node)
    }

    /// The schema, converted, with its aliases inlined. References to models stay.
    pub(crate) fn convert(&self, node: &Node<'a>) -> Result<Value, Fault> {
        node.only("a schema", KEYWORDS)?;
        let converted = match (node.text("$ref")?, node.get("oneOf")) {
            (Some(reference), None) => self.reference(node, reference)?,
            (None, Some(_)) => self.optional_choice(node)?,
            (None, None) => self.typed(node)?,
            (Some(_), Some(_)) => {
                return Err(node
                    .place
                    .fault("`$ref` beside `oneOf` is not known; keep one of the two"));
            }
        };
        describe(node, converted)
    }

    fn reference(&self, node: &Node<'a>, reference: &str) -> Result<Value, Fault> {
        for key in node.keys() {
            if !["$ref", "description", "nullable", "deprecated", "default"].contains(&key)
                && !key.starts_with("x-")
            {
                return Err(node.place.at(key).fault(format!(
                    "`{key}` beside `$ref` is not known; move it into the schema that is named"
                )));
            }
        }
        let target = self.resolve(node.clone())?;
        let mut converted = if is_model(&target)? {
            self.refuse_binary(&target)?;
            json!({ "$ref": reference })
        } else {
            self.convert(&target)?
        };
        if node.flag("nullable")? {
            converted = nullable(converted);
        }
        Ok(converted)
    }

    /// `oneOf: [null, X]`, in either order, is an optional X.
    fn optional_choice(&self, node: &Node<'a>) -> Result<Value, Fault> {
        let place = node.place.at("oneOf");
        let unknown = || {
            place.fault(
                "only `oneOf` of a schema and `type: \"null\"` is known; write the choice as an \
                 object with optional properties",
            )
        };
        if node.get("type").is_some() || node.get("properties").is_some() {
            return Err(unknown());
        }
        let mut others = Vec::new();
        let choices = node.elements("oneOf")?;
        let count = choices.len();
        for (choice, place) in choices {
            if choice != &json!({ "type": "null" }) {
                others.push(Node::new(choice, place)?);
            }
        }
        match (others.as_slice(), count) {
            ([other], 2) => Ok(nullable(self.convert(other)?)),
            _ => Err(unknown()),
        }
    }

    fn typed(&self, node: &Node<'a>) -> Result<Value, Fault> {
        let (name, null) = type_of(node)?;
        let null = null || node.flag("nullable")?;
        let converted = match name {
            "object" => self.object(node)?,
            "array" => json!({ "type": "array", "items": self.convert(&node.expect("items")?)? }),
            "string" => string(node)?,
            "integer" => match node.text("format")? {
                Some("int32") => json!({ "type": "integer", "format": "int32" }),
                None | Some("int64") => json!({ "type": "integer", "format": "int64" }),
                Some(other) => return Err(unknown_format(node, other)),
            },
            "number" => match node.text("format")? {
                Some("float") => json!({ "type": "number", "format": "float" }),
                None | Some("double") => json!({ "type": "number", "format": "double" }),
                Some(other) => return Err(unknown_format(node, other)),
            },
            "boolean" => json!({ "type": "boolean" }),
            other => {
                return Err(node.place.at("type").fault(format!(
                    "type `{other}` is not known here; use object, array, string, integer, number \
                     or boolean"
                )));
            }
        };
        Ok(if null { nullable(converted) } else { converted })
    }

    fn object(&self, node: &Node<'a>) -> Result<Value, Fault> {
        if let Some((names, place)) = node.get("propertyNames")
            && names != &json!({ "type": "string" })
        {
            return Err(place.fault(
                "only `propertyNames: {type: string}` is known; keys of other kinds have no type",
            ));
        }
        let values = match node.get("additionalProperties") {
            // An object that forbids unknown properties is read leniently all the same.
            None | Some((Value::Bool(_), _)) => None,
            Some((value, place)) => Some(self.convert(&Node::new(value, place)?)?),
        };
        let Some(properties) = node.child("properties")? else {
            return Ok(match values {
                Some(values) => json!({ "type": "object", "additionalProperties": values }),
                None => json!({ "type": "object" }),
            });
        };
        if values.is_some() {
            return Err(node.place.at("additionalProperties").fault(
                "`additionalProperties` beside `properties` is not known; put the free part into \
                 a property of its own",
            ));
        }
        let required = names(node, "required")?;
        for name in &required {
            if properties.get(name).is_none() {
                return Err(node.place.at("required").fault(format!(
                    "`{name}` is required but is no property; add it or leave it out"
                )));
            }
        }
        let mut converted = Map::new();
        for (name, property) in properties.entries() {
            let property = self.convert(&property?)?;
            // The generator gives an optional list or map no way to be absent unless it may be
            // null, and absent is not the same as empty.
            let property = match required.contains(&name) {
                true => property,
                false => nullable(property),
            };
            converted.insert(name.to_owned(), property);
        }
        let mut object = json!({ "type": "object", "properties": converted });
        if !required.is_empty() {
            object["required"] = json!(required);
        }
        Ok(object)
    }
}

/// The type of a schema and whether it may be null.
fn type_of<'a>(node: &Node<'a>) -> Result<(&'a str, bool), Fault> {
    let (value, place) = node.get("type").ok_or_else(|| {
        node.place
            .fault("a schema without `type` is not known; add it")
    })?;
    match value {
        Value::String(name) => Ok((name, false)),
        Value::Array(names) => match names.as_slice() {
            [Value::String(name), Value::String(null)] if null == "null" && name != "null" => {
                Ok((name, true))
            }
            [Value::String(null), Value::String(name)] if null == "null" && name != "null" => {
                Ok((name, true))
            }
            _ => Err(place.fault(
                "only a list of one type and \"null\" is known; write other choices as an object \
                 with optional properties",
            )),
        },
        other => Err(place.fault(format!("expected a type, found {other}"))),
    }
}

fn string(node: &Node<'_>) -> Result<Value, Fault> {
    match node.text("format")? {
        // Times stay text: the protocol only passes them on, and a type for them costs a crate.
        None | Some("date-time") => Ok(json!({ "type": "string" })),
        Some("binary") => Err(binary(node)),
        Some(other) => Err(unknown_format(node, other)),
    }
}

fn binary(node: &Node<'_>) -> Fault {
    node.place
        .at("format")
        .fault("binary data is known only as a whole body, since JSON cannot carry it; give it one")
}

fn unknown_format(node: &Node<'_>, format: &str) -> Fault {
    node.place.at("format").fault(format!(
        "format `{format}` is not known for this type; teach build/openapi/schema.rs what it \
         becomes"
    ))
}

/// A model is an object with properties, which becomes a struct. Everything else is an alias.
fn is_model(node: &Node<'_>) -> Result<bool, Fault> {
    Ok(node.child("properties")?.is_some())
}

/// Whether the schema is binary data.
pub(crate) fn is_binary(node: &Node<'_>) -> Result<bool, Fault> {
    Ok(
        node.text("type").ok().flatten() == Some("string")
            && node.text("format")? == Some("binary"),
    )
}

fn nullable(mut schema: Value) -> Value {
    if schema.get("$ref").is_none() {
        schema["nullable"] = Value::Bool(true);
    }
    schema
}

/// Carries the description over, with the values of a closed list as a sentence.
fn describe(node: &Node<'_>, mut converted: Value) -> Result<Value, Fault> {
    let mut text = node.text("description")?.unwrap_or_default().to_owned();
    let values = names(node, "enum")?;
    if !values.is_empty() {
        let known = values
            .iter()
            .map(|value| format!("`{value}`"))
            .collect::<Vec<_>>()
            .join(", ");
        let gap = if text.is_empty() { "" } else { "\n\n" };
        text = format!("{}{gap}Known values: {known}.", text.trim_end());
    }
    // A reference may carry nothing beside it; generate.rs adds its description afterwards.
    if !text.is_empty() && converted.get("$ref").is_none() {
        converted["description"] = Value::String(text);
    }
    Ok(converted)
}

fn names<'a>(node: &Node<'a>, key: &str) -> Result<Vec<&'a str>, Fault> {
    node.elements(key)?
        .into_iter()
        .map(|(value, place)| {
            value
                .as_str()
                .ok_or_else(|| place.fault(format!("expected a text, found {value}")))
        })
        .collect()
}
