//! Many clients create one tag at once.

use crate::calls;
use crate::outcome::Outcome;
use crate::race::race;
use crate::scenario::{Flow, Stop, scenarios};
use crate::stage::Stage;
use crate::steps::{Claimed, Rounds, one_claim};

/// How many clients race, each for a version of its own.
const RACERS: usize = 8;
/// How many tags they race for, one after the other.
const ROUNDS: usize = 20;

scenarios! {
    /// Of clients that create one tag at once, one wins, and the tag names its version.
    "tags/one-winner-of-a-tag" => one_winner {
        tier: Tags,
        checks: ["TAG-1"],
        needs: ["CreateTableTag", "CreateTableVersion", "GetTableTagVersion"],
    }
}

async fn one_winner(s: Stage) -> Flow {
    let table = s.table("t").await?;
    let label = "8 clients create one tag on 8 versions, 20 rounds";
    let mut rounds = Rounds::new("TAG-1", label).demanding(
        "one winner each, the rest conflict; the tag names the winner's version",
        "one client wins, the others are answered 409, and the tag names the winner's version",
    );
    s.versions(&table, 8).await?;
    for round in 1..=ROUNDS {
        let tag = format!("tag{round}");
        let exchanges = race(RACERS, |racer| {
            let version = i64::try_from(racer).unwrap_or(i64::MAX) + 1;
            let call = calls::create_tag(&table, &tag, version);
            let s = s.clone();
            async move { s.exchange(call).await }
        })
        .await;
        let get = s.exchange(calls::tag_version(&table, &tag)).await;
        let claimed = match Outcome::of(&get) {
            Outcome::Ok => {
                let version = get.json().and_then(|body| body["version"].as_u64());
                Claimed::by_version(version, RACERS)
            }
            Outcome::Refused(404, _) => Claimed::Nobody,
            outcome => return Err(Stop::Inconclusive(format!("get a tag: {outcome}"))),
        };
        one_claim(&mut rounds, &tag, &exchanges, claimed);
    }
    rounds.end(&s);
    Ok(())
}
