//! What is refused of branches, and leaves them as they are.

use serde_json::{Value, json};

use crate::calls;
use crate::log::Deviation;
use crate::outcome::{Outcome, Refusal};
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};

scenarios! {
    /// A create of a branch that exists is refused, and the branch stays as it is.
    "branches/an-existing-branch-is-refused" => existing_is_refused {
        tier: Branches,
        checks: ["BR-1"],
        needs: [
            "CreateTableBranch", "CreateTableVersion", "DescribeTableVersion", "ListTableBranches",
            "ListTableVersions",
        ],
    }
    /// A branch that is not there can be neither read, nor deleted, nor be another one's source.
    "branches/a-missing-branch-is-not-found" => missing_is_not_found {
        tier: Branches,
        checks: ["BR-1", "VER-12"],
        needs: [
            "BatchDeleteTableVersions", "CreateTableBranch", "CreateTableVersion",
            "DeleteTableBranch", "DescribeTableVersion", "ListTableBranches", "ListTableVersions",
        ],
    }
    /// A branch is not created from a version that its source does not have.
    "branches/a-missing-source-version-is-not-found" => missing_version_is_not_found {
        tier: Branches,
        checks: ["BR-1"],
        needs: [
            "CreateTableBranch", "CreateTableVersion", "DescribeTableVersion", "ListTableBranches",
        ],
    }
}

async fn existing_is_refused(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 2).await?;
    let create = calls::create_branch(&table, "b");
    s.ask("create branch b", create).await.set_up()?;
    let latest = s.latest_of_branch(&table, "b").await?;
    let next = latest.map_or(1, |entry| entry.version + 1);
    let manifest = s.manifest(&table, "a branch manifest").await?;
    let create = calls::create_version(&table, next, &manifest).field("branch", json!("b"));
    s.ask("create a version of branch b", create)
        .await
        .set_up()?;
    let entry = s.latest_of_branch(&table, "b").await?;
    let listed = s.branches("BR-1", &table).await?;

    let again = calls::create_branch(&table, "b");
    let again = s.ask("create branch b again", again).await;
    let mut exchanges = vec![again.exchange()];
    again.refused("BR-1", Refusal::BRANCH_EXISTS)?;
    let again = calls::create_branch(&table, "b").field("from_version", json!(1));
    let again = s.ask("create branch b again from version 1", again).await;
    exchanges.push(again.exchange());
    again.refused("BR-1", Refusal::BRANCH_EXISTS)?;
    let now = s.latest_of_branch(&table, "b").await?;
    let listed_now = s.branches("BR-1", &table).await?;
    let found = if now != entry {
        Some("its latest version is another")
    } else if listed_now.contents != listed.contents {
        Some("the listing says something else of it")
    } else {
        None
    };
    let held = match found {
        None => Ok(()),
        Some(found) => {
            exchanges.extend([listed.exchange, listed_now.exchange]);
            let expected = "the branch keeps its source and its versions";
            Err(Deviation::new(expected, found, exchanges))
        }
    };
    s.judge("BR-1", "branch b", "unchanged", held);
    Ok(())
}

async fn missing_is_not_found(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 2).await?;
    let before = s.stored(&table).await?;
    let ghost = || Value::from("ghost");
    let delete = calls::delete_branch(&table, "ghost");
    let delete = s.ask("delete branch ghost", delete).await;
    delete.refused("BR-1", Refusal::NO_BRANCH)?;
    let create = calls::create_branch(&table, "b").field("from_branch", ghost());
    let create = s.ask("create branch b from branch ghost", create).await;
    create.refused("BR-1", Refusal::NO_BRANCH)?;
    no_branches(&s, &table).await?;

    let unknown = &[Refusal::NO_BRANCH];
    let describe = calls::describe_version(&table, Some(1)).field("branch", ghost());
    let describe = s.ask("describe version 1 of branch ghost", describe).await;
    describe.refused_best_as("VER-12", unknown)?;
    let list = calls::list_versions(&table).query("branch", "ghost");
    let list = s.ask("list the versions of branch ghost", list).await;
    list.refused_best_as("VER-12", unknown)?;
    let delete = calls::delete_versions(&table, &[(0, -1)]).field("branch", ghost());
    let delete = s.ask("delete the versions of branch ghost", delete).await;
    let deleted = delete.exchange();
    delete.refused_best_as("VER-12", unknown)?;
    s.unchanged("VER-12", &table, &before, [deleted]).await?;

    // A branch that was there is as unknown as one that never was.
    let create = calls::create_branch(&table, "b");
    s.ask("create branch b", create).await.set_up()?;
    let delete = calls::delete_branch(&table, "b");
    s.ask("delete branch b", delete).await.set_up()?;
    let again = calls::delete_branch(&table, "b");
    let again = s.ask("delete branch b again", again).await;
    again.refused("BR-1", Refusal::NO_BRANCH)
}

async fn missing_version_is_not_found(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 2).await?;
    let create = calls::create_branch(&table, "b").field("from_version", json!(3));
    let create = s.ask("create branch b from version 3 of 2", create).await;
    create.refused("BR-1", Refusal::NO_VERSION)?;
    no_branches(&s, &table).await?;
    let describe = calls::describe_version(&table, None).field("branch", json!("b"));
    let described = s.exchange(describe).await;
    let held = match Outcome::of(&described) {
        Outcome::Ok => Err(Deviation::new(
            "what was refused has left no branch",
            "branch b has a version",
            [described],
        )),
        _ => Ok(()),
    };
    s.judge("BR-1", "branch b", "not there", held);
    Ok(())
}

async fn no_branches(s: &Stage, table: &Table) -> Flow {
    let listed = s.branches("BR-1", table).await?;
    let held = match listed.contents.is_empty() {
        true => Ok(()),
        false => Err(Deviation::new(
            "what was refused has left no branch",
            format!("the listing names {:?}", listed.names()),
            [listed.exchange.clone()],
        )),
    };
    s.judge("BR-1", "branches of t", "none", held);
    Ok(())
}
