//! Which operations of openapi.yml are listings, and which stop the build.

use serde_json::{Value, json};

use crate::conversion::openapi::document::convert;
use crate::conversion::openapi::listing::{Item, Shape, listings};
use crate::conversion::small;

/// A document with one paged operation.
fn paged() -> Value {
    let mut document = small();
    let schemas = &mut document["components"]["schemas"];
    schemas["GetThingRequest"]["properties"]["page_token"] = json!({ "type": ["string", "null"] });
    schemas["GetThingRequest"]["properties"]["limit"] = json!({ "type": ["integer", "null"] });
    let response = &mut schemas["GetThingResponse"]["properties"];
    response["page_token"] = json!({ "type": ["string", "null"] });
    response["things"] = json!({ "type": "array", "items": { "type": "string" } });
    document
}

#[test]
fn a_listing_is_an_operation_that_takes_and_gives_a_token() {
    let found = |document: &Value| {
        let converted = convert(document).unwrap_or_else(|fault| panic!("{fault}"));
        listings(&converted.document, &converted.operations)
            .unwrap_or_else(|fault| panic!("{fault}"))
    };
    assert_eq!(found(&small()), []);
    let mut document = paged();
    let listing = found(&document).remove(0);
    assert_eq!(listing.operation, "GetThing");
    assert_eq!(listing.property, "things");
    assert!(!listing.required);
    assert_eq!((listing.shape, listing.item), (Shape::List, Item::Text));

    let response = &mut document["components"]["schemas"]["GetThingResponse"];
    response["required"] = json!(["things"]);
    response["properties"]["things"] = json!({ "type": "object",
        "additionalProperties": { "$ref": "#/components/schemas/GetThingRequest" } });
    let listing = found(&document).remove(0);
    assert!(listing.required);
    assert_eq!(listing.shape, Shape::Map);
    assert_eq!(listing.item, Item::Model("GetThingRequest".to_owned()));
}

#[test]
fn an_operation_that_pages_in_another_way_stops_the_build() {
    type Change = fn(&mut Value);
    let cases: [(Change, &str); 9] = [
        (
            |schemas| remove(schemas, "GetThingRequest", "page_token"),
            "GetThingRequest has no optional string `page_token`",
        ),
        (
            |schemas| remove(schemas, "GetThingRequest", "limit"),
            "GetThingRequest has no optional integer `limit`",
        ),
        (
            |schemas| schemas["GetThingRequest"]["required"] = json!(["limit"]),
            "GetThingRequest has no optional integer `limit`",
        ),
        (
            |schemas| remove(schemas, "GetThingResponse", "page_token"),
            "GetThingResponse has no optional string `page_token`",
        ),
        (
            |schemas| schemas["GetThingResponse"]["required"] = json!(["page_token"]),
            "GetThingResponse has no optional string `page_token`",
        ),
        (
            |schemas| {
                schemas["GetThingResponse"]["properties"]["page_token"] =
                    json!({ "type": "integer" });
            },
            "GetThingResponse has no optional string `page_token`",
        ),
        (
            |schemas| remove(schemas, "GetThingResponse", "things"),
            "GetThingResponse has 0 lists and maps",
        ),
        (
            |schemas| {
                let properties = &mut schemas["GetThingResponse"]["properties"];
                properties["others"] = properties["things"].clone();
            },
            "GetThingResponse has 2 lists and maps",
        ),
        (
            |schemas| {
                schemas["GetThingResponse"]["properties"]["things"]["items"] =
                    json!({ "type": "integer" });
            },
            "`things` holds neither texts nor models",
        ),
    ];
    for (change, expected) in cases {
        let mut document = paged();
        change(&mut document["components"]["schemas"]);
        let converted = convert(&document).unwrap_or_else(|fault| panic!("{fault}"));
        let fault = listings(&converted.document, &converted.operations).unwrap_err();
        assert_eq!(fault.pointer, "/paths/~1thing~1{id}~1get/post");
        assert!(fault.message.starts_with("GetThing has a `page_token`"));
        assert!(fault.message.contains(expected), "{}", fault.message);
        assert!(fault.message.contains("build/openapi/listing.rs"));
    }
}

fn remove(schemas: &mut Value, model: &str, property: &str) {
    let properties = schemas[model]["properties"].as_object_mut().unwrap();
    properties.shift_remove(property).unwrap();
}
