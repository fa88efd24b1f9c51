//! A small honest Lance Namespace server on SQLite.
//!
//! It keeps the catalog: namespaces, tables, versions with put-if-not-exists, atomic batches, tags,
//! branches and transactions. It opens no table, so that the operations on data answer
//! 406 with code 0.

mod config;
mod error;
mod extract;
mod id;
mod json;
mod page;
mod routes;
mod server;
mod store;

/// What the closures given to [`Store::read`] and [`Store::write`] work with.
pub use rusqlite;

pub use crate::config::{Config, Credentials};
pub use crate::error::{Error, ErrorKind};
pub use crate::extract::MAX_BODY;
pub use crate::page::MAX_PAGE;
pub use crate::routes::router;
pub use crate::server::{Server, ServerError};
pub use crate::store::{OpenError, Store};
