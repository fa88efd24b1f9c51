//! What a call names, and what it would make.

use serde_json::Value;

use crate::call::{Body, Call};

/// An object that a call would make, or names.
pub(crate) enum Made {
    Namespace(Vec<String>),
    Table(Vec<String>),
}

impl Made {
    pub(crate) fn id(&self) -> &[String] {
        match self {
            Self::Namespace(id) | Self::Table(id) => id,
        }
    }

    /// How many namespaces deep it lies, or is.
    pub(super) fn depth(&self) -> usize {
        match self {
            Self::Namespace(id) => id.len(),
            Self::Table(id) => id.len().saturating_sub(1),
        }
    }
}

/// What a call names, in its route or in the parts of a batch.
pub(super) fn named(call: &Call, delimiter: &str) -> Vec<Made> {
    let id = call.id.as_deref().map(|id| split(call, delimiter, id));
    let kind = |kind: &str| call.operation.path.starts_with(kind);
    let named = match id {
        Some(id) if kind("/v1/namespace/") => Some(Made::Namespace(id)),
        Some(id) if kind("/v1/table/") => Some(Made::Table(id)),
        // What follows the identifier of a transaction's table is no level.
        _ => None,
    };
    let mut all: Vec<Made> = named.into_iter().collect();
    if let Body::Json(body) = &call.body {
        let entries = body["entries"].as_array().into_iter().flatten();
        all.extend(
            entries
                .filter_map(|entry| parts(&entry["id"]))
                .map(Made::Table),
        );
        let operations = body["operations"].as_array().into_iter().flatten();
        let operations = operations
            .filter_map(Value::as_object)
            .flat_map(|each| each.values());
        all.extend(
            operations
                .filter_map(|one| parts(&one["id"]))
                .map(Made::Table),
        );
    }
    all
}

/// The parts of a call's identifier, as a server reads it.
fn split(call: &Call, delimiter: &str, id: &[String]) -> Vec<String> {
    let own = call.query.iter().find(|(name, _)| *name == "delimiter");
    let delimiter = own.map_or(delimiter, |(_, own)| own.as_str());
    let joined = id.join(delimiter);
    if delimiter.is_empty() || joined == delimiter {
        return Vec::new();
    }
    joined.split(delimiter).map(str::to_owned).collect()
}

fn parts(value: &Value) -> Option<Vec<String>> {
    let parts = value.as_array()?.iter();
    parts.map(|part| part.as_str().map(str::to_owned)).collect()
}

/// What a call would make.
pub(crate) fn made(call: &Call, delimiter: &str) -> Vec<Made> {
    let id = || {
        let id = call.id.as_deref().map(|id| split(call, delimiter, id));
        id.unwrap_or_default()
    };
    let body = match &call.body {
        Body::Json(body) => body,
        _ => &Value::Null,
    };
    match call.operation.id.as_str() {
        "CreateNamespace" => vec![Made::Namespace(id())],
        "DeclareTable" | "RegisterTable" | "CreateTable" | "CreateMaterializedView" => {
            vec![Made::Table(id())]
        }
        "RenameTable" => {
            let mut renamed = parts(&body["new_namespace_id"]).unwrap_or_else(|| {
                let mut id = id();
                id.pop();
                id
            });
            renamed.extend(body["new_table_name"].as_str().map(str::to_owned));
            vec![Made::Table(renamed)]
        }
        "BatchCommitTables" => {
            let operations = body["operations"].as_array().into_iter().flatten();
            let declared = operations.filter_map(|each| parts(&each["declare_table"]["id"]));
            declared.map(Made::Table).collect()
        }
        _ => Vec::new(),
    }
}
