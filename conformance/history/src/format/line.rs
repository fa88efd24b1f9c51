//! One call as a line.

use serde::{Deserialize, Serialize};

use super::{entries, pairs};
use crate::operation::{
    Answer, Call, Change, Entry, Ledger, Operation, Outcome, Page, Put, Range, Refusal,
};

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    CreateVersion,
    DescribeVersion,
    ListVersions,
    DeleteVersions,
    DeclareTable,
    TableExists,
    DescribeTable,
    DropTable,
    DeregisterTable,
    BatchCreate,
    BatchCommit,
}

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Ended {
    Ok,
    Exists,
    Missing,
    Refused,
    Unknown,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line {
    client: u32,
    start: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end: Option<u64>,
    call: Kind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    table: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    version: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    entry: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ranges: Option<Vec<(i64, Option<i64>)>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    descending: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    since: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    operations: Option<Vec<Part>>,
    outcome: Ended,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    found: Option<Vec<(i64, String)>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    more: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deleted: Option<u64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    call: Kind,
    table: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    version: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    entry: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ranges: Option<Vec<(i64, Option<i64>)>>,
}

impl Line {
    pub(super) fn read(mut self) -> Result<Operation, String> {
        let (kind, ended) = (self.call, self.outcome);
        let end = match (self.end, ended) {
            (Some(end), _) if end < self.start => {
                return Err(format!("it ends at {end}, before its start"));
            }
            (Some(end), _) => end,
            (None, Ended::Unknown) => self.start,
            (None, _) => return Err("it was answered, but has no end".to_owned()),
        };
        let call = self.take_call(kind)?;
        let outcome = match ended {
            Ended::Ok => Outcome::Ok(self.take_answer(kind)?),
            Ended::Exists => Outcome::Refused(Refusal::Exists),
            Ended::Missing => Outcome::Refused(Refusal::Missing),
            Ended::Refused => Outcome::Refused(Refusal::Other),
            Ended::Unknown => Outcome::Unknown,
        };
        self.is_used_up()?;
        Ok(Operation {
            client: self.client,
            start: self.start,
            end,
            call,
            outcome,
        })
    }

    fn take_call(&mut self, kind: Kind) -> Result<Call, String> {
        Ok(match kind {
            Kind::CreateVersion => Call::CreateVersion(Put {
                ledger: self.ledger()?,
                entry: entry(self.version.take(), self.entry.take())?,
            }),
            Kind::DescribeVersion => Call::DescribeVersion {
                ledger: self.ledger()?,
                version: self.version.take().map(number).transpose()?,
            },
            Kind::ListVersions => Call::ListVersions {
                ledger: self.ledger()?,
                page: Page {
                    descending: self.descending.take().unwrap_or(false),
                    after: self.after.take(),
                    since: match self.since.take() {
                        Some(since) if since > self.start => {
                            return Err("`since` is after its start".to_owned());
                        }
                        since => since,
                    },
                },
            },
            Kind::DeleteVersions => Call::DeleteVersions {
                ledger: self.ledger()?,
                ranges: ranges(self.ranges.take())?,
            },
            Kind::DeclareTable => Call::DeclareTable(self.table()?),
            Kind::TableExists => Call::TableExists(self.table()?),
            Kind::DescribeTable => Call::DescribeTable(self.table()?),
            Kind::DropTable => Call::DropTable(self.table()?),
            Kind::DeregisterTable => Call::DeregisterTable(self.table()?),
            Kind::BatchCreate => {
                let puts = self.operations()?.into_iter().map(|part| match part {
                    Change::CreateVersion(put) => Ok(put),
                    _ => Err("a batch_create holds create_version only".to_owned()),
                });
                Call::BatchCreate(puts.collect::<Result<_, String>>()?)
            }
            Kind::BatchCommit => Call::BatchCommit(self.operations()?),
        })
    }

    fn take_answer(&mut self, kind: Kind) -> Result<Answer, String> {
        Ok(match kind {
            Kind::DescribeVersion => {
                let mut found = entries(self.found.take().unwrap_or_default())?;
                match (found.pop(), found.is_empty()) {
                    (Some(entry), true) => Answer::Entry(entry),
                    _ => return Err("`found` has to hold the one entry".to_owned()),
                }
            }
            Kind::ListVersions => Answer::Entries {
                entries: entries(self.found.take().ok_or_else(|| lacks("found"))?)?,
                more: self.more.take().unwrap_or(false),
            },
            Kind::DeleteVersions => Answer::Deleted(self.deleted.take()),
            _ => Answer::Done,
        })
    }

    fn table(&mut self) -> Result<String, String> {
        self.table.take().ok_or_else(|| lacks("table"))
    }

    fn ledger(&mut self) -> Result<Ledger, String> {
        Ok(Ledger {
            table: self.table()?,
            branch: self.branch.take(),
        })
    }

    fn operations(&mut self) -> Result<Vec<Change>, String> {
        let parts = self.operations.take().ok_or_else(|| lacks("operations"))?;
        parts.into_iter().map(Part::read).collect()
    }

    fn is_used_up(&self) -> Result<(), String> {
        let left = [
            ("table", self.table.is_some()),
            ("branch", self.branch.is_some()),
            ("version", self.version.is_some()),
            ("entry", self.entry.is_some()),
            ("ranges", self.ranges.is_some()),
            ("descending", self.descending.is_some()),
            ("after", self.after.is_some()),
            ("since", self.since.is_some()),
            ("operations", self.operations.is_some()),
            ("found", self.found.is_some()),
            ("more", self.more.is_some()),
            ("deleted", self.deleted.is_some()),
        ];
        match left.iter().find(|(_, is_left)| *is_left) {
            Some((name, _)) => Err(format!("`{name}` does not belong to this call and outcome")),
            None => Ok(()),
        }
    }

    pub(super) fn of(operation: &Operation) -> Self {
        let mut line = Self {
            client: operation.client,
            start: operation.start,
            end: Some(operation.end),
            call: Kind::BatchCommit,
            table: None,
            branch: None,
            version: None,
            entry: None,
            ranges: None,
            descending: None,
            after: None,
            since: None,
            operations: None,
            outcome: Ended::Unknown,
            found: None,
            more: None,
            deleted: None,
        };
        line.call = line.put_call(&operation.call);
        line.outcome = match &operation.outcome {
            Outcome::Ok(answer) => {
                line.put_answer(answer);
                Ended::Ok
            }
            Outcome::Refused(Refusal::Exists) => Ended::Exists,
            Outcome::Refused(Refusal::Missing) => Ended::Missing,
            Outcome::Refused(Refusal::Other) => Ended::Refused,
            Outcome::Unknown => Ended::Unknown,
        };
        line
    }

    fn put_call(&mut self, call: &Call) -> Kind {
        let mut put_ledger = |ledger: &Ledger| {
            self.table = Some(ledger.table.clone());
            self.branch.clone_from(&ledger.branch);
        };
        match call {
            Call::CreateVersion(put) => {
                put_ledger(&put.ledger);
                self.version = Some(put.entry.version);
                self.entry = Some(put.entry.entry.clone());
                Kind::CreateVersion
            }
            Call::DescribeVersion { ledger, version } => {
                put_ledger(ledger);
                self.version = *version;
                Kind::DescribeVersion
            }
            Call::ListVersions { ledger, page } => {
                put_ledger(ledger);
                self.descending = page.descending.then_some(true);
                self.after = page.after;
                self.since = page.since;
                Kind::ListVersions
            }
            Call::DeleteVersions { ledger, ranges } => {
                put_ledger(ledger);
                self.ranges = Some(bounds(ranges));
                Kind::DeleteVersions
            }
            Call::DeclareTable(table) => self.put_table(table, Kind::DeclareTable),
            Call::TableExists(table) => self.put_table(table, Kind::TableExists),
            Call::DescribeTable(table) => self.put_table(table, Kind::DescribeTable),
            Call::DropTable(table) => self.put_table(table, Kind::DropTable),
            Call::DeregisterTable(table) => self.put_table(table, Kind::DeregisterTable),
            Call::BatchCreate(puts) => {
                self.operations = Some(puts.iter().map(Part::put).collect());
                Kind::BatchCreate
            }
            Call::BatchCommit(changes) => {
                self.operations = Some(changes.iter().map(Part::of).collect());
                Kind::BatchCommit
            }
        }
    }

    fn put_table(&mut self, table: &str, kind: Kind) -> Kind {
        self.table = Some(table.to_owned());
        kind
    }

    fn put_answer(&mut self, answer: &Answer) {
        match answer {
            Answer::Done => {}
            Answer::Entry(entry) => self.found = Some(pairs(std::slice::from_ref(entry))),
            Answer::Entries { entries, more } => {
                self.found = Some(pairs(entries));
                self.more = more.then_some(true);
            }
            Answer::Deleted(count) => self.deleted = *count,
        }
    }
}

impl Part {
    fn read(self) -> Result<Change, String> {
        let ledger = Ledger {
            table: self.table,
            branch: self.branch,
        };
        let has_entry = self.version.is_some() || self.entry.is_some();
        match self.call {
            Kind::CreateVersion if self.ranges.is_none() => Ok(Change::CreateVersion(Put {
                ledger,
                entry: entry(self.version, self.entry)?,
            })),
            Kind::DeleteVersions if !has_entry => Ok(Change::DeleteVersions {
                ledger,
                ranges: ranges(self.ranges)?,
            }),
            Kind::DeclareTable | Kind::DeregisterTable
                if !has_entry && self.ranges.is_none() && ledger.branch.is_none() =>
            {
                Ok(match self.call {
                    Kind::DeclareTable => Change::DeclareTable(ledger.table),
                    _ => Change::DeregisterTable(ledger.table),
                })
            }
            Kind::CreateVersion
            | Kind::DeleteVersions
            | Kind::DeclareTable
            | Kind::DeregisterTable => {
                Err("one of the operations has a field of another call".to_owned())
            }
            _ => Err("one of the operations is none that a batch can hold".to_owned()),
        }
    }

    fn of(change: &Change) -> Self {
        match change {
            Change::CreateVersion(put) => Self::put(put),
            Change::DeleteVersions {
                ledger,
                ranges: deleted,
            } => Self {
                branch: ledger.branch.clone(),
                ranges: Some(bounds(deleted)),
                ..Self::table(&ledger.table, Kind::DeleteVersions)
            },
            Change::DeclareTable(table) => Self::table(table, Kind::DeclareTable),
            Change::DeregisterTable(table) => Self::table(table, Kind::DeregisterTable),
        }
    }

    fn put(put: &Put) -> Self {
        Self {
            branch: put.ledger.branch.clone(),
            version: Some(put.entry.version),
            entry: Some(put.entry.entry.clone()),
            ..Self::table(&put.ledger.table, Kind::CreateVersion)
        }
    }

    fn table(table: &str, call: Kind) -> Self {
        Self {
            call,
            table: table.to_owned(),
            branch: None,
            version: None,
            entry: None,
            ranges: None,
        }
    }
}

fn lacks(field: &str) -> String {
    format!("`{field}` is missing")
}

pub(super) fn number(version: i64) -> Result<i64, String> {
    if version < 0 {
        return Err(format!("{version} is no version: they begin at 0"));
    }
    Ok(version)
}

fn entry(version: Option<i64>, entry: Option<String>) -> Result<Entry, String> {
    Ok(Entry {
        version: number(version.ok_or_else(|| lacks("version"))?)?,
        entry: entry.ok_or_else(|| lacks("entry"))?,
    })
}

fn ranges(bounds: Option<Vec<(i64, Option<i64>)>>) -> Result<Vec<Range>, String> {
    let range = |(start, end): (i64, Option<i64>)| {
        number(start)?;
        if end.is_some_and(|end| end < start) {
            return Err("a range ends before its start".to_owned());
        }
        Ok(Range { start, end })
    };
    let bounds = bounds.ok_or_else(|| lacks("ranges"))?;
    bounds.into_iter().map(range).collect()
}

fn bounds(ranges: &[Range]) -> Vec<(i64, Option<i64>)> {
    ranges
        .iter()
        .map(|range| (range.start, range.end))
        .collect()
}
