//! Operations in words.

use crate::operation::{
    Answer, Call, Change, Entry, Ledger, Operation, Outcome, Page, Put, Range, Refusal,
};
use crate::violation::Subject;

/// How many things are named one by one.
const NAMED: usize = 6;

/// What a client asked and was told. Where an answer speaks of much, only what it says of the
/// subjects is told, if any are given.
pub(crate) fn told(operation: &Operation, subjects: &[Subject]) -> String {
    let client = operation.client;
    let asked = time(operation.start);
    let ended = time(operation.end);
    let what = asked_for(&operation.call, subjects);
    match &operation.outcome {
        Outcome::Unknown => {
            format!(
                "client {client}, who asked at {asked} {what}, never knew whether that was done"
            )
        }
        Outcome::Refused(refusal) => {
            let why = refused(&operation.call, *refusal);
            format!("client {client}, who asked at {asked} {what}, was told at {ended} {why}")
        }
        Outcome::Ok(answer) => {
            let answer = answered(&operation.call, answer, subjects);
            format!("client {client}, who asked at {asked} {what}, was told at {ended} {answer}")
        }
    }
}

/// A call in few words, such as `create 7`.
pub(crate) fn label(operation: &Operation) -> String {
    let call = match &operation.call {
        Call::CreateVersion(put) => format!("create {}", put.entry.version),
        Call::DescribeVersion { version, .. } => match version {
            Some(version) => format!("describe {version}"),
            None => "describe latest".to_owned(),
        },
        Call::ListVersions { .. } => "list".to_owned(),
        Call::DeleteVersions { .. } => "delete".to_owned(),
        Call::DeclareTable(_) => "declare".to_owned(),
        Call::TableExists(_) => "exists".to_owned(),
        Call::DescribeTable(_) => "describe table".to_owned(),
        Call::DropTable(_) => "drop".to_owned(),
        Call::DeregisterTable(_) => "deregister".to_owned(),
        Call::BatchCreate(puts) => format!("batch of {}", puts.len()),
        Call::BatchCommit(changes) => format!("commit of {}", changes.len()),
    };
    let outcome = match &operation.outcome {
        Outcome::Ok(Answer::Done | Answer::Deleted(None)) => "ok".to_owned(),
        Outcome::Ok(Answer::Entry(entry)) => entry.entry.clone(),
        Outcome::Ok(Answer::Entries { entries, .. }) => format!("{} versions", entries.len()),
        Outcome::Ok(Answer::Deleted(Some(count))) => format!("{count} deleted"),
        Outcome::Refused(Refusal::Exists) => "exists".to_owned(),
        Outcome::Refused(Refusal::Missing) => "missing".to_owned(),
        Outcome::Refused(Refusal::Other) => "refused".to_owned(),
        Outcome::Unknown => "unknown".to_owned(),
    };
    format!("{call}: {outcome}")
}

/// Nanoseconds in milliseconds.
pub(crate) fn time(nanoseconds: u64) -> String {
    let micros = nanoseconds / 1_000;
    let rest = nanoseconds % 1_000;
    if rest == 0 {
        format!("{}.{:03} ms", micros / 1_000, micros % 1_000)
    } else {
        format!("{}.{:03}{rest:03} ms", micros / 1_000, micros % 1_000)
    }
}

fn of(ledger: &Ledger) -> String {
    match &ledger.branch {
        Some(branch) => format!("of {} on branch {branch}", ledger.table),
        None => format!("of {}", ledger.table),
    }
}

fn put(put: &Put) -> String {
    let Entry { version, entry } = &put.entry;
    format!("version {version} {} with {entry}", of(&put.ledger))
}

fn is_about(subjects: &[Subject], ledger: &Ledger, version: i64) -> bool {
    subjects.iter().any(|subject| match subject {
        Subject::Version(own, number) => own == ledger && *number == version,
        Subject::Table(_) => false,
    })
}

fn ranges(ranges: &[Range]) -> String {
    let range = |range: &Range| match range.end {
        Some(end) => format!("{} to {}", range.start, end.saturating_sub(1)),
        None => format!("{} and on", range.start),
    };
    let named: Vec<String> = ranges.iter().take(NAMED).map(range).collect();
    named.join(", ")
}

fn asked_for(call: &Call, subjects: &[Subject]) -> String {
    match call {
        Call::CreateVersion(create) => format!("to create {}", put(create)),
        Call::DescribeVersion { ledger, version } => match version {
            Some(version) => format!("for version {version} {}", of(ledger)),
            None => format!("for the latest version {}", of(ledger)),
        },
        Call::ListVersions { ledger, page } => {
            let after = match page {
                Page {
                    after: Some(after), ..
                } => format!(" after {after}"),
                Page { .. } => String::new(),
            };
            format!("for the list of versions {}{after}", of(ledger))
        }
        Call::DeleteVersions {
            ledger,
            ranges: deleted,
        } => format!("to delete versions {} {}", ranges(deleted), of(ledger)),
        Call::DeclareTable(table) => format!("to declare {table}"),
        Call::TableExists(table) => format!("whether {table} exists"),
        Call::DescribeTable(table) => format!("for {table}"),
        Call::DropTable(table) => format!("to drop {table}"),
        Call::DeregisterTable(table) => format!("to deregister {table}"),
        Call::BatchCreate(puts) => {
            let parts: Vec<(bool, String)> = puts
                .iter()
                .map(|each| {
                    let is_about = is_about(subjects, &each.ledger, each.entry.version);
                    (is_about, put(each))
                })
                .collect();
            format!("to create at once {}", some(parts))
        }
        Call::BatchCommit(changes) => {
            let parts: Vec<(bool, String)> =
                changes.iter().map(|each| change(each, subjects)).collect();
            format!("to commit at once: {}", some(parts))
        }
    }
}

fn change(change: &Change, subjects: &[Subject]) -> (bool, String) {
    let is_table = |table: &String| subjects.contains(&Subject::Table(table.clone()));
    match change {
        Change::CreateVersion(each) => (
            is_about(subjects, &each.ledger, each.entry.version),
            format!("create {}", put(each)),
        ),
        Change::DeleteVersions {
            ledger,
            ranges: deleted,
        } => (
            subjects
                .iter()
                .any(|subject| matches!(subject, Subject::Version(own, _) if own == ledger)),
            format!("delete versions {} {}", ranges(deleted), of(ledger)),
        ),
        Change::DeclareTable(table) => (is_table(table), format!("declare {table}")),
        Change::DeregisterTable(table) => (is_table(table), format!("deregister {table}")),
    }
}

/// Names the parts that it is about, or the first few.
fn some(parts: Vec<(bool, String)>) -> String {
    let all = parts.len();
    let about = parts.iter().filter(|(is_about, _)| *is_about).count();
    let chosen = parts
        .into_iter()
        .filter(|(is_about, _)| about == 0 || all <= NAMED || *is_about)
        .map(|(_, part)| part)
        .take(NAMED);
    let chosen: Vec<String> = chosen.collect();
    let left = all - chosen.len();
    let named = chosen.join(", ");
    if left == 0 {
        named
    } else {
        format!("{named}, and {left} more")
    }
}

fn refused(call: &Call, refusal: Refusal) -> String {
    let what = match (refusal, call) {
        (Refusal::Other, _) => "that it was refused",
        (Refusal::Exists, Call::BatchCreate(_) | Call::BatchCommit(_)) => {
            "that one of these exists"
        }
        (Refusal::Exists, _) => "that it exists",
        (Refusal::Missing, Call::DescribeVersion { version: None, .. }) => "that there is none",
        (Refusal::Missing, Call::DescribeVersion { .. }) => "that it does not exist",
        (Refusal::Missing, Call::BatchCreate(_) | Call::BatchCommit(_)) => {
            "that one of the tables does not exist"
        }
        (Refusal::Missing, _) => "that the table does not exist",
    };
    what.to_owned()
}

fn answered(call: &Call, answer: &Answer, subjects: &[Subject]) -> String {
    match (call, answer) {
        (_, Answer::Entry(Entry { version, entry })) => {
            format!("that version {version} is {entry}")
        }
        (Call::ListVersions { ledger, .. }, Answer::Entries { entries, more }) => {
            let held = listed(ledger, entries, subjects);
            let more = if *more {
                ", and that there are more"
            } else {
                ""
            };
            format!("that {held}{more}")
        }
        (_, Answer::Entries { entries, .. }) => format!("of {} versions", entries.len()),
        (_, Answer::Deleted(Some(count))) => format!("that {count} were deleted"),
        (Call::TableExists(_) | Call::DescribeTable(_), _) => "that it is there".to_owned(),
        (Call::CreateVersion(_), _) => "that the version is its own".to_owned(),
        (_, Answer::Done | Answer::Deleted(None)) => "that it was done".to_owned(),
    }
}

fn listed(ledger: &Ledger, entries: &[Entry], subjects: &[Subject]) -> String {
    let named = |entry: &Entry| format!("version {} is {}", entry.version, entry.entry);
    let mut about: Vec<String> = Vec::new();
    for subject in subjects {
        if let Subject::Version(own, version) = subject
            && own == ledger
        {
            let entry = entries.iter().find(|entry| entry.version == *version);
            about.push(entry.map_or_else(|| format!("version {version} is not on it"), named));
        }
    }
    if about.is_empty() {
        about = entries.iter().take(NAMED).map(named).collect();
        if entries.len() > NAMED {
            about.push(format!("{} more are on it", entries.len() - NAMED));
        }
    } else {
        about.truncate(NAMED);
    }
    if about.is_empty() {
        return "it is empty".to_owned();
    }
    about.join(", ")
}
