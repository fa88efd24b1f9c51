//! Tests of the SDK: one binary, a module per concern.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking; clippy allows it in test functions only, not in helpers"
)]

#[cfg(feature = "arrow")]
mod arrow;
mod commits;
mod context;
mod conversion;
mod credentials;
mod data;
mod documentation;
mod errors;
mod errors_fuzz;
mod examples;
mod handles;
mod identifiers;
mod listings;
mod models;
mod oauth2;
mod operations;
mod pages;
mod paging;
mod refusals;
mod retries;
mod sample;
mod secrets;
mod server;
mod settings;
mod streams;
mod timeouts;
#[cfg(any(feature = "rustls", feature = "aws-lc", feature = "native-tls"))]
mod tls;
mod tracing;
mod versions;
mod wire;
