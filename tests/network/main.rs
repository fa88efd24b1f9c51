//! The SDK over a network that fails: connections cut before, within and after a request.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking; clippy allows it in test functions only, not in helpers"
)]

mod cuts;
mod http;
mod proxy;
mod soak;
