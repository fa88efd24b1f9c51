//! A small honest Lance Namespace server on SQLite.
//!
//! It keeps the catalog: namespaces, tables, versions with put-if-not-exists, atomic batches, tags,
//! branches and transactions. It opens no table, so the operations on data, indexes and schemas
//! answer 406 with code 0.
//!
//! ```
//! use lance_namespace_reference_server::{Config, Server};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::bind("127.0.0.1:0".parse()?, Config::default()).await?;
//! println!("{} serves a catalog in memory", server.url());
//! server.shutdown().await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Where the protocol leaves the choice
//!
//! - **Names.** Any text but the empty one, `.` and `..`; up to [`MAX_PARTS`] parts. A namespace and
//!   a table may share a name. ListTables names direct children. ListAllTables leaves out tables
//!   that the request's delimiter cannot name.
//! - **Pages.** At most [`MAX_PAGE`] items, also where no limit is given. Items come in the order of
//!   their names, versions in that of their numbers. A limit below 1 and a forged token are invalid.
//! - **Versions.** Any version that does not exist can be created: gaps are allowed, and so is one
//!   that was deleted. The same create sent again is a conflict. The manifest path is kept as sent,
//!   and the file is not looked at.
//! - **Ranges** that end before they begin, and negative numbers but the end -1, are invalid.
//! - **Batches.** An empty one is invalid; one version twice is a conflict, even with one manifest.
//! - **Branches** begin with their parent's entry and count on from it. `main` is the name of the
//!   branch that requests without a branch mean; it is not listed and cannot be deleted.
//! - **Tags** go with the version or branch that they name.
//! - **Locations** that the server chooses are new for each table. DropTable and a cascading drop
//!   delete what lies there, and nothing that lies elsewhere. RegisterTable with Overwrite drops
//!   version records and deletes no data.
//! - **DescribeTable** with `load_detailed_metadata` is unsupported: the schema would be part of it.
//! - **Transactions.** A write is answered with the id of a record that has succeeded; only the
//!   drops are not, where an id would mean that they go on. Properties can be set on a record; its
//!   status is final. Records are never removed.
//! - **Bodies.** An empty body is taken as `{}`; one over [`MAX_BODY`] bytes is answered with 413 and
//!   code 13. Paths and methods that are no operation get plain text with 404 and 405.

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
pub use crate::id::MAX_PARTS;
pub use crate::page::MAX_PAGE;
pub use crate::routes::router;
pub use crate::server::{Server, ServerError};
pub use crate::store::{OpenError, Store};
