//! Tables.

use rusqlite::{OptionalExtension, Row, Transaction, params};

use super::{Properties, branches, from_json, is_duplicate, namespaces, to_json};
use crate::error::{Error, ErrorKind};
use crate::id::{Identifier, Part, TableId};
use crate::page::{Page, Paging};

/// A table as it is stored.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) key: i64,
    pub(crate) location: String,
    /// Set where the server chose the location: the name of the directory below its data root.
    pub(crate) directory: Option<String>,
    pub(crate) properties: Properties,
    pub(crate) only_declared: bool,
}

/// A table to be added.
#[derive(Debug)]
pub(crate) struct NewTable<'a> {
    pub(crate) location: &'a str,
    pub(crate) directory: Option<&'a str>,
    pub(crate) properties: &'a Properties,
    pub(crate) only_declared: bool,
}

/// The table `id`; an error tells a missing namespace from a missing table (VER-8).
pub(crate) fn get(tx: &Transaction<'_>, id: &TableId) -> Result<Table, Error> {
    find(tx, id)?.ok_or_else(|| not_found(id))
}

fn not_found(id: &TableId) -> Error {
    Error::new(
        ErrorKind::TableNotFound,
        format!("table {id} does not exist"),
    )
}

/// The table `id`, if it exists; an error if its namespace does not.
pub(crate) fn find(tx: &Transaction<'_>, id: &TableId) -> Result<Option<Table>, Error> {
    let namespace = namespaces::key(tx, &id.namespace)?;
    let row = tx
        .prepare_cached(
            "SELECT key, location, directory, properties, only_declared FROM lance_table
             WHERE namespace = ? AND name = ?",
        )?
        .query_row(params![namespace, id.name.as_str()], |row| {
            let text: String = row.get(3)?;
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, text, row.get(4)?))
        })
        .optional()?;
    let table = row.map(|(key, location, directory, text, only_declared)| {
        let properties = from_json(&text)?;
        Ok(Table {
            key,
            location,
            directory,
            properties,
            only_declared,
        })
    });
    table.transpose()
}

/// The key of the table `id`.
pub(crate) fn key(tx: &Transaction<'_>, id: &TableId) -> Result<i64, Error> {
    let namespace = namespaces::key(tx, &id.namespace)?;
    let key = tx
        .prepare_cached("SELECT key FROM lance_table WHERE namespace = ? AND name = ?")?
        .query_row(params![namespace, id.name.as_str()], |row| row.get(0))
        .optional()?;
    key.ok_or_else(|| not_found(id))
}

/// Adds a table without versions; its namespace must exist (TBL-3) and its name be free (TBL-2).
pub(crate) fn create(tx: &Transaction<'_>, id: &TableId, table: &NewTable) -> Result<(), Error> {
    let namespace = namespaces::key(tx, &id.namespace)?;
    let inserted = tx
        .prepare_cached(
            "INSERT INTO lance_table
                 (namespace, name, location, directory, properties, only_declared)
             VALUES (?, ?, ?, ?, ?, ?)",
        )?
        .insert(params![
            namespace,
            id.name.as_str(),
            table.location,
            table.directory,
            to_json(table.properties)?,
            table.only_declared,
        ]);
    match inserted {
        Err(error) if is_duplicate(&error) => Err(already_exists(id)),
        Err(error) => Err(error.into()),
        Ok(key) => branches::create_main(tx, key),
    }
}

fn already_exists(id: &TableId) -> Error {
    Error::new(
        ErrorKind::TableAlreadyExists,
        format!("table {id} already exists"),
    )
}

/// Removes the entry of a table with its versions, tags and branches.
pub(crate) fn remove(tx: &Transaction<'_>, id: &TableId) -> Result<Table, Error> {
    let table = get(tx, id)?;
    tx.prepare_cached("DELETE FROM lance_table WHERE key = ?")?
        .execute([table.key])?;
    Ok(table)
}

/// Gives a table another name, and another namespace where one is given (TBL-6).
pub(crate) fn rename(tx: &Transaction<'_>, from: &TableId, to: &TableId) -> Result<(), Error> {
    let key = key(tx, from)?;
    if find(tx, to)?.is_some() {
        return Err(already_exists(to));
    }
    tx.prepare_cached("UPDATE lance_table SET namespace = ?, name = ? WHERE key = ?")?
        .execute(params![
            namespaces::key(tx, &to.namespace)?,
            to.name.as_str(),
            key
        ])?;
    Ok(())
}

/// The names of the tables in one namespace, in order (LIST-1, LIST-2, LIST-3).
pub(crate) fn list(
    tx: &Transaction<'_>,
    namespace: &Identifier,
    include_declared: bool,
    paging: &Paging,
) -> Result<Page<String>, Error> {
    let after: String = paging.after()?.unwrap_or_default();
    let namespace = namespaces::key(tx, namespace)?;
    let names = tx
        .prepare_cached(
            "SELECT name FROM lance_table
             WHERE namespace = ? AND name > ? AND (? OR NOT only_declared)
             ORDER BY name LIMIT ?",
        )?
        .query_map(
            params![namespace, after, include_declared, paging.rows()],
            |row| row.get(0),
        )?
        .collect::<Result<_, _>>()?;
    paging.cut(names, String::clone)
}

/// The identifiers of all tables, in the order of namespace and name (LIST-1, LIST-2).
pub(crate) fn list_all(
    tx: &Transaction<'_>,
    include_declared: bool,
    paging: &Paging,
) -> Result<Page<TableId>, Error> {
    let (path, name): (String, String) = paging.after()?.unwrap_or_default();
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let rows: Vec<(String, String)> = tx
        .prepare_cached(
            "SELECT path, lance_table.name
             FROM namespace JOIN lance_table ON namespace = namespace.key
             WHERE path >= ?1 AND (path > ?1 OR lance_table.name > ?2)
               AND (?3 OR NOT only_declared)
             ORDER BY path, lance_table.name LIMIT ?4",
        )?
        .query_map(params![path, name, include_declared, paging.rows()], read)?
        .collect::<Result<_, _>>()?;
    let page = paging.cut(rows, Clone::clone)?;
    let items = page.items.into_iter().map(|(path, name)| {
        Ok(TableId {
            namespace: Identifier::from_path(&path)?,
            name: Part::try_from(name)?,
        })
    });
    Ok(Page {
        items: items.collect::<Result<_, Error>>()?,
        next: page.next,
    })
}
