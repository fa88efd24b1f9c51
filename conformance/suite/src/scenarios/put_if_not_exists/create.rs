//! One client creates versions.

use crate::calls;
use crate::outcome::Refusal;
use crate::scenario::{Flow, scenarios};
use crate::stage::Stage;

scenarios! {
    /// A created version is there at once, the same in every answer.
    "put-if-not-exists/created-version-is-there" => created_version_is_there {
        tier: Versions,
        checks: ["VER-1", "VER-7"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
    /// A version that exists is not replaced by another manifest.
    "put-if-not-exists/second-create-is-refused" => second_create_is_refused {
        tier: Versions,
        checks: ["VER-1", "VER-2", "VER-3"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
    /// A version is not replaced either when later ones exist.
    "put-if-not-exists/older-version-is-refused" => older_version_is_refused {
        tier: Versions,
        checks: ["VER-2", "VER-3"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
    /// A version that exists under one naming scheme is not created again under the other.
    "put-if-not-exists/other-naming-scheme-is-refused" => other_naming_scheme_is_refused {
        tier: Versions,
        checks: ["VER-1", "VER-2", "VER-3"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
}

async fn created_version_is_there(s: Stage) -> Flow {
    let table = s.table("t").await?;
    for version in 1..=3 {
        let manifest = s.manifest(&table, &format!("manifest {version}")).await?;
        let created = s
            .create_version(&table, version, &manifest)
            .await
            .ok("VER-1")?;
        let described = s
            .describe_version(&table, Some(version))
            .await
            .ok("VER-1")?;
        let listed = s.list_versions(&table).await.ok("VER-1")?;
        let listed = s.whole(calls::list_versions(&table), listed).await?;
        let in_list = s.lists_once("VER-1", &table, version, &listed);
        let answers = [created.entry(), described.entry(), in_list];
        let exchanges = [created.exchange, described.exchange];
        let exchanges = exchanges.into_iter().chain(listed.exchanges);
        s.agree(
            "create, describe and list",
            answers.iter().flatten(),
            exchanges,
        );
    }
    Ok(())
}

async fn second_create_is_refused(s: Stage) -> Flow {
    let table = s.table("t").await?;
    let first = s.manifest(&table, "the first manifest").await?;
    let second = s.manifest(&table, "the second manifest").await?;
    s.create_version(&table, 1, &first).await.ok("VER-1")?;
    let before = s.stored(&table).await?;
    let again = s.create_version(&table, 1, &second).await;
    let exchange = again.exchange();
    again.refused("VER-2", Refusal::CONFLICT)?;
    s.unchanged("VER-3", &table, &before, [exchange]).await?;
    Ok(())
}

async fn older_version_is_refused(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 12).await?;
    let before = s.stored(&table).await?;
    let mut exchanges = Vec::new();
    for version in [1, 2, 9, 11, 12] {
        let other = s.manifest(&table, "another manifest").await?;
        let again = s.create_version(&table, version, &other).await;
        exchanges.push(again.exchange());
        again.refused("VER-2", Refusal::CONFLICT)?;
    }
    s.unchanged("VER-3", &table, &before, exchanges).await?;
    Ok(())
}

async fn other_naming_scheme_is_refused(s: Stage) -> Flow {
    let table = s.table("t").await?;
    for (version, first, second) in [(1, "V1", "V2"), (2, "V2", "V1")] {
        let named = async |scheme: &'static str| {
            let manifest = s.manifest(&table, &format!("a {scheme} manifest")).await?;
            Ok(manifest.named(scheme))
        };
        let created = s
            .create_version(&table, version, &named(first).await?)
            .await;
        created.ok("VER-1")?;
        let before = s.stored(&table).await?;
        let again = s
            .create_version(&table, version, &named(second).await?)
            .await;
        let exchange = again.exchange();
        again.refused("VER-2", Refusal::CONFLICT)?;
        s.unchanged("VER-3", &table, &before, [exchange]).await?;
    }
    Ok(())
}
