//! What stands for the entries of versions: the manifests that were sent for them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lance_namespace_history::operation::{
    Answer, Call, Change, Entry as Named, History, Operation, Outcome as Told, Put,
};

use super::names::Names;
use super::recorder::Storage;
use super::translate::{Draft, Found};
use crate::entry::Entry;
use crate::exchange::Exchange;

/// A version of a table.
type Cell = (String, i64);

/// What stands for an entry that nobody sent.
const NOBODYS: &str = "a manifest that nobody sent";
/// What stands for all manifests of a version whose entries tell too little.
const ANY: &str = "one of its manifests";

/// A history, and the exchange of each of its operations; none for those that did not end.
#[derive(Clone, Default)]
pub(crate) struct Recording {
    pub(crate) history: History,
    pub(crate) exchanges: Vec<Option<Arc<Exchange>>>,
}

/// Which manifest each entry is.
#[derive(Default)]
struct Owners {
    /// The paths of the manifests that were sent for a version, in the order of the requests.
    sent: BTreeMap<Cell, Vec<String>>,
    /// The ETags by which answers to creates call manifests.
    called: BTreeMap<(Cell, String), BTreeSet<String>>,
    /// The versions whose entries cannot be told apart.
    alike: BTreeSet<Cell>,
    /// What stands for each manifest, by its path.
    names: BTreeMap<String, String>,
    /// The manifest at the one path that all answers about a version give.
    stored: BTreeMap<Cell, String>,
}

/// Settles what stands for each entry that was sent or read.
pub(super) async fn settle(drafts: Vec<Draft>, storage: &Storage, names: &Names) -> Recording {
    let mut owners = Owners::default();
    for draft in &drafts {
        owners.learn(draft);
    }
    let removed = removed(&drafts);
    for (cell, seen) in owners.doubtful(&drafts, storage) {
        // What lies at the path now has lain there all the time only if nothing was removed.
        let stored = match seen.paths.iter().next() {
            Some(path) if seen.paths.len() == 1 && !removed.contains(&cell.0) => {
                owners.at(&cell, path, storage, names).await
            }
            _ => None,
        };
        match stored {
            Some(owner) if seen.owners.iter().all(|other| *other == owner) => {
                owners.stored.insert(cell, owner);
            }
            _ => {
                owners.alike.insert(cell);
            }
        }
    }
    let mut recording = Recording::default();
    for draft in drafts {
        let exchange = draft.exchange.clone();
        let operation = owners.named(draft, storage);
        recording.history.operations.push(operation);
        recording.exchanges.push(exchange);
    }
    recording
}

/// What answers say of a version whose entries tell too little.
#[derive(Default)]
struct Seen {
    paths: BTreeSet<String>,
    /// Whose it is by those answers that tell.
    owners: BTreeSet<String>,
}

impl Owners {
    /// The versions of which some answer does not tell whose they are.
    fn doubtful(&self, drafts: &[Draft], storage: &Storage) -> BTreeMap<Cell, Seen> {
        let mut doubtful: BTreeMap<Cell, Seen> = BTreeMap::new();
        let each = || drafts.iter().flat_map(read);
        for (cell, entry) in each() {
            if self.sent.contains_key(&cell) && self.owner(&cell, entry, storage).is_none() {
                doubtful.entry(cell).or_default();
            }
        }
        if doubtful.is_empty() {
            return doubtful;
        }
        for (cell, entry) in each() {
            if let Some(seen) = doubtful.get_mut(&cell) {
                let owner = self.owner(&cell, entry, storage);
                seen.owners.extend(owner.map(str::to_owned));
                seen.paths.insert(entry.manifest_path.clone());
            }
        }
        doubtful
    }

    fn learn(&mut self, draft: &Draft) {
        let created = match &draft.found {
            Found::Created(entries) => entries.as_slice(),
            _ => &[],
        };
        for (at, put) in puts(&draft.operation.call).enumerate() {
            let path = &put.entry.entry;
            let next = self.names.len() + 1;
            self.names
                .entry(path.clone())
                .or_insert_with(|| format!("m{next}"));
            let cell = (put.ledger.table.clone(), put.entry.version);
            let e_tag = created.get(at).filter(|entry| entry.version == cell.1);
            if let Some(e_tag) = e_tag.and_then(|entry| entry.e_tag.clone()) {
                let called = self.called.entry((cell.clone(), e_tag)).or_default();
                called.insert(path.clone());
            }
            let sent = self.sent.entry(cell).or_default();
            if !sent.contains(path) {
                sent.push(path.clone());
            }
        }
    }

    /// The path of the manifest that an entry is; none if it cannot be told which.
    fn owner(&self, cell: &Cell, entry: &Entry, storage: &Storage) -> Option<&str> {
        if let Some(stored) = self.stored.get(cell) {
            return Some(stored);
        }
        let sent = self.sent.get(cell)?;
        let manifest = |path: &str| storage.manifests.get(path);
        let e_tag = entry.e_tag.as_ref();
        let called = e_tag.and_then(|e_tag| self.called.get(&(cell.clone(), e_tag.clone())));
        let is_told = |path: &&String| {
            **path == entry.manifest_path
                || called.is_some_and(|called| called.contains(*path))
                || manifest(path).is_some_and(|manifest| {
                    e_tag == Some(&manifest.e_tag)
                        || entry.metadata.as_ref() == Some(&manifest.metadata)
                })
        };
        let mut told = sent.iter().filter(is_told);
        match (told.next(), told.next(), sent.as_slice()) {
            (Some(owner), None, _) | (None, None, [owner]) => Some(owner),
            _ => None,
        }
    }

    /// The manifest whose bytes are at this path.
    async fn at(
        &self,
        cell: &Cell,
        path: &str,
        storage: &Storage,
        names: &Names,
    ) -> Option<String> {
        let staging = storage.tables.get(&names.parts(&cell.0))?;
        let bytes = staging.get(path).await?;
        let mut owners = self.sent.get(cell)?.iter().filter(|path| {
            let manifest = storage.manifests.get(*path);
            manifest.is_some_and(|manifest| manifest.bytes == bytes)
        });
        match (owners.next(), owners.next()) {
            (Some(owner), None) => Some(owner.clone()),
            _ => None,
        }
    }

    /// What stands for an entry that was read.
    fn name(&self, cell: &Cell, entry: &Entry, storage: &Storage) -> String {
        if self.alike.contains(cell) {
            return ANY.to_owned();
        }
        let owner = self.owner(cell, entry, storage);
        let name = owner.and_then(|owner| self.names.get(owner));
        name.map_or_else(|| NOBODYS.to_owned(), String::clone)
    }

    fn named(&self, mut draft: Draft, storage: &Storage) -> Operation {
        let table = read_table(&draft.operation.call).map(str::to_owned);
        for put in puts_mut(&mut draft.operation.call) {
            let cell = (put.ledger.table.clone(), put.entry.version);
            if self.alike.contains(&cell) {
                ANY.clone_into(&mut put.entry.entry);
            } else if let Some(name) = self.names.get(&put.entry.entry) {
                put.entry.entry.clone_from(name);
            }
        }
        let Some(table) = table else {
            return draft.operation;
        };
        let named = |entry: &Entry| {
            let cell = (table.clone(), entry.version);
            (entry.version >= 0).then(|| Named {
                version: entry.version,
                entry: self.name(&cell, entry, storage),
            })
        };
        let answer = match &draft.found {
            Found::Entry(entry) => named(entry).map(Answer::Entry),
            Found::Page { entries, more } => {
                let entries: Option<Vec<Named>> = entries.iter().map(named).collect();
                let more = *more;
                entries.map(|entries| Answer::Entries { entries, more })
            }
            Found::Nothing | Found::Created(_) => None,
        };
        if let Some(answer) = answer {
            draft.operation.outcome = Told::Ok(answer);
        }
        draft.operation
    }
}

fn read_table(call: &Call) -> Option<&str> {
    match call {
        Call::DescribeVersion { ledger, .. } | Call::ListVersions { ledger, .. } => {
            Some(&ledger.table)
        }
        _ => None,
    }
}

/// The entries that an answer to a read shows.
fn read(draft: &Draft) -> Vec<(Cell, &Entry)> {
    let Some(table) = read_table(&draft.operation.call) else {
        return Vec::new();
    };
    let entries = match &draft.found {
        Found::Entry(entry) => std::slice::from_ref(entry),
        Found::Page { entries, .. } => entries,
        Found::Nothing | Found::Created(_) => &[],
    };
    let cell = |entry: &Entry| (table.to_owned(), entry.version);
    entries.iter().map(|entry| (cell(entry), entry)).collect()
}

/// The tables from which something may have been removed.
fn removed(drafts: &[Draft]) -> BTreeSet<String> {
    let mut removed = BTreeSet::new();
    for draft in drafts {
        if matches!(draft.operation.outcome, Told::Refused(_)) {
            continue;
        }
        match &draft.operation.call {
            Call::DeleteVersions { ledger, .. } => {
                removed.insert(ledger.table.clone());
            }
            Call::DropTable(table) | Call::DeregisterTable(table) => {
                removed.insert(table.clone());
            }
            Call::BatchCommit(changes) => {
                for change in changes {
                    match change {
                        Change::DeleteVersions { ledger, .. } => {
                            removed.insert(ledger.table.clone());
                        }
                        Change::DeregisterTable(table) => {
                            removed.insert(table.clone());
                        }
                        Change::DeclareTable(_) | Change::CreateVersion(_) => {}
                    }
                }
            }
            _ => {}
        }
    }
    removed
}

pub(super) fn puts(call: &Call) -> impl Iterator<Item = &Put> {
    let (puts, changes): (&[Put], &[Change]) = match call {
        Call::CreateVersion(put) => (std::slice::from_ref(put), &[]),
        Call::BatchCreate(puts) => (puts, &[]),
        Call::BatchCommit(changes) => (&[], changes),
        _ => (&[], &[]),
    };
    let created = changes.iter().filter_map(|change| match change {
        Change::CreateVersion(put) => Some(put),
        _ => None,
    });
    puts.iter().chain(created)
}

fn puts_mut(call: &mut Call) -> impl Iterator<Item = &mut Put> {
    let (puts, changes): (&mut [Put], &mut [Change]) = match call {
        Call::CreateVersion(put) => (std::slice::from_mut(put), &mut []),
        Call::BatchCreate(puts) => (puts, &mut []),
        Call::BatchCommit(changes) => (&mut [], changes),
        _ => (&mut [], &mut []),
    };
    let created = changes.iter_mut().filter_map(|change| match change {
        Change::CreateVersion(put) => Some(put),
        _ => None,
    });
    puts.iter_mut().chain(created)
}
