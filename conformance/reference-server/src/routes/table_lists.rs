//! ListTables, ListAllTables.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::extract::{Params, Target};
use crate::id::{DEFAULT_DELIMITER, Identifier};
use crate::page::{Page, Paging};
use crate::store::{Store, tables};

#[derive(Debug, Deserialize)]
pub(super) struct ListQuery {
    delimiter: Option<String>,
    page_token: Option<String>,
    limit: Option<i64>,
    include_declared: Option<bool>,
}

#[derive(Debug, Serialize)]
pub(super) struct Listed {
    tables: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page_token: Option<String>,
}

impl From<Page<String>> for Listed {
    fn from(page: Page<String>) -> Self {
        Self {
            tables: page.items,
            page_token: page.next,
        }
    }
}

/// The names of the direct children.
pub(super) async fn list(
    State(store): State<Store>,
    Target(id): Target<Identifier>,
    Params(query): Params<ListQuery>,
) -> Result<Json<Listed>, Error> {
    let paging = Paging::new(query.limit, query.page_token)?;
    let declared = query.include_declared.unwrap_or(true);
    let page = store
        .read(move |tx| tables::list(tx, &id, declared, &paging))
        .await?;
    Ok(Json(page.into()))
}

/// The full identifiers of all tables.
///
/// A table that the delimiter of this request cannot name is left out: its identifier, joined,
/// would be that of another table (REST-11).
pub(super) async fn list_all(
    State(store): State<Store>,
    Params(query): Params<ListQuery>,
) -> Result<Json<Listed>, Error> {
    let paging = Paging::new(query.limit, query.page_token)?;
    let declared = query.include_declared.unwrap_or(true);
    let page = store
        .read(move |tx| tables::list_all(tx, declared, &paging))
        .await?;
    let delimiter = query.delimiter.as_deref().unwrap_or(DEFAULT_DELIMITER);
    Ok(Json(
        page.filter_map(|id| id.identifier().join(delimiter)).into(),
    ))
}
