//! One history, whatever happens to the server in the middle of it.

use std::sync::Arc;

use crate::calls;
use crate::entry::Manifest;
use crate::outcome::Outcome;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};
use crate::steps::{Faults, Growth, LookForLatest};
use crate::wire::Exchange;

/// How many clients contend for the next version.
const WRITERS: usize = 5;
/// How many clients read the latest.
const READERS: usize = 2;
/// The most requests of a client between two kills.
const REQUESTS: usize = 400;

scenarios! {
    /// Clients that contend for versions make one history, over every kill of the server.
    "recovery/one-history-over-kills" => one_history_over_kills {
        tier: Versions,
        checks: ["ORD-6", "ORD-7"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
        given: [ServerCommand],
    }
}

/// What a client asked and was told.
#[derive(Default)]
struct Told {
    reads: Vec<Arc<Exchange>>,
    creates: Vec<Create>,
}

struct Create {
    version: i64,
    manifest: Manifest,
    exchange: Arc<Exchange>,
}

async fn one_history_over_kills(s: Stage) -> Flow {
    let mut server = s.start_server().await?;
    let table = server.stage().table("t").await?;
    let mut growth = Growth::new(&table);
    let mut creates: Vec<Create> = Vec::new();
    for _ in 0..s.kills() {
        let clients = server.kill_amid(WRITERS + READERS, |client, s, progress| {
            let table = table.clone();
            async move {
                let mut told = Told::default();
                for _ in 0..REQUESTS {
                    let read = LookForLatest::Latest.at(&s, &table).await;
                    let latest = latest(&read);
                    told.reads.push(read);
                    let Some(latest) = latest else { break };
                    if client >= WRITERS {
                        continue;
                    }
                    let version = latest + 1;
                    let label = format!("client {client}, version {version}");
                    let manifest = s.manifest(&table, &label).await?;
                    let call = calls::create_version(&table, version, &manifest);
                    let exchange = s.exchange(call).await;
                    let outcome = Outcome::of(&exchange);
                    let goes_on = progress.goes_on(&exchange) || outcome.is_conflict();
                    told.creates.push(Create {
                        version,
                        manifest,
                        exchange,
                    });
                    if !goes_on {
                        break;
                    }
                }
                Ok(told)
            }
        });
        let clients: Vec<Flow<Told>> = clients.await?;
        for told in clients {
            let told = told?;
            for read in &told.reads {
                growth.read(LookForLatest::Latest, read);
            }
            for create in &told.creates {
                growth.wrote(create.version, &create.exchange);
            }
            creates.extend(told.creates);
        }
        let read = LookForLatest::Latest.at(&server.stage(), &table).await;
        growth.read(LookForLatest::Latest, &read);
    }
    let s = server.stage();
    let label = "clients contend for versions, the server killed and started again";
    let mut faults = Faults::new(label);
    stored(&s, &table, &creates, &mut faults).await?;
    growth.judge(&mut faults);
    let held = "one order explains what each client was told before and after";
    faults.end(&s, &["ORD-6", "ORD-7"], held);
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

/// Whether the stored entry of each version is that of the one client that was told so.
async fn stored(s: &Stage, table: &Table, creates: &[Create], faults: &mut Faults) -> Flow {
    let versions = creates.iter().map(|create| create.version).max();
    for version in 1..=versions.unwrap_or(0) {
        let of_version: Vec<&Create> = creates
            .iter()
            .filter(|create| create.version == version)
            .collect();
        let won = |create: &&&Create| Outcome::of(&create.exchange) == Outcome::Ok;
        let winners: Vec<&&Create> = of_version.iter().filter(won).collect();
        let shown = || winners.iter().map(|create| Arc::clone(&create.exchange));
        let at = format!("version {version}");
        if winners.len() > 1 {
            let what = "more than one client was told that it had created a version";
            faults.broken("ORD-6", what, at, shown());
            continue;
        }
        let Some(entry) = s.entry(table, version).await? else {
            if !winners.is_empty() {
                let what = "an acknowledged version is missing after the last restart";
                faults.broken("ORD-6", what, at, shown());
            }
            continue;
        };
        let manifests: Vec<Manifest> = of_version
            .iter()
            .map(|create| create.manifest.clone())
            .collect();
        for owner in table.owners(&entry, &manifests).await {
            let owner = &of_version[owner].exchange;
            let refused = matches!(Outcome::of(owner), Outcome::Refused(..));
            let beaten = !winners.is_empty() && Outcome::of(owner) != Outcome::Ok;
            if refused || beaten {
                let what =
                    "a version has the manifest of a client that was not told that it had won";
                let both = shown().chain([Arc::clone(owner)]);
                faults.broken("ORD-6", what, &at, both.collect::<Vec<_>>());
            }
        }
    }
    Ok(())
}
