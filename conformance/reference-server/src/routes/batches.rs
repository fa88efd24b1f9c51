//! BatchCreateTableVersions, BatchCommitTables: one SQL transaction each.

use axum::Json;
use axum::extract::State;
use rusqlite::Transaction;
use serde::{Deserialize, Serialize};

use super::namespaces::Nothing;
use super::tables::{DeclareTable, Declared, Removed, declare_in, deregister_in};
use super::versions::{Created, DeleteVersions, Deleted, delete_in};
use crate::error::Error;
use crate::extract::Body;
use crate::id::TableId;
use crate::json::Object;
use crate::store::versions::{NewVersion, TableVersion};
use crate::store::{DataRoot, Store, transactions, versions};

#[derive(Debug, Deserialize)]
pub(super) struct CreateVersions {
    entries: Vec<OnTable<NewVersion>>,
}

/// The body of an operation on one table, with the identifier that its route would hold.
#[derive(Debug, Deserialize)]
struct OnTable<T> {
    id: TableId,
    #[serde(flatten)]
    request: T,
}

#[derive(Debug, Serialize)]
pub(super) struct CreatedVersions {
    transaction_id: String,
    versions: Vec<TableVersion>,
}

/// Creates every entry or none (BAT-1), and answers in the order of the request (ORD-5).
pub(super) async fn create_versions(
    State(store): State<Store>,
    Body(body): Body<CreateVersions>,
) -> Result<Json<CreatedVersions>, Error> {
    if body.entries.is_empty() {
        return Err(Error::invalid("the batch has no entries"));
    }
    let created = store.write(move |tx| {
        let mut created = Vec::with_capacity(body.entries.len());
        for (at, entry) in body.entries.into_iter().enumerate() {
            let version = versions::create(tx, &entry.id, entry.request)
                .map_err(|error| error.within(format_args!("entry {at}")))?;
            created.push(version);
        }
        let transaction_id = transactions::record(tx)?;
        Ok(Json(CreatedVersions {
            transaction_id,
            versions: created,
        }))
    });
    created.await
}

#[derive(Debug, Deserialize)]
pub(super) struct Commit {
    operations: Vec<Object<Operation>>,
}

/// One operation of a commit. Exactly one field is set (COM-3).
#[derive(Debug, Deserialize)]
struct Operation {
    declare_table: Option<OnTable<DeclareTable>>,
    create_table_version: Option<OnTable<NewVersion>>,
    delete_table_versions: Option<OnTable<DeleteVersions>>,
    deregister_table: Option<OnTable<Nothing>>,
}

#[derive(Debug, Serialize)]
pub(super) struct Committed {
    transaction_id: String,
    results: Vec<OperationResult>,
}

/// The result of one operation, under the name of its kind (COM-2).
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum OperationResult {
    DeclareTable(Declared),
    CreateTableVersion(Created),
    DeleteTableVersions(Deleted),
    DeregisterTable(Removed),
}

/// Applies every operation or none (COM-1), each on what those before it left (COM-5).
pub(super) async fn commit(
    State(store): State<Store>,
    Body(body): Body<Commit>,
) -> Result<Json<Committed>, Error> {
    if body.operations.is_empty() {
        return Err(Error::invalid("the commit has no operations"));
    }
    let root = store.data_root().clone();
    let committed = store.write(move |tx| {
        let mut results = Vec::with_capacity(body.operations.len());
        for (at, Object(operation)) in body.operations.into_iter().enumerate() {
            let result = apply(tx, &root, operation)
                .map_err(|error| error.within(format_args!("operation {at}")))?;
            results.push(result);
        }
        Ok(Json(Committed {
            transaction_id: transactions::record(tx)?,
            results,
        }))
    });
    committed.await
}

fn apply(
    tx: &Transaction<'_>,
    root: &DataRoot,
    operation: Operation,
) -> Result<OperationResult, Error> {
    match operation {
        Operation {
            declare_table: Some(declare),
            create_table_version: None,
            delete_table_versions: None,
            deregister_table: None,
        } => {
            let declared = declare_in(tx, root, &declare.id, declare.request)?;
            Ok(OperationResult::DeclareTable(declared))
        }
        Operation {
            declare_table: None,
            create_table_version: Some(create),
            delete_table_versions: None,
            deregister_table: None,
        } => {
            let version = versions::create(tx, &create.id, create.request)?;
            Ok(OperationResult::CreateTableVersion(Created {
                transaction_id: None,
                version,
            }))
        }
        Operation {
            declare_table: None,
            create_table_version: None,
            delete_table_versions: Some(delete),
            deregister_table: None,
        } => {
            let deleted = delete_in(tx, &delete.id, &delete.request)?;
            Ok(OperationResult::DeleteTableVersions(deleted))
        }
        Operation {
            declare_table: None,
            create_table_version: None,
            delete_table_versions: None,
            deregister_table: Some(deregister),
        } => Ok(OperationResult::DeregisterTable(deregister_in(
            tx,
            &deregister.id,
        )?)),
        _ => Err(Error::invalid("an operation needs exactly one kind")),
    }
}
