//! Many clients create one version at once.

use crate::calls;
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
        checks: ["VER-4", "ORD-6", "ORD-7"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
    /// Of clients that create the first version in a new namespace at once, one wins.
    "put-if-not-exists/one-winner-of-the-first-version" => one_winner_of_the_first_version {
        tier: Versions,
        checks: ["VER-4", "ORD-6", "ORD-7"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
    /// One client wins although half of them ask for the other naming scheme.
    "put-if-not-exists/one-winner-in-mixed-naming-schemes" => one_winner_in_mixed_naming_schemes {
        tier: Versions,
        checks: ["VER-4", "ORD-6", "ORD-7"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
    /// Of two clients that ask for different naming schemes, one wins.
    "put-if-not-exists/one-winner-of-two-naming-schemes" => one_winner_of_two_naming_schemes {
        tier: Versions,
        checks: ["VER-4", "ORD-6", "ORD-7"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
}

async fn one_winner_each_version(s: Stage) -> Flow {
    let rounds = Rounds::new("VER-4", "32 clients create one version, 30 rounds");
    counting_up(&s, rounds, RACERS, &[None]).await
}

async fn one_winner_in_mixed_naming_schemes(s: Stage) -> Flow {
    let rounds = Rounds::new(
        "VER-4",
        "16 V1 and 16 V2 clients create one version, 30 rounds",
    );
    counting_up(&s, rounds, RACERS, &[Some("V1"), Some("V2")]).await
}

async fn one_winner_of_two_naming_schemes(s: Stage) -> Flow {
    let rounds = Rounds::new(
        "VER-4",
        "a V1 and a V2 client create one version, 30 rounds",
    );
    counting_up(&s, rounds, 2, &[Some("V1"), Some("V2")]).await
}

async fn one_winner_of_the_first_version(s: Stage) -> Flow {
    let label = "32 clients create the first version in a new namespace, 30 rounds";
    let mut rounds = Rounds::new("VER-4", label);
    for number in 1..=ROUNDS {
        let namespace = s.namespace(&format!("n{number}")).await?;
        let table = s.table_in(&namespace, "t").await?;
        round(&s, &table, 1, RACERS, &[None], &mut rounds).await?;
        rounds.listed_once(&s, &table).await?;
    }
    rounds.end(&s);
    s.judge_history("the history", &["ORD-6", "ORD-7"]).await;
    Ok(())
}

/// The clients race for version 1 of a table, then for version 2, and so on.
async fn counting_up(
    s: &Stage,
    mut rounds: Rounds,
    racers: usize,
    schemes: &[Option<&'static str>],
) -> Flow {
    let table = s.table("t").await?;
    for version in 1..=ROUNDS {
        round(s, &table, version, racers, schemes, &mut rounds).await?;
    }
    rounds.listed_once(s, &table).await?;
    rounds.end(s);
    s.judge_history("the history", &["ORD-6", "ORD-7"]).await;
    Ok(())
}

/// All clients create this version, each with its own manifest, and ask for these naming schemes in
/// turn.
async fn round(
    s: &Stage,
    table: &Table,
    version: i64,
    racers: usize,
    schemes: &[Option<&'static str>],
    rounds: &mut Rounds,
) -> Flow {
    let mut manifests = Vec::new();
    for (racer, scheme) in (0..racers).zip(schemes.iter().cycle()) {
        let manifest = s.manifest(table, &format!("racer {racer}")).await?;
        manifests.push(match scheme {
            Some(scheme) => manifest.named(scheme),
            None => manifest,
        });
    }
    let exchanges = race(racers, |racer| {
        let call = calls::create_version(table, version, &manifests[racer]);
        let s = s.clone();
        async move { s.exchange(call).await }
    })
    .await;
    rounds
        .one_winner(s, table, version, &manifests, &exchanges)
        .await
}
