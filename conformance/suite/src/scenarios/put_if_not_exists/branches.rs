//! Branches number their versions apart.

use std::sync::Arc;

use serde_json::json;

use crate::call::Call;
use crate::calls;
use crate::entry::{Entry, Manifest};
use crate::exchange::Exchange;
use crate::log::Deviation;
use crate::outcome::{Outcome, Refusal};
use crate::scenario::{Flow, Stop, scenarios};
use crate::stage::{Stage, Table};

scenarios! {
    /// A version created on a branch is there and not on main, and the other way round.
    "put-if-not-exists/branches-number-apart" => branches_number_apart {
        tier: Branches,
        checks: ["VER-3", "VER-12"],
        needs: [
            "CreateTableBranch", "CreateTableVersion", "DescribeTableVersion", "ListTableVersions",
        ],
    }
    /// Deleting versions of a branch leaves main as it is.
    "put-if-not-exists/delete-on-a-branch-leaves-main" => delete_on_a_branch_leaves_main {
        tier: Branches,
        checks: ["VER-12"],
        needs: [
            "BatchDeleteTableVersions", "CreateTableBranch", "CreateTableVersion",
            "DescribeTableVersion", "ListTableVersions",
        ],
    }
    /// A create on a branch that does not exist is refused, and creates nothing anywhere.
    "put-if-not-exists/unknown-branch-is-refused" => unknown_branch_is_refused {
        tier: Versions,
        checks: ["VER-12"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
}

async fn branches_number_apart(s: Stage) -> Flow {
    let (table, next) = with_branch(&s).await?;
    let main = s.stored(&table).await?;
    let on_branch = s.manifest(&table, "a branch manifest").await?;
    let create = create_on_b(&table, next, &on_branch);
    let create = s.ask("create the next version of branch b", create).await;
    let created = create.ok("VER-12")?.exchange;
    s.unchanged("VER-12", &table, &main, [created.clone()])
        .await?;
    let (described, describe) = on_b(&s, &table, next).await?;
    let held = match &described {
        Some(entry) if !entry.is_anothers(&on_branch, None) => Ok(()),
        Some(_) => Err("describe on the branch answers another manifest"),
        None => Err("describe on the branch does not find it"),
    };
    let held = held.map_err(|found| {
        let expected = "the version that was created on the branch is there";
        Deviation::new(expected, found, [created, describe.clone()])
    });
    s.judge("VER-12", "the next version of branch b", "there", held);

    // The same number on main is another version.
    let on_main = s.manifest(&table, "a main manifest").await?;
    let create = s.create_version(&table, 3, &on_main).await;
    create.ok("VER-12")?;
    let again = s.manifest(&table, "another branch manifest").await?;
    let again = create_on_b(&table, next, &again);
    let again = s.ask("create the same version of branch b", again).await;
    let refused = again.exchange();
    again.refused("VER-12", Refusal::CONFLICT)?;
    let (now, describe_again) = on_b(&s, &table, next).await?;
    let held = match now == described {
        true => Ok(()),
        false => Err(Deviation::new(
            "the branch's entry stays as it is",
            "the branch's entry has changed",
            [describe, refused, describe_again],
        )),
    };
    s.judge("VER-3", "the next version of branch b", "unchanged", held);
    Ok(())
}

async fn delete_on_a_branch_leaves_main(s: Stage) -> Flow {
    let (table, next) = with_branch(&s).await?;
    let on_branch = s.manifest(&table, "a branch manifest").await?;
    s.ask("create on branch b", create_on_b(&table, next, &on_branch))
        .await
        .set_up()?;
    let on_main = s.manifest(&table, "a main manifest").await?;
    s.create_version(&table, 3, &on_main).await.set_up()?;
    let main = s.stored(&table).await?;

    let delete = calls::delete_versions(&table, &[(next, next + 1)]).field("branch", json!("b"));
    let deleted = s
        .ask("delete the next version of branch b", delete)
        .await
        .ok("VER-12")?;
    let held = match on_b(&s, &table, next).await? {
        (None, _) => Ok(()),
        (Some(_), describe) => Err(Deviation::new(
            "the version is gone from the branch",
            "the branch still has the version",
            [deleted.exchange.clone(), describe],
        )),
    };
    s.judge("VER-12", "the next version of branch b", "gone", held);
    s.unchanged("VER-12", &table, &main, [deleted.exchange])
        .await?;
    Ok(())
}

async fn unknown_branch_is_refused(s: Stage) -> Flow {
    // Without versions: a server that opens the table to look for the branch would fail on the
    // manifests, which are none in truth.
    let table = s.table("t").await?;
    let manifest = s.manifest(&table, "the manifest").await?;
    let create = calls::create_version(&table, 1, &manifest).field("branch", json!("ghost"));
    let answer = s.ask("create version 1 of t on branch ghost", create).await;
    let exchange = answer.exchange();
    let refusals = [Refusal::NO_BRANCH, Refusal::UNSUPPORTED, Refusal::NO_TABLE];
    answer.refused_best_as("VER-12", &refusals)?;
    s.unchanged("VER-12", &table, &[], [exchange.clone()])
        .await?;
    let describe = calls::describe_version(&table, Some(1)).field("branch", json!("ghost"));
    let described = s.exchange(describe).await;
    let held = match Outcome::of(&described) {
        Outcome::Ok => Err(Deviation::new(
            "nothing is created on a branch that does not exist",
            "describe finds version 1 on branch ghost",
            [exchange, described],
        )),
        _ => Ok(()),
    };
    s.judge("VER-12", "version 1 on branch ghost", "not there", held);
    Ok(())
}

/// A table with versions 1 and 2 and a branch b, and the branch's next version: a new branch may
/// begin empty or with its parent's latest.
async fn with_branch(s: &Stage) -> Flow<(Table, i64)> {
    let table = s.table("t").await?;
    s.versions(&table, 2).await?;
    s.ask("create branch b", calls::create_branch(&table, "b"))
        .await
        .set_up()?;
    let latest = calls::describe_version(&table, None).field("branch", json!("b"));
    let (latest, _) = described(s, latest).await?;
    Ok((table, latest.map_or(1, |entry| entry.version + 1)))
}

fn create_on_b(table: &Table, version: i64, manifest: &Manifest) -> Call {
    calls::create_version(table, version, manifest).field("branch", json!("b"))
}

async fn on_b(s: &Stage, table: &Table, version: i64) -> Flow<(Option<Entry>, Arc<Exchange>)> {
    let call = calls::describe_version(table, Some(version)).field("branch", json!("b"));
    described(s, call).await
}

async fn described(s: &Stage, describe: Call) -> Flow<(Option<Entry>, Arc<Exchange>)> {
    let exchange = s.exchange(describe).await;
    let entry = match Outcome::of(&exchange) {
        Outcome::Ok => exchange
            .json()
            .and_then(|body| Entry::read(body.get("version")?)),
        Outcome::Refused(404, _) => None,
        outcome => {
            return Err(Stop::Inconclusive(format!(
                "describe on branch b: {outcome}"
            )));
        }
    };
    Ok((entry, exchange))
}
