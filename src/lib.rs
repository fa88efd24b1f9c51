//! A client for servers that speak the [Lance Namespace](https://lance.org/format/namespace/) REST
//! protocol.
//!
//! ```no_run
//! use lance_namespace_client::models::CreateTableVersionRequest;
//! use lance_namespace_client::{Client, ErrorCode};
//!
//! # async fn example() -> Result<(), lance_namespace_client::Error> {
//! let client = Client::builder("https://namespace.example.com/api/lance")
//!     .bearer_token("...")
//!     .build()?;
//! let users = client.table(["prod", "users"]);
//!
//! // Put if not exists: of all writers of version 7, one succeeds.
//! let request = CreateTableVersionRequest::new(7, "_versions/7.manifest-staged");
//! match users.create_version(request).await {
//!     Ok(created) => println!("committed: {:?}", created.version),
//!     Err(error) if error.code() == Some(ErrorCode::CONCURRENT_MODIFICATION) => {
//!         println!("another writer was first: {error}");
//!     }
//!     Err(error) => return Err(error),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! The models and the methods of [`Client`] are generated from the protocol's own description,
//! [`OPENAPI`].
//!
//! # Features
//!
//! `rustls`, on unless switched off: HTTPS by rustls, with ring and the certificates of the operating
//! system. Without it a base URL of `https` is refused.
//!
//! The feature switches `rustls-no-provider` of reqwest on for the whole program. Where nothing else
//! switches a TLS of reqwest on, `reqwest::Client::new` then panics for want of a provider; begin
//! with [`http_client_builder`] instead.

mod answer;
mod arrow;
mod auth;
mod client;
mod code;
pub mod commit;
mod config;
mod context;
mod deadline;
mod error;
mod exchange;
mod generated;
mod id;
mod kind;
mod lenient;
mod namespace;
mod operation;
mod page;
mod redact;
mod resolve;
mod retry;
mod send;
mod table;
#[cfg(feature = "testing")]
pub mod testing;
mod tls;
mod trace;
mod transport;
mod upload;

pub use arrow::ArrowStream;
pub use client::Client;
pub use code::ErrorCode;
pub use config::{ClientBuilder, http_client_builder};
pub use error::Error;
pub use generated::models;
pub use kind::ErrorKind;
pub use namespace::Namespace;
pub use operation::Operation;
pub use page::{Items, Paged, Pages};
pub use reqwest;
pub use retry::{RetryClass, RetryPolicy};
pub use table::Table;

/// The description of the protocol that this crate is generated from: OpenAPI 3.1, as YAML, with the
/// release of the specification in `x-release`.
///
/// It is what the methods and the models of this crate say, before any conversion: for tools that
/// check a server's answers against the protocol or read its operations.
pub const OPENAPI: &str = include_str!("../openapi.yml");

/// The example in the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
