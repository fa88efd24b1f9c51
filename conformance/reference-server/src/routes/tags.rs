//! ListTableTags, GetTableTagVersion, CreateTableTag, UpdateTableTag, DeleteTableTag.

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
use crate::store::tags::TagContents;
use crate::store::{Store, branches, tags, transactions};

#[derive(Debug, Serialize)]
pub(super) struct Listed {
    tags: BTreeMap<String, TagContents>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page_token: Option<String>,
}

pub(super) async fn list(
    State(store): State<Store>,
    Target(id): Target<TableId>,
    Params(query): Params<PageQuery>,
) -> Result<Json<Listed>, Error> {
    let paging = Paging::new(query.limit, query.page_token)?;
    let page = store.read(move |tx| tags::list(tx, &id, &paging)).await?;
    Ok(Json(Listed {
        tags: page.items.into_iter().collect(),
        page_token: page.next,
    }))
}

#[derive(Debug, Deserialize)]
pub(super) struct NamedTag {
    tag: NonEmpty,
}

#[derive(Debug, Serialize)]
pub(super) struct TaggedVersion {
    version: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
}

pub(super) async fn version(
    State(store): State<Store>,
    Call { id, body }: Call<TableId, NamedTag>,
) -> Result<Json<TaggedVersion>, Error> {
    let tag = store
        .read(move |tx| tags::get(tx, &id, body.tag.as_str()))
        .await?;
    let branch = Some(tag.branch).filter(|name| name != branches::MAIN);
    Ok(Json(TaggedVersion {
        version: tag.version,
        branch,
    }))
}

/// A tag and the version that it is to name.
#[derive(Debug, Deserialize)]
pub(super) struct PlacedTag {
    tag: NonEmpty,
    version: Natural,
    branch: Option<String>,
}

pub(super) async fn create(
    State(store): State<Store>,
    Call { id, body }: Call<TableId, PlacedTag>,
) -> Result<Json<Written>, Error> {
    let created = store.write(move |tx| {
        tags::create(
            tx,
            &id,
            body.tag.as_str(),
            body.branch.as_deref(),
            body.version,
        )?;
        Ok(Json(Written {
            transaction_id: transactions::record(tx)?,
        }))
    });
    created.await
}

pub(super) async fn update(
    State(store): State<Store>,
    Call { id, body }: Call<TableId, PlacedTag>,
) -> Result<Json<Written>, Error> {
    let updated = store.write(move |tx| {
        tags::update(
            tx,
            &id,
            body.tag.as_str(),
            body.branch.as_deref(),
            body.version,
        )?;
        Ok(Json(Written {
            transaction_id: transactions::record(tx)?,
        }))
    });
    updated.await
}

pub(super) async fn delete(
    State(store): State<Store>,
    Call { id, body }: Call<TableId, NamedTag>,
) -> Result<Json<Written>, Error> {
    let deleted = store.write(move |tx| {
        tags::delete(tx, &id, body.tag.as_str())?;
        Ok(Json(Written {
            transaction_id: transactions::record(tx)?,
        }))
    });
    deleted.await
}
