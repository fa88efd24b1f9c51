//! DeclareTable, RegisterTable, DescribeTable, TableExists, DropTable, DeregisterTable,
//! RenameTable.

use axum::Json;
use axum::extract::State;
use rusqlite::Transaction;
use serde::{Deserialize, Serialize};

use super::Written;
use super::namespaces::Nothing;
use crate::error::{Error, ErrorKind};
use crate::extract::{Call, Params, Target};
use crate::id::{Identifier, Part, TableId};
use crate::json::{Choice, Natural, NonEmpty, choice};
use crate::store::tables::NewTable;
use crate::store::{DataRoot, Properties, Store, branches, tables, tags, transactions, versions};

#[derive(Debug, Deserialize)]
pub(super) struct DeclareTable {
    location: Option<NonEmpty>,
    properties: Option<Properties>,
    /// There are none to vend: the server gives out no storage that needs any.
    #[serde(rename = "vend_credentials")]
    _vend_credentials: Option<bool>,
}

#[derive(Debug, Serialize)]
pub(super) struct Declared {
    #[serde(skip_serializing_if = "Option::is_none")]
    transaction_id: Option<String>,
    location: String,
    properties: Properties,
    managed_versioning: bool,
}

pub(super) async fn declare(
    State(store): State<Store>,
    Call { id, body }: Call<TableId, DeclareTable>,
) -> Result<Json<Declared>, Error> {
    let root = store.data_root().clone();
    let declared = store.write(move |tx| {
        let declared = declare_in(tx, &root, &id, body)?;
        Ok(Json(Declared {
            transaction_id: Some(transactions::record(tx)?),
            ..declared
        }))
    });
    declared.await
}

/// Declares a table at the location that the request gives, or at a new one.
pub(super) fn declare_in(
    tx: &Transaction<'_>,
    root: &DataRoot,
    id: &TableId,
    request: DeclareTable,
) -> Result<Declared, Error> {
    let (location, directory) = match request.location {
        Some(location) => (location.into(), None),
        None => {
            let allocation = root.allocate(tx)?;
            (allocation.location, Some(allocation.directory))
        }
    };
    let properties = request.properties.unwrap_or_default();
    let table = NewTable {
        location: &location,
        directory: directory.as_deref(),
        properties: &properties,
        only_declared: true,
    };
    tables::create(tx, id, &table)?;
    Ok(Declared {
        transaction_id: None,
        location,
        properties,
        managed_versioning: true,
    })
}

#[derive(Debug, Deserialize)]
pub(super) struct RegisterTable {
    location: NonEmpty,
    #[serde(default, deserialize_with = "choice")]
    mode: Option<RegisterMode>,
    properties: Option<Properties>,
}

/// What to do when the table exists (TBL-5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RegisterMode {
    Create,
    Overwrite,
}

impl Choice for RegisterMode {
    const SPELLINGS: &'static [(&'static str, Self)] =
        &[("Create", Self::Create), ("Overwrite", Self::Overwrite)];
}

#[derive(Debug, Serialize)]
pub(super) struct Registered {
    transaction_id: String,
    location: String,
    properties: Properties,
}

/// Overwriting makes a new table: the version records of the one it replaces go, its data stays.
pub(super) async fn register(
    State(store): State<Store>,
    Call { id, body }: Call<TableId, RegisterTable>,
) -> Result<Json<Registered>, Error> {
    let registered = store.write(move |tx| {
        if body.mode == Some(RegisterMode::Overwrite) && tables::find(tx, &id)?.is_some() {
            tables::remove(tx, &id)?;
        }
        let properties = body.properties.unwrap_or_default();
        let table = NewTable {
            location: body.location.as_str(),
            directory: None,
            properties: &properties,
            only_declared: false,
        };
        tables::create(tx, &id, &table)?;
        let transaction_id = transactions::record(tx)?;
        Ok(Json(Registered {
            transaction_id,
            location: body.location.into(),
            properties,
        }))
    });
    registered.await
}

/// Which state of the table is meant.
#[derive(Debug, Deserialize)]
pub(super) struct DescribeTable {
    version: Option<Natural>,
    tag: Option<String>,
    branch: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct DescribeQuery {
    with_table_uri: Option<bool>,
    load_detailed_metadata: Option<bool>,
    check_declared: Option<bool>,
}

#[derive(Debug, Serialize)]
pub(super) struct Described {
    table: String,
    namespace: Identifier,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<i64>,
    location: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    table_uri: Option<String>,
    properties: Properties,
    managed_versioning: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_only_declared: Option<bool>,
}

pub(super) async fn describe(
    State(store): State<Store>,
    Params(query): Params<DescribeQuery>,
    Call { id, body }: Call<TableId, DescribeTable>,
) -> Result<Json<Described>, Error> {
    if query.load_detailed_metadata == Some(true) {
        // The answer would have to hold the schema and the statistics.
        let message = "this server does not open tables and cannot load detailed metadata";
        return Err(Error::new(ErrorKind::Unsupported, message));
    }
    let described = store.read(move |tx| {
        let table = tables::get(tx, &id)?;
        let version = select(tx, &id, table.key, &body)?;
        Ok(Json(Described {
            version,
            table_uri: query
                .with_table_uri
                .unwrap_or(false)
                .then(|| table.location.clone()),
            location: table.location,
            properties: table.properties,
            managed_versioning: true,
            is_only_declared: query
                .check_declared
                .unwrap_or(false)
                .then_some(table.only_declared),
            table: id.name.into(),
            namespace: id.namespace,
        }))
    });
    described.await
}

/// The version that a request selects; nothing where it selects the latest and there is none.
fn select(
    tx: &Transaction<'_>,
    id: &TableId,
    table: i64,
    request: &DescribeTable,
) -> Result<Option<i64>, Error> {
    if let Some(tag) = &request.tag {
        if request.version.is_some() || request.branch.is_some() {
            return Err(Error::invalid(
                "a tag cannot be combined with a version or a branch",
            ));
        }
        return Ok(Some(tags::get(tx, id, tag)?.version));
    }
    let branch = branches::key(tx, id, table, request.branch.as_deref())?;
    let entry = match request.version {
        Some(version) => Some(versions::get(tx, id, branch, Some(version.get()))?),
        None => versions::latest(tx, branch)?,
    };
    Ok(entry.map(|entry| entry.version))
}

#[derive(Debug, Deserialize)]
pub(super) struct TableExists {
    version: Option<Natural>,
}

pub(super) async fn exists(
    State(store): State<Store>,
    Call { id, body }: Call<TableId, TableExists>,
) -> Result<(), Error> {
    let request = DescribeTable {
        version: body.version,
        tag: None,
        branch: None,
    };
    let exists = store.read(move |tx| {
        let table = tables::key(tx, &id)?;
        select(tx, &id, table, &request)?;
        Ok(())
    });
    exists.await
}

#[derive(Debug, Serialize)]
pub(super) struct Removed {
    #[serde(skip_serializing_if = "Option::is_none")]
    transaction_id: Option<String>,
    id: Identifier,
    location: String,
    properties: Properties,
}

/// Removes the entry, and the data where the server chose the place. What lies at a location
/// that a caller chose is not the server's to delete.
pub(super) async fn drop(
    State(store): State<Store>,
    Target(id): Target<TableId>,
) -> Result<Json<Removed>, Error> {
    let (id, table) = store
        .write_and_delete(move |tx| {
            let mut table = tables::remove(tx, &id)?;
            let directory = Vec::from_iter(table.directory.take());
            Ok(((id, table), directory))
        })
        .await?;
    Ok(Json(Removed {
        // An id would say that the drop still goes on.
        transaction_id: None,
        id: id.identifier(),
        location: table.location,
        properties: table.properties,
    }))
}

pub(super) async fn deregister(
    State(store): State<Store>,
    Call { id, .. }: Call<TableId, Nothing>,
) -> Result<Json<Removed>, Error> {
    let deregistered = store.write(move |tx| {
        let removed = deregister_in(tx, &id)?;
        Ok(Json(Removed {
            transaction_id: Some(transactions::record(tx)?),
            ..removed
        }))
    });
    deregistered.await
}

/// Removes the entry of a table. Its data stays.
pub(super) fn deregister_in(tx: &Transaction<'_>, id: &TableId) -> Result<Removed, Error> {
    let table = tables::remove(tx, id)?;
    Ok(Removed {
        transaction_id: None,
        id: id.identifier(),
        location: table.location,
        properties: table.properties,
    })
}

#[derive(Debug, Deserialize)]
pub(super) struct RenameTable {
    new_table_name: Part,
    new_namespace_id: Option<Identifier>,
}

pub(super) async fn rename(
    State(store): State<Store>,
    Call { id, body }: Call<TableId, RenameTable>,
) -> Result<Json<Written>, Error> {
    let renamed = store.write(move |tx| {
        let namespace = body
            .new_namespace_id
            .unwrap_or_else(|| id.namespace.clone());
        tables::rename(
            tx,
            &id,
            &TableId {
                namespace,
                name: body.new_table_name,
            },
        )?;
        Ok(Json(Written {
            transaction_id: transactions::record(tx)?,
        }))
    });
    renamed.await
}
