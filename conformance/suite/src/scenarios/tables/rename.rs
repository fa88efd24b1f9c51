//! Renaming tables.

use serde_json::json;

use crate::calls;
use crate::log::Deviation;
use crate::outcome::Refusal;
use crate::requirement::Level;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};
use crate::steps::Object;

scenarios! {
    /// A table that was renamed answers by its new name, and by that alone.
    "tables/renamed-table-has-moved" => renamed_table_has_moved {
        tier: Tables,
        checks: ["TBL-6", "REST-11"],
        needs: ["RenameTable"],
    }
    /// A table is not renamed to a name that another table has.
    "tables/taken-name-is-refused" => taken_name_is_refused {
        tier: Tables,
        checks: ["TBL-6"],
        needs: ["RenameTable"],
    }
    /// A table that is given the name it has is there by that name, whether that is done or refused.
    "tables/renamed-to-its-own-name-is-there" => renamed_to_its_own_name {
        tier: Tables,
        checks: ["TBL-6"],
        needs: ["RenameTable"],
    }
    /// A table can be renamed into another namespace, if that exists.
    "tables/renamed-into-another-namespace" => renamed_into_another_namespace {
        tier: Tables,
        checks: ["TBL-22"],
        needs: ["RenameTable"],
    }
    /// A table that was renamed has the versions that it had.
    "tables/renamed-table-keeps-its-versions" => renamed_table_keeps_its_versions {
        tier: Versions,
        checks: ["TBL-6"],
        needs: ["RenameTable", "CreateTableVersion", "ListTableVersions"],
    }
}

async fn renamed_table_has_moved(s: Stage) -> Flow {
    let home = s.home().await?;
    let [before, after] = ["before", "after"].map(|name| Object::Table(home.child(name)));
    s.will_make(&after);
    let declared = s.made(&before).await?;
    let namespace = s.namespace("n").await?;
    let siblings = [
        home.child("before_"),
        home.child("befor"),
        namespace.child("before"),
    ];
    let siblings = siblings.map(Object::Table);
    for sibling in &siblings {
        s.made(sibling).await?;
    }
    let renamed = s
        .ask("rename a table", calls::rename(before.id(), after.name()))
        .await;
    let renamed = renamed.ok("TBL-6")?;
    s.gone("TBL-6", "the old name", &before).await?;
    s.there("TBL-6", "the new name", &after).await?;
    let label = "tables of like names";
    s.untouched("REST-11", label, &siblings, [renamed.exchange])
        .await?;
    s.ask("declare a table by the old name", before.make())
        .await
        .ok("TBL-6")?;
    let again = s.ask("describe the new name", after.describe()).await;
    let again = again.set_up()?;
    let other = s.ask("describe the old name", before.describe()).await;
    let other = other.set_up()?;
    let [first, moved, new] = [&declared, &again, &other].map(|reply| &reply.body["location"]);
    let held = match (moved == new, moved == first) {
        (true, _) => Err(Deviation::new(
            "the table that was renamed and a new one of its old name are two",
            "they are at one location",
            [again.exchange, other.exchange],
        )),
        _ => Ok(()),
    };
    s.judge("REST-11", "the two tables", "apart", held);
    Ok(())
}

async fn taken_name_is_refused(s: Stage) -> Flow {
    let home = s.home().await?;
    let [one, other] = ["one", "other"].map(|name| Object::Table(home.child(name)));
    s.made(&one).await?;
    s.made(&other).await?;
    let before = s
        .ask("describe the other", other.describe())
        .await
        .set_up()?;
    let label = "rename a table to the name of another";
    let answer = s.ask(label, calls::rename(one.id(), other.name())).await;
    let exchange = answer.exchange();
    answer.refused("TBL-6", Refusal::TABLE_EXISTS)?;
    let both = [one, other];
    s.untouched("TBL-6", "both tables", &both, [exchange])
        .await?;
    let after = s.ask("describe the other", both[1].describe()).await;
    let after = after.set_up()?;
    let held = match before.body["location"] == after.body["location"] {
        true => Ok(()),
        false => Err(Deviation::new(
            "the table whose name was asked for is as it was",
            "its location has changed",
            [before.exchange, after.exchange],
        )),
    };
    s.judge("TBL-6", "the table of that name", "as it was", held);
    Ok(())
}

async fn renamed_to_its_own_name(s: Stage) -> Flow {
    let home = s.home().await?;
    let table = Object::Table(home.child("t"));
    s.made(&table).await?;
    let before = s.ask("describe the table", table.describe()).await;
    let before = before.set_up()?;
    let label = "rename a table to its own name";
    let answer = s.ask(label, calls::rename(table.id(), table.name())).await;
    answer.answered()?;
    let exchange = answer.exchange();
    // A server error may have removed it, too.
    let opened = answer.open_weighing("TBL-6", Level::Should);
    s.there("TBL-6", "the table afterwards", &table).await?;
    opened?;
    let after = s.ask("describe the table", table.describe()).await;
    let after = after.set_up()?;
    let held = match before.body["location"] == after.body["location"] {
        true => Ok(()),
        false => Err(Deviation::new(
            "the table is as it was",
            "its location has changed",
            [before.exchange, exchange, after.exchange],
        )),
    };
    s.judge("TBL-6", "the table afterwards", "where it was", held);
    Ok(())
}

async fn renamed_into_another_namespace(s: Stage) -> Flow {
    let home = s.home().await?;
    let namespace = s.namespace("n").await?;
    let table = Object::Table(home.child("t"));
    let moved = Object::Table(namespace.child("u"));
    s.made(&table).await?;
    s.will_make(&moved);
    let into = |id: &[String]| {
        let to: Vec<String> = id.to_vec();
        move |table: &Object| calls::rename(table.id(), "u").field("new_namespace_id", json!(to))
    };
    let label = "rename a table into a namespace that does not exist";
    let call = into(&home.child("missing"))(&table);
    s.ask(label, call)
        .await
        .refused("TBL-22", Refusal::NO_NAMESPACE)?;
    s.there("TBL-22", "the table afterwards", &table).await?;
    let missing = Object::Table(home.child("missing"));
    s.ask(
        "rename a table that does not exist",
        into(&namespace.id)(&missing),
    )
    .await
    .refused("TBL-22", Refusal::NO_TABLE)?;
    s.gone("TBL-22", "what it would have become", &moved)
        .await?;
    let renamed = s
        .ask(
            "rename the table into another namespace",
            into(&namespace.id)(&table),
        )
        .await;
    renamed.ok("TBL-22")?;
    s.gone("TBL-22", "the old name", &table).await?;
    s.there("TBL-22", "the new name", &moved).await?;
    let beside = Object::Table(home.child("u"));
    s.gone("TBL-22", "the new name in the old namespace", &beside)
        .await
}

async fn renamed_table_keeps_its_versions(s: Stage) -> Flow {
    let table = s.table("before").await?;
    s.versions(&table, 3).await?;
    let renamed = Table {
        id: s.unmade_table("after").await?,
        label: "after".to_owned(),
        ..table.clone()
    };
    let answer = s.ask(
        "rename a table with 3 versions",
        calls::rename(&table.id, renamed.name()),
    );
    answer.await.ok("TBL-6")?;
    let numbers = |entries: Vec<crate::entry::Entry>| -> Vec<i64> {
        let mut numbers: Vec<i64> = entries.iter().map(|entry| entry.version).collect();
        numbers.sort_unstable();
        numbers
    };
    let versions = numbers(s.all_entries(&renamed).await?);
    let held = match versions == [1, 2, 3] {
        true => Ok(()),
        false => Err(Deviation::new(
            "the table has its 3 versions by the new name",
            format!("it has the versions {versions:?}"),
            [s.exchange(calls::list_versions(&renamed)).await],
        )),
    };
    s.judge("TBL-6", "its versions", "1 to 3", held);
    let old = s.table("before").await?;
    let versions = numbers(s.all_entries(&old).await?);
    let held = match versions.is_empty() {
        true => Ok(()),
        false => Err(Deviation::new(
            "a new table by the old name has no versions",
            format!("it has the versions {versions:?}"),
            [s.exchange(calls::list_versions(&old)).await],
        )),
    };
    s.judge(
        "TBL-6",
        "versions of a new one of its old name",
        "none",
        held,
    );
    Ok(())
}
