//! CreateNamespace, ListNamespaces, DescribeNamespace, DropNamespace, NamespaceExists.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use rusqlite::Transaction;
use serde::{Deserialize, Serialize};

use super::PageQuery;
use crate::error::{Error, ErrorKind};
use crate::extract::{Call, Params, Target};
use crate::id::Identifier;
use crate::json::{Choice, choice};
use crate::page::Paging;
use crate::store::{Properties, Store, namespaces, transactions};

#[derive(Debug, Deserialize)]
pub(super) struct CreateNamespace {
    #[serde(default, deserialize_with = "choice")]
    mode: Option<CreateMode>,
    properties: Option<Properties>,
}

/// What to do when the namespace exists (NS-1).
#[derive(Debug, Clone, Copy)]
enum CreateMode {
    Create,
    ExistOk,
    Overwrite,
}

impl Choice for CreateMode {
    const SPELLINGS: &'static [(&'static str, Self)] = &[
        ("Create", Self::Create),
        ("ExistOk", Self::ExistOk),
        ("exist_ok", Self::ExistOk),
        ("Overwrite", Self::Overwrite),
    ];
}

#[derive(Debug, Serialize)]
pub(super) struct Created {
    transaction_id: String,
    properties: Properties,
}

pub(super) async fn create(
    State(store): State<Store>,
    Call { id, body }: Call<Identifier, CreateNamespace>,
) -> Result<Json<Created>, Error> {
    let created = store
        .write_and_delete(move |tx| {
            let mode = body.mode.unwrap_or(CreateMode::Create);
            let properties = body.properties.unwrap_or_default();
            let (properties, directories) = create_with(tx, &id, mode, properties)?;
            let transaction_id = transactions::record(tx)?;
            Ok((
                Created {
                    transaction_id,
                    properties,
                },
                directories,
            ))
        })
        .await?;
    Ok(Json(created))
}

/// Returns the properties of the namespace, and the directories of the one it replaced.
fn create_with(
    tx: &Transaction<'_>,
    id: &Identifier,
    mode: CreateMode,
    properties: Properties,
) -> Result<(Properties, Vec<String>), Error> {
    let existing = match mode {
        CreateMode::Create => None,
        CreateMode::ExistOk | CreateMode::Overwrite => namespaces::find(tx, id)?,
    };
    let mut directories = Vec::new();
    if let Some(existing) = existing {
        if let CreateMode::ExistOk = mode {
            return Ok((existing.properties, directories));
        }
        if id.is_root() {
            return Err(Error::invalid("the root namespace cannot be overwritten"));
        }
        directories = namespaces::remove(tx, existing.key)?;
    }
    namespaces::create(tx, id, &properties)?;
    Ok((properties, directories))
}

#[derive(Debug, Serialize)]
pub(super) struct Listed {
    namespaces: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page_token: Option<String>,
}

pub(super) async fn list(
    State(store): State<Store>,
    Target(id): Target<Identifier>,
    Params(query): Params<PageQuery>,
) -> Result<Json<Listed>, Error> {
    let paging = Paging::new(query.limit, query.page_token)?;
    let page = store
        .read(move |tx| namespaces::list(tx, &id, &paging))
        .await?;
    Ok(Json(Listed {
        namespaces: page.items,
        page_token: page.next,
    }))
}

/// The body of an operation that needs to know only which object it is about.
#[derive(Debug, Deserialize)]
pub(super) struct Nothing {}

#[derive(Debug, Serialize)]
pub(super) struct Described {
    properties: Properties,
}

pub(super) async fn describe(
    State(store): State<Store>,
    Call { id, .. }: Call<Identifier, Nothing>,
) -> Result<Json<Described>, Error> {
    let namespace = store.read(move |tx| namespaces::get(tx, &id)).await?;
    Ok(Json(Described {
        properties: namespace.properties,
    }))
}

pub(super) async fn exists(
    State(store): State<Store>,
    Call { id, .. }: Call<Identifier, Nothing>,
) -> Result<(), Error> {
    store.read(move |tx| namespaces::key(tx, &id)).await?;
    Ok(())
}

#[derive(Debug, Deserialize)]
pub(super) struct DropNamespace {
    #[serde(default, deserialize_with = "choice")]
    mode: Option<DropMode>,
    #[serde(default, deserialize_with = "choice")]
    behavior: Option<DropBehavior>,
}

/// What to do when the namespace does not exist (NS-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DropMode {
    Fail,
    Skip,
}

impl Choice for DropMode {
    const SPELLINGS: &'static [(&'static str, Self)] =
        &[("Fail", Self::Fail), ("Skip", Self::Skip)];
}

/// What to do when the namespace holds something (NS-5, NS-7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DropBehavior {
    Restrict,
    Cascade,
}

impl Choice for DropBehavior {
    const SPELLINGS: &'static [(&'static str, Self)] =
        &[("Restrict", Self::Restrict), ("Cascade", Self::Cascade)];
}

pub(super) async fn drop(
    State(store): State<Store>,
    Call { id, body }: Call<Identifier, DropNamespace>,
) -> Result<Response, Error> {
    let dropped = store
        .write_and_delete(move |tx| drop_with(tx, &id, &body))
        .await?;
    let Some(properties) = dropped else {
        return Ok(StatusCode::NO_CONTENT.into_response());
    };
    // No transaction id: in this operation it would say that the drop still goes on.
    Ok(Json(Described { properties }).into_response())
}

/// Returns the properties of the namespace, or nothing if it was skipped, and its directories.
fn drop_with(
    tx: &Transaction<'_>,
    id: &Identifier,
    request: &DropNamespace,
) -> Result<(Option<Properties>, Vec<String>), Error> {
    if id.is_root() {
        return Err(Error::invalid("the root namespace cannot be dropped"));
    }
    let namespace = match namespaces::get(tx, id) {
        Err(error)
            if error.kind() == ErrorKind::NamespaceNotFound
                && request.mode == Some(DropMode::Skip) =>
        {
            return Ok((None, Vec::new()));
        }
        namespace => namespace?,
    };
    if request.behavior != Some(DropBehavior::Cascade) && !namespaces::is_empty(tx, namespace.key)?
    {
        let message = format!("namespace {id} is not empty");
        return Err(Error::new(ErrorKind::NamespaceNotEmpty, message));
    }
    let directories = namespaces::remove(tx, namespace.key)?;
    Ok((Some(namespace.properties), directories))
}
