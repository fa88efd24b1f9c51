//! The conformance suite against this server, played by its command: what `.ci/mutate_store` asks of the
//! server after each change.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::Command;

use lance_namespace_reference_server::{Config, Server};

const LOCAL: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// All but the tier of rows, which this server does not have.
const TIERS: [&str; 7] = [
    "basic",
    "tables",
    "versions",
    "batch",
    "branches",
    "tags",
    "transactions",
];

#[tokio::test(flavor = "multi_thread")]
#[ignore = "wants the suite's command in SUITE: .ci/mutate_store plays it"]
async fn the_suite_finds_nothing() {
    let suite = std::env::var("SUITE").expect("SUITE names the suite's command");
    let server = Server::bind(LOCAL, Config::default())
        .await
        .expect("a server in memory starts");
    let mut command = Command::new(suite);
    command.args(["--server-url", &server.url(), "--seed", "1"]);
    // Claimed, so that what it lacks after a change fails.
    for tier in TIERS {
        command.args(["--tier", tier]);
    }
    // A server that hangs counts as found too.
    command.args(["--fail-fast", "--quiet", "--time-limit", "30s"]);
    let ended = tokio::task::spawn_blocking(move || command.status()).await;
    let status = ended.expect("nothing panics").expect("the command runs");
    assert_eq!(status.code(), Some(0));
}
