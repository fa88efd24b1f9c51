//! CreateTableVersion, ListTableVersions, DescribeTableVersion, BatchDeleteTableVersions.

use axum::Json;
use axum::extract::State;
use rusqlite::Transaction;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::extract::{Call, Params, Target};
use crate::id::TableId;
use crate::json::{Natural, Object};
use crate::page::Paging;
use crate::store::versions::{NewVersion, TableVersion, VersionRange};
use crate::store::{Store, branches, tables, transactions, versions};

#[derive(Debug, Serialize)]
pub(super) struct Created {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) transaction_id: Option<String>,
    pub(super) version: TableVersion,
}

pub(super) async fn create(
    State(store): State<Store>,
    Call { id, body }: Call<TableId, NewVersion>,
) -> Result<Json<Created>, Error> {
    let created = store.write(move |tx| {
        let version = versions::create(tx, &id, body)?;
        Ok(Json(Created {
            transaction_id: Some(transactions::record(tx)?),
            version,
        }))
    });
    created.await
}

#[derive(Debug, Deserialize)]
pub(super) struct ListQuery {
    branch: Option<String>,
    page_token: Option<String>,
    limit: Option<i64>,
    descending: Option<bool>,
}

#[derive(Debug, Serialize)]
pub(super) struct Listed {
    versions: Vec<TableVersion>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page_token: Option<String>,
}

pub(super) async fn list(
    State(store): State<Store>,
    Target(id): Target<TableId>,
    Params(query): Params<ListQuery>,
) -> Result<Json<Listed>, Error> {
    let paging = Paging::new(query.limit, query.page_token)?;
    let listed = store.read(move |tx| {
        let table = tables::key(tx, &id)?;
        let branch = branches::key(tx, &id, table, query.branch.as_deref())?;
        let page = versions::list(tx, branch, query.descending.unwrap_or(false), &paging)?;
        Ok(Json(Listed {
            versions: page.items,
            page_token: page.next,
        }))
    });
    listed.await
}

#[derive(Debug, Deserialize)]
pub(super) struct DescribeVersion {
    version: Option<Natural>,
    branch: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Described {
    version: TableVersion,
}

pub(super) async fn describe(
    State(store): State<Store>,
    Call { id, body }: Call<TableId, DescribeVersion>,
) -> Result<Json<Described>, Error> {
    let described = store.read(move |tx| {
        let table = tables::key(tx, &id)?;
        let branch = branches::key(tx, &id, table, body.branch.as_deref())?;
        let version = versions::get(tx, &id, branch, body.version.map(Natural::get))?;
        Ok(Json(Described { version }))
    });
    described.await
}

#[derive(Debug, Deserialize)]
pub(super) struct DeleteVersions {
    branch: Option<String>,
    ranges: Vec<Object<VersionRange>>,
}

#[derive(Debug, Serialize)]
pub(super) struct Deleted {
    deleted_count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    transaction_id: Option<String>,
}

pub(super) async fn delete(
    State(store): State<Store>,
    Call { id, body }: Call<TableId, DeleteVersions>,
) -> Result<Json<Deleted>, Error> {
    let deleted = store.write(move |tx| {
        let deleted = delete_in(tx, &id, &body)?;
        Ok(Json(Deleted {
            transaction_id: Some(transactions::record(tx)?),
            ..deleted
        }))
    });
    deleted.await
}

/// Removes version records. The manifests that they name stay.
pub(super) fn delete_in(
    tx: &Transaction<'_>,
    id: &TableId,
    request: &DeleteVersions,
) -> Result<Deleted, Error> {
    let table = tables::key(tx, id)?;
    let branch = branches::key(tx, id, table, request.branch.as_deref())?;
    let deleted_count = versions::delete(tx, branch, &request.ranges)?;
    Ok(Deleted {
        deleted_count,
        transaction_id: None,
    })
}
