//! Writers that get in each other's way: one order explains what each was told.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::watch;

use crate::calls;
use crate::entry::{Entry, Manifest};
use crate::outcome::Outcome;
use crate::race::race;
use crate::scenario::{Flow, Stop, scenarios};
use crate::stage::{Stage, Table};
use crate::steps::{Faults, Growth, LookForLatest};
use crate::wire::Exchange;

/// How many clients contend.
const CLIENTS: usize = 8;
/// How many versions there are in the end.
const VERSIONS: i64 = 200;
/// How many answers in a row may say nothing before a client gives up.
const PATIENCE: usize = 20;

/// How often a range is deleted while a client counts up through it.
const ROUNDS: usize = 15;
/// The range.
const RANGE: (i64, i64) = (2, 12);

scenarios! {
    /// Clients that each read the latest and create the next make one history without gaps.
    "ordering/contending-writers-make-one-history" => contending_writers {
        tier: Versions,
        checks: ["ORD-6", "ORD-7"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
    /// A range that is deleted while it fills is deleted at one moment, and counted rightly.
    "ordering/a-delete-takes-effect-at-once" => a_delete_takes_effect_at_once {
        tier: Versions,
        checks: ["ORD-6"],
        needs: ["CreateTableVersion", "ListTableVersions", "BatchDeleteTableVersions"],
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
    history(&table, &stored, &attempts, &mut faults).await;
    watch.judge(&mut faults);
    let held = "each acknowledged version is there once, with its client's manifest, and none is \
                left out";
    faults.end(&s, &["ORD-6", "ORD-7"], held);
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
    while in_vain < PATIENCE {
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
    Err(Stop::Inconclusive(format!(
        "one of the clients was answered {PATIENCE} times in a row neither with a version nor with \
         a conflict"
    )))
}

/// Whether what is stored is what the clients were told.
async fn history(table: &Table, stored: &[Entry], attempts: &[Attempt], faults: &mut Faults) {
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
                let what = "a version is missing";
                faults.broken("ORD-6", what, &at, shown(&winners));
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
}

async fn a_delete_takes_effect_at_once(s: Stage) -> Flow {
    let mut faults = Faults::new("two clients delete a range while one fills it, 15 rounds");
    for round in 0..ROUNDS {
        let table = s.table(&format!("t{round}")).await?;
        s.versions(&table, 1).await?;
        let begin = RANGE.0 + (round as i64) % (RANGE.1 - RANGE.0 - 1);
        let (creates, deletes) = fill_and_delete(&s, &table, begin).await?;
        let stored = s.stored(&table).await?;
        judge_round(round, &stored, &creates, &deletes, &mut faults);
    }
    let held = "what was created before is gone, what came after is there, and all is counted once";
    faults.end(&s, &["ORD-6"], held);
    Ok(())
}

type Creates = Vec<(i64, Arc<Exchange>)>;

/// Creates the versions of the range, one after the other, and has two clients delete it as soon
/// as version `begin` is acknowledged.
async fn fill_and_delete(
    s: &Stage,
    table: &Table,
    begin: i64,
) -> Flow<(Creates, Vec<Arc<Exchange>>)> {
    let mut manifests = Vec::new();
    for version in RANGE.0..RANGE.1 {
        manifests.push((version, s.manifest(table, &format!("m{version}")).await?));
    }
    let (acknowledged, _) = watch::channel(0);
    let acknowledged = Arc::new(acknowledged);
    let manifests = Arc::new(manifests);
    let clients = race(3, |client| {
        let (s, table, manifests) = (s.clone(), table.clone(), Arc::clone(&manifests));
        let acknowledged = Arc::clone(&acknowledged);
        async move {
            let mut creates = Creates::new();
            if client > 0 {
                let mut latest = acknowledged.subscribe();
                // The sender lives as long as this client does.
                let _ = latest.wait_for(|latest| *latest >= begin).await;
                let exchange = s.exchange(calls::delete_versions(&table, &[RANGE])).await;
                return (creates, Some(exchange));
            }
            for (version, manifest) in manifests.iter() {
                let exchange = s
                    .exchange(calls::create_version(&table, *version, manifest))
                    .await;
                let done = Outcome::of(&exchange) == Outcome::Ok;
                creates.push((*version, exchange));
                if !done {
                    break;
                }
                acknowledged.send_replace(*version);
            }
            // Where the deleted versions leave a gap, the server may refuse to go on (VER-6).
            acknowledged.send_replace(RANGE.1);
            (creates, None)
        }
    });
    let mut creates = Vec::new();
    let mut deletes = Vec::new();
    for (created, deleted) in clients.await {
        creates.extend(created);
        deletes.extend(deleted);
    }
    Ok((creates, deletes))
}

/// Judges what is left of the range.
fn judge_round(
    round: usize,
    stored: &[Entry],
    creates: &[(i64, Arc<Exchange>)],
    deletes: &[Arc<Exchange>],
    faults: &mut Faults,
) {
    let done = |exchange: &Arc<Exchange>| Outcome::of(exchange) == Outcome::Ok;
    let unsure = |exchange: &Arc<Exchange>| {
        matches!(Outcome::of(exchange), Outcome::Lost | Outcome::Failed(_))
    };
    let there: BTreeMap<i64, &Entry> = stored.iter().map(|entry| (entry.version, entry)).collect();
    let acknowledged: Vec<&(i64, Arc<Exchange>)> = creates
        .iter()
        .filter(|(_, exchange)| done(exchange))
        .collect();
    let left: Vec<i64> = acknowledged
        .iter()
        .map(|(version, _)| *version)
        .filter(|version| there.contains_key(version))
        .collect();
    let gone = acknowledged.len() - left.len();
    let at = format!(
        "round {}: versions {} to {} were created, and {left:?} are left",
        round + 1,
        RANGE.0,
        RANGE.0 - 1 + acknowledged.len() as i64
    );
    let shown = || deletes.iter().cloned();
    if !there.contains_key(&1) {
        let what = "a version outside of the range is gone";
        faults.broken("ORD-6", what, &at, shown());
    }
    if left.first().is_some_and(|first| {
        let last = acknowledged.last().map_or(0, |(version, _)| *version);
        left.len() as i64 != last - first + 1
    }) {
        let what = "a later version was deleted and an earlier one was not";
        faults.broken("ORD-6", what, &at, shown());
    }
    for (version, create) in acknowledged.iter().copied() {
        let is_left = there.contains_key(version);
        let before = |delete: &Arc<Exchange>| done(delete) && create.ended() < delete.started();
        if is_left && deletes.iter().any(before) {
            let what = "a version is left that was there before its range was deleted";
            faults.broken("ORD-6", what, format!("{at}; version {version}"), shown());
        }
        let after = |delete: &Arc<Exchange>| delete.ended() < create.started();
        if !is_left
            && deletes
                .iter()
                .all(|delete| !unsure(delete) && after(delete))
        {
            let what = "a version is gone that was created after its range had been deleted";
            faults.broken(
                "ORD-6",
                what,
                format!("{at}; version {version}"),
                [Arc::clone(create)],
            );
        }
    }
    let counts: Vec<Option<u64>> = deletes
        .iter()
        .map(|delete| match done(delete) {
            true => delete.json()?.get("deleted_count")?.as_u64(),
            false => Some(0),
        })
        .collect();
    let all_known = !deletes
        .iter()
        .chain(creates.iter().map(|(_, create)| create))
        .any(unsure);
    if all_known
        && let Some(counts) = counts.into_iter().collect::<Option<Vec<u64>>>()
        && counts.iter().sum::<u64>() != gone as u64
    {
        let what = "the versions that are gone are not counted once";
        let at = format!("{at}; {gone} are gone, and the deletes count {counts:?}");
        faults.broken("ORD-6", what, at, shown());
    }
}
