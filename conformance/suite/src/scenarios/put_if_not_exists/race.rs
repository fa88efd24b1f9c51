//! Many clients create one version at once.

use crate::calls;
use crate::entry::Manifest;
use crate::race::race;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};
use crate::steps::Rounds;

/// How many clients race.
const RACERS: usize = 32;
/// How many versions they race for, one after the other.
const ROUNDS: i64 = 30;

scenarios! {
    /// Of clients that create one version at once, one wins, and the stored entry is its own.
    "put-if-not-exists/one-winner-each-version" => one_winner_each_version {
        tier: Versions,
        checks: ["VER-4"],
        needs: ["CreateTableVersion", "DescribeTableVersion"],
    }
}

async fn one_winner_each_version(s: Stage) -> Flow {
    let table = s.table("t").await?;
    let mut rounds = Rounds::new("VER-4", "32 clients create one version, 30 rounds");
    for version in 1..=ROUNDS {
        let mut manifests = Vec::new();
        for racer in 0..RACERS {
            manifests.push(s.manifest(&table, &format!("racer {racer}")).await?);
        }
        round(&s, &table, version, &manifests, &mut rounds).await?;
    }
    rounds.end(&s);
    Ok(())
}

/// All clients create this version, each with its own manifest.
async fn round(
    s: &Stage,
    table: &Table,
    version: i64,
    manifests: &[Manifest],
    rounds: &mut Rounds,
) -> Flow {
    let exchanges = race(manifests.len(), |racer| {
        let call = calls::create_version(table, version, &manifests[racer]);
        let s = s.clone();
        async move { s.exchange(call).await }
    })
    .await;
    rounds
        .one_winner(s, table, version, manifests, &exchanges)
        .await
}
