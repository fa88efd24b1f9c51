//! One client creates, many others read.

use std::sync::Arc;

use crate::call::Call;
use crate::calls;
use crate::exchange::Exchange;
use crate::log::Deviation;
use crate::outcome::Outcome;
use crate::pages::Pages;
use crate::race::race;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};

/// How many clients read.
const READERS: usize = 16;
/// How many tables get versions 1 and 2.
const TABLES: usize = 10;

scenarios! {
    /// Each of 16 clients finds a version as soon as its create is answered.
    "put-if-not-exists/created-version-is-found-at-once" => created_version_is_found_at_once {
        tier: Versions,
        checks: ["VER-1", "ORD-6", "ORD-7"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
}

async fn created_version_is_found_at_once(s: Stage) -> Flow {
    let mut missed = Vec::new();
    for number in 1..=TABLES {
        let table = s.table(&format!("t{number}")).await?;
        for version in 1..=2 {
            let manifest = s.manifest(&table, "the manifest").await?;
            let create = calls::create_version(&table, version, &manifest);
            s.ask("create the version", create).await.set_up()?;
            missed.extend(misses(&s, &table, version).await);
        }
    }
    let held = match missed.len() {
        0 => Ok(()),
        count => Err(Deviation::new(
            "a version is found by whoever asks after its create was answered",
            format!("{count} of {} reads did not find it", TABLES * 2 * READERS),
            missed.into_iter().take(4),
        )),
    };
    let label = "16 clients describe or list each of 20 versions when its create was answered";
    s.judge("VER-1", label, "all of them find it", held);
    s.judge_history("the history", &["ORD-6", "ORD-7"]).await;
    Ok(())
}

/// All clients read at once, every other one by listing; answers the reads that did not find the
/// version.
async fn misses(s: &Stage, table: &Table, version: i64) -> Vec<Arc<Exchange>> {
    let mut reads = race(READERS, |reader| {
        let call = match reader % 2 {
            0 => calls::describe_version(table, Some(version)),
            _ => calls::list_versions(table),
        };
        let s = s.clone();
        async move { read(&s, call, version).await }
    })
    .await;
    reads.retain(|read| {
        let outcome = Outcome::of(read);
        !outcome.is_unknown() && !outcome.is_throttled() && !finds(read, version)
    });
    reads
}

/// Reads on where the answer is a page without the version, and others follow; answers the last one.
async fn read(s: &Stage, call: Call, version: i64) -> Arc<Exchange> {
    let mut pages = Pages::of(call);
    let mut page = s.exchange(pages.first()).await;
    while !finds(&page, version)
        && let Ok(Some(call)) = pages.after(&page)
    {
        page = s.exchange(call).await;
    }
    page
}

fn finds(read: &Exchange, version: i64) -> bool {
    let Some(body) = read.json() else {
        return false;
    };
    let listed = body["versions"].as_array();
    listed
        .into_iter()
        .flatten()
        .chain([&body["version"]])
        .any(|entry| entry["version"] == version)
}
