//! Namespaces.

use rusqlite::{OptionalExtension, Transaction, params};

use super::{Properties, from_json, is_duplicate, to_json};
use crate::error::{Error, ErrorKind};
use crate::id::Identifier;
use crate::page::{Page, Paging};

/// A namespace as it is stored.
#[derive(Debug)]
pub(crate) struct Namespace {
    pub(crate) key: i64,
    pub(crate) properties: Properties,
}

/// The namespace `id`, or an error that it does not exist.
pub(crate) fn get(tx: &Transaction<'_>, id: &Identifier) -> Result<Namespace, Error> {
    find(tx, id)?.ok_or_else(|| not_found(id))
}

fn not_found(id: &Identifier) -> Error {
    Error::new(
        ErrorKind::NamespaceNotFound,
        format!("namespace {id} does not exist"),
    )
}

/// The namespace `id`, if it exists.
pub(crate) fn find(tx: &Transaction<'_>, id: &Identifier) -> Result<Option<Namespace>, Error> {
    let row = tx
        .prepare_cached("SELECT key, properties FROM namespace WHERE path = ?")?
        .query_row([id.path()?], |row| {
            Ok((row.get(0)?, row.get::<_, String>(1)?))
        })
        .optional()?;
    let namespace = row.map(|(key, text)| {
        Ok(Namespace {
            key,
            properties: from_json(&text)?,
        })
    });
    namespace.transpose()
}

/// The key of the namespace `id`.
pub(crate) fn key(tx: &Transaction<'_>, id: &Identifier) -> Result<i64, Error> {
    let key = tx
        .prepare_cached("SELECT key FROM namespace WHERE path = ?")?
        .query_row([id.path()?], |row| row.get(0))
        .optional()?;
    key.ok_or_else(|| not_found(id))
}

/// Adds a namespace; its parent must exist (NS-3) and its name be free (NS-1).
pub(crate) fn create(
    tx: &Transaction<'_>,
    id: &Identifier,
    properties: &Properties,
) -> Result<(), Error> {
    let taken = || {
        Error::new(
            ErrorKind::NamespaceAlreadyExists,
            format!("namespace {id} already exists"),
        )
    };
    let (parent, name) = id.split_last().ok_or_else(taken)?;
    let inserted = tx
        .prepare_cached(
            "INSERT INTO namespace (parent, name, path, properties) VALUES (?, ?, ?, ?)",
        )?
        .execute(params![
            key(tx, &parent)?,
            name.as_str(),
            id.path()?,
            to_json(properties)?
        ]);
    match inserted {
        Err(error) if is_duplicate(&error) => Err(taken()),
        Err(error) => Err(error.into()),
        Ok(_) => Ok(()),
    }
}

/// Removes a namespace with all that is in it, and returns the directories that the server
/// allocated for the tables among that.
pub(crate) fn remove(tx: &Transaction<'_>, key: i64) -> Result<Vec<String>, Error> {
    let directories = tx
        .prepare_cached(
            "WITH RECURSIVE inside (key) AS (
                 VALUES (?)
                 UNION ALL
                 SELECT child.key FROM namespace AS child JOIN inside ON child.parent = inside.key
             )
             SELECT directory FROM lance_table JOIN inside ON namespace = inside.key
             WHERE directory IS NOT NULL",
        )?
        .query_map([key], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    tx.prepare_cached("DELETE FROM namespace WHERE key = ?")?
        .execute([key])?;
    Ok(directories)
}

/// Whether the namespace holds neither namespaces nor tables.
pub(crate) fn is_empty(tx: &Transaction<'_>, key: i64) -> Result<bool, Error> {
    let empty = tx
        .prepare_cached(
            "SELECT NOT EXISTS (SELECT 1 FROM namespace WHERE parent = ?1)
                AND NOT EXISTS (SELECT 1 FROM lance_table WHERE namespace = ?1)",
        )?
        .query_row([key], |row| row.get(0))?;
    Ok(empty)
}

/// The names of the direct children, in order (LIST-1, LIST-3).
pub(crate) fn list(
    tx: &Transaction<'_>,
    id: &Identifier,
    paging: &Paging,
) -> Result<Page<String>, Error> {
    let after: String = paging.after()?.unwrap_or_default();
    let names = tx
        .prepare_cached(
            "SELECT name FROM namespace WHERE parent = ? AND name > ? ORDER BY name LIMIT ?",
        )?
        .query_map(params![key(tx, id)?, after, paging.rows()], |row| {
            row.get(0)
        })?
        .collect::<Result<_, _>>()?;
    paging.cut(names, String::clone)
}
