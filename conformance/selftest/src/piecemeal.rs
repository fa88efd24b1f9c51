//! Batches and commits that are done part by part.

use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use crate::interpose::{Honest, Received, error, json_of, strings};

/// One entry of a batch, or one operation of a commit, as a request of its own.
#[derive(Clone, Debug)]
pub struct Part {
    /// The kind of the operation, as commits name it; `create_table_version` for an entry.
    pub kind: String,
    /// The table.
    pub id: Vec<String>,
    /// The body.
    pub body: Value,
    of_commit: bool,
}

/// The parts of a batch or commit; none for other requests, and for those with an operation that
/// has not exactly one kind, which the honest server refuses as a whole.
#[must_use]
pub fn parts(received: &Received) -> Option<Vec<Part>> {
    let entry = |body: Value| Part {
        kind: "create_table_version".to_owned(),
        id: strings(&body["id"]),
        body,
        of_commit: false,
    };
    if let Some(entries) = received.entries() {
        return Some(entries.into_iter().map(entry).collect());
    }
    let operation = |operation: &Value| {
        let fields = operation.as_object()?;
        let mut kinds = fields.iter().filter(|(_, body)| body.is_object());
        let (Some((kind, body)), None) = (kinds.next(), kinds.next()) else {
            return None;
        };
        Some(Part {
            kind: kind.clone(),
            of_commit: true,
            ..entry(body.clone())
        })
    };
    received.operations()?.iter().map(operation).collect()
}

impl Part {
    /// Does it alone; answers the result, as the whole would hold it.
    ///
    /// # Errors
    ///
    /// The honest server's refusal.
    pub async fn done(&self, honest: &Honest) -> Result<Value, Response> {
        let suffix = match self.kind.as_str() {
            "declare_table" => "/declare",
            "create_table_version" => "/version/create",
            "delete_table_versions" => "/version/delete",
            "deregister_table" => "/deregister",
            _ => return Err(error(StatusCode::BAD_REQUEST, 13)),
        };
        let answer = honest.on_table(&self.id, suffix, &self.body).await;
        if answer.status() != StatusCode::OK {
            return Err(answer);
        }
        let mut body = json_of(answer).await;
        Ok(match self.of_commit {
            true => json!({ &self.kind: body }),
            false => body["version"].take(),
        })
    }

    /// Undoes what can be undone of it: a declaration and a create.
    pub async fn undone(&self, honest: &Honest) {
        match self.kind.as_str() {
            "declare_table" => {
                honest.on_table(&self.id, "/deregister", &json!({})).await;
            }
            "create_table_version" => {
                let version = self.body["version"].as_i64().unwrap_or_default();
                honest.remove(&self.id, &self.body["branch"], version).await;
            }
            _ => {}
        }
    }

    /// The refusal that is to be expected now, as far as the table and the version tell.
    ///
    /// # Errors
    ///
    /// That refusal.
    pub async fn checked(&self, honest: &Honest) -> Result<(), Response> {
        let table = honest.on_table(&self.id, "/exists", &json!({})).await;
        let declares = self.kind == "declare_table";
        if table.status() == StatusCode::OK && declares {
            return Err(error(StatusCode::CONFLICT, 5));
        }
        if table.status() != StatusCode::OK && !declares {
            return Err(error(StatusCode::NOT_FOUND, 4));
        }
        if self.kind != "create_table_version" {
            return Ok(());
        }
        let path = self.body["manifest_path"].as_str().unwrap_or_default();
        let version = self.body["version"]
            .as_i64()
            .filter(|version| *version >= 0);
        let (Some(version), false) = (version, path.is_empty()) else {
            return Err(error(StatusCode::BAD_REQUEST, 13));
        };
        match honest.entry(&self.id, &self.body["branch"], version).await {
            Some(_) => Err(error(StatusCode::CONFLICT, 14)),
            None => Ok(()),
        }
    }
}

/// The answer of a batch or commit with these results.
#[must_use]
pub fn whole(parts: &[Part], results: &[Value]) -> Value {
    let of_commit = parts.first().is_some_and(|part| part.of_commit);
    let field = if of_commit { "results" } else { "versions" };
    json!({ field: results })
}
