//! Commits over several tables, all or nothing.
//!
//! A [`TableCommit`] collects operations for `BatchCommitTables`, a [`VersionBatch`] entries for
//! `BatchCreateTableVersions`. Each addition gives a [`Handle`], by which its result is found later.
//!
//! ```no_run
//! use lance_namespace_client::Client;
//! use lance_namespace_client::models::{CreateTableVersionRequest, DeclareTableRequest};
//!
//! # async fn example() -> Result<(), lance_namespace_client::Error> {
//! let client = Client::new("http://localhost:2333")?;
//! let (orders, items) = (client.table(["shop", "orders"]), client.table(["shop", "items"]));
//!
//! let mut commit = client.commit();
//! commit.declare_table(["shop", "log"], DeclareTableRequest::new());
//! let order = CreateTableVersionRequest::new(7, "shop/orders/_versions/7.manifest-1f3a");
//! let order = commit.create_version(orders.id(), order);
//! let item = CreateTableVersionRequest::new(3, "shop/items/_versions/3.manifest-88d0");
//! commit.create_version(items.id(), item);
//!
//! match commit.send().await {
//!     Ok(done) => println!("all of it: {:?}", done.get(order)),
//!     Err(error) if error.is_conflict() => println!("none of it: {error}"),
//!     Err(error) if error.is_unknown() => println!("all or none of it: {error}"),
//!     Err(error) => return Err(error),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! What could not be meant is refused before anything is sent, with an [`Error`](crate::Error) of kind
//! [`Request`](crate::ErrorKind::Request): nothing at all, an operation of no kind or of two, and one
//! version, one declared or one deregistered table twice.
//!
//! When the answer is lost, or is a conflict, the versions are read back and compared as
//! [`Table::create_version`](crate::Table::create_version) does: all of them found means that the
//! whole was done, one that is another writer's that nothing was. Where a commit was refused although its
//! versions stand, and it has other operations too, the outcome is unknown: look at those.

mod handle;
mod tables;
mod unique;
mod versions;

pub use handle::Handle;
pub use tables::{CommittedTables, OperationResult, TableCommit};
pub use versions::{CommittedVersions, VersionBatch};
