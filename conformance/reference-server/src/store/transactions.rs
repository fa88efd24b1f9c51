//! Transaction records.
//!
//! A write is finished when it is answered. Its record says so, and holds what callers attach.

use rusqlite::{OptionalExtension, Transaction, params};
use serde::{Deserialize, Serialize};

use super::{Properties, from_json, to_json};
use crate::error::{Error, ErrorKind};
use crate::json::{Choice, Object, choice};

/// How far a transaction is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Queued,
    Running,
    Succeeded,
    Failed,
    Canceled,
}

impl Choice for Status {
    const SPELLINGS: &'static [(&'static str, Self)] = &[
        ("Queued", Self::Queued),
        ("Running", Self::Running),
        ("Succeeded", Self::Succeeded),
        ("Failed", Self::Failed),
        ("Canceled", Self::Canceled),
    ];
}

/// What is known of a transaction.
#[derive(Debug, Serialize)]
pub(crate) struct Record {
    status: &'static str,
    properties: Properties,
}

/// The status of every record: a write that did not succeed leaves none.
const SUCCEEDED: &str = "Succeeded";

/// Notes that the write of this SQL transaction succeeded, and returns the new record's id.
pub(crate) fn record(tx: &Transaction<'_>) -> Result<String, Error> {
    let id = tx
        .prepare_cached(
            "INSERT INTO transaction_record (id, properties)
             VALUES (lower(hex(randomblob(16))), '{}') RETURNING id",
        )?
        .query_row([], |row| row.get(0))?;
    Ok(id)
}

/// The record `id` (TX-2).
pub(crate) fn get(tx: &Transaction<'_>, id: &str) -> Result<Record, Error> {
    let text: Option<String> = tx
        .prepare_cached("SELECT properties FROM transaction_record WHERE id = ?")?
        .query_row([id], |row| row.get(0))
        .optional()?;
    let text = text.ok_or_else(|| {
        Error::new(
            ErrorKind::TransactionNotFound,
            format!("transaction {id} does not exist"),
        )
    })?;
    Ok(Record {
        status: SUCCEEDED,
        properties: from_json(&text)?,
    })
}

/// One change of a record. Exactly one field is set.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Action {
    set_status_action: Option<Object<SetStatus>>,
    set_property_action: Option<Object<SetProperty>>,
    unset_property_action: Option<Object<UnsetProperty>>,
}

#[derive(Debug, Deserialize)]
struct SetStatus {
    #[serde(default, deserialize_with = "choice")]
    status: Option<Status>,
}

#[derive(Debug, Deserialize)]
struct SetProperty {
    key: String,
    value: String,
    #[serde(default, deserialize_with = "choice")]
    mode: Option<SetMode>,
}

/// What to do when the key to be set exists.
#[derive(Debug, Clone, Copy)]
enum SetMode {
    Overwrite,
    Fail,
    Skip,
}

impl Choice for SetMode {
    const SPELLINGS: &'static [(&'static str, Self)] = &[
        ("Overwrite", Self::Overwrite),
        ("Fail", Self::Fail),
        ("Skip", Self::Skip),
    ];
}

#[derive(Debug, Deserialize)]
struct UnsetProperty {
    key: String,
    #[serde(default, deserialize_with = "choice")]
    mode: Option<UnsetMode>,
}

/// What to do when the key to be unset does not exist.
#[derive(Debug, Clone, Copy)]
enum UnsetMode {
    Skip,
    Fail,
}

impl Choice for UnsetMode {
    const SPELLINGS: &'static [(&'static str, Self)] =
        &[("Skip", Self::Skip), ("Fail", Self::Fail)];
}

/// Applies all actions in their order, or none (TX-1).
pub(crate) fn alter(
    tx: &Transaction<'_>,
    id: &str,
    actions: &[Object<Action>],
) -> Result<Record, Error> {
    let mut record = get(tx, id)?;
    for (at, Object(action)) in actions.iter().enumerate() {
        apply(&mut record, action).map_err(|error| error.within(format_args!("action {at}")))?;
    }
    tx.prepare_cached("UPDATE transaction_record SET properties = ? WHERE id = ?")?
        .execute(params![to_json(&record.properties)?, id])?;
    Ok(record)
}

fn apply(record: &mut Record, action: &Action) -> Result<(), Error> {
    match action {
        Action {
            set_status_action: Some(Object(action)),
            set_property_action: None,
            unset_property_action: None,
        } => set_status(action),
        Action {
            set_status_action: None,
            set_property_action: Some(Object(action)),
            unset_property_action: None,
        } => set_property(&mut record.properties, action),
        Action {
            set_status_action: None,
            set_property_action: None,
            unset_property_action: Some(Object(action)),
        } => unset_property(&mut record.properties, action),
        _ => Err(Error::invalid("an action needs exactly one kind")),
    }
}

/// What is done stays done: to call it running or canceled would undo nothing.
fn set_status(action: &SetStatus) -> Result<(), Error> {
    match action.status {
        Some(Status::Succeeded) => Ok(()),
        Some(status) => Err(Error::invalid(format!(
            "the transaction has succeeded and cannot become {status:?}"
        ))),
        None => Err(Error::invalid("the status to be set is missing")),
    }
}

fn set_property(properties: &mut Properties, action: &SetProperty) -> Result<(), Error> {
    let exists = properties.contains_key(&action.key);
    match action.mode.unwrap_or(SetMode::Overwrite) {
        SetMode::Fail if exists => Err(Error::invalid(format!(
            "property {:?} is set already",
            action.key
        ))),
        SetMode::Skip if exists => Ok(()),
        SetMode::Overwrite | SetMode::Fail | SetMode::Skip => {
            properties.insert(action.key.clone(), action.value.clone());
            Ok(())
        }
    }
}

fn unset_property(properties: &mut Properties, action: &UnsetProperty) -> Result<(), Error> {
    let removed = properties.remove(&action.key);
    match action.mode.unwrap_or(UnsetMode::Skip) {
        UnsetMode::Fail if removed.is_none() => Err(Error::invalid(format!(
            "property {:?} is not set",
            action.key
        ))),
        UnsetMode::Skip | UnsetMode::Fail => Ok(()),
    }
}
