//! A request of every operation, on objects of the scenario's own.

use serde_json::{Value, json};

use crate::call::Call;
use crate::calls;
use crate::protocol;
use crate::scenario::Flow;
use crate::stage::Stage;

/// A request of every operation that a known caller could make. A write has an object of its own,
/// so that one that is carried out by mistake does not change what the next one finds.
pub(super) async fn of_every_operation(s: &Stage) -> Flow<Vec<Call>> {
    let home = s.home().await?;
    let table = s.table("t").await?;
    let manifest = s.manifest(&table, "the manifest").await?;
    let mut calls = Vec::new();
    for operation in protocol::operations().values() {
        let id = operation.id.as_str();
        let name = id.to_lowercase();
        let call = match id {
            "ListNamespaces" | "ListTables" | "DescribeNamespace" | "NamespaceExists" => {
                Call::new(id).id(&home.id)
            }
            "ListAllTables" => Call::new(id).query("limit", 1),
            "CreateNamespace" => {
                let id = home.child(&name);
                s.session().made_namespace(&id);
                calls::create_namespace(&id)
            }
            "DropNamespace" => calls::drop_namespace(&s.namespace(&name).await?.id),
            "DeclareTable" | "CreateTable" | "RegisterTable" | "CreateMaterializedView" => {
                let made = s.unmade_table(&name).await?;
                Call::new(id).id(&made)
            }
            "DropTable" | "DeregisterTable" | "RenameTable" => {
                // The new name is the clean-up's to remove, should the table get it.
                s.unmade_table("renamed").await?;
                Call::new(id).id(&s.table(&name).await?.id)
            }
            "CreateTableVersion" => calls::create_version(&table, 1, &manifest),
            "BatchCreateTableVersions" => {
                calls::batch_create(&[calls::batch_entry(&table.id, 1, &manifest)])
            }
            "BatchCommitTables" => {
                let id = s.unmade_table(&name).await?;
                calls::commit(&[calls::commit_declare(&id)])
            }
            "DescribeTransaction" | "AlterTransaction" => Call::new(id).id(&["tx".to_owned()]),
            _ => Call::new(id).id(&table.id),
        };
        calls.push(match arguments(id) {
            Value::Object(fields) => fields
                .into_iter()
                .fold(call, |call, (name, value)| call.field(&name, value)),
            _ => call,
        });
    }
    Ok(calls)
}

/// What an operation needs beside an identifier.
fn arguments(operation: &str) -> Value {
    match operation {
        "RegisterTable" => json!({ "location": "registered" }),
        "RenameTable" => json!({ "new_table_name": "renamed" }),
        "BatchDeleteTableVersions" => {
            json!({ "ranges": [{ "start_version": 0, "end_version": -1 }] })
        }
        "CreateTableTag" | "UpdateTableTag" => json!({ "tag": "a", "version": 1 }),
        "GetTableTagVersion" | "DeleteTableTag" => json!({ "tag": "a" }),
        "CreateTableBranch" | "DeleteTableBranch" => json!({ "name": "b" }),
        "AlterTransaction" => {
            json!({ "actions": [{ "setPropertyAction": { "key": "a", "value": "1" } }] })
        }
        "RestoreTable" => json!({ "version": 1 }),
        "DeleteFromTable" => json!({ "predicate": "false" }),
        _ => Value::Null,
    }
}
