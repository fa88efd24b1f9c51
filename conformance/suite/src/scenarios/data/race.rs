//! Many clients write and read at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::calls::data;
use crate::exchange::Exchange;
use crate::log::Deviation;
use crate::outcome::{Outcome, Refusal};
use crate::race::{Tally, race};
use crate::rows::Row;
use crate::scenario::{Flow, Stop, scenarios};
use crate::stage::{Stage, Table};
use crate::steps::{compared, listed, shortened};

const WRITERS: i64 = 8;
const INSERTS: i64 = 4;
/// How many rows an insert of a race has.
const ROWS: i64 = 25;

scenarios! {
    /// Of rows that many clients insert at once, each that was acknowledged is there once.
    "data/no-row-is-lost-in-a-race" => no_row_is_lost_in_a_race {
        tier: Data,
        checks: ["DATA-30"],
        needs: ["CreateTable", "QueryTable", "InsertIntoTable"],
    }
    /// No reader counts a part of an insert, or fewer rows than were counted before.
    "data/no-reader-sees-half-an-insert" => no_reader_sees_half_an_insert {
        tier: Data,
        checks: ["DATA-31"],
        needs: ["CreateTable", "CountTableRows", "InsertIntoTable"],
    }
    /// Of clients that create one table at once, one wins, and the rows are its own.
    "data/one-winner-of-a-new-table" => one_winner_of_a_new_table {
        tier: Data,
        checks: ["DATA-2"],
        needs: ["CreateTable", "QueryTable"],
    }
}

/// The rows of an insert: 25 that no other has.
fn rows_of(client: i64, number: i64) -> Vec<Row> {
    let first = 100 * (client * INSERTS + number);
    Row::all(first..first + ROWS)
}

async fn no_row_is_lost_in_a_race(s: Stage) -> Flow {
    let t = s.table_of("t", &Row::all([-1])).await?;
    let results = race(usize::try_from(WRITERS).unwrap_or_default(), |client| {
        let (s, t) = (s.clone(), t.clone());
        let client = i64::try_from(client).unwrap_or_default();
        async move {
            let mut inserts = Vec::new();
            for number in 0..INSERTS {
                let rows = rows_of(client, number);
                let exchange = s.exchange(data::insert(&t, &rows)).await;
                inserts.push((rows, exchange));
            }
            inserts
        }
    })
    .await;
    let inserts: Vec<(Vec<Row>, Arc<Exchange>)> = results.into_iter().flatten().collect();
    let (mut there, mut maybe, mut because) = (Row::all([-1]), Vec::new(), Vec::new());
    for (rows, exchange) in inserts {
        match Outcome::of(&exchange) {
            Outcome::Ok => there.extend(rows),
            outcome if outcome.is_unknown() => maybe.push(rows),
            Outcome::Failed(_) => {
                because.push(exchange);
                maybe.push(rows);
            }
            Outcome::Refused(..) | Outcome::Lost => {}
        }
    }
    if there.len() == 1 {
        return Err(Stop::Inconclusive(
            "no insert of the race succeeded".to_owned(),
        ));
    }
    let (frame, exchange) = s.all_rows("DATA-30", &t).await?;
    let ids = frame.ids();
    // What may have been written is there whole or not at all.
    for rows in maybe {
        if rows.iter().any(|row| ids.contains(&row.id)) {
            there.extend(rows);
        }
    }
    let label = "8 clients insert 25 rows 4 times each";
    let held = compared(&frame, &there, [exchange]);
    s.judge(
        "DATA-30",
        label,
        "each acknowledged row once, no other",
        held,
    );
    if !because.is_empty() {
        // A writer that comes too late is told so, as a conflict.
        let actual = Tally::of(&because).to_string();
        let expected = "every insert of the race succeeds or is refused";
        s.warn(
            "DATA-30",
            Deviation::new(expected, actual, because.into_iter().take(3)),
        );
    }
    Ok(())
}

async fn no_reader_sees_half_an_insert(s: Stage) -> Flow {
    let t = s.table_of("t", &rows_of(0, 0)).await?;
    let done = Arc::new(AtomicBool::new(false));
    // One writes and three read.
    let results = race(4, |client| {
        let (s, t, done) = (s.clone(), t.clone(), Arc::clone(&done));
        async move {
            if client == 0 {
                write(&s, &t).await;
                done.store(true, Ordering::SeqCst);
                return Vec::new();
            }
            read(&s, &t, &done).await
        }
    })
    .await;
    let (mut found, mut exchanges) = (Vec::new(), Vec::new());
    for counts in results {
        let mut before = 0;
        for (count, exchange) in counts {
            if count % ROWS != 0 {
                found.push(format!("{count} rows, of inserts of {ROWS}"));
                exchanges.push(exchange);
            } else if count < before {
                found.push(format!("{count} rows after {before}"));
                exchanges.push(exchange);
            }
            before = before.max(count);
        }
    }
    exchanges.truncate(4);
    let held = match found.is_empty() {
        true => Ok(()),
        false => Err(Deviation::new(
            format!("counts are multiples of {ROWS} and never fall"),
            shortened(&found),
            exchanges,
        )),
    };
    let label = "3 readers count while 12 inserts of 25 rows are made";
    s.judge("DATA-31", label, "whole inserts, and never fewer", held);
    Ok(())
}

async fn write(s: &Stage, t: &Table) {
    for number in 1..=12 {
        s.exchange(data::insert(t, &rows_of(0, number))).await;
    }
}

async fn read(s: &Stage, t: &Table, done: &AtomicBool) -> Vec<(i64, Arc<Exchange>)> {
    let mut counts = Vec::new();
    while !done.load(Ordering::SeqCst) {
        let exchange = s.exchange(data::count(t)).await;
        let count = exchange.json().and_then(|body| body.as_i64());
        if let (Outcome::Ok, Some(count)) = (Outcome::of(&exchange), count) {
            counts.push((count, exchange));
        }
    }
    counts
}

async fn one_winner_of_a_new_table(s: Stage) -> Flow {
    const ROUNDS: usize = 5;
    let (mut found, mut because) = (Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        let t = s.no_table(&format!("t{round}")).await?;
        let exchanges = race(8, |client| {
            let (s, id) = (s.clone(), t.id.clone());
            async move {
                let rows = rows_of(i64::try_from(client).unwrap_or_default(), 0);
                s.exchange(data::create(&id, &rows)).await
            }
        })
        .await;
        let outcomes: Vec<Outcome> = exchanges.iter().map(|e| Outcome::of(e)).collect();
        if outcomes.iter().any(|outcome| outcome.is_unknown()) {
            continue;
        }
        let winners: Vec<usize> = (0..outcomes.len())
            .filter(|&client| outcomes[client] == Outcome::Ok)
            .collect();
        let losers = outcomes.iter().filter(|outcome| outcome.is_conflict());
        if winners.len() != 1 || losers.count() != outcomes.len() - 1 {
            found.push(format!("round {round}: {}", Tally::of(&exchanges)));
            because.extend(exchanges.iter().cloned());
        }
        let [winner] = winners[..] else { continue };
        let rows = rows_of(i64::try_from(winner).unwrap_or_default(), 0);
        let (frame, exchange) = s.all_rows("DATA-2", &t).await?;
        if let Err(deviation) = compared(&frame, &rows, [exchange]) {
            found.push(format!(
                "round {round}: of the winner's rows, {}; the ids are {}",
                deviation.actual,
                listed(&frame.ids())
            ));
            because.push(Arc::clone(&exchanges[winner]));
            because.extend(deviation.exchanges);
        }
    }
    because.truncate(10);
    let held = match found.is_empty() {
        true => Ok(()),
        false => Err(Deviation::new(
            format!(
                "1 of 8 creates succeeds, the others are refused with {}, and the rows are the \
                 winner's",
                Refusal::TABLE_EXISTS.status
            ),
            shortened(&found),
            because,
        )),
    };
    let label = "8 clients create one table with rows of their own, 5 rounds";
    s.judge("DATA-2", label, "one wins, and the rows are its own", held);
    Ok(())
}
