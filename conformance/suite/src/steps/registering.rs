//! Tables registered at locations where others were declared before.

use serde_json::json;

use crate::answer::Answer;
use crate::call::Call;
use crate::calls;
use crate::outcome::Outcome;
use crate::scenario::{Flow, Stop};
use crate::stage::Stage;

impl Stage {
    /// Deregisters a table and answers the location where it was, at which one can be registered.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if that cannot be done.
    pub async fn vacated(&self, id: &[String]) -> Flow<String> {
        let described = self
            .ask("describe a table", calls::describe_table(id))
            .await;
        let described = described.set_up()?;
        let removed = self.ask("deregister it", calls::deregister(id)).await;
        removed.set_up()?;
        match described.body["location"].as_str() {
            Some(location) => Ok(location.to_owned()),
            None => Err(Stop::Inconclusive(
                "set-up failed: describe answers no location".to_owned(),
            )),
        }
    }

    /// A location at which nothing is registered.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if none can be had.
    pub async fn vacant(&self, name: &str) -> Flow<String> {
        let table = self.table(name).await?;
        self.vacated(&table.id).await
    }

    /// Sends a `RegisterTable` for this location. A server that refuses it whole, with a 400, is
    /// asked for its last part: some take locations relative to their own root.
    pub async fn register(&self, label: &str, location: &str, call: Call) -> Answer {
        let whole = call.clone().field("location", json!(location));
        let answer = self.ask(label, whole).await;
        match answer.outcome() {
            Outcome::Refused(400, _) => {
                let relative = call.field("location", json!(last_part(location)));
                self.ask(label, relative).await
            }
            _ => answer,
        }
    }
}

/// The last part of a location.
fn last_part(location: &str) -> &str {
    let location = location.trim_end_matches('/');
    location.rsplit('/').next().unwrap_or(location)
}

/// Whether two answers name one location; one of them may be relative.
#[must_use]
pub fn same_place(one: &str, other: &str) -> bool {
    last_part(one) == last_part(other)
}
