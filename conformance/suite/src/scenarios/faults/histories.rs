//! Many clients whose connections break: one order explains what they are told.

use super::MOMENTS;
use super::creates::took_whole;
use crate::call::Call;
use crate::calls;
use crate::outcome::Outcome;
use crate::proxy::Fault;
use crate::race::race;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};

/// How many clients there are.
const CLIENTS: usize = 6;
/// How much each of them does.
const STEPS: usize = 24;
/// One connection in so many breaks.
const ONE_IN: usize = 3;

scenarios! {
    /// One order explains what clients are told that create versions over connections that break.
    "faults/creates-over-connections-that-break" => creates_over_connections_that_break {
        tier: Versions,
        checks: ["ORD-6", "ORD-7"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
    /// One order explains what clients are told that send batches over connections that break.
    "faults/batches-over-connections-that-break" => batches_over_connections_that_break {
        tier: Batch,
        checks: ["ORD-6", "ORD-7"],
        needs: [
            "BatchCreateTableVersions", "CreateTableVersion", "DescribeTableVersion",
            "ListTableVersions",
        ],
    }
}

/// What a client does.
#[derive(Clone, Copy)]
enum Step {
    /// Describes the latest version of a table.
    Latest(usize),
    /// Lists the versions of a table.
    List(usize),
    /// Creates the version after the latest that the client knows, and once more if the answer is
    /// lost.
    Create(usize),
    /// Creates the next version of two tables at once, in this order.
    Batch(usize, usize),
}

async fn creates_over_connections_that_break(s: Stage) -> Flow {
    let label = "6 clients create and read versions, a third of them over connections that break";
    over_connections_that_break(&s, label, 2, |s, table| match s.random_below(3) {
        0 => Step::Latest(table),
        1 => Step::List(table),
        _ => Step::Create(table),
    })
    .await
}

async fn batches_over_connections_that_break(s: Stage) -> Flow {
    let label = "6 clients send batches and read, a third of them over connections that break";
    over_connections_that_break(&s, label, 3, |s, table| match s.random_below(4) {
        0 => Step::List(table),
        1 => Step::Create(table),
        way => Step::Batch(table, (table + way - 1) % 3),
    })
    .await
}

/// Lets clients do what is drawn for each of them before they begin, over so many tables.
async fn over_connections_that_break(
    s: &Stage,
    label: &str,
    tables: usize,
    draw: fn(&Stage, usize) -> Step,
) -> Flow {
    let took = took_whole(s).await?;
    let mut all = Vec::new();
    for number in 0..tables {
        let table = s.table(&format!("t{number}")).await?;
        s.versions(&table, 1).await?;
        all.push(table);
    }
    let mut plans: Vec<Vec<(Step, Option<Fault>)>> = Vec::new();
    for _ in 0..CLIENTS {
        let breaks = s.breaks(took, MOMENTS);
        let plan = (0..STEPS).map(|_| {
            let step = draw(s, s.random_below(tables));
            let broken = s.random_below(ONE_IN) == 0;
            let fault = breaks[s.random_below(breaks.len())];
            (step, broken.then_some(fault))
        });
        plans.push(plan.collect());
    }
    let clients = race(CLIENTS, |client| {
        let (s, tables, plan) = (s.clone(), all.clone(), plans[client].clone());
        async move { play(&s, &tables, &plan).await }
    });
    for client in clients.await {
        client?;
    }
    for table in &all {
        s.all_entries(table).await?;
    }
    s.judge_history(label, &["ORD-6", "ORD-7"]).await;
    Ok(())
}

/// One client, step by step.
async fn play(s: &Stage, tables: &[Table], plan: &[(Step, Option<Fault>)]) -> Flow {
    let mut latest = vec![1; tables.len()];
    for &(step, fault) in plan {
        match step {
            Step::Latest(at) => {
                let call = calls::describe_version(&tables[at], None);
                let told = send(s, fault, call).await?.0;
                latest[at] = told.unwrap_or(latest[at]).max(latest[at]);
            }
            Step::List(at) => {
                let call = calls::list_versions(&tables[at]);
                let call = call.query("descending", true).query("limit", 10);
                let told = send(s, fault, call).await?.0;
                latest[at] = told.unwrap_or(latest[at]).max(latest[at]);
            }
            Step::Create(at) => {
                let next = latest[at] + 1;
                let manifest = s.manifest(&tables[at], "a manifest").await?;
                let call = calls::create_version(&tables[at], next, &manifest);
                let (_, mut outcome) = send(s, fault, call.clone()).await?;
                if outcome.is_unknown() {
                    outcome = send(s, None, call).await?.1;
                }
                if outcome == Outcome::Ok || outcome.is_conflict() {
                    latest[at] = next;
                }
            }
            Step::Batch(one, other) => {
                let mut entries = Vec::new();
                for at in [one, other] {
                    let manifest = s.manifest(&tables[at], "a manifest").await?;
                    let next = latest[at] + 1;
                    entries.push(calls::batch_entry(&tables[at].id, next, &manifest));
                }
                let call = calls::batch_create(&entries);
                // Of a batch that was not done, readers will tell what stood in its way.
                if send(s, fault, call).await?.1 == Outcome::Ok {
                    [one, other].iter().for_each(|&at| latest[at] += 1);
                }
            }
        }
    }
    Ok(())
}

/// Sends a call; answers the latest version that the answer tells of, and what it amounts to.
async fn send(s: &Stage, fault: Option<Fault>, call: Call) -> Flow<(Option<i64>, Outcome)> {
    let exchange = match fault {
        Some(fault) => s.exchange_through(fault, call).await?,
        None => s.exchange(call).await,
    };
    let body = exchange.json().unwrap_or_default();
    let latest = body["version"]["version"].as_i64();
    let listed = body["versions"][0]["version"].as_i64();
    Ok((latest.or(listed), Outcome::of(&exchange)))
}
