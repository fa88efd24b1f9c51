//! Registering tables.

use std::sync::Arc;

use serde_json::json;

use crate::calls;
use crate::exchange::Exchange;
use crate::log::Deviation;
use crate::outcome::{Outcome, Refusal};
use crate::scenario::{Flow, scenarios};
use crate::stage::{Namespace, Stage};
use crate::steps::{Object, same_place};

scenarios! {
    /// A table that was registered is described and listed at once, at its location.
    "tables/registered-table-is-there" => registered_table_is_there {
        tier: Tables,
        checks: ["REST-15", "TBL-18", "TBL-23"],
        needs: ["RegisterTable"],
    }
    /// In mode Create, which is the usual one, a table that exists is left as it is.
    "tables/existing-one-is-not-registered-again" => not_registered_again {
        tier: Tables,
        checks: ["TBL-5", "NS-2"],
        needs: ["RegisterTable"],
    }
    /// In mode Overwrite the registration of a table that exists is replaced.
    "tables/register-overwrites" => register_overwrites {
        tier: Tables,
        checks: ["TBL-5", "NS-2", "REST-11"],
        needs: ["RegisterTable"],
    }
    /// A table can be registered, deregistered, registered again and dropped.
    "tables/registered-table-can-be-removed" => registered_table_can_be_removed {
        tier: Tables,
        checks: ["REST-15", "TBL-4", "TBL-10"],
        needs: ["RegisterTable", "DropTable"],
    }
    /// Below a namespace that does not exist no table is registered.
    "tables/register-needs-its-namespace" => register_needs_its_namespace {
        tier: Tables,
        checks: ["TBL-3", "NS-4"],
        needs: ["RegisterTable"],
    }
}

/// Judges where a table is.
async fn is_at(
    s: &Stage,
    requirement: &'static str,
    label: &str,
    table: &Object,
    location: &str,
) -> Flow<Arc<Exchange>> {
    let described = s.ask("describe the table", table.describe()).await;
    let described = described.set_up()?;
    let held = match described.body["location"].as_str() {
        Some(place) if same_place(place, location) => Ok(()),
        _ => Err(Deviation::new(
            "the table is at the location where it was registered",
            "it is at another",
            [Arc::clone(&described.exchange)],
        )),
    };
    s.judge(requirement, label, "where it was registered", held);
    Ok(described.exchange)
}

async fn registered_table_is_there(s: Stage) -> Flow {
    let location = s.vacant("t").await?;
    let table = Object::Table(s.unmade_table("r").await?);
    let call = calls::register(table.id(), "");
    let label = "register a table where one was deregistered";
    s.register(label, &location, call).await.ok("REST-15")?;
    s.there("REST-15", "the table", &table).await?;
    is_at(&s, "TBL-18", "its location", &table, &location).await?;
    let before = Object::Table(s.home().await?.child("t"));
    s.gone("REST-15", "the one deregistered", &before).await?;
    let removed = s.ask("deregister it", calls::deregister(table.id())).await;
    removed.set_up()?;
    let again = calls::register(before.id(), "");
    let label = "register it again by its old name";
    s.register(label, &location, again).await.ok("TBL-23")?;
    s.there("TBL-23", "the table by its old name", &before)
        .await
}

async fn not_registered_again(s: Stage) -> Flow {
    let (first, second) = (s.vacant("first").await?, s.vacant("second").await?);
    let table = Object::Table(s.unmade_table("t").await?);
    let call = calls::register(table.id(), "");
    let label = "register a table";
    s.register(label, &first, call.clone()).await.set_up()?;
    let label = "register it again elsewhere";
    let usual = s.register(label, &second, call.clone()).await;
    let exchange = usual.exchange();
    usual.refused("TBL-5", Refusal::TABLE_EXISTS)?;
    if Outcome::of(&exchange).is_conflict() {
        for mode in ["Create", "create", "CREATE"] {
            let call = call.clone().field("mode", json!(mode));
            // As it was sent: the location that the server takes is known.
            let call = match exchange.sent_field("location") {
                Some(location) => call.field("location", location),
                None => call,
            };
            s.read_alike(&format!("{label} in mode {mode}"), &exchange, call)
                .await?;
        }
    }
    is_at(&s, "TBL-5", "its location", &table, &first).await?;
    s.there("TBL-5", "the table", &table).await
}

async fn register_overwrites(s: Stage) -> Flow {
    let sibling = Object::Table(s.table("tt").await?.id);
    let table = Object::Table(s.unmade_table("t").await?);
    let first = s.vacant("first").await?;
    let call = calls::register(table.id(), "");
    let made = s.register("register a table", &first, call.clone()).await;
    made.set_up()?;
    let mut usual: Option<Arc<Exchange>> = None;
    for mode in ["Overwrite", "overwrite", "OVERWRITE"] {
        let location = s.vacant(&format!("at_{mode}")).await?;
        let label = format!("register it elsewhere in mode {mode}");
        let call = call.clone().field("mode", json!(mode));
        let answer = s.register(&label, &location, call).await;
        if usual.is_none() {
            answer.may_be_not_offered("TBL-5", "mode Overwrite")?;
        }
        let requirement = match usual {
            None => "TBL-5",
            Some(_) => "NS-2",
        };
        answer.ok(requirement)?;
        let label = format!("its location after mode {mode}");
        usual = Some(is_at(&s, requirement, &label, &table, &location).await?);
    }
    s.there("TBL-5", "the table", &table).await?;
    s.untouched(
        "REST-11",
        "a table whose name begins alike",
        &[sibling],
        usual,
    )
    .await
}

async fn registered_table_can_be_removed(s: Stage) -> Flow {
    let location = s.vacant("t").await?;
    let table = Object::Table(s.unmade_table("r").await?);
    let call = calls::register(table.id(), "");
    let label = "register a table";
    s.register(label, &location, call.clone())
        .await
        .ok("REST-15")?;
    let label = "deregister the registered table";
    s.ask(label, calls::deregister(table.id()))
        .await
        .ok("TBL-4")?;
    s.gone("TBL-4", "the table, deregistered", &table).await?;
    let label = "register it again";
    s.register(label, &location, call).await.ok("REST-15")?;
    s.there("REST-15", "the table, registered again", &table)
        .await?;
    let label = "drop the registered table";
    s.ask(label, calls::drop_table(table.id()))
        .await
        .ok("TBL-10")?;
    s.gone("TBL-10", "the table, dropped", &table).await
}

async fn register_needs_its_namespace(s: Stage) -> Flow {
    let location = s.vacant("t").await?;
    let missing = Namespace::at(s.home().await?.child("missing"));
    let table = Object::Table(missing.child("t"));
    s.will_make(&table);
    let label = "register a table below a namespace that does not exist";
    let call = calls::register(table.id(), "");
    let answer = s.register(label, &location, call).await;
    answer.answered()?;
    let held = match answer.outcome() {
        Outcome::Refused(404, Some(1)) => Ok(()),
        outcome => Err(Deviation::new(
            format!("{label}: {}", Refusal::NO_NAMESPACE.expected()),
            outcome.to_string(),
            [answer.exchange()],
        )),
    };
    s.judge("TBL-3", label, "not found: namespace", held);
    let namespace = Object::Namespace(missing.id);
    s.gone("NS-4", "the namespace afterwards", &namespace).await
}
