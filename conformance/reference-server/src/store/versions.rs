//! Version entries: put-if-not-exists, and what reads them.

use rusqlite::{OptionalExtension, Row, Transaction, params};
use serde::{Deserialize, Serialize};

use super::{Properties, branches, from_json, is_duplicate, millis, now, tables, to_json};
use crate::error::{Error, ErrorKind};
use crate::id::TableId;
use crate::json::{Natural, NonEmpty, Object};
use crate::page::{Page, Paging};

/// An entry to be created, as requests carry it.
///
/// Requests may also name the `naming_scheme` of manifest files. It says how a server that moves
/// the manifest should call it; this one keeps the path as it was sent.
#[derive(Debug, Deserialize)]
pub(crate) struct NewVersion {
    pub(crate) version: Natural,
    pub(crate) branch: Option<String>,
    pub(crate) manifest_path: NonEmpty,
    pub(crate) manifest_size: Option<Natural>,
    pub(crate) e_tag: Option<String>,
    pub(crate) metadata: Option<Properties>,
    #[serde(rename = "naming_scheme")]
    _naming_scheme: Option<String>,
}

/// An entry as it is stored and answered.
#[derive(Debug, Serialize)]
pub(crate) struct TableVersion {
    pub(crate) version: i64,
    pub(crate) manifest_path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) manifest_size: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    e_tag: Option<String>,
    timestamp_millis: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Properties>,
}

/// From `start_version` up to but without `end_version`; -1 as the end includes the latest.
#[derive(Debug, Deserialize)]
pub(crate) struct VersionRange {
    start_version: i64,
    end_version: i64,
}

/// Creates an entry if its version does not exist; otherwise nothing changes (VER-2, VER-3).
///
/// The primary key decides. Also an equal entry is refused: who sends one again after a lost
/// answer reads the stored entry and sees that it is their own. Any version is taken, whether or
/// not it follows the latest.
pub(crate) fn create(
    tx: &Transaction<'_>,
    id: &TableId,
    entry: NewVersion,
) -> Result<TableVersion, Error> {
    let table = tables::key(tx, id)?;
    let branch = branches::key(tx, id, table, entry.branch.as_deref())?;
    let version = TableVersion {
        version: entry.version.get(),
        manifest_path: entry.manifest_path.into(),
        manifest_size: entry.manifest_size.map(Natural::get),
        e_tag: entry.e_tag,
        timestamp_millis: branches::advance_clock(tx, branch, millis(now()))?,
        metadata: entry.metadata,
    };
    let metadata = version.metadata.as_ref().map(to_json).transpose()?;
    let inserted = tx
        .prepare_cached(
            "INSERT INTO version (branch, version, manifest_path, manifest_size, e_tag,
                 timestamp_millis, metadata)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            branch,
            version.version,
            version.manifest_path,
            version.manifest_size,
            version.e_tag,
            version.timestamp_millis,
            metadata,
        ]);
    match inserted {
        Err(error) if is_duplicate(&error) => {
            let stored = get(tx, id, branch, Some(version.version))?;
            let message = format!(
                "version {} of {id} already exists with the manifest {}",
                version.version, stored.manifest_path
            );
            return Err(Error::new(ErrorKind::ConcurrentModification, message));
        }
        inserted => inserted?,
    };
    tx.prepare_cached("UPDATE lance_table SET only_declared = 0 WHERE key = ? AND only_declared")?
        .execute([table])?;
    Ok(version)
}

/// The entry of `version`, or the latest where none is named (VER-11).
pub(crate) fn get(
    tx: &Transaction<'_>,
    id: &TableId,
    branch: i64,
    version: Option<i64>,
) -> Result<TableVersion, Error> {
    let found = match version {
        Some(version) => find(tx, branch, version)?,
        None => latest(tx, branch)?,
    };
    found.ok_or_else(|| {
        let message = match version {
            Some(version) => format!("version {version} of {id} does not exist"),
            None => format!("{id} has no version"),
        };
        Error::new(ErrorKind::VersionNotFound, message)
    })
}

const COLUMNS: &str = "version, manifest_path, manifest_size, e_tag, timestamp_millis, metadata";

fn find(tx: &Transaction<'_>, branch: i64, version: i64) -> Result<Option<TableVersion>, Error> {
    tx.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM version WHERE branch = ? AND version = ?"
    ))?
    .query_row([branch, version], |row| Ok(read(row)))
    .optional()?
    .transpose()
}

/// The entry with the highest version.
pub(crate) fn latest(tx: &Transaction<'_>, branch: i64) -> Result<Option<TableVersion>, Error> {
    tx.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM version WHERE branch = ? ORDER BY version DESC LIMIT 1"
    ))?
    .query_row([branch], |row| Ok(read(row)))
    .optional()?
    .transpose()
}

fn read(row: &Row<'_>) -> Result<TableVersion, Error> {
    let metadata: Option<String> = row.get(5)?;
    Ok(TableVersion {
        version: row.get(0)?,
        manifest_path: row.get(1)?,
        manifest_size: row.get(2)?,
        e_tag: row.get(3)?,
        timestamp_millis: row.get(4)?,
        metadata: metadata.as_deref().map(from_json).transpose()?,
    })
}

/// The entries of a branch by number, the latest first if `descending` (ORD-1, ORD-2, ORD-3).
pub(crate) fn list(
    tx: &Transaction<'_>,
    branch: i64,
    descending: bool,
    paging: &Paging,
) -> Result<Page<TableVersion>, Error> {
    let after: Option<i64> = paging.after()?;
    let (lowest, highest, order) = if descending {
        (
            0,
            after.map_or(i64::MAX, |last| last.saturating_sub(1)),
            "DESC",
        )
    } else {
        (
            after.map_or(0, |last| last.saturating_add(1)),
            i64::MAX,
            "ASC",
        )
    };
    let entries = tx
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM version
             WHERE branch = ? AND version BETWEEN ? AND ? ORDER BY version {order} LIMIT ?"
        ))?
        .query_and_then(params![branch, lowest, highest, paging.rows()], read)?
        .collect::<Result<_, _>>()?;
    paging.cut(entries, |entry: &TableVersion| entry.version)
}

/// Removes the entries in `ranges` and returns how many there were (VER-13).
pub(crate) fn delete(
    tx: &Transaction<'_>,
    branch: i64,
    ranges: &[Object<VersionRange>],
) -> Result<usize, Error> {
    let mut statement =
        tx.prepare_cached("DELETE FROM version WHERE branch = ? AND version BETWEEN ? AND ?")?;
    let mut count = 0;
    for Object(range) in ranges {
        let VersionRange {
            start_version: start,
            end_version: end,
        } = *range;
        if start < 0 || end < -1 || (end != -1 && end < start) {
            return Err(Error::invalid(format!(
                "{start}..{end} is no range of versions"
            )));
        }
        let last = if end == -1 { i64::MAX } else { end - 1 };
        count += statement.execute([branch, start, last])?;
    }
    Ok(count)
}
