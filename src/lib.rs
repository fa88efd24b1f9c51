//! A client for servers that speak the [Lance Namespace](https://lance.org/format/namespace/) REST
//! protocol: catalogues of Lance tables, which tables may leave their commits to.
//!
//! # Connect
//!
//! ```no_run
//! use std::time::Duration;
//! use lance_namespace_client::Client;
//!
//! # async fn example() -> Result<(), lance_namespace_client::Error> {
//! let client = Client::builder("https://namespace.example.com/api/lance")
//!     .bearer_token("...")
//!     .timeout(Duration::from_secs(30))
//!     .build()?;
//! let described = client.table(["prod", "users"]).describe(Default::default()).await?;
//! println!("{:?}", described.location);
//! # Ok(())
//! # }
//! ```
//!
//! [`Client`] has a method for each of the 54 operations, named after it, from a request model to a
//! response model. [`Table`] and [`Namespace`] are handles that save naming the object each time.
//! Models, methods and their documentation are generated from the protocol's own description,
//! [`OPENAPI`].
//!
//! # Commit safely
//!
//! Of all who create one version of a table, one succeeds. What makes it hard is a lost answer: the
//! version may be there or not. [`Table::create_version`] then reads it back and compares, so that
//! success means that the version is yours, a conflict that it is another's, and
//! [`is_unknown`](Error::is_unknown) that nobody can tell yet.
//!
//! ```no_run
//! use lance_namespace_client::models::CreateTableVersionRequest;
//!
//! # async fn example(users: lance_namespace_client::Table) -> Result<(), lance_namespace_client::Error> {
//! let next = users.latest_version().await?.map_or(1, |latest| latest.version + 1);
//! // A staging manifest with a name of its own, by which the version is known again.
//! let request = CreateTableVersionRequest::new(next, "prod/users/_versions/7.manifest-1f3a");
//! match users.create_version(request).await {
//!     Ok(_) => println!("version {next} is ours"),
//!     Err(error) if error.is_conflict() => println!("rebase and take the next: {error}"),
//!     Err(error) if error.is_unknown() => println!("send the same again: {error}"),
//!     Err(error) => return Err(error),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`Client::commit`] and [`Client::version_batch`] do the same over several tables, all or nothing:
//! see [`commit`].
//!
//! # List
//!
//! Listings are streams, over as many pages as there are:
//!
//! ```no_run
//! use futures::TryStreamExt;
//!
//! # async fn example(client: lance_namespace_client::Client) -> Result<(), lance_namespace_client::Error> {
//! let mut tables = client.namespace(["prod"]).tables().page_size(100);
//! while let Some(name) = tables.try_next().await? {
//!     println!("{name}");
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`Client::items`] and [`Client::pages`] take any listing's request; [`Items`] and [`Pages`] say how
//! to stop, and how to go on later.
//!
//! # Stream data
//!
//! A query answers with Arrow data, an insert sends it. Both are streams, whatever their size:
//! [`Table::query`] gives an [`ArrowStream`] of bytes, [`Table::insert`], [`Table::merge_insert`] and
//! [`Table::create`] take an [`ArrowBody`] of bytes or of a stream. With the feature `arrow` both speak
//! record batches too, one at a time in memory.
//!
//! # Authenticate
//!
//! [`ClientBuilder::api_key`] and [`ClientBuilder::bearer_token`] are for what does not change;
//! [`ClientBuilder::credentials`] asks you for the credential of each request, and for another one after a
//! 401; [`ClientBuilder::oauth2`] has tokens from a token endpoint and renews them. No credential shows in
//! `Debug`, in an error or in a span, and none is sent on to where a redirection points.
//!
//! # Errors
//!
//! An [`Error`] has a [kind](Error::kind), the server's own words and [code](Error::code), status,
//! headers and request id, and what was tried. Ask it what you want to know:
//! [`is_conflict`](Error::is_conflict), [`is_not_found`](Error::is_not_found),
//! [`is_retryable`](Error::is_retryable), [`is_unknown`](Error::is_unknown),
//! [`retry_after`](Error::retry_after).
//!
//! A call is tried again where that is safe, by what the operation does and not by its HTTP method:
//! see [`RetryClass`] and [`RetryPolicy`]. One [timeout](ClientBuilder::timeout) spans all attempts.
//!
//! # Test
//!
//! With the feature `testing`, a fake server within the process stands in for a real one, with all
//! that can go wrong on the way: see `testing::FakeServer`.
//!
//! # Watch
//!
//! Each call is a span of [`tracing`](https://docs.rs/tracing), `lance_namespace`, at the level INFO:
//! operation, table or namespace, attempts, status, code, request id and duration; each attempt is a
//! span within it at the level DEBUG. Nothing secret is in them. With the feature `trace-context` the
//! trace context of tracing-opentelemetry is sent along.
//!
//! # Features
//!
//! | feature | |
//! |---|---|
//! | `rustls` (on unless switched off) | HTTPS by rustls with ring |
//! | `aws-lc` | HTTPS by rustls with aws-lc-rs, which takes longer to build |
//! | `native-tls` | HTTPS by the operating system's own library, which on Linux is OpenSSL |
//! | `arrow` | record batches: [`ArrowStream`] read as, [`ArrowBody`] made of them |
//! | `testing` | `testing::FakeServer`: a fake server, for tests |
//! | `trace-context` | sends the W3C trace context of the present span |
//!
//! HTTPS trusts the certificates of the operating system unless
//! [set otherwise](ClientBuilder::only_root_certificates). Of `native-tls`, `aws-lc` and `rustls` the
//! first that is on counts; without any of them a base URL of `https` is refused.
//!
//! `aws-lc` and `rustls` switch `rustls-no-provider` of reqwest on for the whole program. Where nothing
//! else switches a TLS of reqwest on, `reqwest::Client::new` then panics for want of a provider; begin
//! with [`http_client_builder`] instead.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod address;
mod answer;
mod arrow;
mod auth;
mod client;
mod code;
pub mod commit;
mod config;
mod context;
mod data;
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

#[cfg(feature = "arrow")]
pub use arrow::RecordBatches;
pub use arrow::{ArrowBody, ArrowStream};
pub use auth::{BoxError, Credential, CredentialProvider, OAuth2ClientCredentials, OAuth2Error};
pub use client::Client;
pub use code::ErrorCode;
pub use config::{ClientBuilder, http_client_builder};
pub use error::Error;
#[doc(no_inline)]
pub use futures_core::future::BoxFuture;
pub use generated::models;
pub use kind::ErrorKind;
pub use namespace::Namespace;
pub use operation::Operation;
pub use page::{Items, Paged, Pages};
pub use reqwest;
pub use retry::{RetryClass, RetryPolicy};
pub use table::Table;
#[cfg(feature = "arrow")]
pub use {arrow_array, arrow_schema};

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
