//! Histories as JSON lines.
//!
//! The first line is a header:
//!
//! ```json
//! {"format":"lance-namespace-history","schema":1,"initial":[{"table":"t","versions":[[1,"a"]]}]}
//! ```
//!
//! `initial` names the tables that were there before the first call, each with the versions that it
//! (or its `branch`) held; it may be left out. Each line after it is a call:
//!
//! ```json
//! {"client":3,"start":10000000,"end":12000000,"call":"create_version","table":"t","version":7,"entry":"a1","outcome":"ok"}
//! ```
//!
//! | field | what | in which calls |
//! |---|---|---|
//! | `client` | its number | all |
//! | `start`, `end` | nanoseconds of one monotonic clock; `end` may be left out if the outcome is unknown | all |
//! | `call` | `create_version`, `describe_version`, `list_versions`, `delete_versions`, `declare_table`, `table_exists`, `describe_table`, `drop_table`, `deregister_table`, `batch_create`, `batch_commit` | all |
//! | `outcome` | `ok`, `exists`, `missing` or `refused` (see [`Refusal`](crate::operation::Refusal)), `unknown` | all |
//! | `table` | its identifier | all but the batches |
//! | `branch` | left out for main | those of versions |
//! | `version` | a number, 0 or above | `create_version`; `describe_version` unless it asked for the latest |
//! | `entry` | what stands for the contents | `create_version` |
//! | `found` | `[[version, entry], ...]` as answered | `describe_version` (one), `list_versions`, with `ok` |
//! | `descending`, `after`, `since` | see [`Page`](crate::operation::Page) | `list_versions`; may be left out |
//! | `more` | true if a page token came | `list_versions` with `ok`; may be left out |
//! | `ranges` | `[[start, end], ...]`, `end` exclusive, or null for all the rest | `delete_versions` |
//! | `deleted` | how many, as answered | `delete_versions` with `ok`; may be left out |
//! | `operations` | objects with `call`, `table`, `branch`, `version`, `entry`, `ranges` as above | `batch_create` (`create_version` only), `batch_commit` (also `delete_versions`, `declare_table`, `deregister_table`) |
//!
//! A field that a call does not have is an error, so that a misspelt one is not passed over.

mod line;

use std::io::{self, BufRead, Write};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use self::line::{Line, number};
use crate::operation::{Entry, History, Initial, Ledger, Operation};

/// The version of the format that is written, and the only one that is read.
pub const SCHEMA: u32 = 1;

const FORMAT: &str = "lance-namespace-history";

/// Why a history cannot be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// Reading itself failed.
    #[error("line {line} cannot be read")]
    Io {
        /// The line's number, from 1.
        line: usize,
        /// What happened.
        source: io::Error,
    },
    /// A line is not JSON, or not of the form that is asked for.
    #[error("line {line} is not a line of a history")]
    Json {
        /// The line's number, from 1.
        line: usize,
        /// Where and what.
        source: serde_json::Error,
    },
    /// A line is JSON, but says what makes no sense.
    #[error("line {line}: {what}")]
    Invalid {
        /// The line's number, from 1.
        line: usize,
        /// What makes no sense.
        what: String,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: String,
    schema: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    initial: Vec<InitialLine>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct InitialLine {
    table: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    versions: Vec<(i64, String)>,
}

/// Reads a history.
///
/// # Errors
///
/// [`ReadError`] for the first line that is broken, with its number; also if there is no header, or
/// one of another schema.
pub fn read(mut from: impl BufRead) -> Result<History, ReadError> {
    let mut history = History::default();
    let mut text = String::new();
    let mut line = 0;
    loop {
        text.clear();
        line += 1;
        let length = from
            .read_line(&mut text)
            .map_err(|source| ReadError::Io { line, source })?;
        if length == 0 {
            break;
        }
        let json = |source| ReadError::Json { line, source };
        let invalid = |what| ReadError::Invalid { line, what };
        if line == 1 {
            let header: Header = serde_json::from_str(&text).map_err(json)?;
            history.initial = header.read().map_err(invalid)?;
        } else {
            let call: Line = serde_json::from_str(&text).map_err(json)?;
            history.operations.push(call.read().map_err(invalid)?);
        }
    }
    if line == 1 {
        return Err(ReadError::Invalid {
            line,
            what: "there is no header".to_owned(),
        });
    }
    Ok(history)
}

/// Writes a history. What was read and is written is read again as the same.
///
/// # Errors
///
/// If it cannot be written there.
pub fn write(history: &History, mut to: impl Write) -> io::Result<()> {
    let initial = history.initial.iter().map(|initial| InitialLine {
        table: initial.ledger.table.clone(),
        branch: initial.ledger.branch.clone(),
        versions: pairs(&initial.entries),
    });
    let header = Header {
        format: FORMAT.to_owned(),
        schema: SCHEMA,
        initial: initial.collect(),
    };
    serde_json::to_writer(&mut to, &header)?;
    to.write_all(b"\n")?;
    for operation in &history.operations {
        write_operation(operation, &mut to)?;
    }
    Ok(())
}

/// Writes one call as a line, for recorders that write as they go.
///
/// # Errors
///
/// If it cannot be written there.
pub fn write_operation(operation: &Operation, mut to: impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut to, &Line::of(operation))?;
    to.write_all(b"\n")
}

impl Header {
    fn read(self) -> Result<Vec<Initial>, String> {
        if self.format != FORMAT {
            return Err(format!("the format is {:?}, not {FORMAT:?}", self.format));
        }
        if self.schema != SCHEMA {
            return Err(format!(
                "the schema is {}; this program reads {SCHEMA}",
                self.schema
            ));
        }
        let read = |line: InitialLine| {
            let entries = entries(line.versions)?;
            let ledger = Ledger {
                table: line.table,
                branch: line.branch,
            };
            Ok(Initial { ledger, entries })
        };
        self.initial.into_iter().map(read).collect()
    }
}

fn entries(pairs: Vec<(i64, String)>) -> Result<Vec<Entry>, String> {
    let entry = |(version, entry)| {
        number(version)?;
        Ok(Entry { version, entry })
    };
    pairs.into_iter().map(entry).collect()
}

fn pairs(entries: &[Entry]) -> Vec<(i64, String)> {
    let pair = |entry: &Entry| (entry.version, entry.entry.clone());
    entries.iter().map(pair).collect()
}
