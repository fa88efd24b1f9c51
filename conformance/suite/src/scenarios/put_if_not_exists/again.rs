//! The same create is sent again, as a client does that has lost the answer.

use crate::calls;
use crate::entry::Manifest;
use crate::outcome::Refusal;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};

scenarios! {
    /// A create that is sent again is done once, and the version stays as it is.
    "put-if-not-exists/same-create-again-is-done-once" => same_create_again_is_done_once {
        tier: Versions,
        checks: ["VER-1", "VER-2", "VER-5", "VER-7"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
    /// A version is not lost when it is created again with the path that the server gave it.
    "put-if-not-exists/own-path-again-loses-nothing" => own_path_again_loses_nothing {
        tier: Versions,
        checks: ["VER-1", "VER-5", "VER-7"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
}

async fn same_create_again_is_done_once(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 1).await?;
    let manifest = s.manifest(&table, "the manifest").await?;
    s.create_version(&table, 2, &manifest).await.ok("VER-1")?;
    s.stage_again(&table, &manifest).await?;
    again(&s, &table, 2, &manifest, "create version 2 of t again").await?;

    let other = s.manifest(&table, "another manifest").await?;
    let refused = s.create_version(&table, 2, &other).await;
    refused.refused("VER-2", Refusal::CONFLICT)?;

    // The same when the version is no longer the latest.
    let next = s.manifest(&table, "the next manifest").await?;
    s.create_version(&table, 3, &next).await.ok("VER-1")?;
    s.stage_again(&table, &manifest).await?;
    let label = "create version 2 of t again, after version 3";
    again(&s, &table, 2, &manifest, label).await
}

async fn own_path_again_loses_nothing(s: Stage) -> Flow {
    let table = s.table("t").await?;
    let mut manifests = Vec::new();
    for version in 1..=3 {
        let manifest = s.manifest(&table, &format!("manifest {version}")).await?;
        let created = s.create_version(&table, version, &manifest).await;
        created.ok("VER-1")?;
        manifests.push(manifest);
    }
    for (version, manifest) in [(1, &manifests[0]), (3, &manifests[2])] {
        let stored = s.entry(&table, version).await?;
        let path = stored.map(|entry| entry.manifest_path).unwrap_or_default();
        let label = format!("create version {version} of t again, at the path that it has now");
        again(&s, &table, version, &manifest.clone().at(&path), &label).await?;
    }
    Ok(())
}

/// Creates a version again: whether the server takes it is its choice, and the table's versions
/// stay as they are either way.
async fn again(s: &Stage, table: &Table, version: i64, manifest: &Manifest, label: &str) -> Flow {
    let before = s.stored(table).await?;
    let create = calls::create_version(table, version, manifest);
    let answer = s.ask(label, create).await;
    let exchange = answer.exchange();
    let answered = answer.open("VER-5")?.and_then(|reply| reply.entry());
    let stored = before.iter().filter(|entry| entry.version == version);
    s.agree(
        "the answer, if it was done, and the entry",
        stored.chain(&answered),
        [exchange.clone()],
    );
    s.unchanged("VER-1", table, &before, [exchange]).await?;
    Ok(())
}
