//! The conversion of openapi.yml: each rewriting, and each refusal with its place.

use serde_json::{Value, json};

#[path = "../../build/openapi/mod.rs"]
#[expect(dead_code, reason = "the build uses all of it, the tests do not")]
pub(crate) mod openapi;

use openapi::document::{Converted, convert};
use openapi::operations::{Answer, Body};

/// A document with one operation, `GetThing`, whose model `GetThingRequest` is the body.
fn small() -> Value {
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
fn with_property(property: Value) -> Value {
    let mut document = small();
    document["components"]["schemas"]["GetThingRequest"]["properties"]["p"] = property;
    document
}

/// The document with a change in the one operation.
fn with_operation(change: impl FnOnce(&mut Value)) -> Value {
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
