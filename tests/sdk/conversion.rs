//! The conversion of openapi.yml: each rewriting.

use serde_json::{Value, json};

#[path = "../../build/openapi/mod.rs"]
pub(crate) mod openapi;

use openapi::document::{Converted, convert};
use openapi::operations::{Answer, Body};

/// A document with one operation, `GetThing`, whose model `GetThingRequest` is the body.
pub(crate) fn small() -> Value {
    json!({
        "openapi": "3.1.1",
        "info": { "title": "Things", "version": "1" },
        "paths": { "/thing/{id}/get": { "post": {
            "operationId": "GetThing",
            "parameters": [
                { "name": "id", "in": "path", "required": true, "schema": { "type": "string" } },
                { "name": "delimiter", "in": "query", "schema": { "type": "string" } },
            ],
            "requestBody": { "content": { "application/json": { "schema": {
                "$ref": "#/components/schemas/GetThingRequest" } } } },
            "responses": { "200": { "content": { "application/json": { "schema": {
                "$ref": "#/components/schemas/GetThingResponse" } } } } },
        } } },
        "components": { "schemas": {
            "GetThingRequest": { "type": "object", "properties": {
                "id": { "type": "array", "items": { "type": "string" } } } },
            "GetThingResponse": { "type": "object", "properties": {
                "context": { "type": "object", "additionalProperties": { "type": "string" } } } },
        } },
    })
}

/// The document with `property` as a property of the request model.
pub(crate) fn with_property(property: Value) -> Value {
    let mut document = small();
    document["components"]["schemas"]["GetThingRequest"]["properties"]["p"] = property;
    document
}

/// The document with a change in the one operation.
pub(crate) fn with_operation(change: impl FnOnce(&mut Value)) -> Value {
    let mut document = small();
    change(&mut document["paths"]["/thing/{id}/get"]["post"]);
    document
}

fn converted(document: &Value) -> Converted {
    convert(document).unwrap_or_else(|fault| panic!("{fault}"))
}

/// What a property becomes.
fn property(schema: Value) -> Value {
    let document = converted(&with_property(schema)).document;
    document["components"]["schemas"]["GetThingRequest"]["properties"]["p"].clone()
}

#[test]
fn a_type_that_may_be_null_becomes_nullable() {
    let expected = json!({ "type": "string", "nullable": true });
    assert_eq!(property(json!({ "type": ["string", "null"] })), expected);
    assert_eq!(property(json!({ "type": ["null", "string"] })), expected);
}

#[test]
fn a_choice_of_null_and_a_schema_becomes_nullable() {
    let expected = json!({ "type": "string", "nullable": true });
    let nothing = json!({ "type": "null" });
    let text = json!({ "type": "string", "minLength": 1 });
    assert_eq!(property(json!({ "oneOf": [nothing, text] })), expected);
    assert_eq!(property(json!({ "oneOf": [text, nothing] })), expected);
}

#[test]
fn an_optional_property_may_be_null_and_a_required_one_not() {
    let mut document = with_property(json!({ "type": "array", "items": { "type": "string" } }));
    let schemas = |document: &Value| converted(document).document["components"]["schemas"].clone();
    let optional = schemas(&document);
    assert_eq!(
        optional["GetThingRequest"]["properties"]["p"]["nullable"],
        true
    );
    document["components"]["schemas"]["GetThingRequest"]["required"] = json!(["p"]);
    let required = schemas(&document);
    assert!(
        required["GetThingRequest"]["properties"]["p"]
            .get("nullable")
            .is_none()
    );
}

#[test]
fn limits_defaults_and_closed_lists_are_left_out() {
    assert_eq!(
        property(json!({ "type": "integer", "minimum": 1, "maximum": 9, "default": 3 })),
        json!({ "type": "integer", "format": "int64", "nullable": true })
    );
    assert_eq!(
        property(json!({ "type": "string", "enum": ["a", "b"], "description": "Which." })),
        json!({ "type": "string", "nullable": true,
                "description": "Which.\n\nKnown values: `a`, `b`." })
    );
    assert_eq!(
        property(
            json!({ "type": "array", "items": { "type": "string" }, "uniqueItems": true,
                         "minItems": 1 })
        ),
        json!({ "type": "array", "items": { "type": "string" }, "nullable": true })
    );
}

#[test]
fn a_time_stays_text() {
    assert_eq!(
        property(json!({ "type": "string", "format": "date-time" })),
        json!({ "type": "string", "nullable": true })
    );
}

#[test]
fn an_alias_is_inlined_and_a_model_referred_to() {
    let mut document = with_property(json!({ "$ref": "#/components/schemas/Token" }));
    let schemas = &mut document["components"]["schemas"];
    schemas["Token"] = json!({ "type": ["string", "null"], "description": "Where to go on." });
    schemas["GetThingRequest"]["properties"]["q"] =
        json!({ "$ref": "#/components/schemas/GetThingResponse", "description": "Itself." });
    let schemas = converted(&document).document["components"]["schemas"].clone();
    assert_eq!(
        schemas["GetThingRequest"]["properties"],
        json!({
            "id": { "type": "array", "items": { "type": "string" }, "nullable": true },
            "p": { "type": "string", "nullable": true, "description": "Where to go on." },
            "q": { "$ref": "#/components/schemas/GetThingResponse" },
        })
    );
    assert!(schemas.get("Token").is_none());
}

#[test]
fn every_answer_becomes_a_stream_of_any_status() {
    let document = converted(&small()).document;
    let responses = &document["paths"]["/thing/{id}/get"]["post"]["responses"];
    assert_eq!(
        responses.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["default"]
    );
    assert!(responses["default"]["content"]["application/octet-stream"].is_object());
}

#[test]
fn an_arrow_body_becomes_a_stream_beside_the_request_model() {
    let document = with_operation(|operation| {
        operation["requestBody"]["content"] = json!({ "application/vnd.apache.arrow.stream": {
            "schema": { "type": "string", "format": "binary" } } });
    });
    let Converted {
        document,
        operations,
    } = converted(&document);
    assert_eq!(operations[0].body, Body::Arrow);
    assert_eq!(operations[0].request, "GetThingRequest");
    let body = &document["paths"]["/thing/{id}/get"]["post"]["requestBody"]["content"];
    assert_eq!(
        body.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["application/octet-stream"]
    );
}

#[test]
fn an_arrow_answer_needs_no_model_and_its_model_is_left_out() {
    let mut document = with_operation(|operation| {
        operation["responses"]["200"]["content"] = json!({ "application/vnd.apache.arrow.file": {
            "schema": { "type": "string", "format": "binary" } } });
    });
    document["components"]["schemas"]["GetThingResponse"]["properties"]["data"] =
        json!({ "type": "string", "format": "binary" });
    let Converted {
        document,
        operations,
    } = converted(&document);
    assert_eq!(operations[0].answer, Answer::Arrow);
    assert!(
        document["components"]["schemas"]
            .get("GetThingResponse")
            .is_none()
    );
}

#[test]
fn a_bare_answer_is_one_property_of_its_model() {
    let mut document = with_operation(|operation| {
        operation["responses"]["200"]["content"]["application/json"]["schema"] =
            json!({ "type": "integer", "minimum": 0 });
    });
    document["components"]["schemas"]["GetThingResponse"]["properties"]["count"] =
        json!({ "type": "integer", "format": "int64", "description": "How many." });
    assert_eq!(
        converted(&document).operations[0].answer,
        Answer::Property("count".to_owned())
    );
}

#[test]
fn an_operation_without_a_request_model_gets_one_of_its_parameters() {
    let mut document = with_operation(|operation| {
        operation.as_object_mut().unwrap().remove("requestBody");
    });
    document["components"]["schemas"]
        .as_object_mut()
        .unwrap()
        .remove("GetThingRequest");
    let Converted {
        document,
        operations,
    } = converted(&document);
    assert_eq!(operations[0].request, "GetThingRequest");
    let model = &document["components"]["schemas"]["GetThingRequest"]["properties"];
    assert_eq!(
        model.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["id"]
    );
    assert_eq!(model["id"]["type"], "array");
}
