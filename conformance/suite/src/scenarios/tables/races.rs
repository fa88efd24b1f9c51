//! Tables that many clients declare or rename at once.

use std::sync::Arc;

use crate::calls;
use crate::outcome::Outcome;
use crate::race::{Tally, race};
use crate::scenario::{Flow, Stop, scenarios};
use crate::stage::{Namespace, Stage};
use crate::steps::{Faults, NameRace, Object};

/// How many names are raced for.
const ROUNDS: usize = 8;

/// How many clients rename a table at once.
const RACERS: usize = 6;

scenarios! {
    /// Of the clients that declare one table at once one succeeds, and it is there once.
    "tables/raced-declares-have-one-winner" => raced_declares {
        tier: Basic,
        checks: ["TBL-7"],
        needs: [],
    }
    /// Clients that declare tables of their own in an empty namespace at once all succeed.
    "tables/first-declares-in-an-empty-namespace" => first_declares {
        tier: Basic,
        checks: ["REST-15"],
        needs: [],
    }
    /// After a race of declares the table is gone once it is deregistered once.
    "tables/raced-declares-leave-no-twin" => no_twin {
        tier: Basic,
        checks: ["TBL-4"],
        needs: [],
    }
    /// Of the clients that rename tables to one name at once one succeeds, and no table is lost.
    "tables/raced-renames-have-one-winner" => raced_renames {
        tier: Tables,
        checks: ["TBL-6"],
        needs: ["RenameTable"],
    }
}

async fn raced_declares(s: Stage) -> Flow {
    let mut contest = NameRace::new("TBL-7", "8 clients declare one table at once");
    let home = s.home().await?;
    for round in 0..ROUNDS {
        // Every second race is the first in its namespace.
        let id = match round % 2 {
            0 => s.namespace(&format!("n{round}")).await?.child("t"),
            _ => home.child(&format!("t{round}")),
        };
        contest.round(&s, &Object::Table(id)).await?;
    }
    contest.end(&s);
    Ok(())
}

async fn first_declares(s: Stage) -> Flow {
    let mut contest = NameRace::new("REST-15", "8 clients declare tables in an empty namespace");
    for round in 0..ROUNDS / 2 {
        let namespace = s.namespace(&format!("n{round}")).await?;
        let names = ["h", "a", "g", "b", "f", "c", "e", "d"];
        let objects = names.map(|name| Object::Table(namespace.child(name)));
        contest.siblings(&s, &objects).await?;
    }
    contest.end_of_siblings(&s);
    Ok(())
}

async fn no_twin(s: Stage) -> Flow {
    let mut faults = Faults::new("a table that 8 clients declared at once is deregistered once");
    let home = s.home().await?;
    for round in 0..ROUNDS {
        let table = Object::Table(home.child(&format!("t{round}")));
        s.will_make(&table);
        let raced = race(RACERS + 2, |_| {
            let (s, call) = (s.clone(), table.make());
            async move { s.exchange(call).await }
        });
        let tally = Tally::of(&raced.await).to_string();
        let removed = s.ask("deregister it", calls::deregister(table.id())).await;
        let removed = removed.set_up()?;
        let (there, described) = s.finds(&table).await?;
        if there {
            let what = "it is still there";
            faults.broken("TBL-4", what, tally, [removed.exchange, described]);
        }
    }
    faults.end(&s, &["TBL-4"], "gone");
    Ok(())
}

async fn raced_renames(s: Stage) -> Flow {
    let mut faults = Faults::new("6 clients rename a table each to one name at once");
    for round in 0..ROUNDS / 2 {
        let namespace = s.namespace(&format!("n{round}")).await?;
        rename_at_once(&s, &namespace, &mut faults).await?;
    }
    faults.end(
        &s,
        &["TBL-6"],
        "1 ok, 5 conflict; the others keep their names",
    );
    Ok(())
}

async fn rename_at_once(s: &Stage, namespace: &Namespace, faults: &mut Faults) -> Flow {
    let tables: Vec<Object> = (0..RACERS)
        .map(|racer| Object::Table(namespace.child(&format!("t{racer}"))))
        .collect();
    for table in &tables {
        s.made(table).await?;
    }
    let target = Object::Table(namespace.child("target"));
    s.will_make(&target);
    let answers = race(RACERS, |racer| {
        let (s, call) = (s.clone(), calls::rename(tables[racer].id(), target.name()));
        async move { s.exchange(call).await }
    })
    .await;
    let tally = Tally::of(&answers).to_string();
    let mut winners = Vec::new();
    for (table, answer) in tables.iter().zip(&answers) {
        let outcome = Outcome::of(answer);
        if outcome.is_unknown() || outcome.is_throttled() {
            return Err(Stop::Inconclusive(format!("rename a table: {tally}")));
        }
        let (there, described) = s.finds(table).await?;
        let shown = [Arc::clone(answer), described];
        match (outcome, there) {
            (Outcome::Ok, true) => {
                faults.broken(
                    "TBL-6",
                    "one that was renamed has its old name",
                    &*tally,
                    shown,
                );
            }
            (Outcome::Ok, false) => winners.push(Arc::clone(answer)),
            (_, false) => {
                faults.broken("TBL-6", "one that was not renamed is gone", &*tally, shown)
            }
            (outcome, true) if !outcome.is_conflict() => {
                faults.broken(
                    "TBL-6",
                    "one that lost was not answered 409",
                    &*tally,
                    shown,
                );
            }
            (_, true) => {}
        }
    }
    let (there, described) = s.finds(&target).await?;
    match winners.len() {
        1 if there => {}
        0 if !there => faults.broken("TBL-6", "nobody won", &*tally, [Arc::clone(&answers[0])]),
        1 => faults.broken(
            "TBL-6",
            "one won, and it is not there",
            &*tally,
            [described],
        ),
        0 => faults.broken("TBL-6", "nobody won, and it is there", &*tally, [described]),
        _ => faults.broken(
            "TBL-6",
            "more than one was told that it had won",
            &*tally,
            winners,
        ),
    }
    Ok(())
}
