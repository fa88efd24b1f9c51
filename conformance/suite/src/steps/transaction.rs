//! Transactions that writes name, and their properties.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::calls;
use crate::exchange::Exchange;
use crate::outcome::Outcome;
use crate::scenario::{Flow, Stop};
use crate::stage::Stage;

/// The suite's own properties of a transaction.
pub type Properties = BTreeMap<String, String>;

/// What the keys of the suite's properties begin with: a server may keep others.
pub const OWN_KEYS: &str = "conformance.";

/// The two ways to name a transaction in a route: alone, and below the table that it wrote.
#[must_use]
pub fn transaction_ids(table: &[String], transaction: &str) -> [Vec<String>; 2] {
    let mut below = table.to_vec();
    below.push(transaction.to_owned());
    [vec![transaction.to_owned()], below]
}

impl Stage {
    /// The identifier of a transaction that a write named and that can be described; none where
    /// there is no such write. Writes no line.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if a table cannot be made.
    pub async fn transaction(&self) -> Flow<Option<Vec<String>>> {
        let number = self.random_below(usize::MAX);
        let id = self
            .unmade_table(&format!("transaction_{number:x}"))
            .await?;
        let declared = self.ask("declare a table", calls::declare(&id)).await;
        let body = declared.set_up()?.body;
        let Some(transaction) = body["transaction_id"].as_str() else {
            return Ok(None);
        };
        for id in transaction_ids(&id, transaction) {
            let exchange = self.exchange(calls::describe_transaction(&id)).await;
            if Outcome::of(&exchange) == Outcome::Ok {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// As [`transaction`](Self::transaction), where the server has one for sure.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if it has none after all.
    pub async fn known_transaction(&self) -> Flow<Vec<String>> {
        let none = || Stop::Inconclusive("no write names a transaction".to_owned());
        self.transaction().await?.ok_or_else(none)
    }

    /// The status and the properties that describe answers now. Writes no line.
    ///
    /// # Errors
    ///
    /// [`Stop::Violated`] if the transaction is not described, against this requirement;
    /// [`Stop::Inconclusive`] if no answer came.
    pub async fn transaction_state(
        &self,
        requirement: &'static str,
        id: &[String],
    ) -> Flow<(String, Properties, Arc<Exchange>)> {
        let call = calls::describe_transaction(id);
        let reply = self
            .ask("describe the transaction", call)
            .await
            .ok_as_ever(requirement)?;
        let status = reply.body["status"].as_str().unwrap_or_default();
        Ok((
            status.to_owned(),
            properties(&reply.body),
            Arc::clone(&reply.exchange),
        ))
    }
}

/// The properties in an answer that are the suite's own, by their keys without [`OWN_KEYS`].
#[must_use]
pub fn properties(body: &Value) -> Properties {
    let fields = body["properties"].as_object().into_iter().flatten();
    fields
        .filter_map(|(key, value)| {
            let key = key.strip_prefix(OWN_KEYS)?.to_owned();
            Some((key, value.as_str()?.to_owned()))
        })
        .collect()
}
