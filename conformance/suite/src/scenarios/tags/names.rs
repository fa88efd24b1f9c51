//! What a tag names, until it is moved or deleted.

use serde_json::{Value, json};

use crate::calls;
use crate::log::Deviation;
use crate::outcome::Refusal;
use crate::requirement::Level;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};

scenarios! {
    /// A tag names the version that it was created for, however many versions come after.
    "tags/a-tag-names-its-version" => names_its_version {
        tier: Tags,
        checks: ["TAG-2", "TAG-5"],
        needs: ["CreateTableTag", "CreateTableVersion", "GetTableTagVersion", "ListTableTags"],
    }
    /// An update moves the tag that it names, and neither another tag nor a version.
    "tags/update-moves-one-tag" => update_moves_one {
        tier: Tags,
        checks: ["TAG-3"],
        needs: [
            "CreateTableTag", "CreateTableVersion", "DescribeTableVersion", "GetTableTagVersion",
            "ListTableTags", "ListTableVersions", "UpdateTableTag",
        ],
    }
    /// A tag that was deleted is gone; its version and the other tags stay, and its name is free.
    "tags/delete-removes-one-tag" => delete_removes_one {
        tier: Tags,
        checks: ["TAG-2", "TAG-4"],
        needs: [
            "CreateTableTag", "CreateTableVersion", "DeleteTableTag", "DescribeTableVersion",
            "GetTableTagVersion", "ListTableTags", "ListTableVersions",
        ],
    }
    /// A tag on a branch names the branch's version, and one on main that of main.
    "tags/a-tag-on-a-branch-names-the-branch" => on_a_branch {
        tier: Tags,
        checks: ["BR-1", "TAG-2", "TAG-3", "TAG-5"],
        needs: [
            "CreateTableBranch", "CreateTableTag", "CreateTableVersion", "DescribeTableVersion",
            "GetTableTagVersion", "ListTableTags", "UpdateTableTag",
        ],
    }
}

async fn names_its_version(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 3).await?;
    for (tag, version) in [("first", 1), ("last", 3)] {
        let label = format!("create tag {tag} on version {version}");
        let create = calls::create_tag(&table, tag, version);
        s.ask(&label, create).await.ok("TAG-2")?;
    }
    s.tag_is("TAG-2", &table, "first", 1).await?;
    s.tag_is("TAG-2", &table, "last", 3).await?;
    on_branch(&s, &table, "last", None).await?;
    let manifest = s.manifest(&table, "m4").await?;
    s.create_version(&table, 4, &manifest).await.set_up()?;
    s.line("version 4 is created".to_owned());
    s.tag_is("TAG-2", &table, "last", 3).await?;
    let listed = s.tags("TAG-2", &table).await?;
    let held = match listed.names().into_iter().eq(["first", "last"]) {
        true => Ok(()),
        false => Err(Deviation::new(
            "the listing names the two tags and no other",
            format!("the listing names {:?}", listed.names()),
            [listed.exchange.clone()],
        )),
    };
    s.judge("TAG-2", "tags of t", "first, last", held);
    Ok(())
}

async fn update_moves_one(s: Stage) -> Flow {
    let table = with_two_tags(&s).await?;
    let before = s.stored(&table).await?;
    let update = calls::update_tag(&table, "a", 2);
    let updated = s.ask("update tag a to version 2", update).await;
    let updated = updated.ok("TAG-3")?.exchange;
    s.tag_is("TAG-3", &table, "a", 2).await?;
    s.tag_is("TAG-3", &table, "b", 1).await?;
    s.unchanged("TAG-3", &table, &before, [updated]).await?;
    Ok(())
}

async fn delete_removes_one(s: Stage) -> Flow {
    let table = with_two_tags(&s).await?;
    let before = s.stored(&table).await?;
    let deleted = s.ask("delete tag a", calls::delete_tag(&table, "a")).await;
    let deleted = deleted.ok("TAG-4")?.exchange;
    s.no_tag("TAG-4", &table, "a").await?;
    s.tag_is("TAG-4", &table, "b", 1).await?;
    s.unchanged("TAG-4", &table, &before, [deleted]).await?;
    let create = calls::create_tag(&table, "a", 2);
    let created = s.ask("create tag a on version 2", create).await;
    created.ok("TAG-4")?;
    s.tag_is("TAG-2", &table, "a", 2).await?;
    Ok(())
}

async fn on_a_branch(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 2).await?;
    let branch = calls::create_branch(&table, "b");
    s.ask("create branch b", branch).await.set_up()?;
    let latest = s.latest_of_branch(&table, "b").await?;
    // A new branch may begin empty. Versions 3 and 4 of main are not there in any case.
    let mut next = latest.map_or(1, |entry| entry.version + 1);
    while next <= 4 {
        let manifest = s.manifest(&table, "a branch manifest").await?;
        let create = calls::create_version(&table, next, &manifest).field("branch", json!("b"));
        s.ask("create a version of branch b", create)
            .await
            .set_up()?;
        next += 1;
    }
    let on_main = calls::create_tag(&table, "on-main", 2);
    s.ask("create tag on-main", on_main).await.ok("TAG-2")?;
    let on_b = calls::create_tag(&table, "on-b", 3).field("branch", json!("b"));
    let label = "create tag on-b on version 3 of branch b";
    s.ask(label, on_b).await.ok("TAG-2")?;
    s.tag_is("TAG-2", &table, "on-b", 3).await?;
    s.tag_is("TAG-2", &table, "on-main", 2).await?;
    on_branch(&s, &table, "on-b", Some("b")).await?;
    on_branch(&s, &table, "on-main", None).await?;

    let update = calls::update_tag(&table, "on-main", 4).field("branch", json!("b"));
    let label = "update tag on-main to version 4 of branch b";
    s.ask(label, update).await.ok("TAG-3")?;
    s.tag_is("TAG-3", &table, "on-main", 4).await?;
    on_branch(&s, &table, "on-main", Some("b")).await?;

    let ghost = calls::create_tag(&table, "on-ghost", 1).field("branch", json!("ghost"));
    let answer = s.ask("create a tag on branch ghost", ghost).await;
    answer.refused("BR-1", Refusal::NO_BRANCH)?;
    s.no_tag("BR-1", &table, "on-ghost").await?;
    Ok(())
}

/// Judges what get and the listing say of the branch that a tag is on.
async fn on_branch(s: &Stage, table: &Table, tag: &str, branch: Option<&str>) -> Flow {
    let get = s.exchange(calls::tag_version(table, tag)).await;
    let list = s.tags("TAG-2", table).await?;
    let branch_in = |value: &Value| value["branch"].as_str().map(str::to_owned);
    let got = get.json().as_ref().and_then(branch_in);
    let listed = list.contents.get(tag).and_then(branch_in);
    let (told, held) = match branch {
        Some(branch) => (format!("says branch {branch}"), format!("branch {branch}")),
        None => ("says no branch".to_owned(), "main".to_owned()),
    };
    let result = match got.as_deref() == branch && listed.as_deref() == branch {
        true => Ok(()),
        false => Err(Deviation::new(
            told,
            format!("get says branch {got:?}, the listing {listed:?}"),
            [get, list.exchange],
        )),
    };
    let label = format!("the branch of tag {tag}");
    s.judge_at("TAG-5", Level::Should, &label, &held, result);
    Ok(())
}

/// A table with versions 1 to 3 and tags a and b on version 1.
async fn with_two_tags(s: &Stage) -> Flow<Table> {
    let table = s.table("t").await?;
    s.versions(&table, 3).await?;
    for tag in ["a", "b"] {
        let create = calls::create_tag(&table, tag, 1);
        s.ask(&format!("create tag {tag}"), create).await.set_up()?;
    }
    Ok(table)
}
