//! Writers that get in each other's way: one order explains what each was told.

use std::sync::Arc;

use crate::calls;
use crate::entry::{Entry, Manifest};
use crate::exchange::Exchange;
use crate::outcome::Outcome;
use crate::race::race;
use crate::scenario::{Flow, Stop, scenarios};
use crate::stage::{Stage, Table};
use crate::steps::{Faults, Growth, LookForLatest};

/// How many clients contend.
const CLIENTS: usize = 8;
/// How many versions there are in the end.
const VERSIONS: i64 = 200;
/// How many answers in a row may say nothing before a client gives up.
const PATIENCE: usize = 20;
/// How many versions a client tries to create at most: more than there are, but not without end.
const ATTEMPTS: usize = 300;

scenarios! {
    /// Clients that each read the latest and create the next make one history without gaps.
    "ordering/contending-writers-make-one-history" => contending_writers {
        tier: Versions,
        checks: ["ORD-6", "ORD-7"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
}

/// A create, as the client that sent it knows it.
struct Attempt {
    version: i64,
    manifest: Manifest,
    exchange: Arc<Exchange>,
}

async fn contending_writers(s: Stage) -> Flow {
    let table = s.table("t").await?;
    let clients = race(CLIENTS, |client| {
        let (s, table) = (s.clone(), table.clone());
        async move { contend(&s, &table, client).await }
    });
    let mut watch = Growth::new(&table);
    let mut attempts = Vec::new();
    for client in clients.await {
        let (reads, creates) = client?;
        for read in &reads {
            watch.read(LookForLatest::Latest, read);
        }
        for create in &creates {
            watch.wrote(create.version, &create.exchange);
        }
        attempts.extend(creates);
    }
    let stored = s.stored(&table).await?;
    let mut faults =
        Faults::new("8 clients read the latest version and create the next, up to 200");
    history(&s, &table, &stored, &attempts, &mut faults).await?;
    watch.judge(&mut faults);
    if faults.is_none() && s.entry(&table, VERSIONS).await?.is_none() {
        let reason = format!("the clients did not get as far as version {VERSIONS}");
        return Err(Stop::Inconclusive(reason));
    }
    let held = "each acknowledged version is there once, with its client's manifest, and none is \
                left out";
    faults.end(&s, &["ORD-6", "ORD-7"], held);
    s.judge_history("the history", &["ORD-6", "ORD-7"]).await;
    Ok(())
}

/// Reads the latest version and creates the next, until all are there.
async fn contend(
    s: &Stage,
    table: &Table,
    client: usize,
) -> Flow<(Vec<Arc<Exchange>>, Vec<Attempt>)> {
    let mut reads = Vec::new();
    let mut attempts: Vec<Attempt> = Vec::new();
    let mut in_vain = 0;
    while in_vain < PATIENCE && attempts.len() < ATTEMPTS {
        let read = LookForLatest::Latest.at(s, table).await;
        let body = read.json();
        let latest = match Outcome::of(&read) {
            Outcome::Ok => body.and_then(|body| body.get("version")?.get("version")?.as_i64()),
            Outcome::Refused(404, _) => Some(0),
            _ => None,
        };
        reads.push(read);
        let Some(latest) = latest else {
            in_vain += 1;
            continue;
        };
        if latest >= VERSIONS {
            return Ok((reads, attempts));
        }
        let version = latest + 1;
        let manifest = s
            .manifest(table, &format!("client {client}, version {version}"))
            .await?;
        let exchange = s
            .exchange(calls::create_version(table, version, &manifest))
            .await;
        let outcome = Outcome::of(&exchange);
        match outcome {
            Outcome::Ok | Outcome::Refused(409, _) => in_vain = 0,
            _ => in_vain += 1,
        }
        attempts.push(Attempt {
            version,
            manifest,
            exchange,
        });
    }
    Ok((reads, attempts))
}

/// Whether what is stored is what the clients were told.
async fn history(
    s: &Stage,
    table: &Table,
    stored: &[Entry],
    attempts: &[Attempt],
    faults: &mut Faults,
) -> Flow {
    for version in 1..=VERSIONS {
        let of_version: Vec<&Attempt> = attempts
            .iter()
            .filter(|attempt| attempt.version == version)
            .collect();
        let with = |outcome: fn(Outcome) -> bool| -> Vec<usize> {
            let places = 0..of_version.len();
            places
                .filter(|&place| outcome(Outcome::of(&of_version[place].exchange)))
                .collect()
        };
        let shown = |places: &[usize]| -> Vec<Arc<Exchange>> {
            places
                .iter()
                .take(4)
                .map(|&place| Arc::clone(&of_version[place].exchange))
                .collect()
        };
        let winners = with(|outcome| outcome == Outcome::Ok);
        // A server error may hide a create that happened.
        let perhaps = with(|outcome| matches!(outcome, Outcome::Lost | Outcome::Failed(_)));
        let at = format!("version {version}");
        if winners.len() > 1 {
            let what = "more than one client was told that it had created a version";
            faults.broken("ORD-6", what, &at, shown(&winners));
        }
        let entries: Vec<&Entry> = stored
            .iter()
            .filter(|entry| entry.version == version)
            .collect();
        let entry = match entries.as_slice() {
            [entry] => *entry,
            [] => {
                // A list may be cut (PAGE-2), so that the version is asked for by its number.
                if !winners.is_empty() && s.entry(table, version).await?.is_none() {
                    let what = "an acknowledged version is missing";
                    faults.broken("ORD-6", what, &at, shown(&winners));
                }
                continue;
            }
            [..] => {
                let what = "a version is listed more than once";
                faults.broken("ORD-6", what, &at, shown(&winners));
                continue;
            }
        };
        let manifests: Vec<Manifest> = of_version
            .iter()
            .map(|attempt| attempt.manifest.clone())
            .collect();
        let owners = table.owners(entry, &manifests).await;
        let entitled = |owner: &usize| winners.contains(owner) || perhaps.contains(owner);
        if !owners.iter().all(entitled) {
            let what = "a version has the manifest of a client that was told it had lost";
            let both: Vec<usize> = winners.iter().chain(&owners).copied().collect();
            faults.broken("ORD-6", what, &at, shown(&both));
        } else if winners.is_empty() && perhaps.is_empty() {
            let what = "a version is there that no client was told it had created";
            faults.broken("ORD-6", what, &at, []);
        }
    }
    if let Some(entry) = stored
        .iter()
        .find(|entry| !(1..=VERSIONS).contains(&entry.version))
    {
        let what = "a version is there that nobody sent";
        faults.broken("ORD-6", what, format!("version {}", entry.version), []);
    }
    Ok(())
}
