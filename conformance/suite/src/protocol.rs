//! What `openapi.yml` says of each operation: route, answers, and the shape of their bodies.

use std::collections::{BTreeMap, HashMap};
use std::sync::{LazyLock, OnceLock};

use jsonschema::Validator;
use serde_json::{Map, Value, json};

/// An operation of the protocol, as `openapi.yml` describes it.
#[derive(Debug)]
pub struct Operation {
    /// The operation's name, such as `CreateTableVersion`.
    pub id: String,
    /// The HTTP method, in capitals.
    pub method: http::Method,
    /// The route, with `{id}` and `{index_name}` where identifiers go.
    pub path: String,
    /// Whether a JSON request body is declared.
    pub takes_json: bool,
    /// The fields that its JSON request body must have.
    pub required: Vec<String>,
    /// The statuses of success that are declared.
    pub success: Vec<u16>,
    accept: String,
    schema: Option<Value>,
    validator: OnceLock<Validator>,
}

impl Operation {
    /// What the header `accept` asks for: the content types that are declared for success, and JSON,
    /// which errors are in.
    pub(crate) fn accept(&self) -> &str {
        &self.accept
    }

    /// Whether it changes nothing, so that it can be asked again whatever became of it.
    pub(crate) fn reads_only(&self) -> bool {
        let id = self.id.as_str();
        self.method == http::Method::GET
            || [
                "Describe", "List", "Get", "Count", "Query", "Explain", "Analyze",
            ]
            .iter()
            .any(|verb| id.starts_with(verb))
            || id.ends_with("Exists")
    }

    /// What is wrong with a 2xx body, against the operation's response model.
    ///
    /// A null in a field that is not required counts as absent, whether or not the structure calls
    /// the field nullable. Unknown fields are allowed.
    #[must_use]
    pub fn violations(&self, body: &[u8]) -> Vec<String> {
        let Some(schema) = &self.schema else {
            return Vec::new();
        };
        let mut value = match serde_json::from_slice(body) {
            Ok(value) => value,
            Err(error) => return vec![format!("the body is not JSON: {error}")],
        };
        drop_nulls(&mut value);
        self.validator
            .get_or_init(|| compile(schema))
            .iter_errors(&value)
            .map(|error| {
                let at = error.instance_path().to_string();
                let at = if at.is_empty() { "the body" } else { &at };
                format!("{at}: {error}")
            })
            .collect()
    }
}

/// The operation of this name.
///
/// # Panics
///
/// If the protocol has no operation of this name, which is a fault of the suite.
#[must_use]
pub fn operation(id: &str) -> &'static Operation {
    operations()
        .get(id)
        .unwrap_or_else(|| panic!("the protocol has no operation {id}"))
}

/// All operations, by name.
pub fn operations() -> &'static BTreeMap<String, Operation> {
    static OPERATIONS: LazyLock<BTreeMap<String, Operation>> =
        LazyLock::new(|| read(document()).collect());
    &OPERATIONS
}

fn document() -> &'static Value {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
        yaml_serde::from_str(lance_namespace_client::OPENAPI)
            .expect("openapi.yml is part of the build, which has read it")
    });
    &DOCUMENT
}

fn read(document: &'static Value) -> impl Iterator<Item = (String, Operation)> {
    let paths = document["paths"].as_object().into_iter().flatten();
    paths.flat_map(move |(path, item)| {
        let methods = item.as_object().into_iter().flatten();
        methods.filter_map(move |(method, operation)| {
            let id = operation["operationId"].as_str()?.to_owned();
            let answers = operation["responses"].as_object()?;
            let success = answers
                .keys()
                .filter(|status| status.starts_with('2'))
                .filter_map(|status| status.parse().ok())
                .collect::<Vec<u16>>();
            let answer = answers
                .iter()
                .find(|(status, _)| status.starts_with('2'))
                .map(|(_, answer)| resolve(document, answer));
            let content = answer.and_then(|answer| answer["content"].as_object());
            let mut accept: Vec<&str> = content
                .into_iter()
                .flatten()
                .map(|(content_type, _)| content_type.as_str())
                .filter(|content_type| *content_type != "application/json")
                .collect();
            accept.push("application/json");
            let schema = answer
                .and_then(|answer| answer.pointer("/content/application~1json/schema"))
                .cloned();
            let body = operation.pointer("/requestBody/content/application~1json/schema");
            let required = body.map(|schema| resolve(document, schema)["required"].clone());
            let required = required.and_then(|required| serde_json::from_value(required).ok());
            let operation = Operation {
                method: method.to_uppercase().parse().ok()?,
                path: path.clone(),
                takes_json: body.is_some(),
                required: required.unwrap_or_default(),
                success,
                accept: accept.join(", "),
                schema,
                validator: OnceLock::new(),
                id: id.clone(),
            };
            Some((id, operation))
        })
    })
}

fn resolve<'a>(document: &'a Value, node: &'a Value) -> &'a Value {
    node["$ref"]
        .as_str()
        .and_then(|reference| document.pointer(reference.strip_prefix('#')?))
        .unwrap_or(node)
}

fn compile(schema: &Value) -> Validator {
    let mut root = match schema {
        Value::Object(root) => root.clone(),
        _ => Map::new(),
    };
    root.insert(
        "components".to_owned(),
        json!({ "schemas": document()["components"]["schemas"] }),
    );
    jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .build(&Value::Object(root))
        .expect("openapi.yml holds schemas that a test compiles")
}

fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, field| !field.is_null());
            fields.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

/// The statuses that an error code goes with (requirement REST-7).
#[must_use]
pub fn status_of_code(code: i64) -> Option<u16> {
    static STATUSES: LazyLock<HashMap<i64, u16>> = LazyLock::new(|| {
        let rows: [(u16, &[i64]); 9] = [
            (404, &[1, 4, 6, 8, 10, 11, 12, 22]),
            (409, &[2, 3, 5, 7, 9, 14, 19, 23]),
            (400, &[13, 20]),
            (401, &[16]),
            (403, &[15]),
            (406, &[0]),
            (429, &[21]),
            (503, &[17]),
            (500, &[18]),
        ];
        rows.iter()
            .flat_map(|&(status, codes)| codes.iter().map(move |&code| (code, status)))
            .collect()
    });
    STATUSES.get(&code).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_read_and_every_schema_compiles() {
        assert_eq!(operations().len(), 54);
        for operation in operations().values() {
            assert!(!operation.success.is_empty(), "{}", operation.id);
            let _compiled = operation.violations(b"{}");
        }
    }

    #[test]
    fn a_null_in_an_optional_field_counts_as_absent() {
        let create = operation("CreateTableVersion");
        assert_eq!(
            create.violations(br#"{"transaction_id": null, "extra": 1}"#),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_missing_or_mistyped_field_is_named() {
        let describe = operation("DescribeTableVersion");
        let missing = describe.violations(br#"{"version": {"version": 1}}"#);
        assert!(missing[0].contains("manifest_path"), "{missing:?}");
        let mistyped =
            describe.violations(br#"{"version": {"version": "1", "manifest_path": "m"}}"#);
        assert!(mistyped[0].starts_with("/version/version"), "{mistyped:?}");
        let text = describe.violations(b"<html>");
        assert!(text[0].contains("not JSON"), "{text:?}");
    }

    #[test]
    fn each_code_has_a_status() {
        assert!((0..=23).all(|code| status_of_code(code).is_some()));
        assert_eq!(status_of_code(24), None);
    }

    #[test]
    fn only_reads_are_asked_again_after_a_503() {
        let reads = operations()
            .values()
            .filter(|operation| operation.reads_only())
            .map(|operation| operation.id.as_str())
            .collect::<Vec<_>>();
        assert_eq!(
            reads,
            [
                "AnalyzeTableQueryPlan",
                "CountTableRows",
                "DescribeNamespace",
                "DescribeTable",
                "DescribeTableIndexStats",
                "DescribeTableVersion",
                "DescribeTransaction",
                "ExplainTableQueryPlan",
                "GetTableStats",
                "GetTableTagVersion",
                "ListAllTables",
                "ListNamespaces",
                "ListTableBranches",
                "ListTableIndices",
                "ListTableTags",
                "ListTableVersions",
                "ListTables",
                "NamespaceExists",
                "QueryTable",
                "TableExists",
            ]
        );
    }
}
