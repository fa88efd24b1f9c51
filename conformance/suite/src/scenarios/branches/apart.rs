//! Branches do not touch each other, main, or those of other tables.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::calls;
use crate::entry::{Entry, Manifest};
use crate::exchange::Exchange;
use crate::log::{Deviation, Observation};
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};
use crate::steps::ODD_NAMES;

scenarios! {
    /// Two branches number their versions apart, in create, describe, list and delete.
    "branches/versions-of-two-branches-are-apart" => two_branches_apart {
        tier: Branches,
        checks: ["VER-12"],
        needs: [
            "BatchDeleteTableVersions", "CreateTableBranch", "CreateTableVersion",
            "DescribeTableVersion", "ListTableVersions",
        ],
    }
    /// A branch that was deleted is gone with its versions; main and the other branches stay.
    "branches/delete-removes-one-branch" => delete_removes_one {
        tier: Branches,
        checks: ["BR-4"],
        needs: [
            "CreateTableBranch", "CreateTableVersion", "DeleteTableBranch", "DescribeTableVersion",
            "ListTableBranches", "ListTableVersions",
        ],
    }
    /// Tables have branches of their own, whatever their names.
    "branches/tables-have-branches-of-their-own" => tables_apart {
        tier: Branches,
        checks: ["BR-3", "BR-4"],
        needs: [
            "CreateTableBranch", "CreateTableVersion", "DeleteTableBranch", "ListTableBranches",
        ],
    }
    /// A branch's name is taken as it is or refused, and never mixed up with one that looks like it.
    "branches/names-that-look-alike-are-told-apart" => names_apart {
        tier: Branches,
        checks: ["BR-3"],
        needs: ["CreateTableBranch", "CreateTableVersion", "ListTableBranches"],
    }
}

async fn two_branches_apart(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 1).await?;
    for branch in ["b", "c"] {
        begin(&s, &table, branch).await?;
    }
    // The same number on both.
    let on_b = next_version(&s, &table, "b").await?;
    let on_c = next_version(&s, &table, "c").await?;
    for (branch, (version, manifest, created)) in [("b", &on_b), ("c", &on_c)] {
        let describe =
            calls::describe_version(&table, Some(*version)).field("branch", Value::from(branch));
        let (entry, describe) = s.branch_entry(describe).await?;
        let found = match &entry {
            None => Some("describe on the branch does not find it"),
            Some(entry) if entry.is_anothers(manifest, None) => {
                Some("describe on the branch answers another manifest")
            }
            Some(_) => None,
        };
        let held = judged(
            found,
            "the branch's version is its own",
            [created, &describe],
        );
        let label = format!("the new version of branch {branch}");
        s.judge("VER-12", &label, "its own", held);
        let list = calls::list_versions(&table).query("branch", branch);
        let first = s.ask("list the versions of a branch", list.clone()).await;
        let first = first.ok_as_ever("VER-12")?;
        let listing = s.whole(list, first).await?;
        let mut listed = listing.entries;
        listed.retain(|entry| entry.version == *version);
        let found = match listed.as_slice() {
            [entry] if !entry.is_anothers(manifest, None) => None,
            [_] => Some("the listing of the branch has another manifest"),
            [] => Some("the listing of the branch does not have it"),
            _ => Some("the listing of the branch has it more than once"),
        };
        let held = judged(
            found,
            "the branch's listing has its version",
            [created].into_iter().chain(&listing.exchanges),
        );
        let label = format!("the new version of branch {branch} in its listing");
        s.judge("VER-12", &label, "its own", held);
    }
    let (version, _, created) = &on_b;
    let delete =
        calls::delete_versions(&table, &[(*version, version + 1)]).field("branch", json!("b"));
    let deleted = s.ask("delete the new version of branch b", delete).await;
    let deleted = deleted.ok("VER-12")?.exchange;
    for (branch, there) in [("b", false), ("c", true)] {
        let describe =
            calls::describe_version(&table, Some(*version)).field("branch", Value::from(branch));
        let (entry, describe) = s.branch_entry(describe).await?;
        let found = match entry.is_some() == there {
            true => None,
            false if there => Some("it is gone from the other branch as well"),
            false => Some("it is still there"),
        };
        let expected = "the version is gone from branch b and from no other";
        let held = judged(found, expected, [created, &deleted, &describe]);
        let label = format!("the new version of branch {branch}");
        s.judge("VER-12", &label, if there { "there" } else { "gone" }, held);
    }
    Ok(())
}

async fn delete_removes_one(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 2).await?;
    for branch in ["b", "c"] {
        begin(&s, &table, branch).await?;
    }
    let (old, ..) = next_version(&s, &table, "b").await?;
    next_version(&s, &table, "c").await?;
    let main = s.stored(&table).await?;
    let of_c = s.latest_of_branch(&table, "c").await?;

    let deleted = s
        .ask("delete branch b", calls::delete_branch(&table, "b"))
        .await;
    let deleted = deleted.ok("BR-4")?.exchange;
    let listed = s.branches("BR-4", &table).await?;
    let held = match listed.names().into_iter().eq(["c"]) {
        true => Ok(()),
        false => Err(Deviation::new(
            "the listing names branch c alone",
            format!("the listing names {:?}", listed.names()),
            [Arc::clone(&deleted), listed.exchange.clone()],
        )),
    };
    s.judge("BR-4", "branches of t", "c", held);
    let gone = s.latest_of_branch(&table, "b").await?;
    let found = gone.map(|_| "describe still finds a version of it");
    let held = judged(found, "a deleted branch has no versions", [&deleted]);
    s.judge("BR-4", "versions of branch b", "none", held);
    let now = s.latest_of_branch(&table, "c").await?;
    let found = (now != of_c).then_some("its latest version is another");
    let held = judged(found, "the other branch stays as it is", [&deleted]);
    s.judge("BR-4", "branch c", "unchanged", held);
    s.unchanged("BR-4", &table, &main, [Arc::clone(&deleted)])
        .await?;

    begin(&s, &table, "b").await?;
    let describe = calls::describe_version(&table, Some(old)).field("branch", json!("b"));
    let (entry, describe) = s.branch_entry(describe).await?;
    let found = entry.map(|_| "it has a version of the branch that was deleted");
    let expected = "a branch created again under the name begins anew";
    let held = judged(found, expected, [&deleted, &describe]);
    s.judge("BR-4", "branch b, created again", "anew", held);
    Ok(())
}

async fn tables_apart(s: Stage) -> Flow {
    let t = s.table("t").await?;
    let u = s.table("u").await?;
    for (table, version) in [(&t, 1), (&u, 2)] {
        s.versions(table, 2).await?;
        let create = calls::create_branch(table, "b").field("from_version", json!(version));
        let label = format!("create branch b of {} from version {version}", table.label);
        s.ask(&label, create).await.ok("BR-3")?;
    }
    let only = calls::create_branch(&t, "only");
    s.ask("create branch only of t", only).await.ok("BR-3")?;
    branches_are(&s, "BR-3", &t, &["b", "only"]).await?;
    branches_are(&s, "BR-3", &u, &["b"]).await?;
    let delete = calls::delete_branch(&t, "b");
    s.ask("delete branch b of t", delete).await.ok("BR-4")?;
    branches_are(&s, "BR-4", &t, &["only"]).await?;
    branches_are(&s, "BR-4", &u, &["b"]).await
}

async fn branches_are(s: &Stage, requirement: &'static str, table: &Table, names: &[&str]) -> Flow {
    let listed = s.branches(requirement, table).await?;
    let held = match listed.names().into_iter().eq(names.iter().copied()) {
        true => Ok(()),
        false => Err(Deviation::new(
            format!("the branches of {} are {names:?}", table.label),
            format!("the listing names {:?}", listed.names()),
            [listed.exchange.clone()],
        )),
    };
    let label = format!("branches of {}", table.label);
    s.judge(requirement, &label, &names.join(", "), held);
    Ok(())
}

async fn names_apart(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 3).await?;
    let versions = [1, 2, 3];
    let create = |name: &str, version: i64| {
        calls::create_branch(&table, name).field("from_version", json!(version))
    };
    let version = |index: usize| versions[index % versions.len()];
    let taken = s.create_odd_names("BR-3", create, version).await?;
    let listed = s.branches("BR-3", &table).await?;
    let expected: BTreeSet<&str> = taken.keys().copied().collect();
    let held = match listed.names() == expected {
        true => Ok(()),
        false => Err(Deviation::new(
            format!("the listing names {expected:?}, which were created"),
            format!("the listing names {:?}", listed.names()),
            [listed.exchange.clone()],
        )),
    };
    let label = format!("{} branches with odd names", ODD_NAMES.len());
    s.judge(
        "BR-3",
        &label,
        "each refused, or listed as it was created",
        held,
    );
    let refused: Vec<&str> = ODD_NAMES
        .into_iter()
        .filter(|name| !taken.contains_key(name))
        .collect();
    s.observe(Observation {
        requirement: "BR-3",
        choice: match refused.is_empty() {
            true => "branches may have any name".to_owned(),
            false => format!("branches cannot be named {refused:?}"),
        },
    });
    Ok(())
}

async fn begin(s: &Stage, table: &Table, branch: &str) -> Flow {
    let create = calls::create_branch(table, branch);
    let label = format!("create branch {branch}");
    s.ask(&label, create).await.set_up()?;
    Ok(())
}

/// Creates the next version of a branch.
async fn next_version(
    s: &Stage,
    table: &Table,
    branch: &str,
) -> Flow<(i64, Manifest, Arc<Exchange>)> {
    let latest: Option<Entry> = s.latest_of_branch(table, branch).await?;
    let version = latest.map_or(1, |entry| entry.version + 1);
    let manifest = s
        .manifest(table, &format!("a manifest of {branch}"))
        .await?;
    let create =
        calls::create_version(table, version, &manifest).field("branch", Value::from(branch));
    let label = format!("create the next version of branch {branch}");
    let created = s.ask(&label, create).await.set_up()?;
    Ok((version, manifest, created.exchange))
}

fn judged<'a>(
    found: Option<&str>,
    expected: &str,
    exchanges: impl IntoIterator<Item = &'a Arc<Exchange>>,
) -> Result<(), Deviation> {
    match found {
        None => Ok(()),
        Some(found) => Err(Deviation::new(
            expected,
            found,
            exchanges.into_iter().cloned(),
        )),
    }
}
