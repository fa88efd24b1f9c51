//! What is missing of a table that is there: versions, tags, branches, columns, indexes.

use serde_json::json;

use crate::call::Call;
use crate::calls::{self, data, every};
use crate::outcome::Refusal;
use crate::rows::Row;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};
use crate::steps::{Demand, Owed, Scene};

scenarios! {
    /// Every operation that names a version that is not there says so.
    "errors/missing-version-is-not-found" => missing_version {
        tier: Versions,
        checks: ["ERR-1", "ERR-2"],
        needs: ["CreateTableVersion", "DescribeTableVersion"],
    }
    /// Every operation that names a tag that is not there says so.
    "errors/missing-tag-is-not-found" => missing_tag {
        tier: Tags,
        checks: ["ERR-1", "ERR-2"],
        needs: ["CreateTableTag", "GetTableTagVersion"],
    }
    /// Every operation that names a branch that is not there says so.
    "errors/missing-branch-is-not-found" => missing_branch {
        tier: Branches,
        checks: ["ERR-1", "ERR-2"],
        needs: ["CreateTableVersion", "CreateTableBranch"],
    }
    /// Every operation on rows that names a version that is not there says so.
    "errors/missing-version-of-rows-is-not-found" => missing_version_of_rows {
        tier: Data,
        checks: ["ERR-1", "ERR-2"],
        needs: ["CreateTable"],
    }
    /// Every operation on rows that names a branch that is not there says so.
    "errors/missing-branch-of-rows-is-not-found" => missing_branch_of_rows {
        tier: Data,
        checks: ["ERR-1", "ERR-2"],
        needs: ["CreateTable"],
    }
    /// Every operation that names a column that is not there says so.
    "errors/missing-column-is-not-found" => missing_column {
        tier: Data,
        checks: ["ERR-1", "ERR-2"],
        needs: ["CreateTable"],
    }
    /// Every operation that names an index that is not there says so.
    "errors/missing-index-is-not-found" => missing_index {
        tier: Data,
        checks: ["ERR-1", "ERR-2"],
        needs: ["CreateTable"],
    }
}

/// A version that no table of these scenarios has.
const FAR: i64 = 99;

/// Asks for all of these and judges them together.
async fn owed(
    s: &Stage,
    label: &str,
    best: &[Refusal],
    demand: Demand,
    calls: Vec<Call>,
    scene: &mut Scene,
) -> Flow {
    let mut owed = Owed::new("ERR-2", label, best, demand);
    owed.ask_all(s, calls, scene).await?;
    owed.end(s);
    Ok(())
}

async fn missing_version(s: Stage) -> Flow {
    let t = s.table("t").await?;
    s.versions(&t, 1).await?;
    if s.has("CreateTableTag").await? {
        let tag = calls::create_tag(&t, "first", 1);
        s.ask("create a tag", tag).await.set_up()?;
    }
    let mut scene = Scene::of(&s, &[], &[&t]).await?;
    let calls = vec![
        calls::describe_version(&t, Some(FAR)),
        calls::create_tag(&t, "far", FAR),
        calls::update_tag(&t, "first", FAR),
        calls::create_branch(&t, "far").field("from_version", json!(FAR)),
    ];
    let label = "operations on a version that is not there";
    let best = [Refusal::NO_VERSION];
    owed(&s, label, &best, Demand::Error, calls, &mut scene).await?;
    // A server that does not open the table cannot know its versions by itself.
    let of_table = |call: Call| call.field("version", json!(FAR));
    let calls = vec![
        of_table(calls::describe_table(&t.id)),
        of_table(calls::table_exists(&t.id)),
    ];
    let label = "describe and exists of a table in that version";
    owed(&s, label, &best, Demand::Nothing, calls, &mut scene).await?;
    scene.end(&s, "ERR-1");
    Ok(())
}

async fn missing_tag(s: Stage) -> Flow {
    let t = s.table("t").await?;
    s.versions(&t, 1).await?;
    let tag = calls::create_tag(&t, "first", 1);
    s.ask("create a tag", tag).await.set_up()?;
    let mut scene = Scene::of(&s, &[], &[&t]).await?;
    let best = [Refusal::NO_TAG];
    let calls = vec![
        calls::tag_version(&t, "ghost"),
        calls::update_tag(&t, "ghost", 1),
    ];
    let label = "operations on a tag that is not there";
    owed(&s, label, &best, Demand::Error, calls, &mut scene).await?;
    let calls = vec![calls::delete_tag(&t, "ghost")];
    let label = "deleting it";
    owed(&s, label, &best, Demand::Nothing, calls, &mut scene).await?;
    scene.end(&s, "ERR-1");
    Ok(())
}

/// The call about a branch that is not there, in the body or, where it has none, in the query.
fn elsewhere(call: Call) -> Call {
    match call.has_fields() {
        true => call.field("branch", json!("ghost")),
        false => call.query("branch", "ghost"),
    }
}

async fn missing_branch(s: Stage) -> Flow {
    let t = s.table("t").await?;
    s.versions(&t, 1).await?;
    let branch = calls::create_branch(&t, "first");
    s.ask("create a branch", branch).await.set_up()?;
    if s.has("CreateTableTag").await? {
        let tag = calls::create_tag(&t, "first", 1);
        s.ask("create a tag", tag).await.set_up()?;
    }
    let manifest = s.manifest(&t, "the manifest").await?;
    let mut scene = Scene::of(&s, &[], &[&t]).await?;
    let best = [Refusal::NO_BRANCH];
    let batch = calls::batch_entry(&t.id, 2, &manifest);
    let batch = with_ghost(batch);
    let commit = json!({ "create_table_version": batch });
    let mut calls = vec![
        elsewhere(calls::create_version(&t, 2, &manifest)),
        elsewhere(calls::describe_version(&t, Some(1))),
        elsewhere(calls::list_versions(&t)),
        elsewhere(calls::create_tag(&t, "far", 1)),
        elsewhere(calls::update_tag(&t, "first", 1)),
        calls::create_branch(&t, "far").field("from_branch", json!("ghost")),
        calls::batch_create(&[batch]),
        calls::commit(&[commit]),
    ];
    let label = "operations on a branch that is not there";
    owed(&s, label, &best, Demand::Error, calls, &mut scene).await?;
    calls = vec![
        elsewhere(calls::delete_versions(&t, &[(1, 2)])),
        calls::delete_branch(&t, "ghost"),
    ];
    let label = "deleting it, and versions of it";
    owed(&s, label, &best, Demand::Nothing, calls, &mut scene).await?;
    scene.end(&s, "ERR-1");
    Ok(())
}

fn with_ghost(mut entry: serde_json::Value) -> serde_json::Value {
    entry["branch"] = json!("ghost");
    entry
}

async fn table_with_rows(s: &Stage) -> Flow<(Table, Scene)> {
    let t = s.table_of("t", &Row::all(1..=3)).await?;
    let scene = Scene::of(s, &[], &[&t]).await?;
    Ok((t, scene))
}

async fn missing_version_of_rows(s: Stage) -> Flow {
    let (t, mut scene) = table_with_rows(&s).await?;
    let query = data::nearest(&t, &Row::all([1])[0], 1).field("version", json!(FAR));
    let calls = vec![
        data::count(&t).field("version", json!(FAR)),
        query,
        data::restore(&t, FAR),
    ];
    let label = "operations on rows of a version that is not there";
    let best = [Refusal::NO_VERSION];
    owed(&s, label, &best, Demand::Error, calls, &mut scene).await?;
    scene.end(&s, "ERR-1");
    Ok(())
}

async fn missing_branch_of_rows(s: Stage) -> Flow {
    let (t, mut scene) = table_with_rows(&s).await?;
    let mut calls = every::on_rows(&t);
    // Those of an index find that missing, too.
    let of_index = ["DescribeTableIndexStats", "DropTableIndex"];
    calls.retain(|call| !of_index.contains(&call.operation()));
    let rows = [
        "CountTableRows",
        "QueryTable",
        "InsertIntoTable",
        "MergeInsertIntoTable",
        "UpdateTable",
        "DeleteFromTable",
    ];
    let (rows, others): (Vec<Call>, Vec<Call>) = calls
        .into_iter()
        .map(elsewhere)
        .partition(|call| rows.contains(&call.operation()));
    // A server without branches says that it lacks them.
    let best = [Refusal::NO_BRANCH, Refusal::UNSUPPORTED];
    for (label, calls, demand) in [
        ("rows of a branch that is not there", rows, Demand::Error),
        ("other operations on it", others, Demand::Nothing),
    ] {
        owed(&s, label, &best, demand, calls, &mut scene).await?;
    }
    scene.end(&s, "ERR-1");
    Ok(())
}

async fn missing_column(s: Stage) -> Flow {
    let (t, mut scene) = table_with_rows(&s).await?;
    let ghost = json!([{ "path": "ghost", "metadata": { "a": "1" } }]);
    let columns = json!({ "column_names": ["id", "ghost"] });
    let query = data::nearest(&t, &Row::all([1])[0], 1);
    let calls = vec![
        data::count(&t).field("predicate", json!("ghost = 1")),
        query.clone().field("columns", columns),
        query.field("filter", json!("ghost = 1")),
        data::update(&t, &[("ghost", "1")]),
        data::delete(&t, "ghost = 1"),
        data::merge(&t, &Row::all([4])).instead_of_query("on", "ghost"),
        data::add_column(&t, "new", "ghost * 2"),
        data::rename_column(&t, "ghost", "new"),
        data::drop_columns(&t, &["ghost"]),
        data::on(
            "AlterTableBackfillColumns",
            &t,
            json!({ "column": "ghost" }),
        ),
        data::scalar_index(&t, "ghost", "of_ghost"),
        data::scalar_index(&t, "ghost", "of_ghost").of("CreateTableIndex"),
        data::on("UpdateFieldMetadata", &t, json!({ "updates": ghost })),
    ];
    let label = "operations on a column that is not there";
    // In an expression it is an invalid input as well.
    let best = [Refusal::NO_COLUMN, Refusal::MISFIT];
    owed(&s, label, &best, Demand::Error, calls, &mut scene).await?;
    scene.end(&s, "ERR-1");
    Ok(())
}

async fn missing_index(s: Stage) -> Flow {
    let (t, mut scene) = table_with_rows(&s).await?;
    let best = [Refusal::NO_INDEX];
    let calls = vec![data::index_stats(&t, "ghost")];
    let label = "statistics of an index that is not there";
    owed(&s, label, &best, Demand::Error, calls, &mut scene).await?;
    let calls = vec![data::drop_index(&t, "ghost")];
    let label = "dropping it";
    owed(&s, label, &best, Demand::Nothing, calls, &mut scene).await?;
    scene.end(&s, "ERR-1");
    Ok(())
}
