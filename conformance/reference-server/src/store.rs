//! The catalog in SQLite.

pub(crate) mod branches;
mod data_root;
pub(crate) mod namespaces;
pub(crate) mod tables;
pub(crate) mod tags;
pub(crate) mod transactions;
pub(crate) mod versions;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::Mutex;

pub(crate) use self::data_root::DataRoot;
use crate::error::Error;

/// Properties of a namespace, table or transaction, and the metadata of a version.
pub(crate) type Properties = BTreeMap<String, String>;

/// What `PRAGMA user_version` says of a database with this crate's tables.
const SCHEMA_VERSION: i64 = 1;

/// How long a write waits for another process that holds the database.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The catalog of one server. Clones share it.
///
/// There is one connection, and each request holds it for one SQL transaction: requests happen
/// one after the other, which makes them linearizable (ORD-6, ORD-7), and waiting requests are
/// served in the order of their arrival. A transaction that has begun ends, whether or not the
/// client still waits for the answer (BAT-9).
#[derive(Debug, Clone)]
pub struct Store {
    connection: Arc<Mutex<Connection>>,
    data_root: DataRoot,
}

/// Why a database cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The path has no absolute form.
    #[error("the path {path} cannot be resolved")]
    Path {
        /// The path that was given.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// SQLite cannot open, read or write the file.
    #[error("the database {path} cannot be opened")]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// The file is a database of something else, or of another release of this crate.
    #[error("{path} is a database, but not a catalog of this release (schema {found}, not 1)")]
    Schema {
        /// The file.
        path: PathBuf,
        /// The `user_version` in it.
        found: i64,
    },
}

impl Store {
    /// An empty catalog that lives as long as the store.
    ///
    /// # Errors
    /// SQLite is out of memory.
    pub fn in_memory() -> Result<Self, OpenError> {
        let path = PathBuf::from(":memory:");
        let failed = |source| OpenError::Sqlite {
            path: path.clone(),
            source,
        };
        let connection = Connection::open_in_memory().map_err(failed)?;
        let data_root = DataRoot::memory(&connection).map_err(failed)?;
        Self::prepare(connection, data_root, &path)
    }

    /// The catalog in the file `path`, which is created if it does not exist.
    ///
    /// An answered write survives a crash of the process and of the machine: the log is synced
    /// before each answer (BAT-10).
    ///
    /// # Errors
    /// The file cannot be opened or written, or holds something else.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let absolute = std::path::absolute(path).map_err(|source| OpenError::Path {
            path: path.to_owned(),
            source,
        })?;
        let connection = Connection::open(&absolute).map_err(|source| OpenError::Sqlite {
            path: path.to_owned(),
            source,
        })?;
        Self::prepare(connection, DataRoot::beside(&absolute), path)
    }

    fn prepare(
        mut connection: Connection,
        data_root: DataRoot,
        path: &Path,
    ) -> Result<Self, OpenError> {
        let found = create_schema(&mut connection).map_err(|source| OpenError::Sqlite {
            path: path.to_owned(),
            source,
        })?;
        if found != SCHEMA_VERSION {
            return Err(OpenError::Schema {
                path: path.to_owned(),
                found,
            });
        }
        Ok(Self {
            connection: Arc::new(Mutex::new(connection)),
            data_root,
        })
    }

    pub(crate) fn data_root(&self) -> &DataRoot {
        &self.data_root
    }

    /// Runs `work` on one state of the catalog.
    ///
    /// # Errors
    /// What `work` returns, and faults of the database.
    pub async fn read<T, F>(&self, work: F) -> Result<T, Error>
    where
        F: FnOnce(&Transaction<'_>) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        self.run(move |connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Deferred)?;
            work(&transaction)
        })
        .await
    }

    /// Runs `work` as one SQL transaction, which is committed and synced when `work` succeeds,
    /// and leaves nothing when it fails.
    ///
    /// # Errors
    /// What `work` returns, and faults of the database.
    pub async fn write<T, F>(&self, work: F) -> Result<T, Error>
    where
        F: FnOnce(&Transaction<'_>) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        self.run(move |connection| {
            // Immediate: another process on the same file waits here, and not halfway through.
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let result = work(&transaction)?;
            transaction.commit()?;
            Ok(result)
        })
        .await
    }

    /// As [`write`](Self::write), and then deletes the directories of tables that `work` names. Once
    /// begun, both are done whether the client waits for them or not: nothing else would ever find
    /// those directories again.
    pub(crate) async fn write_and_delete<T, F>(&self, work: F) -> Result<T, Error>
    where
        F: FnOnce(&Transaction<'_>) -> Result<(T, Vec<String>), Error> + Send + 'static,
        T: Send + 'static,
    {
        let store = self.clone();
        tokio::spawn(async move {
            let (result, directories) = store.write(work).await?;
            store.data_root.remove(directories).await?;
            Ok(result)
        })
        .await
        .map_err(Error::internal)?
    }

    async fn run<T, F>(&self, work: F) -> Result<T, Error>
    where
        F: FnOnce(&mut Connection) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        let mut connection = Arc::clone(&self.connection).lock_owned().await;
        tokio::task::spawn_blocking(move || work(&mut connection))
            .await
            .map_err(Error::internal)?
    }
}

/// Makes the tables in a database without any, and returns the version of the schema.
fn create_schema(connection: &mut Connection) -> Result<i64, rusqlite::Error> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // Looked at before anything is set: the file may be someone else's.
    if let Some(found) = schema_version(connection)?
        && found != SCHEMA_VERSION
    {
        return Ok(found);
    }
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.set_prepared_statement_cache_capacity(64);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Looked at again: another server may have opened the same file meanwhile.
    let found = match schema_version(&transaction)? {
        Some(found) => found,
        None => {
            transaction.execute_batch(include_str!("store/schema.sql"))?;
            transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
            SCHEMA_VERSION
        }
    };
    transaction.commit()?;
    Ok(found)
}

/// The version of the schema, or nothing where the database is empty.
fn schema_version(connection: &Connection) -> Result<Option<i64>, rusqlite::Error> {
    let empty: bool =
        connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| {
            row.get(0)
        })?;
    if empty {
        return Ok(None);
    }
    connection
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .map(Some)
}

fn to_json(properties: &Properties) -> Result<String, Error> {
    serde_json::to_string(properties).map_err(Error::internal)
}

fn from_json(text: &str) -> Result<Properties, Error> {
    serde_json::from_str(text).map_err(Error::internal)
}

/// Whether the insert failed since its name is taken.
fn is_duplicate(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error().map(|error| error.extended_code),
        Some(rusqlite::ffi::SQLITE_CONSTRAINT_PRIMARYKEY | rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE)
    )
}

/// Time since the epoch; a clock before it reads as zero.
fn now() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
