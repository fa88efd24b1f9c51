//! What the conversion of openapi.yml refuses: each with its place and a sentence.

use serde_json::{Value, json};

use crate::conversion::openapi::document::convert;
use crate::conversion::{small, with_operation, with_property};

/// The place and the sentence of a refusal.
fn refused(document: &Value) -> String {
    match convert(document) {
        Ok(_) => panic!("the document was taken"),
        Err(fault) => fault.to_string(),
    }
}

fn refused_property(schema: Value) -> String {
    let refusal = refused(&with_property(schema));
    let place = "openapi.yml#/components/schemas/GetThingRequest/properties/p";
    refusal
        .strip_prefix(place)
        .unwrap_or_else(|| panic!("another place: {refusal}"))
        .to_owned()
}

#[test]
fn an_unknown_keyword_of_a_schema_is_refused_by_name() {
    for keyword in [
        "anyOf",
        "allOf",
        "not",
        "if",
        "const",
        "$defs",
        "prefixItems",
        "exclusiveMinimum",
        "patternProperties",
        "unevaluatedProperties",
        "pattern",
        "contentEncoding",
    ] {
        let mut schema = json!({ "type": "string" });
        schema[keyword] = json!(1);
        let refusal = refused_property(schema);
        let key = keyword.replace('~', "~0");
        assert!(
            refusal.starts_with(&format!("/{key}: `{keyword}` is not known")),
            "{refusal}"
        );
        assert!(refusal.contains("build/openapi"), "{refusal}");
    }
}

#[test]
fn schemas_that_cannot_be_carried_over_are_refused() {
    let cases = [
        (json!({}), ": a schema without `type`"),
        (
            json!({ "type": ["string", "integer"] }),
            "/type: only a list of one type and",
        ),
        (
            json!({ "type": ["string", "integer", "null"] }),
            "/type: only a list of one type and",
        ),
        (json!({ "type": "null" }), "/type: type `null`"),
        (json!({ "type": "file" }), "/type: type `file`"),
        (json!({ "type": 1 }), "/type: expected a type"),
        (
            json!({ "type": "string", "format": "uuid" }),
            "/format: format `uuid`",
        ),
        (
            json!({ "type": "string", "format": "binary" }),
            "/format: binary data",
        ),
        (
            json!({ "type": "integer", "format": "uint8" }),
            "/format: format `uint8`",
        ),
        (json!({ "type": "array" }), ": `items` is missing"),
        (
            json!({ "oneOf": [{ "type": "string" }, { "type": "integer" }] }),
            "/oneOf: only `oneOf`",
        ),
        (
            json!({ "oneOf": [{ "type": "null" }] }),
            "/oneOf: only `oneOf`",
        ),
        (
            json!({ "type": "object", "propertyNames": { "type": "string", "minLength": 1 } }),
            "/propertyNames: only",
        ),
        (
            json!({ "type": "object", "properties": {}, "additionalProperties": { "type": "string" } }),
            "/additionalProperties: `additionalProperties` beside",
        ),
        (
            json!({ "type": "object", "properties": {}, "required": ["q"] }),
            "/required: `q`",
        ),
        (
            json!({ "$ref": "#/components/schemas/Absent" }),
            "/$ref: no schema is called `Absent`",
        ),
        (
            json!({ "$ref": "other.yml" }),
            "/$ref: `other.yml` does not point into",
        ),
        (
            json!({ "$ref": "#/components/schemas/GetThingResponse", "minimum": 1 }),
            "/minimum: `minimum` beside `$ref`",
        ),
        (
            json!({ "type": "string", "enum": [1] }),
            "/enum/0: expected a text",
        ),
        (json!(true), ": expected an object"),
    ];
    for (schema, expected) in cases {
        let refusal = refused_property(schema);
        assert!(refusal.starts_with(expected), "{refusal}");
    }
}

#[test]
fn references_that_go_round_in_a_circle_are_refused() {
    let mut document = with_property(json!({ "$ref": "#/components/schemas/A" }));
    document["components"]["schemas"]["A"] = json!({ "$ref": "#/components/schemas/B" });
    document["components"]["schemas"]["B"] = json!({ "$ref": "#/components/schemas/A" });
    assert!(refused(&document).contains("round in a circle"));
}

#[test]
fn a_fault_in_an_alias_that_nothing_uses_is_refused_too() {
    let mut document = small();
    document["components"]["schemas"]["Unused"] = json!({ "type": "string", "pattern": "a" });
    assert!(refused(&document).starts_with("openapi.yml#/components/schemas/Unused/pattern: "));
}

#[test]
fn operations_that_cannot_be_called_are_refused() {
    type Change = fn(&mut Value);
    let cases: [(Change, &str); 12] = [
        (
            |o| {
                o.as_object_mut().unwrap().remove("operationId");
            },
            ": the operation has no `operationId`",
        ),
        (
            |o| o["callbacks"] = json!({}),
            "/callbacks: `callbacks` is not known in an operation",
        ),
        (
            |o| o["parameters"][1]["in"] = json!("cookie"),
            "/parameters/1/in: parameters in cookie",
        ),
        (
            |o| o["parameters"][1]["in"] = json!("header"),
            "/parameters/1/in: parameters in header",
        ),
        (
            |o| o["parameters"][1]["style"] = json!("deepObject"),
            "/parameters/1/style: `style`",
        ),
        (
            |o| o["parameters"][1]["schema"] = json!({ "type": "object" }),
            "/parameters/1/schema: a path parameter is",
        ),
        (
            |o| o["parameters"][1]["name"] = json!("limit"),
            "/parameters: `limit` has no property",
        ),
        (
            |o| {
                o["requestBody"]["content"] =
                    json!({ "text/csv": { "schema": { "type": "string" } } })
            },
            "/requestBody/content/text~1csv: media type `text/csv`",
        ),
        (
            |o| o["requestBody"]["content"]["text/csv"] = json!({ "schema": { "type": "string" } }),
            "/requestBody/content/text~1csv: a second media type",
        ),
        (
            |o| {
                o["responses"]["200"]["content"] =
                    json!({ "text/csv": { "schema": { "type": "string" } } })
            },
            "/responses/200/content/text~1csv: media type `text/csv`",
        ),
        (
            |o| o["responses"]["202"] = json!({}),
            "/responses/202: a second successful answer",
        ),
        (
            |o| o["responses"] = json!({ "404": {} }),
            "/responses: no successful answer",
        ),
    ];
    for (change, expected) in cases {
        let refusal = refused(&with_operation(change));
        let expected = format!("openapi.yml#/paths/~1thing~1{{id}}~1get/post{expected}");
        assert!(refusal.starts_with(&expected), "{refusal}\n{expected}");
    }
}

#[test]
fn an_id_that_two_operations_share_is_refused() {
    let mut document = small();
    document["paths"]["/other/{id}"] = document["paths"]["/thing/{id}/get"].clone();
    assert!(refused(&document).contains("`GetThing` is the id of two operations"));
}

#[test]
fn a_body_that_no_property_or_several_could_carry_is_refused() {
    let document = with_operation(|operation| {
        operation["requestBody"]["content"]["application/json"]["schema"] =
            json!({ "type": "object", "additionalProperties": { "type": "string" } });
    });
    assert!(refused(&document).contains("0 properties at /components/schemas/GetThingRequest"));
}

#[test]
fn documents_of_another_kind_are_refused() {
    let cases = [
        (
            "openapi",
            json!("3.2.0"),
            "openapi.yml#/openapi: OpenAPI 3.2.0 is not known",
        ),
        (
            "openapi",
            json!("3.0.3"),
            "openapi.yml#/openapi: OpenAPI 3.0.3 is not known",
        ),
        (
            "webhooks",
            json!({}),
            "openapi.yml#/webhooks: `webhooks` is not known in a document",
        ),
    ];
    for (key, value, expected) in cases {
        let mut document = small();
        document[key] = value;
        let refusal = refused(&document);
        assert!(refusal.starts_with(expected), "{refusal}");
    }
    let mut document = small();
    document["components"]["pathItems"] = json!({});
    assert!(refused(&document).starts_with("openapi.yml#/components/pathItems: "));
}
