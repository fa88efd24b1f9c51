//! Reading a table back, and comparing what is read.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::answer::{Answer, Reply};
use crate::call::Call;
use crate::calls;
use crate::entry::{Entry, Manifest};
use crate::exchange::Exchange;
use crate::log::Deviation;
use crate::outcome::Outcome;
use crate::pages::Pages;
use crate::scenario::{Flow, Stop};
use crate::stage::{Stage, Table};

/// A listing of versions, from all its pages.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The entries, in the order of the answers.
    pub entries: Vec<Entry>,
    /// The pages.
    pub exchanges: Vec<Arc<Exchange>>,
}

impl Stage {
    /// Every entry of a table, by number. Writes no line.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if the table cannot be listed.
    pub async fn stored(&self, table: &Table) -> Flow<Vec<Entry>> {
        let mut entries = self.all_entries(table).await?;
        entries.sort_by_key(|entry| entry.version);
        Ok(entries)
    }

    /// Lists the versions of a table, as much as the server gives without a limit.
    pub async fn list_versions(&self, table: &Table) -> Answer {
        let label = format!("list the versions of {}", table.label);
        self.ask(&label, calls::list_versions(table)).await
    }

    /// The pages of a listing of versions that follow its first, with it.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if a page is not answered, or they do
    /// not end.
    pub async fn whole(&self, listing: Call, first: Reply) -> Flow<Listed> {
        let label = "list the versions that follow";
        let mut pages = Pages::of(listing);
        let mut listed = Listed {
            entries: first.entries(),
            exchanges: vec![first.exchange],
        };
        while let Some(page) = listed.exchanges.last()
            && let Some(call) = pages.next(label, page)?
        {
            let reply = self.ask(label, call).await.set_up()?;
            listed.entries.extend(reply.entries());
            listed.exchanges.push(reply.exchange);
        }
        Ok(listed)
    }

    /// Judges that a listing holds a version once; answers its entry.
    pub fn lists_once(
        &self,
        requirement: &'static str,
        table: &Table,
        version: i64,
        listing: &Listed,
    ) -> Option<Entry> {
        let mut found = listing.entries.clone();
        found.retain(|entry| entry.version == version);
        let held = match found.len() {
            1 => Ok(()),
            count => Err(Deviation::new(
                format!("the listing holds version {version} once"),
                format!("the listing holds version {version} {count} times"),
                listing.exchanges.iter().cloned(),
            )),
        };
        let label = format!("version {version} of {} in the listing", table.label);
        self.judge(requirement, &label, "once", held);
        found.into_iter().next()
    }

    /// Judges that a table's versions are what they were before, field by field, in the listing and
    /// when described.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if the table cannot be read.
    pub async fn unchanged(
        &self,
        requirement: &'static str,
        table: &Table,
        before: &[Entry],
        exchanges: impl IntoIterator<Item = Arc<Exchange>>,
    ) -> Flow<bool> {
        let held = self.compared(table, before, exchanges).await?;
        let label = format!("versions of {}", table.label);
        Ok(self.judge(requirement, &label, "unchanged", held))
    }

    /// Whether a table's versions are what they were before, as [`unchanged`](Self::unchanged)
    /// judges it. Writes no line.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if the table cannot be read.
    pub async fn compared(
        &self,
        table: &Table,
        before: &[Entry],
        exchanges: impl IntoIterator<Item = Arc<Exchange>>,
    ) -> Flow<Result<(), Deviation>> {
        let mut exchanges: Vec<Arc<Exchange>> = exchanges.into_iter().collect();
        let after = self.stored(table).await?;
        let mut changes = changes(before, &after);
        for entry in before {
            let call = calls::describe_version(table, Some(entry.version));
            let exchange = self.exchange(call).await;
            let described = exchange
                .json()
                .and_then(|body| Entry::read(body.get("version")?));
            let found = match described {
                // A listing may know the time to another precision.
                Some(described) => entry
                    .disagreements(&described)
                    .iter()
                    .find(|found| !found.starts_with("timestamp_millis"))
                    .map(|change| format!("version {}: {change}", entry.version)),
                None => {
                    let outcome = Outcome::of(&exchange);
                    let found = format!("version {} cannot be described: {outcome}", entry.version);
                    if outcome.is_unknown() || outcome.is_throttled() {
                        return Err(Stop::Inconclusive(found));
                    }
                    Some(found)
                }
            };
            if let Some(found) = found {
                changes.push(found);
                exchanges.push(exchange);
            }
        }
        let expected = format!("the versions of {} stay as they are", table.label);
        Ok(match changes.is_empty() {
            true => Ok(()),
            false => Err(Deviation::new(expected, changes.join("; "), exchanges)),
        })
    }
}

impl Table {
    /// Which of these manifests an entry of this table is made of, by any field that is one
    /// manifest's own, or by the bytes at its path; none if nothing tells.
    pub async fn owners(&self, entry: &Entry, manifests: &[Manifest]) -> Vec<usize> {
        let told = |manifest: &Manifest| manifest.path == entry.manifest_path;
        let bytes = match manifests.iter().any(told) {
            true => None,
            false => self.staging.get(&entry.manifest_path).await,
        };
        entry.whose(manifests, bytes.as_deref())
    }
}

fn changes(before: &[Entry], after: &[Entry]) -> Vec<String> {
    let mut changes = Vec::new();
    let by_version = |entries: &[Entry]| {
        let mut by_version: BTreeMap<i64, Vec<Entry>> = BTreeMap::new();
        for entry in entries {
            by_version
                .entry(entry.version)
                .or_default()
                .push(entry.clone());
        }
        by_version
    };
    let (before, after) = (by_version(before), by_version(after));
    for (version, entries) in &before {
        match after.get(version).map(Vec::as_slice) {
            None => changes.push(format!("version {version} is gone")),
            Some(now) if now == entries.as_slice() => {}
            Some([now]) => {
                let change = entries[0].disagreements(now).into_iter().next();
                let change = change.unwrap_or_else(|| "a field came or went".to_owned());
                changes.push(format!("version {version} has changed: {change}"));
            }
            Some(now) => changes.push(format!("version {version} is listed {} times", now.len())),
        }
    }
    for version in after.keys().filter(|version| !before.contains_key(version)) {
        changes.push(format!("version {version} is new"));
    }
    changes
}
