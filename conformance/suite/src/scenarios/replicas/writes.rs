//! Writes at two replicas at once.

use std::sync::Arc;

use super::{knows, replica, takes_writes};
use crate::calls;
use crate::log::{Deviation, Observation};
use crate::outcome::Outcome;
use crate::race::{Tally, race};
use crate::scenario::{Flow, scenarios};
use crate::stage::Stage;
use crate::steps::Rounds;

/// How many clients contend.
const CLIENTS: usize = 8;
/// How many rounds they do so.
const ROUNDS: i64 = 20;

scenarios! {
    /// Of clients that create one version at two replicas, one wins and the others are answered 409.
    "replicas/one-winner-of-a-version" => one_winner_of_a_version {
        tier: Versions,
        checks: ["VER-4"],
        needs: ["CreateTableVersion", "DescribeTableVersion"],
        given: [Replica],
    }
    /// Of clients that declare one table at two replicas, one wins and the others are refused.
    "replicas/one-winner-of-a-name" => one_winner_of_a_name {
        tier: Basic,
        checks: ["TBL-7"],
        needs: [],
        given: [Replica],
    }
    /// A version that exists at one replica is not replaced through another.
    "replicas/existing-version-is-refused-at-another" => existing_version_is_refused {
        tier: Versions,
        checks: ["VER-2", "VER-3"],
        needs: ["CreateTableVersion", "DescribeTableVersion"],
        given: [Replica],
    }
}

/// The stages that clients write on in turn: the replica is left out if it takes no writes, which a
/// service may do.
async fn writers(s: &Stage, requirement: &'static str) -> Flow<Vec<Stage>> {
    let there = replica(s).await?;
    let (takes_writes, answer) = takes_writes(&there, "asked").await?;
    if takes_writes {
        return Ok(vec![s.clone(), there]);
    }
    s.observe(Observation {
        requirement,
        choice: format!("the replica takes no writes: {}", Outcome::of(&answer)),
    });
    Ok(vec![s.clone()])
}

async fn one_winner_of_a_version(s: Stage) -> Flow {
    let writers = writers(&s, "VER-4").await?;
    let table = s.table("t").await?;
    for writer in &writers {
        knows(writer, &table).await?;
    }
    let label =
        format!("{CLIENTS} clients at two replicas create the next version, {ROUNDS} rounds");
    let mut rounds = Rounds::new("VER-4", &label);
    for version in 1..=ROUNDS {
        let mut manifests = Vec::new();
        for client in 0..CLIENTS {
            manifests.push(s.manifest(&table, &format!("client {client}")).await?);
        }
        let exchanges = race(CLIENTS, |client| {
            let s = writers[client % writers.len()].clone();
            let call = calls::create_version(&table, version, &manifests[client]);
            async move { s.exchange(call).await }
        });
        let exchanges = exchanges.await;
        // Another replica may lag: it is read where it was written.
        let won = |client: &usize| Outcome::of(&exchanges[*client]) == Outcome::Ok;
        let winner = (0..CLIENTS).find(won).unwrap_or(0);
        let at = &writers[winner % writers.len()];
        rounds
            .one_winner(at, &table, version, &manifests, &exchanges)
            .await?;
    }
    rounds.end(&s);
    Ok(())
}

async fn one_winner_of_a_name(s: Stage) -> Flow {
    let writers = writers(&s, "TBL-7").await?;
    let label = format!("{CLIENTS} clients at two replicas declare one table, {ROUNDS} rounds");
    let mut rounds = Rounds::new("TBL-7", &label).demanding(
        "one winner each, the rest conflict",
        "one client is answered 200 and the others 409",
    );
    for round in 1..=ROUNDS {
        rounds.round();
        let id = s.unmade_table(&format!("t{round}")).await?;
        let exchanges = race(CLIENTS, |client| {
            let (s, call) = (writers[client % writers.len()].clone(), calls::declare(&id));
            async move { s.exchange(call).await }
        });
        let exchanges = exchanges.await;
        let with = |outcomes: fn(Outcome) -> bool| -> Vec<_> {
            let exchanges = exchanges.iter();
            exchanges
                .filter(|exchange| outcomes(Outcome::of(exchange)))
                .map(Arc::clone)
                .collect()
        };
        let at = format!("table t{round}: {}", Tally::of(&exchanges));
        let winners = with(|outcome| outcome == Outcome::Ok);
        let passing = |outcome: Outcome| outcome.is_unknown() || outcome.is_throttled();
        let odd = with(|outcome| !matches!(outcome, Outcome::Ok | Outcome::Refused(409 | 429, _)));
        let odd: Vec<_> = odd
            .into_iter()
            .filter(|exchange| !passing(Outcome::of(exchange)))
            .collect();
        let clear = !exchanges
            .iter()
            .any(|exchange| passing(Outcome::of(exchange)));
        if winners.len() > 1 {
            let what = "more than one client was told that it had declared the table";
            rounds.fault(what, &at, winners.into_iter().take(4).collect());
        } else if winners.is_empty() && clear {
            rounds.fault(
                "nobody won",
                &at,
                exchanges.iter().take(2).map(Arc::clone).collect(),
            );
        }
        if !odd.is_empty() {
            let what = "a client that lost was not answered 409";
            rounds.fault(what, &at, odd.into_iter().take(2).collect());
        }
    }
    rounds.end(&s);
    Ok(())
}

async fn existing_version_is_refused(s: Stage) -> Flow {
    let writers = writers(&s, "VER-2").await?;
    let there = writers.last().unwrap_or(&s);
    let table = s.table("t").await?;
    knows(there, &table).await?;
    let label = format!("{ROUNDS} versions, each created again at the other replica");
    let mut refused = Rounds::new("VER-2", &label).demanding(
        "conflict",
        "a version that exists is refused with 409 at every replica",
    );
    let mut first = Vec::new();
    let mut last = None;
    for version in 1..=ROUNDS {
        refused.round();
        let [one, two] = [
            s.manifest(&table, "the first").await?,
            s.manifest(&table, "the second").await?,
        ];
        let label = format!("create version {version}");
        let create = s.ask(&label, calls::create_version(&table, version, &one));
        let create = create.await.set_up()?.exchange;
        first.push(s.entry(&table, version).await?);
        let again = there
            .exchange(calls::create_version(&table, version, &two))
            .await;
        let outcome = Outcome::of(&again);
        if !outcome.is_conflict() && !outcome.is_unknown() && !outcome.is_throttled() {
            let at = format!("version {version}: {outcome}");
            let what = "a version was not refused that another replica has created";
            refused.fault(what, &at, vec![create, Arc::clone(&again)]);
        }
        last = Some(again);
    }
    refused.end(&s);
    let mut changed = None;
    for (version, first) in (1..).zip(first) {
        let now = s.entry(&table, version).await?;
        let same = match (&first, &now) {
            (Some(first), Some(now)) => first.disagreements(now).is_empty(),
            (first, now) => first.is_none() == now.is_none(),
        };
        if !same && changed.is_none() {
            changed = Some(version);
        }
    }
    let held = match changed {
        None => Ok(()),
        Some(version) => Err(Deviation::new(
            "the stored entries are the first ones",
            format!("version {version} is another entry than before"),
            last,
        )),
    };
    s.judge("VER-3", "the stored entries", "unchanged", held);
    Ok(())
}
