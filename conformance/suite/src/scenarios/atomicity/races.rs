//! Batches, commits and single operations that contend for versions and names.

use std::slice;

use crate::race::race;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};
use crate::steps::{Change, Contest, NextVersions, Rounds};

/// How many clients send batches that overlap.
const BATCHES: usize = 32;
/// How many rounds they do so.
const ROUNDS: usize = 30;
/// How many clients contend where they differ in what they send.
const CLIENTS: usize = 24;
/// How many rounds they do so.
const MIXED_ROUNDS: usize = 15;
/// How many tables they contend for.
const TABLES: usize = 6;
/// How many rounds batches contend with what removes their tables.
const REMOVALS: usize = 12;

scenarios! {
    /// Of batches sent at once, none is done by half, and of those that share a version at most one.
    "atomicity/overlapping-batches" => overlapping_batches {
        tier: Batch,
        checks: ["BAT-2", "BAT-6", "ORD-6", "ORD-7"],
        needs: ["BatchCreateTableVersions", "DescribeTableVersion", "ListTableVersions"],
    }
    /// Batches and single creates that contend for versions are done whole or not at all.
    "atomicity/batches-race-single-creates" => batches_race_single_creates {
        tier: Batch,
        checks: ["BAT-2", "BAT-8", "ORD-6", "ORD-7"],
        needs: [
            "BatchCreateTableVersions",
            "CreateTableVersion",
            "DescribeTableVersion",
            "ListTableVersions",
        ],
    }
    /// Commits and single operations that contend for versions and names are done whole or not at all.
    "atomicity/commits-race" => commits_race {
        tier: Batch,
        checks: ["COM-1", "ORD-6", "ORD-7"],
        needs: [
            "BatchCommitTables", "CreateTableVersion", "DescribeTableVersion", "ListTableVersions",
        ],
    }
    /// A batch and a commit that removes one of its tables are each done whole or not at all.
    "atomicity/batch-races-removal" => batch_races_removal {
        tier: Batch,
        checks: ["BAT-1", "COM-1", "ORD-6", "ORD-7"],
        needs: [
            "BatchCommitTables",
            "BatchCreateTableVersions",
            "CreateTableVersion",
            "DescribeTableVersion",
            "ListTableVersions",
        ],
    }
}

async fn tables(s: &Stage) -> Flow<Vec<Table>> {
    let other = s.namespace("other").await?;
    let mut tables = Vec::new();
    for number in 0..TABLES {
        let name = format!("t{number}");
        tables.push(match number % 2 {
            0 => s.table(&name).await?,
            _ => s.table_in(&other, &name).await?,
        });
    }
    Ok(tables)
}

/// The change of one client: the next version of some tables that follow each other, by every other
/// client in the opposite order.
async fn claim(
    s: &Stage,
    mut change: Change,
    client: usize,
    count: usize,
    tables: &[Table],
    next: &NextVersions,
) -> Flow<Change> {
    let first = s.random_below(tables.len());
    for at in (first..first + count).map(|at| at % tables.len()) {
        let manifest = s.manifest(&tables[at], &format!("client {client}")).await?;
        change = change.create(&tables[at], next.of(&tables[at]), &manifest);
    }
    Ok(match client % 2 {
        0 => change,
        _ => change.reversed(),
    })
}

async fn overlapping_batches(s: Stage) -> Flow {
    let tables = tables(&s).await?;
    let label = format!("{BATCHES} clients send batches that overlap, {ROUNDS} rounds");
    let mut contest = Contest::new("BAT-6", &label).losers("BAT-2");
    let mut next = NextVersions::default();
    for _ in 0..ROUNDS {
        let mut batches = Vec::new();
        for client in 0..BATCHES {
            // From two tables to all of them.
            let count = 2 + client % (TABLES - 1);
            batches.push(claim(&s, Change::batch(), client, count, &tables, &next).await?);
        }
        contest.round(&s, &batches, &mut next).await?;
    }
    contest.end(&s);
    s.judge_history("the history", &["ORD-6", "ORD-7"]).await;
    Ok(())
}

async fn batches_race_single_creates(s: Stage) -> Flow {
    let tables = tables(&s).await?;
    let label = format!("{CLIENTS} clients, batches and single creates, {MIXED_ROUNDS} rounds");
    let mut contest = Contest::new("BAT-8", &label).losers("BAT-2");
    let mut next = NextVersions::default();
    for _ in 0..MIXED_ROUNDS {
        let mut changes = Vec::new();
        for client in 0..CLIENTS {
            // Single creates are quicker: one in four leaves the batches a chance.
            let (change, count) = match client % 4 {
                0 => (Change::single(), 1),
                _ => (Change::batch(), 2 + client % (TABLES - 1)),
            };
            changes.push(claim(&s, change, client, count, &tables, &next).await?);
        }
        contest.round(&s, &changes, &mut next).await?;
    }
    contest.end(&s);
    s.judge_history("the history", &["ORD-6", "ORD-7"]).await;
    Ok(())
}

async fn commits_race(s: Stage) -> Flow {
    let tables = tables(&s).await?;
    let label = format!("{CLIENTS} clients, commits and single operations, {MIXED_ROUNDS} rounds");
    let mut contest = Contest::new("COM-1", &label);
    let mut next = NextVersions::default();
    for round in 0..MIXED_ROUNDS {
        let names = [
            s.unmade_table(&format!("x{round}")).await?,
            s.unmade_table(&format!("y{round}")).await?,
        ];
        let mut changes = Vec::new();
        for client in 0..CLIENTS {
            let name = &names[client / 2 % 2];
            changes.push(match client % 8 {
                0 => claim(&s, Change::single(), client, 1, &tables, &next).await?,
                1 => Change::single().declare(name),
                2 | 3 => claim(&s, Change::commit(), client, 3, &tables, &next).await?,
                _ => {
                    let commit = Change::commit().declare(name);
                    claim(&s, commit, client, 2, &tables, &next).await?
                }
            });
        }
        contest.round(&s, &changes, &mut next).await?;
    }
    contest.end(&s);
    s.judge_history("the history", &["ORD-6", "ORD-7"]).await;
    Ok(())
}

async fn batch_races_removal(s: Stage) -> Flow {
    let (mut batches, mut commits) = (
        whole_or_nothing(
            "BAT-1",
            "batches while a commit removes one of their tables",
        ),
        whole_or_nothing("COM-1", "commits that remove it"),
    );
    for round in 0..REMOVALS {
        let [a, b, c] = [
            s.table(&format!("a{round}")).await?,
            s.table(&format!("b{round}")).await?,
            s.table(&format!("c{round}")).await?,
        ];
        s.versions(&a, 2).await?;
        let fresh = s.unmade_table(&format!("fresh{round}")).await?;
        let commit = Change::commit()
            .declare(&fresh)
            .delete(&a, 1)
            .deregister(&b);
        // Version 1 of the table that is removed is a part of the batch, but nobody can tell
        // afterwards whether it was there.
        let mut batch = s.batch_of(slice::from_ref(&c), 1).await?;
        let manifest = s.manifest(&a, "manifest 3").await?;
        batch = batch.create(&a, 3, &manifest);
        let removed = s.batch_of(slice::from_ref(&b), 1).await?;
        let place = round % 3;
        for part in removed.parts() {
            batch = batch.with(place, part.clone());
        }
        let changes = [batch, commit];
        let exchanges = race(changes.len(), |racer| {
            let (s, call) = (s.clone(), changes[racer].call());
            async move { s.exchange(call).await }
        })
        .await;
        for ((change, exchange), rounds) in changes
            .iter()
            .zip(&exchanges)
            .zip([&mut batches, &mut commits])
        {
            rounds.as_answered(&s, change, exchange).await?;
        }
    }
    batches.end(&s);
    commits.end(&s);
    s.judge_history("the history", &["ORD-6", "ORD-7"]).await;
    Ok(())
}

fn whole_or_nothing(requirement: &'static str, label: &str) -> Rounds {
    Rounds::new(requirement, label).demanding(
        "each is done whole or not at all",
        "each change is seen as it was answered, whole or not at all",
    )
}
