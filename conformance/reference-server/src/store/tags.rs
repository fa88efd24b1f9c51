//! Tags: names for versions of a table.

use rusqlite::{OptionalExtension, Transaction, params};
use serde::Serialize;

use super::{branches, is_duplicate, tables, versions};
use crate::error::{Error, ErrorKind};
use crate::id::TableId;
use crate::json::Natural;
use crate::page::{Page, Paging};

/// What a listing says of a tag. The branch is absent when it is the main one.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TagContents {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) branch: Option<String>,
    pub(crate) version: i64,
    manifest_size: i64,
}

/// The version that a tag names; it exists, since a tag goes with its version.
#[derive(Debug)]
pub(crate) struct Tag {
    pub(crate) branch: String,
    pub(crate) version: i64,
}

/// The tag `name` of a table (TAG-1).
pub(crate) fn get(tx: &Transaction<'_>, id: &TableId, name: &str) -> Result<Tag, Error> {
    let tag = tx
        .prepare_cached(
            "SELECT branch.name, tag.version
             FROM tag JOIN branch ON branch.key = tag.branch
             WHERE tag.lance_table = ? AND tag.name = ?",
        )?
        .query_row(params![tables::key(tx, id)?, name], |row| {
            Ok(Tag {
                branch: row.get(0)?,
                version: row.get(1)?,
            })
        })
        .optional()?;
    tag.ok_or_else(|| not_found(id, name))
}

fn not_found(id: &TableId, name: &str) -> Error {
    Error::new(
        ErrorKind::TagNotFound,
        format!("tag {name:?} of {id} does not exist"),
    )
}

/// Creates a tag for an existing version.
pub(crate) fn create(
    tx: &Transaction<'_>,
    id: &TableId,
    name: &str,
    branch: Option<&str>,
    version: Natural,
) -> Result<(), Error> {
    let table = tables::key(tx, id)?;
    let branch = branches::key(tx, id, table, branch)?;
    let entry = versions::get(tx, id, branch, Some(version.get()))?;
    let inserted = tx
        .prepare_cached("INSERT INTO tag (lance_table, name, branch, version) VALUES (?, ?, ?, ?)")?
        .execute(params![table, name, branch, entry.version]);
    match inserted {
        Err(error) if is_duplicate(&error) => Err(Error::new(
            ErrorKind::TagAlreadyExists,
            format!("tag {name:?} of {id} already exists"),
        )),
        Err(error) => Err(error.into()),
        Ok(_) => Ok(()),
    }
}

/// Points an existing tag at another existing version.
pub(crate) fn update(
    tx: &Transaction<'_>,
    id: &TableId,
    name: &str,
    branch: Option<&str>,
    version: Natural,
) -> Result<(), Error> {
    get(tx, id, name)?;
    let table = tables::key(tx, id)?;
    let branch = branches::key(tx, id, table, branch)?;
    let entry = versions::get(tx, id, branch, Some(version.get()))?;
    tx.prepare_cached("UPDATE tag SET branch = ?, version = ? WHERE lance_table = ? AND name = ?")?
        .execute(params![branch, entry.version, table, name])?;
    Ok(())
}

/// Removes a tag; the version stays.
pub(crate) fn delete(tx: &Transaction<'_>, id: &TableId, name: &str) -> Result<(), Error> {
    let deleted = tx
        .prepare_cached("DELETE FROM tag WHERE lance_table = ? AND name = ?")?
        .execute(params![tables::key(tx, id)?, name])?;
    if deleted == 0 {
        Err(not_found(id, name))
    } else {
        Ok(())
    }
}

/// The tags of a table by name.
pub(crate) fn list(
    tx: &Transaction<'_>,
    id: &TableId,
    paging: &Paging,
) -> Result<Page<(String, TagContents)>, Error> {
    let after: String = paging.after()?.unwrap_or_default();
    let tags = tx
        .prepare_cached(
            "SELECT tag.name, nullif(branch.name, ?), version.version,
                 coalesce(version.manifest_size, 0)
             FROM tag
             JOIN branch ON branch.key = tag.branch
             JOIN version ON version.branch = tag.branch AND version.version = tag.version
             WHERE tag.lance_table = ? AND tag.name > ? ORDER BY tag.name LIMIT ?",
        )?
        .query_map(
            params![branches::MAIN, tables::key(tx, id)?, after, paging.rows()],
            |row| {
                let contents = TagContents {
                    branch: row.get(1)?,
                    version: row.get(2)?,
                    manifest_size: row.get(3)?,
                };
                Ok((row.get(0)?, contents))
            },
        )?
        .collect::<Result<_, _>>()?;
    paging.cut(tags, |(name, _): &(String, _)| name.clone())
}
