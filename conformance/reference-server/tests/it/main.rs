//! The reference server against the requirements, over its router and over a socket.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests stop at what they did not expect"
)]

mod auth;
mod batch;
mod concurrency;
mod disconnects;
mod errors;
mod harness;
mod identifiers;
mod namespaces;
mod paging;
mod refs;
mod routes;
mod server;
mod tables;
mod transactions;
mod versions;
