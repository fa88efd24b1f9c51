//! What a server's own repository has as `tests/conformance.rs`: the server is started in the process,
//! and every scenario is a test.
//!
//!     cargo run -p lance-namespace-conformance --example in_process -- put-if-not-exists

use std::process::ExitCode;

use lance_namespace_reference_server::{Config, Server};
use lance_namespace_suite::harness::{Harness, Started};
use lance_namespace_suite::target::Target;

fn main() -> ExitCode {
    Harness::from_args().run(async || {
        let server = Server::bind(([127, 0, 0, 1], 0).into(), Config::default()).await?;
        Ok(Started::new(Target::new(&server.url())?, server))
    })
}
