//! What a create sends comes back, and time goes on.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::calls;
use crate::entry::{Entry, Manifest};
use crate::exchange::Exchange;
use crate::log::{Deviation, Observation};
use crate::scenario::{Flow, scenarios};
use crate::stage::Stage;

scenarios! {
    /// Manifest size, e_tag and metadata come back as they were sent.
    "put-if-not-exists/sent-fields-come-back" => sent_fields_come_back {
        tier: Versions,
        checks: ["VER-10"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
    /// Metadata comes back whatever its letters, length and number of keys.
    "put-if-not-exists/any-metadata-comes-back" => any_metadata_comes_back {
        tier: Versions,
        checks: ["VER-10"],
        needs: ["CreateTableVersion", "DescribeTableVersion"],
    }
    /// The times of versions are those of their creation, and run forward in that order.
    "put-if-not-exists/timestamps-run-forward" => timestamps_run_forward {
        tier: Versions,
        checks: ["VER-15"],
        needs: ["CreateTableVersion", "DescribeTableVersion"],
    }
}

/// What an entry lost of a field that was sent with a manifest.
type Loss = fn(&Manifest, &Entry) -> Option<String>;

async fn sent_fields_come_back(s: Stage) -> Flow {
    let table = s.table("t").await?;
    let manifest = s.manifest(&table, "the manifest").await?;
    let create = s.create_version(&table, 1, &manifest).await.set_up()?;
    let describe = s.describe_version(&table, Some(1)).await.set_up()?;
    let list = s.list_versions(&table).await.set_up()?;
    let list = s.whole(calls::list_versions(&table), list).await?;
    let listed = list.entries.into_iter().find(|entry| entry.version == 1);
    let answers = [
        ("describe", describe.entry(), vec![describe.exchange]),
        ("list", listed, list.exchanges),
    ];
    let fields: [(&str, Loss); 3] = [
        ("manifest_size", size_lost),
        ("e_tag", e_tag_lost),
        ("metadata", metadata_lost),
    ];
    for (field, lost) in fields {
        let mut found = Vec::new();
        let mut shown = vec![Arc::clone(&create.exchange)];
        for (operation, entry, exchanges) in &answers {
            let lost = match entry {
                Some(entry) => lost(&manifest, entry),
                None => Some("no entry to read".to_owned()),
            };
            if let Some(lost) = lost {
                found.push(format!("in {operation}: {lost}"));
                shown.extend(exchanges.iter().cloned());
            }
        }
        comes_back(&s, field, field, found, shown);
    }
    Ok(())
}

async fn any_metadata_comes_back(s: Stage) -> Flow {
    let text = |text: &str| text.to_owned();
    let one = |key: &str, value: &str| BTreeMap::from([(text(key), text(value))]);
    let cases: [(&str, BTreeMap<String, String>); 5] = [
        (
            "metadata in other scripts",
            BTreeMap::from([
                (text("größe"), text("naïve café")),
                (text("版本"), text("第一版")),
                (text("עברית"), text("شكرا")),
                // The same letter in two normal forms.
                (text("caf\u{e9}"), text("composed")),
                (text("cafe\u{301}"), text("decomposed")),
                (text("emoji 🦀"), text("👩‍👩‍👧‍👦")),
            ]),
        ),
        (
            "metadata with quotes, blanks and control characters",
            BTreeMap::from([
                (text("it's \"quoted\""), text("a\\b'c\"d`e")),
                (text(" blanks "), text("  around  ")),
                (text("lines"), text("one\ntwo\r\nthree\tfour")),
                (text("a.b/c$d%20"), text("%41&x=y;z")),
            ]),
        ),
        ("metadata with an empty value", one("empty", "")),
        (
            "metadata of 8 KiB in one value",
            one("long", &"0123456789abcdef".repeat(512)),
        ),
        (
            "metadata of 200 keys",
            (0..200)
                .map(|n| (format!("key {n}"), format!("value {n}")))
                .collect(),
        ),
    ];
    for (index, (label, metadata)) in cases.into_iter().enumerate() {
        let table = s.table(&format!("t{index}")).await?;
        let manifest = s.manifest(&table, label).await?.with_metadata(metadata);
        let create = s.create_version(&table, 1, &manifest).await;
        let Some(created) = create.ok_should("VER-10")? else {
            continue;
        };
        let describe = s.describe_version(&table, Some(1)).await.set_up()?;
        let lost = match describe.entry() {
            Some(entry) => metadata_lost(&manifest, &entry),
            None => Some("no entry to read".to_owned()),
        };
        let shown = vec![created.exchange, describe.exchange];
        comes_back(&s, label, "metadata", lost.into_iter().collect(), shown);
    }
    Ok(())
}

/// Judges a field by what was found missing or changed.
fn comes_back(
    s: &Stage,
    label: &str,
    field: &str,
    lost: Vec<String>,
    exchanges: Vec<Arc<Exchange>>,
) {
    let held = match lost.is_empty() {
        true => Ok(()),
        false => Err(Deviation::new(
            format!("{field} that was sent comes back"),
            lost.join("; "),
            exchanges,
        )),
    };
    s.judge("VER-10", label, "comes back", held);
}

fn size_lost(sent: &Manifest, entry: &Entry) -> Option<String> {
    let size = i64::try_from(sent.bytes.len()).ok();
    match entry.manifest_size {
        None => Some("no manifest_size".to_owned()),
        stored if stored == size => None,
        Some(stored) => Some(format!("{stored} instead of {}", sent.bytes.len())),
    }
}

fn e_tag_lost(sent: &Manifest, entry: &Entry) -> Option<String> {
    match &entry.e_tag {
        None => Some("no e_tag".to_owned()),
        // A file that was moved may have another e_tag at its new place.
        Some(_) if entry.manifest_path != sent.path => None,
        Some(stored) if *stored == sent.e_tag => None,
        Some(stored) => Some(format!("{stored} instead of {}", sent.e_tag)),
    }
}

/// More metadata than was sent is no loss.
fn metadata_lost(sent: &Manifest, entry: &Entry) -> Option<String> {
    let Some(stored) = &entry.metadata else {
        return Some("no metadata".to_owned());
    };
    sent.metadata
        .iter()
        .find_map(|(key, value)| match stored.get(key) {
            None => Some(format!("no metadata for the key {key:?}")),
            Some(stored) if stored == value => None,
            Some(stored) => Some(format!(
                "the metadata for the key {key:?} has {} bytes instead of {}, or other ones",
                stored.len(),
                value.len()
            )),
        })
}

async fn timestamps_run_forward(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 20).await?;
    let mut latest: Option<(Entry, Arc<Exchange>)> = None;
    let (mut backwards, mut strange) = (None, None);
    for version in 1..=20 {
        let described = s.describe_version(&table, Some(version)).await.set_up()?;
        let Some(entry) = described.entry() else {
            continue;
        };
        if let Some((before, exchange)) = &latest
            && entry.timestamp_millis < before.timestamp_millis
            && entry.timestamp_millis.is_some()
        {
            backwards.get_or_insert_with(|| {
                Deviation::new(
                    "a version is not older than the one before it",
                    format!("version {version} is older than version {}", before.version),
                    [Arc::clone(exchange), Arc::clone(&described.exchange)],
                )
            });
        }
        if let Some(time) = entry.timestamp_millis {
            if !is_about_now(time) {
                strange.get_or_insert_with(|| {
                    Deviation::new(
                        "a version has the time at which it was created, in milliseconds since 1970 (clocks \
                         may be a day apart)",
                        format!("version {version} has the time {time}"),
                        [Arc::clone(&described.exchange)],
                    )
                });
            }
            latest = Some((entry, described.exchange));
        }
    }
    if latest.is_none() {
        s.observe(Observation {
            requirement: "VER-15",
            choice: "entries have no timestamp_millis".to_owned(),
        });
    }
    s.judge(
        "VER-15",
        "the times of 20 versions",
        "run forward",
        backwards.map_or(Ok(()), Err),
    );
    s.judge(
        "VER-15",
        "each of them",
        "is the time of its creation, in milliseconds",
        strange.map_or(Ok(()), Err),
    );
    Ok(())
}

/// Whether a time is of today, as far as the clocks of two machines can be told to agree.
fn is_about_now(millis: i64) -> bool {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let time = u64::try_from(millis).map(Duration::from_millis);
    matches!((now, time), (Ok(now), Ok(time)) if now.abs_diff(time) <= DAY)
}
