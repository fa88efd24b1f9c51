//! Namespaces, tables and transactions that are not there.

use crate::call::Call;
use crate::calls::{self, every};
use crate::outcome::Refusal;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};
use crate::steps::{Demand, Object, Owed, Scene, transaction_ids};

scenarios! {
    /// Every operation on a namespace that is not there, or in it, says that it is not there.
    "errors/missing-namespace-is-not-found" => missing_namespace {
        tier: Basic,
        checks: ["ERR-1", "ERR-2"],
        needs: [],
    }
    /// Every operation on a table that is not there says that it is not there.
    "errors/missing-table-is-not-found" => missing_table {
        tier: Basic,
        checks: ["ERR-1", "ERR-2"],
        needs: [],
    }
    /// Every operation on a transaction that is not there says that it is not there.
    "errors/missing-transaction-is-not-found" => missing_transaction {
        tier: Transactions,
        checks: ["ERR-2"],
        needs: ["DescribeTransaction"],
    }
}

/// A missing namespace as DropNamespace says it: its model asks for 400 (NS-6).
const NOTHING_TO_DROP: Refusal = Refusal {
    status: 400,
    codes: &[1],
    label: "not found: namespace",
};

/// The operations after which what they name is not there, as it was not before.
fn removes(call: &Call) -> bool {
    ["Drop", "Delete", "Deregister", "BatchDelete"]
        .iter()
        .any(|verb| call.operation().starts_with(verb))
        && call.operation() != "DeleteFromTable"
}

async fn missing_namespace(s: Stage) -> Flow {
    let home = s.home().await?;
    let nowhere = home.child("nowhere");
    let mut inside = nowhere.clone();
    inside.push("t".to_owned());
    for object in [
        Object::Namespace(nowhere.clone()),
        Object::Namespace(inside.clone()),
        Object::Table(inside.clone()),
    ] {
        s.will_make(&object);
    }
    // Another than is made below: some make it without its namespace.
    let mut other = nowhere.clone();
    other.push("ghost".to_owned());
    s.will_make(&Object::Table(other.clone()));
    let ghost = ghost(&s, other).await?;
    let manifest = s.manifest(&ghost, "the manifest").await?;
    let vacant = match s.has("RegisterTable").await? {
        true => Some(s.vacant("v").await?),
        false => None,
    };
    let mut scene = Scene::of(&s, &[&home], &[]).await?;
    let one = &[Refusal::NO_NAMESPACE][..];
    let asked = |call: &Call| call.operation();
    // What describes it would claim that it is there; an empty list or an idle drop claims less.
    for (label, names, best, demand) in [
        (
            "describe and exists of a namespace that is not there",
            &["DescribeNamespace", "NamespaceExists"][..],
            one,
            Demand::Error,
        ),
        (
            "listing it",
            &["ListNamespaces", "ListTables"],
            one,
            Demand::Nothing,
        ),
        (
            "dropping it",
            &["DropNamespace"],
            &[Refusal::NO_NAMESPACE, NOTHING_TO_DROP],
            Demand::Nothing,
        ),
    ] {
        let mut owed = Owed::new("ERR-2", label, best, demand);
        let mut calls = every::on_namespace(&nowhere);
        calls.retain(|call| names.contains(&asked(call)));
        owed.ask_all(&s, calls, &mut scene).await?;
        owed.end(&s);
    }
    of_a_missing_table(
        &s,
        "a table in it",
        Refusal::NO_TABLE_OR_NAMESPACE,
        &ghost,
        every::on_table(&ghost, &manifest, "renamed"),
        &mut scene,
    )
    .await?;
    let mut owed = Owed::new("ERR-2", "making something in it", one, Demand::Nothing);
    let calls = every::making(&inside);
    owed.ask_all(&s, calls, &mut scene).await?;
    if let Some(location) = vacant {
        let label = "RegisterTable";
        let answer = s.register(label, &location, calls::register(&inside, ""));
        owed.take(&s, label, answer.await, &mut scene).await?;
    }
    owed.end(&s);
    scene.end(&s, "ERR-1");
    Ok(())
}

async fn missing_table(s: Stage) -> Flow {
    let home = s.home().await?;
    let ghost = ghost(&s, home.child("ghost")).await?;
    s.will_make(&Object::Table(ghost.id.clone()));
    s.will_make(&Object::Table(home.child("renamed")));
    let manifest = s.manifest(&ghost, "the manifest").await?;
    let mut scene = Scene::of(&s, &[&home], &[]).await?;
    let mut calls = every::on_table(&ghost, &manifest, "renamed");
    calls.extend(every::of_many(&ghost, &manifest));
    let label = "a table that is not there";
    of_a_missing_table(&s, label, Refusal::NO_TABLE, &ghost, calls, &mut scene).await?;
    scene.end(&s, "ERR-1");
    Ok(())
}

/// A table that nobody has made, whose manifests can be staged all the same.
async fn ghost(s: &Stage, id: Vec<String>) -> Flow<Table> {
    let other = s.table("other").await?;
    let label = id.last().cloned().unwrap_or_default();
    Ok(Table { id, label, ..other })
}

/// Asks every operation for a table that is not there.
async fn of_a_missing_table(
    s: &Stage,
    label: &str,
    refusal: Refusal,
    ghost: &Table,
    calls: Vec<Call>,
    scene: &mut Scene,
) -> Flow {
    let (idle, others): (Vec<Call>, Vec<Call>) = calls.into_iter().partition(removes);
    let mut rows = every::on_rows(ghost);
    rows.push(Call::new("RefreshMaterializedView").id(&ghost.id));
    let (idle_rows, rows): (Vec<Call>, Vec<Call>) = rows.into_iter().partition(removes);
    for (kind, calls, demand) in [
        ("operations on", others, Demand::Error),
        ("removing", [idle, idle_rows].concat(), Demand::Nothing),
        ("operations on the rows of", rows, Demand::Error),
    ] {
        let mut owed = Owed::new("ERR-2", &format!("{kind} {label}"), &[refusal], demand);
        owed.ask_all(s, calls, scene).await?;
        owed.end(s);
    }
    Ok(())
}

async fn missing_transaction(s: Stage) -> Flow {
    let table = s.table("t").await?;
    let label = "operations on a transaction that is not there";
    let best = &[Refusal::NO_TRANSACTION];
    let mut owed = Owed::new("ERR-2", label, best, Demand::Error);
    // Where a server has no name that stands alone, it lies below its table.
    let [alone, below] = transaction_ids(&table.id, "no-such-transaction");
    let asked = s
        .exchange(every::on_transaction(&alone).swap_remove(0))
        .await;
    let id = match asked.code() {
        Some(10) => alone,
        _ => below,
    };
    let calls = every::on_transaction(&id);
    owed.ask_all(&s, calls, &mut Scene::empty()).await?;
    owed.end(&s);
    Ok(())
}
