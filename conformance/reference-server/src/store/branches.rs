//! Branches of a table.

use rusqlite::{OptionalExtension, Transaction, params};
use serde::Serialize;

use super::{is_duplicate, now, tables, versions};
use crate::error::{Error, ErrorKind};
use crate::id::TableId;
use crate::json::Natural;
use crate::page::{Page, Paging};

/// The branch that every table has, and that requests without a branch mean.
pub(crate) const MAIN: &str = "main";

/// What a listing says of a branch.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BranchContents {
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_branch: Option<String>,
    parent_version: i64,
    create_at: i64,
    manifest_size: i64,
}

/// Gives a new table its main branch.
pub(super) fn create_main(tx: &Transaction<'_>, table: i64) -> Result<(), Error> {
    tx.prepare_cached("INSERT INTO branch (lance_table, name, clock) VALUES (?, ?, 0)")?
        .execute(params![table, MAIN])?;
    Ok(())
}

/// The key of a branch of the table `id`; without a name, of its main branch (VER-12).
pub(crate) fn key(
    tx: &Transaction<'_>,
    id: &TableId,
    table: i64,
    name: Option<&str>,
) -> Result<i64, Error> {
    let name = name.unwrap_or(MAIN);
    let key = tx
        .prepare_cached("SELECT key FROM branch WHERE lance_table = ? AND name = ?")?
        .query_row(params![table, name], |row| row.get(0))
        .optional()?;
    key.ok_or_else(|| {
        Error::new(
            ErrorKind::BranchNotFound,
            format!("branch {name:?} of {id} does not exist"),
        )
    })
}

/// The time for a new entry: `now`, or that of the entry before it when the machine's clock has
/// been set back since (VER-15).
pub(super) fn advance_clock(tx: &Transaction<'_>, branch: i64, now: i64) -> Result<i64, Error> {
    let clock = tx
        .prepare_cached("UPDATE branch SET clock = max(clock, ?2) WHERE key = ?1 RETURNING clock")?
        .query_row([branch, now], |row| row.get(0))?;
    Ok(clock)
}

/// Creates a branch that begins with the entry of its parent it was taken from, the latest where
/// no version is named, and counts on from there (BR-1).
pub(crate) fn create(
    tx: &Transaction<'_>,
    id: &TableId,
    name: &str,
    from_branch: Option<&str>,
    from_version: Option<Natural>,
) -> Result<(), Error> {
    let table = tables::key(tx, id)?;
    let parent = key(tx, id, table, from_branch)?;
    let entry = versions::get(tx, id, parent, from_version.map(Natural::get))?;
    let seconds = i64::try_from(now().as_secs()).unwrap_or(i64::MAX);
    let inserted = tx
        .prepare_cached(
            "INSERT INTO branch (lance_table, name, clock, parent_branch, parent_version,
                 created_seconds, manifest_size)
             SELECT ?, ?, timestamp_millis, ?, version, ?, coalesce(manifest_size, 0)
             FROM version WHERE branch = ? AND version = ?",
        )?
        .insert(params![
            table,
            name,
            from_branch.filter(|branch| *branch != MAIN),
            seconds,
            parent,
            entry.version,
        ]);
    let branch = match inserted {
        Err(error) if is_duplicate(&error) => {
            let message = format!("branch {name:?} of {id} already exists");
            return Err(Error::new(ErrorKind::BranchAlreadyExists, message));
        }
        inserted => inserted?,
    };
    tx.prepare_cached(
        "INSERT INTO version
         SELECT ?, version, manifest_path, manifest_size, e_tag, timestamp_millis, metadata
         FROM version WHERE branch = ? AND version = ?",
    )?
    .execute([branch, parent, entry.version])?;
    Ok(())
}

/// Removes a branch with its versions and the tags on them.
pub(crate) fn delete(tx: &Transaction<'_>, id: &TableId, name: &str) -> Result<(), Error> {
    let table = tables::key(tx, id)?;
    if name == MAIN {
        return Err(Error::invalid(format!(
            "the main branch of {id} cannot be deleted"
        )));
    }
    let branch = key(tx, id, table, Some(name))?;
    tx.prepare_cached("DELETE FROM branch WHERE key = ?")?
        .execute([branch])?;
    Ok(())
}

/// The branches of a table by name, but the main one.
pub(crate) fn list(
    tx: &Transaction<'_>,
    id: &TableId,
    paging: &Paging,
) -> Result<Page<(String, BranchContents)>, Error> {
    let after: String = paging.after()?.unwrap_or_default();
    let branches = tx
        .prepare_cached(
            "SELECT name, parent_branch, parent_version, created_seconds, manifest_size
             FROM branch
             WHERE lance_table = ? AND name > ? AND parent_version IS NOT NULL
             ORDER BY name LIMIT ?",
        )?
        .query_map(params![tables::key(tx, id)?, after, paging.rows()], |row| {
            let contents = BranchContents {
                parent_branch: row.get(1)?,
                parent_version: row.get(2)?,
                create_at: row.get(3)?,
                manifest_size: row.get(4)?,
            };
            Ok((row.get(0)?, contents))
        })?
        .collect::<Result<_, _>>()?;
    paging.cut(branches, |(name, _): &(String, _)| name.clone())
}
