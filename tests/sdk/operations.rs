//! The operations of openapi.yml.

use std::fmt::Write;

use lance_namespace_client::Operation;

use crate::conversion::openapi::document::convert;
use crate::conversion::openapi::operations::{Answer, Body};
use crate::sample::document;

#[test]
fn the_table_of_operations_is_the_protocols() {
    let converted = convert(&document()).unwrap();
    let mut table = String::new();
    for operation in &converted.operations {
        let request = match &operation.body {
            Body::None => format!("{} (no body)", operation.request),
            Body::Request => operation.request.clone(),
            Body::Property(property, _) => format!("{}.{property}", operation.request),
            Body::Arrow => format!("{} + Arrow stream", operation.request),
        };
        let response = match &operation.answer {
            Answer::Empty => format!("{} (no body)", operation.response),
            Answer::Response => operation.response.clone(),
            Answer::Property(property) => format!("{}.{property}", operation.response),
            Answer::Arrow => "Arrow file".to_owned(),
        };
        writeln!(
            table,
            "{} {} {}\n    {request}\n    {response}\n    {}",
            operation.id,
            operation.method,
            operation.path,
            operation.statuses.join(" "),
        )
        .unwrap();
    }
    insta::assert_snapshot!("operations", table);
}

#[test]
fn the_client_has_every_operation_of_the_document() {
    let converted = convert(&document()).unwrap();
    let known: Vec<_> = Operation::all()
        .iter()
        .map(|operation| (operation.id(), operation.method(), operation.path()))
        .collect();
    let documented: Vec<_> = converted
        .operations
        .iter()
        .map(|operation| {
            (
                operation.id.as_str(),
                operation.method.as_str(),
                operation.path.as_str(),
            )
        })
        .collect();
    assert_eq!(known, documented);
    assert_eq!(known.len(), 54);
}
