//! Describing one version.

use crate::log::Deviation;
use crate::outcome::Refusal;
use crate::requirement::Level;
use crate::scenario::{Flow, scenarios};
use crate::stage::Stage;

scenarios! {
    /// Describe answers the version that was asked for, and the latest where none was.
    "put-if-not-exists/described-version-is-the-one-asked-for" => described_is_the_one_asked_for {
        tier: Versions,
        checks: ["VER-1", "VER-11"],
        needs: ["CreateTableVersion", "DescribeTableVersion"],
    }
    /// A version that does not exist is not found.
    "put-if-not-exists/missing-version-is-not-found" => missing_version_is_not_found {
        tier: Versions,
        checks: ["VER-11"],
        needs: ["CreateTableVersion", "DescribeTableVersion"],
    }
}

async fn described_is_the_one_asked_for(s: Stage) -> Flow {
    let table = s.table("t").await?;
    // The latest by number is not the latest by text.
    s.versions(&table, 11).await?;
    for asked in [1, 2, 9, 10, 11] {
        let described = s.describe_version(&table, Some(asked)).await.ok("VER-1")?;
        let held = match described.entry().map(|entry| entry.version) {
            Some(answered) if answered == asked => Ok(()),
            answered => Err(Deviation::new(
                format!("describe of version {asked} answers version {asked}"),
                answered_version(answered),
                [described.exchange],
            )),
        };
        s.judge("VER-1", "the version answered", &asked.to_string(), held);
    }
    let Some(described) = s.describe_version(&table, None).await.ok_should("VER-11")? else {
        return Ok(());
    };
    let held = match described.entry().map(|entry| entry.version) {
        Some(11) => Ok(()),
        answered => Err(Deviation::new(
            "describe without a version answers the latest, 11",
            answered_version(answered),
            [described.exchange],
        )),
    };
    s.judge_at("VER-11", Level::Should, "the version answered", "11", held);
    Ok(())
}

fn answered_version(version: Option<i64>) -> String {
    match version {
        Some(version) => format!("it answers version {version}"),
        None => "it answers no entry".to_owned(),
    }
}

async fn missing_version_is_not_found(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 2).await?;
    for missing in [3, 0, (1 << 32) + 1, i64::MAX] {
        let described = s.describe_version(&table, Some(missing)).await;
        described.refused("VER-11", Refusal::NO_VERSION)?;
    }
    let empty = s.table("empty").await?;
    let described = s.describe_version(&empty, Some(1)).await;
    described.refused("VER-11", Refusal::NO_VERSION)?;
    let latest = s.describe_version(&empty, None).await;
    latest.refused_best_as("VER-11", &[Refusal::NO_VERSION])
}
