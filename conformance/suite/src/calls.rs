//! The calls that scenarios make, as requests of the protocol.

pub mod data;
pub mod every;

use serde_json::{Map, Value, json};

use crate::call::Call;
use crate::entry::Manifest;
use crate::stage::Table;

/// `DeclareTable`.
#[must_use]
pub fn declare(id: &[String]) -> Call {
    Call::new("DeclareTable").id(id).json(json!({ "id": id }))
}

/// `DescribeTable`.
#[must_use]
pub fn describe_table(id: &[String]) -> Call {
    Call::new("DescribeTable").id(id).json(json!({ "id": id }))
}

/// `ListTables` of a namespace.
#[must_use]
pub fn list_tables(namespace: &[String]) -> Call {
    Call::new("ListTables").id(namespace)
}

/// `CreateTableVersion` on the main branch.
#[must_use]
pub fn create_version(table: &Table, version: i64, manifest: &Manifest) -> Call {
    let mut body = manifest.request(version);
    body.insert("id".to_owned(), json!(table.id));
    Call::new("CreateTableVersion")
        .id(&table.id)
        .json(Value::Object(body))
}

/// `DescribeTableVersion` on the main branch; the latest without a version.
#[must_use]
pub fn describe_version(table: &Table, version: Option<i64>) -> Call {
    let mut body = Map::from_iter([("id".to_owned(), json!(table.id))]);
    if let Some(version) = version {
        body.insert("version".to_owned(), json!(version));
    }
    Call::new("DescribeTableVersion")
        .id(&table.id)
        .json(Value::Object(body))
}

/// `ListTableVersions` on the main branch.
#[must_use]
pub fn list_versions(table: &Table) -> Call {
    Call::new("ListTableVersions").id(&table.id)
}

/// `BatchDeleteTableVersions` on the main branch, of ranges with an exclusive end.
#[must_use]
pub fn delete_versions(table: &Table, ranges: &[(i64, i64)]) -> Call {
    Call::new("BatchDeleteTableVersions")
        .id(&table.id)
        .json(json!({ "id": table.id, "ranges": ranges_json(ranges) }))
}

/// `CreateTableBranch`, from the latest version of the main branch.
#[must_use]
pub fn create_branch(table: &Table, name: &str) -> Call {
    Call::new("CreateTableBranch")
        .id(&table.id)
        .json(json!({ "id": table.id, "name": name }))
}

/// `BatchCreateTableVersions`.
#[must_use]
pub fn batch_create(entries: &[Value]) -> Call {
    Call::new("BatchCreateTableVersions").json(json!({ "entries": entries }))
}

/// An entry of `BatchCreateTableVersions`.
#[must_use]
pub fn batch_entry(id: &[String], version: i64, manifest: &Manifest) -> Value {
    let mut entry = manifest.request(version);
    entry.insert("id".to_owned(), json!(id));
    Value::Object(entry)
}

/// `BatchCommitTables`.
#[must_use]
pub fn commit(operations: &[Value]) -> Call {
    Call::new("BatchCommitTables").json(json!({ "operations": operations }))
}

/// An operation of `BatchCommitTables` that declares a table.
#[must_use]
pub fn commit_declare(id: &[String]) -> Value {
    json!({ "declare_table": { "id": id } })
}

/// An operation of `BatchCommitTables` that creates a version.
#[must_use]
pub fn commit_create(id: &[String], version: i64, manifest: &Manifest) -> Value {
    json!({ "create_table_version": batch_entry(id, version, manifest) })
}

/// An operation of `BatchCommitTables` that deletes versions, of ranges with an exclusive end.
#[must_use]
pub fn commit_delete(id: &[String], ranges: &[(i64, i64)]) -> Value {
    json!({ "delete_table_versions": { "id": id, "ranges": ranges_json(ranges) } })
}

/// An operation of `BatchCommitTables` that deregisters a table.
#[must_use]
pub fn commit_deregister(id: &[String]) -> Value {
    json!({ "deregister_table": { "id": id } })
}

/// `TableExists`.
#[must_use]
pub fn table_exists(id: &[String]) -> Call {
    Call::new("TableExists").id(id).json(json!({ "id": id }))
}

/// `DeregisterTable`.
#[must_use]
pub fn deregister(id: &[String]) -> Call {
    let body = json!({ "id": id });
    Call::new("DeregisterTable").id(id).json(body)
}

/// `CreateNamespace`.
#[must_use]
pub fn create_namespace(id: &[String]) -> Call {
    let body = json!({ "id": id });
    Call::new("CreateNamespace").id(id).json(body)
}

/// `DropNamespace` of one that is empty.
#[must_use]
pub fn drop_namespace(id: &[String]) -> Call {
    let body = json!({ "id": id });
    Call::new("DropNamespace").id(id).json(body)
}

/// `CreateTableTag` on the main branch.
#[must_use]
pub fn create_tag(table: &Table, tag: &str, version: i64) -> Call {
    let body = json!({ "id": table.id, "tag": tag, "version": version });
    Call::new("CreateTableTag").id(&table.id).json(body)
}

/// `DescribeNamespace`.
#[must_use]
pub fn describe_namespace(id: &[String]) -> Call {
    let body = json!({ "id": id });
    Call::new("DescribeNamespace").id(id).json(body)
}

/// `NamespaceExists`.
#[must_use]
pub fn namespace_exists(id: &[String]) -> Call {
    let body = json!({ "id": id });
    Call::new("NamespaceExists").id(id).json(body)
}

/// `DropTable`.
#[must_use]
pub fn drop_table(id: &[String]) -> Call {
    Call::new("DropTable").id(id)
}

/// `RegisterTable` of what is at a location.
#[must_use]
pub fn register(id: &[String], location: &str) -> Call {
    let body = json!({ "id": id, "location": location });
    Call::new("RegisterTable").id(id).json(body)
}

/// `RenameTable` within its namespace.
#[must_use]
pub fn rename(id: &[String], name: &str) -> Call {
    let body = json!({ "id": id, "new_table_name": name });
    Call::new("RenameTable").id(id).json(body)
}

/// `UpdateTableTag` to a version of the main branch.
#[must_use]
pub fn update_tag(table: &Table, tag: &str, version: i64) -> Call {
    let body = json!({ "id": table.id, "tag": tag, "version": version });
    Call::new("UpdateTableTag").id(&table.id).json(body)
}

/// `DeleteTableTag`.
#[must_use]
pub fn delete_tag(table: &Table, tag: &str) -> Call {
    let body = json!({ "id": table.id, "tag": tag });
    Call::new("DeleteTableTag").id(&table.id).json(body)
}

/// `GetTableTagVersion`.
#[must_use]
pub fn tag_version(table: &Table, tag: &str) -> Call {
    let body = json!({ "id": table.id, "tag": tag });
    Call::new("GetTableTagVersion").id(&table.id).json(body)
}

/// `DeleteTableBranch`.
#[must_use]
pub fn delete_branch(table: &Table, name: &str) -> Call {
    let body = json!({ "id": table.id, "name": name });
    Call::new("DeleteTableBranch").id(&table.id).json(body)
}

/// `DescribeTransaction`.
#[must_use]
pub fn describe_transaction(id: &[String]) -> Call {
    let body = json!({ "id": id });
    Call::new("DescribeTransaction").id(id).json(body)
}

/// `AlterTransaction` by these actions.
#[must_use]
pub fn alter_transaction(id: &[String], actions: &[Value]) -> Call {
    let body = json!({ "id": id, "actions": actions });
    Call::new("AlterTransaction").id(id).json(body)
}

fn ranges_json(ranges: &[(i64, i64)]) -> Vec<Value> {
    ranges
        .iter()
        .map(|(start, end)| json!({ "start_version": start, "end_version": end }))
        .collect()
}
