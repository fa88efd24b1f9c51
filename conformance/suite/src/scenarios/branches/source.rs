//! Where a branch begins.

use serde_json::{Value, json};

use crate::calls;
use crate::log::Deviation;
use crate::scenario::{Flow, scenarios};
use crate::stage::Stage;

scenarios! {
    /// A branch begins at the version and branch that it was created from, and is listed with them.
    "branches/a-branch-begins-at-its-source" => begins_at_its_source {
        tier: Branches,
        checks: ["BR-2", "BR-3"],
        needs: [
            "CreateTableBranch", "CreateTableVersion", "DescribeTableVersion", "ListTableBranches",
        ],
    }
}

async fn begins_at_its_source(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 3).await?;
    let latest = calls::create_branch(&table, "b3");
    let label = "create branch b3 from the latest version";
    s.ask(label, latest).await.ok("BR-3")?;
    let second = calls::create_branch(&table, "b2").field("from_version", json!(2));
    let label = "create branch b2 from version 2";
    s.ask(label, second).await.ok("BR-3")?;

    // A new branch may begin empty or with the entry that it was created from.
    let describe = calls::describe_version(&table, None).field("branch", json!("b2"));
    let (beginning, described) = s.branch_entry(describe).await?;
    let result = match &beginning {
        None => Ok(()),
        Some(entry) if entry.version == 2 => Ok(()),
        Some(entry) => Err(Deviation::new(
            "a branch from version 2 begins empty, or with version 2",
            format!("its latest version is {}", entry.version),
            [described],
        )),
    };
    s.judge("BR-2", "the beginning of b2", "empty or version 2", result);

    // On main there is no version with the number that the next branch begins at.
    let mut next = beginning.map_or(1, |entry| entry.version + 1);
    while next <= 4 {
        let manifest = s.manifest(&table, "a branch manifest").await?;
        let create = calls::create_version(&table, next, &manifest).field("branch", json!("b2"));
        let created = s.ask("create a version of branch b2", create).await;
        created.set_up()?;
        next += 1;
    }
    let of_branch = calls::create_branch(&table, "b24").field("from_branch", json!("b2"));
    let label = "create branch b24 from the latest version of branch b2";
    s.ask(label, of_branch).await.ok("BR-3")?;

    let listed = s.branches("BR-3", &table).await?;
    let held = match listed.names().into_iter().eq(["b2", "b24", "b3"]) {
        true => Ok(()),
        false => Err(Deviation::new(
            "the listing names the three branches and no other",
            format!("the listing names {:?}", listed.names()),
            [listed.exchange.clone()],
        )),
    };
    s.judge("BR-3", "branches of t", "b2, b24, b3", held);
    for (name, branch, version) in [("b3", None, 3), ("b2", None, 2), ("b24", Some("b2"), 4)] {
        let contents = listed.contents.get(name).cloned().unwrap_or_default();
        let held = parent_is(&contents, branch, version).map_err(|found| {
            Deviation::new(expected(branch, version), found, [listed.exchange.clone()])
        });
        let label = format!("the parent of {name}");
        s.judge("BR-2", &label, &expected(branch, version), held);
    }
    Ok(())
}

fn expected(branch: Option<&str>, version: i64) -> String {
    format!("version {version} of {}", branch.unwrap_or("main"))
}

fn parent_is(contents: &Value, branch: Option<&str>, version: i64) -> Result<(), String> {
    let (parent, number) = (
        contents["parentBranch"].as_str(),
        &contents["parentVersion"],
    );
    match parent == branch && number.as_i64() == Some(version) {
        true => Ok(()),
        false => Err(format!(
            "the listing says version {number} of branch {}",
            parent.unwrap_or("main, which it leaves out")
        )),
    }
}
