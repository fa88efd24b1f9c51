//! The same question, put to stateright's `LinearizabilityTester`: a sequential specification that
//! shares nothing with the checker but the types of histories.

use std::collections::{BTreeMap, BTreeSet};

use lance_namespace_history::operation::{
    Answer, Call, Change, Entry, History, Ledger, Operation, Outcome, Page, Put, Range, Refusal,
};
use stateright::semantics::{ConsistencyTester, LinearizabilityTester, SequentialSpec};

/// Tables and versions, changed by one call at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Catalog {
    tables: BTreeSet<String>,
    versions: BTreeMap<(Ledger, i64), String>,
}

/// Whether stateright finds an order that explains the history.
pub(crate) fn is_linearizable(history: &History) -> bool {
    let mut tester = LinearizabilityTester::new(Catalog::new(history));
    // Starts before ends at one time; an unknown call stays in flight, as the call of a thread of
    // its own.
    let mut events = Vec::new();
    for (at, operation) in history.operations.iter().enumerate() {
        events.push((operation.start, 0, at));
        if operation.outcome != Outcome::Unknown {
            events.push((operation.end, 1, at));
        }
    }
    events.sort_unstable();
    for (_, kind, at) in events {
        let operation = &history.operations[at];
        let thread = thread(operation, at);
        let told = if kind == 0 {
            tester.on_invoke(thread, operation.call.clone()).map(|_| ())
        } else {
            tester
                .on_return(thread, operation.outcome.clone())
                .map(|_| ())
        };
        told.expect("a client has one call at a time");
    }
    tester.is_consistent()
}

fn thread(operation: &Operation, at: usize) -> usize {
    match operation.outcome {
        Outcome::Unknown => 1_000 + at,
        _ => operation.client as usize,
    }
}

impl SequentialSpec for Catalog {
    type Op = Call;
    type Ret = Outcome;

    /// A call whose answer nobody got: it is done if it can be.
    fn invoke(&mut self, call: &Call) -> Outcome {
        let answer = match call {
            Call::DeleteVersions { .. } => Answer::Deleted(None),
            _ => Answer::Done,
        };
        let mut after = self.clone();
        if after.accepts(call, &answer) {
            *self = after;
        }
        Outcome::Unknown
    }

    fn is_valid_step(&mut self, call: &Call, outcome: &Outcome) -> bool {
        match outcome {
            Outcome::Ok(answer) => self.accepts(call, answer),
            Outcome::Refused(refusal) => self.refuses(call, *refusal),
            Outcome::Unknown => false,
        }
    }
}

impl Catalog {
    pub(crate) fn new(history: &History) -> Self {
        let mut catalog = Self::default();
        for initial in &history.initial {
            catalog.tables.insert(initial.ledger.table.clone());
            for Entry { version, entry } in &initial.entries {
                let key = (initial.ledger.clone(), *version);
                catalog.versions.insert(key, entry.clone());
            }
        }
        catalog
    }

    fn has(&self, ledger: &Ledger, version: i64) -> bool {
        self.versions.contains_key(&(ledger.clone(), version))
    }

    fn held(&self, ledger: &Ledger) -> Vec<(i64, String)> {
        let own = self
            .versions
            .iter()
            .filter(|((other, _), _)| other == ledger);
        own.map(|((_, version), entry)| (*version, entry.clone()))
            .collect()
    }

    /// Carries the call out, if this can be its answer now.
    fn accepts(&mut self, call: &Call, answer: &Answer) -> bool {
        match call {
            Call::CreateVersion(put) => self.creates(std::slice::from_ref(put)),
            Call::BatchCreate(puts) => self.creates(puts),
            Call::BatchCommit(changes) => changes.iter().all(|change| self.commits(change)),
            Call::DeleteVersions { ledger, ranges } => {
                let has_table = self.tables.contains(&ledger.table);
                let count = self.deletes(ledger, ranges);
                has_table
                    && match answer {
                        Answer::Deleted(Some(told)) => *told == count,
                        _ => true,
                    }
            }
            Call::DeclareTable(table) => self.tables.insert(table.clone()),
            Call::DropTable(table) | Call::DeregisterTable(table) => self.removes(table),
            Call::TableExists(table) | Call::DescribeTable(table) => self.tables.contains(table),
            Call::DescribeVersion { ledger, version } => {
                let Answer::Entry(told) = answer else {
                    return false;
                };
                let held = self.held(ledger);
                let found = match version {
                    Some(version) => held.into_iter().find(|(own, _)| own == version),
                    None => held.into_iter().next_back(),
                };
                found == Some((told.version, told.entry.clone()))
            }
            Call::ListVersions { ledger, page } => {
                let Answer::Entries { entries, more } = answer else {
                    return false;
                };
                self.tables.contains(&ledger.table) && self.lists(ledger, *page, entries, *more)
            }
        }
    }

    fn creates(&mut self, puts: &[Put]) -> bool {
        let before = self.versions.clone();
        puts.iter().all(|put| {
            let key = (put.ledger.clone(), put.entry.version);
            let is_free = before.get(&key).is_none_or(|held| *held == put.entry.entry);
            let other = self.versions.insert(key, put.entry.entry.clone());
            self.tables.contains(&put.ledger.table)
                && is_free
                && other.is_none_or(|other| other == put.entry.entry)
        })
    }

    fn commits(&mut self, change: &Change) -> bool {
        match change {
            Change::CreateVersion(put) => self.creates(std::slice::from_ref(put)),
            Change::DeleteVersions { ledger, ranges } => {
                self.deletes(ledger, ranges);
                self.tables.contains(&ledger.table)
            }
            Change::DeclareTable(table) => self.tables.insert(table.clone()),
            Change::DeregisterTable(table) => self.removes(table),
        }
    }

    fn deletes(&mut self, ledger: &Ledger, ranges: &[Range]) -> u64 {
        let before = self.versions.len();
        self.versions.retain(|(own, version), _| {
            let is_in = |range: &Range| {
                range.start <= *version && range.end.is_none_or(|end| *version < end)
            };
            own != ledger || !ranges.iter().any(is_in)
        });
        (before - self.versions.len()) as u64
    }

    fn removes(&mut self, table: &str) -> bool {
        self.versions.retain(|(ledger, _), _| ledger.table != table);
        self.tables.remove(table)
    }

    fn lists(&self, ledger: &Ledger, page: Page, entries: &[Entry], more: bool) -> bool {
        let held = self.held(ledger);
        let mut told: Vec<(i64, String)> = entries
            .iter()
            .map(|entry| (entry.version, entry.entry.clone()))
            .collect();
        told.sort();
        let is_whole = page.after.is_none() && !more;
        if is_whole {
            return told == held;
        }
        let (Some(lowest), true) = (told.first(), page.descending) else {
            if page.descending && !more {
                let after = page.after.unwrap_or(i64::MAX);
                return held.iter().all(|(version, _)| *version >= after);
            }
            return told.iter().all(|entry| held.contains(entry));
        };
        let lowest = if more { lowest.0 } else { 0 };
        let after = page.after.unwrap_or(i64::MAX);
        let shown = held
            .into_iter()
            .filter(|(version, _)| *version >= lowest && *version < after);
        told == shown.collect::<Vec<_>>()
    }

    /// Whether the call can be refused so now.
    fn refuses(&self, call: &Call, refusal: Refusal) -> bool {
        let no_table = |table: &String| !self.tables.contains(table);
        match (refusal, call) {
            (Refusal::Other, _) => true,
            (Refusal::Exists, Call::CreateVersion(put)) => self.has(&put.ledger, put.entry.version),
            (Refusal::Exists, Call::BatchCreate(puts)) => {
                puts.is_empty()
                    || has_twice(puts)
                    || puts
                        .iter()
                        .any(|put| self.has(&put.ledger, put.entry.version))
            }
            (Refusal::Exists, Call::DeclareTable(table)) => self.tables.contains(table),
            (Refusal::Exists, Call::BatchCommit(changes)) => {
                let mut causes = changes.iter().filter_map(|change| match change {
                    Change::CreateVersion(put) => Some(self.has(&put.ledger, put.entry.version)),
                    Change::DeclareTable(table) => Some(self.tables.contains(table)),
                    _ => None,
                });
                let causes: Vec<bool> = causes.by_ref().collect();
                is_entangled(changes) || causes.is_empty() || causes.contains(&true)
            }
            (Refusal::Exists, _) => true,
            (Refusal::Missing, Call::DescribeVersion { ledger, version }) => match version {
                Some(version) => !self.has(ledger, *version),
                None => self.held(ledger).is_empty(),
            },
            (Refusal::Missing, Call::CreateVersion(put)) => no_table(&put.ledger.table),
            (
                Refusal::Missing,
                Call::ListVersions { ledger, .. } | Call::DeleteVersions { ledger, .. },
            ) => no_table(&ledger.table),
            (
                Refusal::Missing,
                Call::TableExists(table)
                | Call::DescribeTable(table)
                | Call::DropTable(table)
                | Call::DeregisterTable(table),
            ) => no_table(table),
            (Refusal::Missing, Call::BatchCreate(puts)) => {
                puts.is_empty() || puts.iter().any(|put| no_table(&put.ledger.table))
            }
            (Refusal::Missing, Call::BatchCommit(changes)) => {
                let causes: Vec<bool> = changes
                    .iter()
                    .filter_map(|change| match change {
                        Change::CreateVersion(put) => Some(no_table(&put.ledger.table)),
                        Change::DeleteVersions { ledger, .. } => Some(no_table(&ledger.table)),
                        Change::DeregisterTable(table) => Some(no_table(table)),
                        Change::DeclareTable(_) => None,
                    })
                    .collect();
                is_entangled(changes) || causes.is_empty() || causes.contains(&true)
            }
            (Refusal::Missing, Call::DeclareTable(_)) => true,
        }
    }
}

fn has_twice(puts: &[Put]) -> bool {
    let keys: BTreeSet<_> = puts
        .iter()
        .map(|put| (&put.ledger, put.entry.version))
        .collect();
    keys.len() < puts.len()
}

/// Whether operations of a commit change what others of it need.
fn is_entangled(changes: &[Change]) -> bool {
    let table = |change: &Change| match change {
        Change::CreateVersion(put) => put.ledger.table.clone(),
        Change::DeleteVersions { ledger, .. } => ledger.table.clone(),
        Change::DeclareTable(table) | Change::DeregisterTable(table) => table.clone(),
    };
    let touches = |one: &Change, other: &Change| match (one, other) {
        (Change::CreateVersion(a), Change::CreateVersion(b)) => {
            a.ledger == b.ledger && a.entry.version == b.entry.version
        }
        (Change::CreateVersion(put), Change::DeleteVersions { ledger, .. })
        | (Change::DeleteVersions { ledger, .. }, Change::CreateVersion(put)) => {
            put.ledger == *ledger
        }
        (Change::DeleteVersions { .. }, Change::DeleteVersions { .. }) => false,
        _ => table(one) == table(other),
    };
    changes
        .iter()
        .enumerate()
        .any(|(at, one)| changes[at + 1..].iter().any(|other| touches(one, other)))
}
