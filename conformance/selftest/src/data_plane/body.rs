//! What the bodies of operations on rows must hold.

use serde_json::Value;

use super::Problem;
use crate::interpose::Received;

/// What a field holds.
type Holds = fn(&Value) -> bool;

const NUMBER: Holds = |value| value.is_i64() || value.is_u64();

/// Refuses a body that is no object, lacks a field, or has one of a wrong type.
pub(super) fn check(operation: &str, received: &Received) -> Result<(), Problem> {
    if matches!(operation, "create" | "insert" | "merge_insert") || operation.ends_with("/drop") {
        return Ok(());
    }
    let empty = received.body.trim_ascii().is_empty();
    let body = match empty {
        true => Value::Null,
        false => serde_json::from_slice(&received.body)
            .map_err(|error| Problem::invalid(format!("the body is no JSON: {error}")))?,
    };
    if !empty && !body.is_object() {
        return Err(Problem::invalid("the body is no object"));
    }
    if operation == "schema_metadata/update" {
        return Ok(());
    }
    for (field, holds) in required(operation) {
        if !holds(&body[*field]) {
            let words = format!("{field} is missing or of a wrong type");
            return Err(Problem::invalid(words));
        }
    }
    let optional: [(&str, Holds); 3] = [
        ("branch", Value::is_string),
        ("predicate", Value::is_string),
        ("version", NUMBER),
    ];
    for (field, holds) in optional {
        if !body[field].is_null() && !holds(&body[field]) {
            return Err(Problem::invalid(format!("{field} is of a wrong type")));
        }
    }
    words(operation, &body)
}

fn required(operation: &str) -> &'static [(&'static str, Holds)] {
    match operation {
        "update" | "update_field_metadata" => &[("updates", Value::is_array)],
        "delete" => &[("predicate", Value::is_string)],
        "restore" => &[("version", NUMBER)],
        "add_columns" => &[("new_columns", Value::is_array)],
        "alter_columns" => &[("alterations", Value::is_array)],
        "drop_columns" => &[("columns", Value::is_array)],
        "backfill_column" => &[("column", Value::is_string)],
        "query" | "analyze_plan" => &[("k", NUMBER)],
        "explain_plan" => &[("query", Value::is_object)],
        "create_index" | "create_scalar_index" => &[
            ("column", Value::is_string),
            ("index_type", Value::is_string),
        ],
        _ => &[],
    }
}

/// Refuses words that are none, and names that are empty.
fn words(operation: &str, body: &Value) -> Result<(), Problem> {
    if let Some(kind) = body["index_type"].as_str() {
        let known = ["BTREE", "BITMAP", "LABEL_LIST", "FTS", "INVERTED"];
        let upper = kind.to_uppercase();
        if !known.contains(&upper.as_str()) && !upper.starts_with("IVF") {
            return Err(Problem::invalid(format!("{kind} is no type of index")));
        }
    }
    let alterations = body["alterations"].as_array().into_iter().flatten();
    let empty = |alteration: &Value| alteration["rename"].as_str() == Some("");
    if operation == "alter_columns" && alterations.clone().any(empty) {
        return Err(Problem::invalid("a column cannot be called nothing"));
    }
    Ok(())
}
