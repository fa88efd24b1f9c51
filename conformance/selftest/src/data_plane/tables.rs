//! The tables that have rows, by branch and version.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use super::Problem;
use super::snapshot::Snapshot;
use crate::interpose::{Honest, Received, json_of, ok};

/// The tables that have rows.
#[derive(Default)]
pub(super) struct Tables {
    tables: BTreeMap<Vec<String>, Branches>,
    pub(super) views: BTreeSet<Vec<String>>,
}

/// The versions of each branch, from 1; the name of main is empty.
type Branches = BTreeMap<String, Vec<Snapshot>>;

/// What `branch` names: in a body a field, of main if it is not there.
pub(super) fn branch_of(body: &Value) -> String {
    let name = body["branch"].as_str().unwrap_or_default();
    if name == "main" {
        String::new()
    } else {
        name.to_owned()
    }
}

impl Tables {
    /// Whether the table has rows, be they none.
    pub(super) fn has(&self, id: &[String]) -> bool {
        self.tables.contains_key(id)
    }

    /// A branch's versions.
    fn branch(&self, id: &[String], branch: &str) -> Result<&Vec<Snapshot>, Problem> {
        let branches = self.tables.get(id).ok_or_else(Problem::no_table)?;
        branches.get(branch).ok_or_else(|| {
            let words = format!("no branch {branch}");
            Problem(StatusCode::NOT_FOUND, 22, words)
        })
    }

    /// A version of a branch, or its latest.
    pub(super) fn at(
        &self,
        id: &[String],
        branch: &str,
        version: Option<i64>,
    ) -> Result<&Snapshot, Problem> {
        let versions = self.branch(id, branch)?;
        let place = match version {
            None => versions.len().checked_sub(1),
            Some(version) => usize::try_from(version - 1).ok(),
        };
        place.and_then(|place| versions.get(place)).ok_or_else(|| {
            let words = format!("no version {}", version.unwrap_or_default());
            Problem(StatusCode::NOT_FOUND, 11, words)
        })
    }

    /// The latest version of main, and its number.
    fn latest(&self, id: &[String]) -> Option<(usize, &Snapshot)> {
        let versions = self.tables.get(id)?.get("")?;
        Some((versions.len(), versions.last()?))
    }

    /// Makes a table, new or only declared so far, with this as its version 1.
    pub(super) async fn make(
        &mut self,
        honest: &Honest,
        id: &[String],
        snapshot: Snapshot,
    ) -> Result<i64, Problem> {
        if self.has(id) {
            let words = "the table exists";
            return Err(Problem(StatusCode::CONFLICT, 5, words.to_owned()));
        }
        let declared = honest.on_table(id, "/describe", &json!({})).await;
        let found = declared.status() == StatusCode::OK;
        let described = if found {
            declared
        } else {
            honest.on_table(id, "/declare", &json!({})).await
        };
        let status = described.status();
        let body = json_of(described).await;
        if status != StatusCode::OK {
            let words = body["error"].as_str().unwrap_or_default().to_owned();
            let code = body["code"].as_i64().unwrap_or(18);
            return Err(Problem(status, code, words));
        }
        // Registered, so that it is no longer only declared, and has no versions.
        let register = json!({
            "location": body["location"],
            "properties": body["properties"],
            "mode": "Overwrite",
        });
        honest.on_table(id, "/register", &register).await;
        self.tables
            .insert(id.to_vec(), Branches::from([(String::new(), Vec::new())]));
        self.commit(honest, id, "", snapshot).await
    }

    /// Adds a version; answers its number.
    pub(super) async fn commit(
        &mut self,
        honest: &Honest,
        id: &[String],
        branch: &str,
        snapshot: Snapshot,
    ) -> Result<i64, Problem> {
        let version = self.branch(id, branch)?.len() + 1;
        let mut body = json!({
            "version": version,
            "manifest_path": format!("{}/_versions/{version}.manifest", id.join("/")),
        });
        if !branch.is_empty() {
            body["branch"] = json!(branch);
        }
        let created = honest.on_table(id, "/version/create", &body).await;
        if created.status() == StatusCode::CONFLICT {
            let words = format!("version {version} exists");
            return Err(Problem(StatusCode::CONFLICT, 14, words));
        }
        if let Some(versions) = self
            .tables
            .get_mut(id)
            .and_then(|branches| branches.get_mut(branch))
        {
            versions.push(snapshot);
        }
        Ok(i64::try_from(version).unwrap_or(i64::MAX))
    }

    /// Takes a table away.
    pub(super) fn remove(&mut self, id: &[String]) {
        self.tables.remove(id);
        self.views.remove(id);
    }

    /// What the reference server answers to an operation that is not on rows, and what follows from
    /// it here.
    pub(super) async fn pass(&mut self, honest: Honest, received: Received) -> Response {
        let body = received.json();
        for gone in ["/drop", "/deregister"] {
            if let Some(id) = received.table(gone) {
                let answer = honest.answer(received).await;
                if answer.status().is_success() {
                    self.remove(&id);
                }
                return answer;
            }
        }
        if let Some(id) = received.table("/rename") {
            let answer = honest.answer(received).await;
            if answer.status().is_success()
                && let Some(branches) = self.tables.remove(&id)
            {
                self.tables.insert(renamed(&id, &body), branches);
            }
            return answer;
        }
        if let Some(id) = received.table("/branches/create") {
            let answer = honest.answer(received).await;
            if answer.status().is_success() {
                self.branch_off(&id, &body);
            }
            return answer;
        }
        if let Some(id) = received.table("/branches/delete") {
            let answer = honest.answer(received).await;
            if answer.status().is_success()
                && let Some(branches) = self.tables.get_mut(&id)
            {
                branches.remove(body["name"].as_str().unwrap_or_default());
            }
            return answer;
        }
        if let Some(id) = received.table("/describe") {
            let detailed = received.query("load_detailed_metadata").as_deref() == Some("true");
            let latest = self.latest(&id).filter(|_| detailed);
            let Some((version, snapshot)) = latest else {
                return honest.answer(received).await;
            };
            let details = [
                ("version", json!(version)),
                ("schema", schema(snapshot)),
                (
                    "stats",
                    json!({ "num_deleted_rows": 0, "num_fragments": 1 }),
                ),
                ("is_only_declared", json!(false)),
            ];
            // The reference server opens no table and refuses to say what only that tells.
            let answer = honest.on_table(&id, "/describe", &json!({})).await;
            if !answer.status().is_success() {
                return answer;
            }
            let mut described = json_of(answer).await;
            for (field, value) in details {
                described[field] = value;
            }
            return ok(&described);
        }
        honest.answer(received).await
    }

    /// A new branch has the versions of its source, up to the one that it begins at.
    fn branch_off(&mut self, id: &[String], body: &Value) {
        let Some(branches) = self.tables.get_mut(id) else {
            return;
        };
        let source = body["from_branch"].as_str().unwrap_or_default();
        let mut versions = branches.get(source).cloned().unwrap_or_default();
        if let Some(version) = body["from_version"].as_u64() {
            versions.truncate(usize::try_from(version).unwrap_or(usize::MAX));
        }
        let name = body["name"].as_str().unwrap_or_default().to_owned();
        branches.insert(name, versions);
    }
}

/// The identifier that a table gets by a rename.
fn renamed(id: &[String], body: &Value) -> Vec<String> {
    let parts = body["new_namespace_id"].as_array();
    let mut renamed: Vec<String> = match parts {
        Some(parts) => parts
            .iter()
            .filter_map(|part| Some(part.as_str()?.to_owned()))
            .collect(),
        None => id[..id.len().saturating_sub(1)].to_vec(),
    };
    renamed.push(
        body["new_table_name"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
    );
    renamed
}

/// The schema as descriptions have it.
fn schema(snapshot: &Snapshot) -> Value {
    let fields: Vec<Value> = snapshot
        .columns
        .iter()
        .map(|(name, kind)| {
            let kind = kind.to_string().to_lowercase();
            json!({ "name": name, "nullable": true, "type": { "type": kind } })
        })
        .collect();
    json!({ "fields": fields })
}
