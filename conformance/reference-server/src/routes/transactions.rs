//! DescribeTransaction, AlterTransaction.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;

use super::namespaces::Nothing;
use crate::error::Error;
use crate::extract::Call;
use crate::id::Identifier;
use crate::json::Object;
use crate::store::transactions::{Action, Record};
use crate::store::{Store, transactions};

pub(super) async fn describe(
    State(store): State<Store>,
    Call { id, .. }: Call<Identifier, Nothing>,
) -> Result<Json<Record>, Error> {
    store
        .read(move |tx| Ok(Json(transactions::get(tx, &id.to_string())?)))
        .await
}

#[derive(Debug, Deserialize)]
pub(super) struct AlterTransaction {
    actions: Vec<Object<Action>>,
}

pub(super) async fn alter(
    State(store): State<Store>,
    Call { id, body }: Call<Identifier, AlterTransaction>,
) -> Result<Json<Record>, Error> {
    if body.actions.is_empty() {
        return Err(Error::invalid("there are no actions"));
    }
    store
        .write(move |tx| {
            Ok(Json(transactions::alter(
                tx,
                &id.to_string(),
                &body.actions,
            )?))
        })
        .await
}
