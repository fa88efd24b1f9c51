//! ListTableBranches, CreateTableBranch, DeleteTableBranch.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};

use super::{PageQuery, Written};
use crate::error::Error;
use crate::extract::{Call, Params, Target};
use crate::id::TableId;
use crate::json::{Natural, NonEmpty};
use crate::page::Paging;
use crate::store::branches::BranchContents;
use crate::store::{Store, branches, transactions};

#[derive(Debug, Serialize)]
pub(super) struct Listed {
    branches: BTreeMap<String, BranchContents>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page_token: Option<String>,
}

pub(super) async fn list(
    State(store): State<Store>,
    Target(id): Target<TableId>,
    Params(query): Params<PageQuery>,
) -> Result<Json<Listed>, Error> {
    let paging = Paging::new(query.limit, query.page_token)?;
    let page = store
        .read(move |tx| branches::list(tx, &id, &paging))
        .await?;
    Ok(Json(Listed {
        branches: page.items.into_iter().collect(),
        page_token: page.next,
    }))
}

#[derive(Debug, Deserialize)]
pub(super) struct CreateBranch {
    name: NonEmpty,
    from_branch: Option<String>,
    from_version: Option<Natural>,
}

pub(super) async fn create(
    State(store): State<Store>,
    Call { id, body }: Call<TableId, CreateBranch>,
) -> Result<Json<Written>, Error> {
    let created = store.write(move |tx| {
        let from_branch = body.from_branch.as_deref();
        branches::create(tx, &id, body.name.as_str(), from_branch, body.from_version)?;
        Ok(Json(Written {
            transaction_id: transactions::record(tx)?,
        }))
    });
    created.await
}

#[derive(Debug, Deserialize)]
pub(super) struct DeleteBranch {
    name: NonEmpty,
}

pub(super) async fn delete(
    State(store): State<Store>,
    Call { id, body }: Call<TableId, DeleteBranch>,
) -> Result<Json<Written>, Error> {
    let deleted = store.write(move |tx| {
        branches::delete(tx, &id, body.name.as_str())?;
        Ok(Json(Written {
            transaction_id: transactions::record(tx)?,
        }))
    });
    deleted.await
}
