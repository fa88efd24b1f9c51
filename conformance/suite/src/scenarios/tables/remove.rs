//! Deregistering and dropping tables.

use std::sync::Arc;

use serde_json::Value;

use crate::answer::Reply;
use crate::calls;
use crate::exchange::Exchange;
use crate::log::{Deviation, Observation};
use crate::outcome::Refusal;
use crate::scenario::{Flow, Stop, scenarios};
use crate::stage::{Namespace, Stage};
use crate::steps::Object;

scenarios! {
    /// A table that was deregistered is gone, and its siblings are not.
    "tables/deregistered-table-is-gone" => deregistered_table_is_gone {
        tier: Basic,
        checks: ["TBL-4", "REST-11"],
        needs: [],
    }
    /// A table that was dropped is gone, and its siblings are not.
    "tables/dropped-table-is-gone" => dropped_table_is_gone {
        tier: Tables,
        checks: ["TBL-10", "REST-11"],
        needs: ["DropTable"],
    }
    /// A table that is declared after another of its name was dropped has no versions of that.
    "tables/dropped-versions-do-not-come-back" => dropped_versions_do_not_come_back {
        tier: Versions,
        checks: ["TBL-10"],
        needs: ["CreateTableVersion", "ListTableVersions", "DropTable"],
    }
    /// Deregistering a table leaves what is stored at its location.
    "tables/deregistered-content-stays" => deregistered_content_stays {
        tier: Basic,
        checks: ["TBL-23"],
        needs: [],
    }
    /// A version that was deleted leaves its manifest where it is.
    "tables/deleted-version-keeps-its-file" => deleted_version_keeps_its_file {
        tier: Versions,
        checks: ["VER-16"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "BatchDeleteTableVersions"],
    }
}

/// Tables whose names, or whose namespaces' names, are like the one that is removed.
async fn siblings(s: &Stage, home: &Namespace, namespace: &Namespace) -> Flow<Vec<Object>> {
    let mut siblings = Vec::new();
    for name in ["tt", "t_", "t-", "at"] {
        siblings.push(Object::Table(namespace.child(name)));
    }
    let longer = s.namespace("nn").await?;
    siblings.push(Object::Table(longer.child("t")));
    siblings.push(Object::Table(home.child("t")));
    for sibling in &siblings {
        s.made(sibling).await?;
    }
    Ok(siblings)
}

/// Judges that an answer about a removed table names that one.
fn names_it(s: &Stage, requirement: &'static str, table: &Object, reply: &Reply) {
    let held = match &reply.body["id"] {
        Value::Array(id) if !id.iter().eq(table.id()) => Err(Deviation::new(
            "the answer names the table that was removed",
            "it names another",
            [reply.exchange.clone()],
        )),
        _ => Ok(()),
    };
    s.judge(requirement, "the table in the answer", "that one", held);
}

async fn deregistered_table_is_gone(s: Stage) -> Flow {
    let home = s.home().await?;
    let namespace = s.namespace("n").await?;
    let siblings = siblings(&s, &home, &namespace).await?;
    let table = Object::Table(namespace.child("t"));
    s.made(&table).await?;
    let removed = s
        .ask("deregister a table", calls::deregister(table.id()))
        .await;
    let removed = removed.ok("TBL-4")?;
    names_it(&s, "TBL-4", &table, &removed);
    s.gone("TBL-4", "the table", &table).await?;
    let label = "its siblings, and tables of its name";
    s.untouched("REST-11", label, &siblings, [removed.exchange])
        .await?;
    let again = s
        .ask("deregister it again", calls::deregister(table.id()))
        .await;
    again.refused("TBL-4", Refusal::NO_TABLE)?;
    let again = s.ask("declare it again", table.make()).await;
    again.ok("TBL-4")?;
    s.there("TBL-4", "the table, declared again", &table).await
}

async fn dropped_table_is_gone(s: Stage) -> Flow {
    let home = s.home().await?;
    let namespace = s.namespace("n").await?;
    let siblings = siblings(&s, &home, &namespace).await?;
    let table = Object::Table(namespace.child("t"));
    s.made(&table).await?;
    let dropped = s.ask("drop a table", calls::drop_table(table.id())).await;
    let dropped = dropped.ok("TBL-10")?;
    names_it(&s, "TBL-10", &table, &dropped);
    s.gone("TBL-10", "the table", &table).await?;
    let label = "its siblings, and tables of its name";
    s.untouched("REST-11", label, &siblings, [dropped.exchange])
        .await?;
    let again = s.ask("drop it again", calls::drop_table(table.id())).await;
    again.refused("TBL-10", Refusal::NO_TABLE)?;
    let again = s.ask("declare it again", table.make()).await;
    again.ok("TBL-10")?;
    s.there("TBL-10", "the table, declared again", &table).await
}

async fn dropped_versions_do_not_come_back(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 3).await?;
    let dropped = s
        .ask("drop a table with 3 versions", calls::drop_table(&table.id))
        .await;
    dropped.ok("TBL-10")?;
    let again = s.table("t").await?;
    let entries = s.all_entries(&again).await?;
    let held = match entries.len() {
        0 => Ok(()),
        count => Err(Deviation::new(
            "a table declared under the name of one that was dropped has no versions",
            format!("it has {count}"),
            [s.exchange(calls::list_versions(&again)).await],
        )),
    };
    s.judge("TBL-10", "versions of a new one of its name", "none", held);
    let created = s.manifest(&again, "m1").await?;
    s.create_version(&again, 1, &created).await.ok("TBL-10")?;
    Ok(())
}

async fn deregistered_content_stays(s: Stage) -> Flow {
    let table = s.table("t").await?;
    let manifest = s.manifest(&table, "file").await?;
    let before = table.staging.holds(&manifest.path).await;
    let removed = s
        .ask("deregister the table", calls::deregister(&table.id))
        .await;
    let removed = removed.set_up()?.exchange;
    let after = table.staging.holds(&manifest.path).await;
    let held = stays(&s, "TBL-23", before, after, removed);
    s.judge("TBL-23", "a file at its location", "still there", held);
    Ok(())
}

async fn deleted_version_keeps_its_file(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 2).await?;
    let Some(first) = s.entry(&table, 1).await? else {
        return Err(Stop::Inconclusive("version 1 is not there".to_owned()));
    };
    let before = table.staging.holds(&first.manifest_path).await;
    let delete = calls::delete_versions(&table, &[(1, 2)]);
    let deleted = s.ask("delete a version", delete).await.set_up()?.exchange;
    let after = table.staging.holds(&first.manifest_path).await;
    let held = stays(&s, "VER-16", before, after, deleted);
    s.judge("VER-16", "the manifest of a version", "still there", held);
    Ok(())
}

/// Whether a file that was there is still there, where the suite can see that.
fn stays(
    s: &Stage,
    requirement: &'static str,
    before: Option<bool>,
    after: Option<bool>,
    removed: Arc<Exchange>,
) -> Result<(), Deviation> {
    match (before, after) {
        (Some(true), Some(false)) => Err(Deviation::new(
            "the record is removed, and not what is stored",
            "a file that was there is gone",
            [removed],
        )),
        (Some(true), _) => Ok(()),
        _ => {
            s.observe(Observation {
                requirement,
                choice: "the storage is out of the suite's reach".to_owned(),
            });
            Ok(())
        }
    }
}
