//! Reads at a replica of what is written elsewhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::{LOOK, PATIENCE, is_too_late, replica};
use crate::calls;
use crate::exchange::Exchange;
use crate::log::Deviation;
use crate::outcome::Outcome;
use crate::race::race;
use crate::requirement::Level;
use crate::scenario::{Flow, Stop, scenarios};
use crate::stage::{Stage, Table};
use crate::steps::{Faults, Growth, LookForLatest};

/// How many versions are created one after the other.
const VERSIONS: i64 = 30;
/// How many clients read while versions are created, at each replica and at both in turn.
const READERS: usize = 2;

scenarios! {
    /// A version that one replica has created is found at another as soon as the create is answered.
    "replicas/created-version-is-found-at-another" => created_version_is_found {
        tier: Versions,
        checks: ["VER-1"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
        given: [Replica],
    }
    /// Who reads at replicas while versions are created never sees an older state again.
    "replicas/readers-never-go-back" => readers_never_go_back {
        tier: Versions,
        checks: ["ORD-7"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
        given: [Replica],
    }
}

async fn created_version_is_found(s: Stage) -> Flow {
    let there = replica(&s).await?;
    let table = s.table("t").await?;
    let mut missed: Vec<(i64, Arc<Exchange>, Arc<Exchange>)> = Vec::new();
    for version in 1..=VERSIONS {
        let manifest = s.manifest(&table, &format!("m{version}")).await?;
        let label = format!("create version {version}");
        let create = s.ask(&label, calls::create_version(&table, version, &manifest));
        let create = create.await.set_up()?.exchange;
        for look in (0..3).map(|turn| LookForLatest::in_turn(turn, version)) {
            let read = look.at(&there, &table).await;
            if shows(&there, &read, version)? == Some(false) {
                missed.push((version, create, read));
                break;
            }
        }
    }
    let count = missed.len();
    let at_once = match missed.into_iter().next() {
        None => Ok(()),
        Some((version, create, read)) => Err(Deviation::new(
            "a read at another replica that begins after the create is answered finds the version",
            format!("{count} of {VERSIONS} were not found at once, version {version} as the first"),
            [create, read],
        )),
    };
    let label = format!("{VERSIONS} versions, each looked for at the other replica");
    s.judge_at("VER-1", Level::Should, &label, "found at once", at_once);
    let (found, read) = catches_up(&there, &table).await?;
    let caught_up = match found {
        true => Ok(()),
        false => Err(Deviation::new(
            "a version is found at every replica in the end",
            format!(
                "version {VERSIONS} was not found within {} s",
                PATIENCE.as_secs()
            ),
            [read],
        )),
    };
    let label = "the last of them at the other replica";
    s.judge_at("VER-1", Level::Should, label, "found in the end", caught_up);
    Ok(())
}

/// Whether the last version is found at a replica before patience ends.
async fn catches_up(there: &Stage, table: &Table) -> Flow<(bool, Arc<Exchange>)> {
    let begun = Instant::now();
    loop {
        let read = LookForLatest::Number(VERSIONS).at(there, table).await;
        let found = shows(there, &read, VERSIONS)?;
        if found == Some(true) || is_too_late(begun, &read) {
            return Ok((found == Some(true), read));
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Whether an answer shows this version as the latest or by its number; none if it tells nothing.
fn shows(there: &Stage, read: &Exchange, version: i64) -> Flow<Option<bool>> {
    let body = read.json().unwrap_or_default();
    let described = body["version"]["version"].as_i64();
    let listed = body["versions"][0]["version"].as_i64();
    match Outcome::of(read) {
        Outcome::Ok => Ok(Some(described.or(listed).is_some_and(|is| is >= version))),
        Outcome::Refused(404, _) => Ok(Some(false)),
        outcome if outcome.is_unknown() || outcome.is_throttled() => Ok(None),
        outcome => Err(Stop::Inconclusive(format!(
            "the replica {} cannot be read: {outcome}",
            there.session().target().display_url()
        ))),
    }
}

/// Where a client reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seat {
    Replica,
    InTurn,
}

async fn readers_never_go_back(s: Stage) -> Flow {
    let there = replica(&s).await?;
    let table = s.table("t").await?;
    let end = Arc::new(AtomicBool::new(false));
    let clients = race(1 + 2 * READERS, |client| {
        let (s, there, table) = (s.clone(), there.clone(), table.clone());
        let end = Arc::clone(&end);
        async move {
            if client == 0 {
                let written = s.versions(&table, VERSIONS).await;
                end.store(true, Ordering::Relaxed);
                return written.map(|_| Vec::new());
            }
            let seat = match client % 2 {
                0 => Seat::Replica,
                _ => Seat::InTurn,
            };
            let mut reads = Vec::new();
            while !end.load(Ordering::Relaxed) {
                let turn = reads.len();
                let at = match seat == Seat::InTurn && turn.is_multiple_of(2) {
                    true => &s,
                    false => &there,
                };
                let look = LookForLatest::in_turn(turn, VERSIONS / 2);
                reads.push((seat, look, look.at(at, &table).await));
            }
            Ok(reads)
        }
    });
    let mut reads = Vec::new();
    for client in clients.await {
        reads.push(client?);
    }
    for (label, seats) in [
        ("clients that each read at the replica", Seat::Replica),
        (
            "clients that read at one replica and the other in turn",
            Seat::InTurn,
        ),
    ] {
        let mut faults = Faults::new(label);
        // A lag that differs between clients is no going back: each is judged by itself.
        for client in &reads {
            let mut growth = Growth::new(&table);
            for (seat, look, read) in client {
                if *seat == seats {
                    growth.read(*look, read);
                }
            }
            growth.judge(&mut faults);
        }
        faults.at_most_doubtful().end(
            &s,
            &["ORD-7"],
            "none of them ever reads an older state again",
        );
    }
    Ok(())
}
