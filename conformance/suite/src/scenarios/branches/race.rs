//! Many clients create one branch at once.

use serde_json::json;

use crate::calls;
use crate::race::race;
use crate::scenario::{Flow, scenarios};
use crate::stage::Stage;
use crate::steps::{Claimed, Rounds, one_claim};

/// How many clients race, each from a version of its own.
const RACERS: usize = 8;
/// How many branches they race for, one after the other.
const ROUNDS: usize = 20;

scenarios! {
    /// Of clients that create one branch at once, one wins, and the branch begins at its version.
    "branches/one-winner-of-a-branch" => one_winner {
        tier: Branches,
        checks: ["BR-1"],
        needs: ["CreateTableBranch", "CreateTableVersion", "ListTableBranches"],
    }
}

async fn one_winner(s: Stage) -> Flow {
    let table = s.table("t").await?;
    let label = "8 clients create one branch from 8 versions, 20 rounds";
    let mut rounds = Rounds::new("BR-1", label).demanding(
        "one winner each, the rest conflict; the branch begins at the winner's version",
        "one client wins, the others are answered 409, and the branch begins at the winner's version",
    );
    s.versions(&table, 8).await?;
    for round in 1..=ROUNDS {
        let branch = format!("branch{round}");
        let exchanges = race(RACERS, |racer| {
            let call =
                calls::create_branch(&table, &branch).field("from_version", json!(racer + 1));
            let s = s.clone();
            async move { s.exchange(call).await }
        })
        .await;
        let listed = s.branches("BR-1", &table).await?;
        let claimed = match listed.contents.get(&branch) {
            Some(contents) => Claimed::by_version(contents["parentVersion"].as_u64(), RACERS),
            None => Claimed::Nobody,
        };
        one_claim(&mut rounds, &branch, &exchanges, claimed);
    }
    rounds.end(&s);
    Ok(())
}
