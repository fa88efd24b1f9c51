//! The documentation of generated items, made of the descriptions in openapi.yml.

use serde_json::{Value, json};

use crate::conversion::openapi::document::convert;
use crate::conversion::{openapi, small};

#[path = "../../build/docs.rs"]
mod docs;

/// The name of a method, as the build makes it; the tests' operations need no more.
fn snake(name: &str) -> String {
    heck::ToSnakeCase::to_snake_case(name)
}

/// What is said of the operation, of its request model, and of the model's `id`.
struct Said {
    operation: (String, String),
    model: String,
    property: String,
}

fn said(change: impl FnOnce(&mut Value)) -> Said {
    let mut document = small();
    change(&mut document);
    let operations = convert(&document).unwrap().operations;
    let docs = docs::Docs::read(&document, &operations);
    Said {
        operation: docs.of_operation(&operations[0]),
        model: docs.of_model("GetThingRequest"),
        property: docs.of_property("GetThingRequest", "id"),
    }
}

fn said_of_the_model(description: &str) -> String {
    said(|document| {
        document["components"]["schemas"]["GetThingRequest"]["description"] = json!(description);
    })
    .model
}

fn said_of_the_operation(description: &str) -> (String, String) {
    said(|document| {
        document["paths"]["/thing/{id}/get"]["post"]["description"] = json!(description);
    })
    .operation
}

#[test]
fn what_has_no_description_is_named() {
    let said = said(|_| ());
    assert_eq!(said.model, "`GetThingRequest` of the protocol.");
    assert_eq!(said.property, "`id` of `GetThingRequest`.");
    assert_eq!(
        said.operation,
        ("Calls `GetThing`.".to_owned(), String::new())
    );
}

#[test]
fn the_first_sentence_is_a_paragraph_of_its_own() {
    for (description, documentation) in [
        ("A thing. It\nhas parts.", "A thing.\n\nIt\nhas parts."),
        ("A thing.\n`id` names it.", "A thing.\n\n`id` names it."),
        ("A thing, e.g. this one", "A thing, e.g. this one"),
        (
            "As `a. B` (or so. Or not) is.",
            "As `a. B` (or so. Or not) is.",
        ),
        ("Version 1.2 of it.", "Version 1.2 of it."),
        ("These:\n\n- One. Two.", "These:\n\n- One. Two."),
    ] {
        assert_eq!(said_of_the_model(description), documentation);
    }
}

#[test]
fn operations_that_are_named_are_links_to_their_methods() {
    assert_eq!(
        said_of_the_model("Request of `GetThing`, not of GetThing or `GetThings`."),
        "Request of [`GetThing`](crate::Client::get_thing), not of GetThing or `GetThings`."
    );
}

#[test]
fn tags_and_brackets_in_prose_are_literal_and_addresses_are_links() {
    assert_eq!(
        said_of_the_model("A <T> of [a], `<T>[a]`, see https://example.com/a."),
        "A \\<T> of \\[a\\], `<T>[a]`, see <https://example.com/a>."
    );
}

#[test]
fn the_statuses_of_failures_stand_apart_from_what_an_operation_does() {
    assert_eq!(
        said_of_the_operation("Gets it.\n\n404 (code 4) when it is\nunknown.\n\n200 if not."),
        (
            "Gets it.\n\n200 if not.".to_owned(),
            "404 (code 4) when it is\nunknown.".to_owned()
        )
    );
}
