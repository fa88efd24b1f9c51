//! Deleting versions while others are created.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::watch;

use crate::calls;
use crate::exchange::Exchange;
use crate::outcome::Outcome;
use crate::race::race;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};
use crate::steps::Faults;

/// How often a range is deleted while a client counts up through it.
const ROUNDS: usize = 12;
/// The versions that are there in the end, if none is deleted.
const FILLED: i64 = 14;

scenarios! {
    /// A range that is deleted while it fills is deleted at one moment, and counted rightly.
    "ordering/a-delete-takes-effect-at-once" => a_delete_takes_effect_at_once {
        tier: Versions,
        checks: ["ORD-6", "ORD-7"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "BatchDeleteTableVersions"],
    }
}

async fn a_delete_takes_effect_at_once(s: Stage) -> Flow {
    let mut faults = Faults::new("two clients delete a range while one fills it, 12 rounds");
    for round in 0..ROUNDS {
        let table = s.table(&format!("t{round}")).await?;
        s.versions(&table, 1).await?;
        let begin = 2 + (round as i64) % 6;
        let (creates, deletes) = fill_and_delete(&s, &table, begin).await?;
        let mut there = BTreeSet::new();
        for version in 1..=FILLED {
            if s.entry(&table, version).await?.is_some() {
                there.insert(version);
            }
        }
        judge_round(begin, &there, &creates, &deletes, &mut faults);
    }
    let held = "what was created before is gone, what came after is there, and all is counted once";
    faults.end(&s, &["ORD-6"], held);
    s.judge_history("the history", &["ORD-6", "ORD-7"]).await;
    Ok(())
}

type Creates = Vec<(i64, Arc<Exchange>)>;

/// Creates one version after the other, and has two clients delete those from `begin` on, as soon
/// as that one is acknowledged.
async fn fill_and_delete(
    s: &Stage,
    table: &Table,
    begin: i64,
) -> Flow<(Creates, Vec<Arc<Exchange>>)> {
    let mut manifests = Vec::new();
    for version in 2..=FILLED {
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
                let exchange = s
                    .exchange(calls::delete_versions(&table, &[(begin, FILLED + 1)]))
                    .await;
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
            acknowledged.send_replace(FILLED);
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

/// Judges what is left of the versions from `begin` on.
fn judge_round(
    begin: i64,
    there: &BTreeSet<i64>,
    creates: &[(i64, Arc<Exchange>)],
    deletes: &[Arc<Exchange>],
    faults: &mut Faults,
) {
    let done = |exchange: &Arc<Exchange>| Outcome::of(exchange) == Outcome::Ok;
    let unsure = |exchange: &Arc<Exchange>| {
        matches!(Outcome::of(exchange), Outcome::Lost | Outcome::Failed(_))
    };
    let (acknowledged, outside): (Vec<_>, Vec<_>) = creates
        .iter()
        .filter(|(_, exchange)| done(exchange))
        .partition(|(version, _)| *version >= begin);
    let left: Vec<i64> = acknowledged
        .iter()
        .map(|(version, _)| *version)
        .filter(|version| there.contains(version))
        .collect();
    let gone = acknowledged.len() - left.len();
    let last = acknowledged.last().map_or(0, |(version, _)| *version);
    let at = format!(
        "versions 1 to {last} were created, those from {begin} on were deleted meanwhile, and of \
         them {left:?} are left"
    );
    let shown = || deletes.iter().cloned();
    if !there.contains(&1) || !outside.iter().all(|(version, _)| there.contains(version)) {
        let what = "a version outside of the range is gone";
        faults.broken("ORD-6", what, &at, shown());
    }
    let gaps = |first: &i64| left.len() as i64 != last - first + 1;
    if left.first().is_some_and(gaps) {
        // A delete of several versions is nowhere called atomic.
        let what = "a later version was deleted and an earlier one was not";
        faults.doubtful("ORD-6", what, &at, shown());
    }
    for (version, create) in acknowledged {
        let is_left = there.contains(version);
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
