//! The conformance suite against this server, played by its command: what `.ci/mutate_store` asks of the
//! server after each change.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::Command;

use lance_namespace_reference_server::{Config, Server};
use serde_json::Value;

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
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}.json", std::process::id()));
    command.arg("--json").arg(&file);
    let ended = tokio::task::spawn_blocking(move || command.status()).await;
    let status = ended.expect("nothing panics").expect("the command runs");
    assert_eq!(status.code(), Some(0));
    // What is only recommended ends in no exit code.
    let result = std::fs::read(&file).expect("the result was written");
    std::fs::remove_file(&file).expect("the result can be removed");
    let result: Value = serde_json::from_slice(&result).expect("the result is JSON");
    let scenarios = result["scenarios"]
        .as_array()
        .expect("scenarios are listed");
    assert!(!scenarios.is_empty());
    let warned: Vec<_> = scenarios
        .iter()
        .filter(|scenario| {
            scenario["findings"]
                .as_array()
                .is_none_or(|all| !all.is_empty())
        })
        .map(|scenario| (&scenario["id"], &scenario["findings"]))
        .collect();
    assert!(warned.is_empty(), "{warned:#?}");
}
