//! One history, whatever happens to the server in the middle of it.

use futures::future::BoxFuture;

use crate::calls;
use crate::exchange::Exchange;
use crate::instance::Progress;
use crate::outcome::Outcome;
use crate::scenario::{Flow, Stop, scenarios};
use crate::stage::{Stage, Table};
use crate::steps::{Change, LookForLatest};

/// How many clients contend for the next versions.
const WRITERS: usize = 5;
/// How many clients read the latest.
const READERS: usize = 2;
/// The most that a client does between two kills.
const TURNS: usize = 200;

scenarios! {
    /// Clients that contend for versions make one history, over every kill of the server.
    "recovery/one-history-over-kills" => one_history_over_kills {
        tier: Versions,
        checks: ["ORD-6", "ORD-7"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
        given: [ServerCommand],
    }
    /// Batches and creates that contend for versions make one history, over every kill of the server.
    "recovery/one-history-of-batches-over-kills" => one_history_of_batches_over_kills {
        tier: Batch,
        checks: ["ORD-6", "ORD-7"],
        needs: [
            "BatchCreateTableVersions",
            "CreateTableVersion",
            "DescribeTableVersion",
            "ListTableVersions",
        ],
        given: [ServerCommand],
    }
}

async fn one_history_over_kills(s: Stage) -> Flow {
    let label = "clients contend for versions, the server killed and started again";
    contend(s, &["t"], label).await
}

async fn one_history_of_batches_over_kills(s: Stage) -> Flow {
    let label = "batches and creates contend for versions, the server killed and started again";
    contend(s, &["t", "u"], label).await
}

async fn contend(s: Stage, names: &[&str], label: &str) -> Flow {
    let mut server = s.start_server().await?;
    let mut tables = Vec::new();
    for name in names {
        tables.push(server.stage().table(name).await?);
    }
    for _ in 0..s.kills() {
        let clients = server.kill_amid(WRITERS + READERS, |client, s, progress| {
            let tables = tables.clone();
            let work: BoxFuture<'static, Flow> = match client < WRITERS {
                true => Box::pin(async move { write(&s, &tables, client, &progress).await }),
                false => Box::pin(async move { read(&s, &tables).await }),
            };
            work
        });
        clients.await?.into_iter().collect::<Flow>()?;
        // What is there after the restart is part of the history.
        let s = server.stage();
        let looked = versions_of(&s, &tables).await;
        if looked.is_err() {
            // A table that is gone has no versions; the history says whether that is right.
            let held = s.judge_history(label, &["ORD-6", "ORD-7"]).await;
            return if held { looked.map(|_| ()) } else { Ok(()) };
        }
    }
    let s = server.stage();
    if versions_of(&s, &tables).await? == 0 {
        let reason = "the server was killed before it had created any version";
        return Err(Stop::Inconclusive(reason.to_owned()));
    }
    s.judge_history(label, &["ORD-6", "ORD-7"]).await;
    Ok(())
}

/// How many versions the tables have.
async fn versions_of(s: &Stage, tables: &[Table]) -> Flow<usize> {
    let mut versions = 0;
    for table in tables {
        versions += s.all_entries(table).await?.len();
    }
    Ok(versions)
}

/// Reads the latest and creates the next, until nothing is answered any more. Where there are several
/// tables, two of three changes are batches over all of them.
async fn write(s: &Stage, tables: &[Table], client: usize, progress: &Progress) -> Flow {
    for turn in 0..TURNS {
        let batch = tables.len() > 1 && !(client + turn).is_multiple_of(3);
        let chosen = match batch {
            true => tables,
            false => &tables[turn % tables.len()..][..1],
        };
        let mut change = match batch {
            true => Change::batch(),
            false => Change::single(),
        };
        for table in chosen {
            let read = LookForLatest::Latest.at(s, table).await;
            let Some(latest) = latest(&read) else {
                return Ok(());
            };
            let label = format!("client {client}, version {}", latest + 1);
            let manifest = s.manifest(table, &label).await?;
            change = change.create(table, latest + 1, &manifest);
        }
        let exchange = s.exchange(change.call()).await;
        if !progress.goes_on(&exchange) && !Outcome::of(&exchange).is_conflict() {
            break;
        }
    }
    Ok(())
}

/// Reads in every way, until nothing is answered any more.
async fn read(s: &Stage, tables: &[Table]) -> Flow {
    for turn in 0..TURNS {
        let table = &tables[turn % tables.len()];
        let read = match turn % 3 {
            0 => s.exchange(calls::list_versions(table)).await,
            _ => LookForLatest::Latest.at(s, table).await,
        };
        if Outcome::of(&read) == Outcome::Lost {
            break;
        }
    }
    Ok(())
}

/// The latest version that a read tells of; none if it tells nothing.
fn latest(read: &Exchange) -> Option<i64> {
    match Outcome::of(read) {
        Outcome::Ok => read.json()?.get("version")?.get("version")?.as_i64(),
        Outcome::Refused(404, _) => Some(0),
        _ => None,
    }
}
