//! The reference server against the requirements, over its router and over a socket.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests stop at what they did not expect"
)]

mod batch;
mod harness;
mod namespaces;
mod routes;
mod tables;
mod versions;
