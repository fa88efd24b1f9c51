//! A server in memory that carries out one call at a time.

use std::collections::BTreeMap;

use lance_namespace_history::operation::{
    Answer, Call, Change, Entry, Ledger, Outcome, Page, Put, Range, Refusal,
};

type Versions = BTreeMap<i64, String>;
type Branches = BTreeMap<Option<String>, Versions>;

#[derive(Clone, Debug, Default)]
pub(crate) struct Server {
    tables: BTreeMap<String, Branches>,
    log: Vec<Undo>,
}

/// What takes a change back.
#[derive(Clone, Debug)]
enum Undo {
    Created(Ledger, i64),
    Deleted(Ledger, Versions),
    Declared(String),
    Dropped(String, Branches),
}

impl Server {
    pub(crate) fn with_tables(tables: impl IntoIterator<Item = String>) -> Self {
        let tables = tables.into_iter().map(|table| (table, Branches::new()));
        Self {
            tables: tables.collect(),
            log: Vec::new(),
        }
    }

    pub(crate) fn latest(&self, ledger: &Ledger) -> i64 {
        let versions = self.versions(ledger);
        versions
            .and_then(|versions| versions.last_key_value())
            .map_or(0, |(version, _)| *version)
    }

    fn versions(&self, ledger: &Ledger) -> Option<&Versions> {
        self.tables.get(&ledger.table)?.get(&ledger.branch)
    }

    fn versions_mut(&mut self, ledger: &Ledger) -> Option<&mut Versions> {
        let table = self.tables.get_mut(&ledger.table)?;
        Some(table.entry(ledger.branch.clone()).or_default())
    }

    /// Carries out a call; `limit` is how many versions a page holds.
    pub(crate) fn execute(&mut self, call: &Call, limit: usize) -> Outcome {
        match call {
            Call::CreateVersion(put) => self.all(|server| server.create(put)),
            Call::BatchCreate(puts) => {
                self.all(|server| puts.iter().try_for_each(|put| server.create(put)))
            }
            Call::BatchCommit(changes) => {
                self.all(|server| changes.iter().try_for_each(|change| server.change(change)))
            }
            Call::DeleteVersions { ledger, ranges } => match self.delete(ledger, ranges) {
                Ok(count) => Outcome::Ok(Answer::Deleted(Some(count))),
                Err(refusal) => Outcome::Refused(refusal),
            },
            Call::DeclareTable(table) => self.all(|server| server.declare(table)),
            Call::DropTable(table) | Call::DeregisterTable(table) => {
                self.all(|server| server.drop(table))
            }
            Call::TableExists(table) | Call::DescribeTable(table) => {
                if self.tables.contains_key(table) {
                    Outcome::Ok(Answer::Done)
                } else {
                    Outcome::Refused(Refusal::Missing)
                }
            }
            Call::DescribeVersion { ledger, version } => {
                let versions = self.versions(ledger);
                let found = versions.and_then(|versions| match version {
                    Some(version) => versions.get_key_value(version),
                    None => versions.last_key_value(),
                });
                match found {
                    Some((version, entry)) => Outcome::Ok(Answer::Entry(Entry {
                        version: *version,
                        entry: entry.clone(),
                    })),
                    None => Outcome::Refused(Refusal::Missing),
                }
            }
            Call::ListVersions { ledger, page } => self.list(ledger, *page, limit),
        }
    }

    fn list(&self, ledger: &Ledger, page: Page, limit: usize) -> Outcome {
        if !self.tables.contains_key(&ledger.table) {
            return Outcome::Refused(Refusal::Missing);
        }
        let none = Versions::new();
        let versions = self.versions(ledger).unwrap_or(&none);
        let all: Vec<(&i64, &String)> = if page.descending {
            let before = page.after.unwrap_or(i64::MAX);
            versions.range(..before).rev().take(limit + 1).collect()
        } else {
            let after = page.after.map_or(0, |after| after + 1);
            versions.range(after..).take(limit + 1).collect()
        };
        let entry = |(version, entry): &(&i64, &String)| Entry {
            version: **version,
            entry: (*entry).clone(),
        };
        Outcome::Ok(Answer::Entries {
            entries: all.iter().take(limit).map(entry).collect(),
            more: all.len() > limit,
        })
    }

    /// Carries out all of it or nothing.
    fn all(&mut self, change: impl FnOnce(&mut Self) -> Result<(), Refusal>) -> Outcome {
        self.log.clear();
        match change(self) {
            Ok(()) => Outcome::Ok(Answer::Done),
            Err(refusal) => {
                while let Some(undo) = self.log.pop() {
                    self.undo(undo);
                }
                Outcome::Refused(refusal)
            }
        }
    }

    fn undo(&mut self, undo: Undo) {
        match undo {
            Undo::Created(ledger, version) => {
                if let Some(versions) = self.versions_mut(&ledger) {
                    versions.remove(&version);
                }
            }
            Undo::Deleted(ledger, deleted) => {
                if let Some(versions) = self.versions_mut(&ledger) {
                    versions.extend(deleted);
                }
            }
            Undo::Declared(table) => {
                self.tables.remove(&table);
            }
            Undo::Dropped(table, branches) => {
                self.tables.insert(table, branches);
            }
        }
    }

    pub(crate) fn change(&mut self, change: &Change) -> Result<(), Refusal> {
        match change {
            Change::CreateVersion(put) => self.create(put),
            Change::DeleteVersions { ledger, ranges } => self.delete(ledger, ranges).map(|_| ()),
            Change::DeclareTable(table) => self.declare(table),
            Change::DeregisterTable(table) => self.drop(table),
        }
    }

    pub(crate) fn create(&mut self, put: &Put) -> Result<(), Refusal> {
        let versions = self.versions_mut(&put.ledger).ok_or(Refusal::Missing)?;
        let version = put.entry.version;
        if versions.contains_key(&version) {
            return Err(Refusal::Exists);
        }
        versions.insert(version, put.entry.entry.clone());
        self.log.push(Undo::Created(put.ledger.clone(), version));
        Ok(())
    }

    fn delete(&mut self, ledger: &Ledger, ranges: &[Range]) -> Result<u64, Refusal> {
        let versions = self.versions_mut(ledger).ok_or(Refusal::Missing)?;
        let mut deleted = Versions::new();
        for range in ranges {
            let mut from = versions.split_off(&range.start);
            let mut rest = match range.end {
                Some(end) => from.split_off(&end),
                None => Versions::new(),
            };
            deleted.append(&mut from);
            versions.append(&mut rest);
        }
        let count = deleted.len() as u64;
        self.log.push(Undo::Deleted(ledger.clone(), deleted));
        Ok(count)
    }

    fn declare(&mut self, table: &str) -> Result<(), Refusal> {
        if self.tables.contains_key(table) {
            return Err(Refusal::Exists);
        }
        self.tables.insert(table.to_owned(), Branches::new());
        self.log.push(Undo::Declared(table.to_owned()));
        Ok(())
    }

    fn drop(&mut self, table: &str) -> Result<(), Refusal> {
        let branches = self.tables.remove(table).ok_or(Refusal::Missing)?;
        self.log.push(Undo::Dropped(table.to_owned(), branches));
        Ok(())
    }
}
