//! What the command says and how it exits.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use lance_namespace_selftest::interpose::{interpose, ok};
use lance_namespace_selftest::mutants;
use lance_namespace_selftest::trial::serve;
use serde_json::{Value, json};

/// What cargo has built: another package's tests have no other way to its command. Built as
/// `cargo test --workspace` builds it, which then has nothing left to do.
static BUILT: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let mut cargo = Command::new(env!("CARGO"));
    // What cargo says of this package to its tests would make build scripts that look at it run again,
    // and with them most of the workspace.
    for (name, _) in std::env::vars_os() {
        let about = name.to_string_lossy();
        if about.starts_with("CARGO_PKG_") || about.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(&name);
        }
    }
    let built = cargo
        .args([
            "test",
            "--workspace",
            "--no-run",
            "--message-format",
            "json",
        ])
        .output()
        .unwrap();
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    let text = String::from_utf8(built.stdout).unwrap();
    let messages = text.lines();
    messages
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
});

/// The program that was built of a target of this kind and name.
fn program(kind: &str, name: &str) -> PathBuf {
    let mut messages = BUILT.iter();
    messages
        .find_map(|message| {
            let target = &message["target"];
            let is_it = target["name"] == name
                && target["kind"] == json!([kind])
                && message["profile"]["test"] == (kind != "bin");
            let executable = message["executable"].as_str().filter(|_| is_it)?;
            Some(PathBuf::from(executable))
        })
        .unwrap()
}

/// The command.
pub(crate) static COMMAND: LazyLock<PathBuf> =
    LazyLock::new(|| program("bin", "lance-namespace-conformance"));

/// The scenarios as tests.
pub(crate) static TESTS: LazyLock<PathBuf> = LazyLock::new(|| program("test", "conformance"));

pub(crate) fn run(args: &[&str]) -> Output {
    let mut command = Command::new(&*COMMAND);
    for variable in [
        "SERVER_URL",
        "SERVER_CMD",
        "API_KEY",
        "BEARER_TOKEN",
        "HEADERS",
        "BAD_CREDENTIALS",
        "PARENT",
        "CONFIG",
    ] {
        command.env_remove(format!("LANCE_NAMESPACE_{variable}"));
    }
    command.args(args).output().unwrap()
}

#[track_caller]
pub(crate) fn exits(args: &[&str], code: i32, says: &str) {
    let output = run(args);
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
    assert!(text.contains(says), "{args:?}: {text}");
}

#[test]
fn a_conformant_server_exits_0() {
    let scenario = "put-if-not-exists/second-create-is-refused";
    exits(
        &["--scenario", scenario, "--seed", "1"],
        0,
        "verdict: conformant",
    );
    exits(&["run", "--scenario", scenario], 0, "1 planned, 1 executed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_violation_exits_1_with_the_sentence_and_a_curl_command() {
    let broken = mutants::all()
        .find(|mutant| mutant.name == "create-overwrites")
        .unwrap();
    let served = serve(broken.wrap).await;
    let scenario = "put-if-not-exists/second-create-is-refused";
    let args = ["--server-url", served.url(), "--scenario", scenario];
    let statement = "Creating a version that exists, with another manifest, answers 409";
    exits(&args, 1, statement);
    exits(&args, 1, "curl -i -X POST 'http://127.0.0.1:");
    exits(&args, 1, "verdict: violation");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tier_that_is_claimed_and_missing_exits_1_and_one_that_is_only_missing_3() {
    let served = serve(without_versions).await;
    let scenario = "put-if-not-exists/second-create-is-refused";
    let mut args = vec!["--server-url", served.url(), "--scenario", scenario];
    exits(&args, 3, "unsupported: nothing is certified");
    args.extend(["--tier", "versions"]);
    exits(&args, 1, "since the tier versions is claimed");
}

/// A server that says of versions what it has to say of what it lacks.
fn without_versions(honest: Router) -> Router {
    interpose(honest, async |honest, received| {
        if received.table("/version/create").is_none() {
            return honest.answer(received).await;
        }
        let body = json!({ "code": 0, "error": "no versions here" });
        (StatusCode::NOT_ACCEPTABLE, ok(&body)).into_response()
    })
}

#[test]
fn a_wrong_command_line_exits_2() {
    exits(&["--nope"], 2, "--nope");
    exits(&["--server-url", "ftp://host"], 2, "http://127.0.0.1:2333");
    exits(&["--tier", "nope"], 2, "the tiers are basic");
    exits(&["--header", "no colon or value\u{7f}"], 2, "header");
    exits(&["--namespace", "a$$b"], 2, "delimiter");
    exits(
        &["--json", "/nowhere/at/all.json"],
        2,
        "/nowhere/at/all.json",
    );
    exits(&["--jobs", "0"], 2, "jobs");
    exits(&["explain", "nope"], 2, "list");
}

#[test]
fn where_nothing_can_be_said_it_exits_3() {
    // Bound and dropped: nothing listens there.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let url = format!("http://127.0.0.1:{port}");
    exits(&["--server-url", &url], 3, "nothing answers");
    exits(
        &["cleanup", "abc", "--server-url", &url],
        3,
        "nothing answers",
    );
    exits(&["--scenario", "nope*"], 3, "no scenario matches nope*");
    let elsewhere = ["--tier", "data", "--scenario", "ordering/*"];
    exits(
        &elsewhere,
        3,
        "no scenario matches ordering/* and tier data",
    );
}

#[test]
fn the_result_has_the_whole_plan() {
    let file = std::env::temp_dir().join(format!("result-{}.json", std::process::id()));
    let path = file.to_str().unwrap();
    let scenario = "put-if-not-exists/*-is-there";
    exits(
        &["--scenario", scenario, "--seed", "5", "--json", path],
        0,
        "verdict",
    );
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let result: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(result["schema"], 3);
    assert_eq!(result["verdict"], "conformant");
    assert_eq!(result["planned"], result["executed"]);
    assert_eq!(result["seed"], 5);
    assert_eq!(result["server"]["tiers"]["versions"], "conformant");
    let scenarios = result["scenarios"].as_array().unwrap();
    assert_eq!(scenarios.len(), result["planned"]);
    assert_eq!(scenarios[0]["status"], "pass");
    assert_eq!(scenarios[0]["requirements"][0], "VER-1");
}

#[test]
fn a_report_is_a_page_and_the_result_that_it_shows() {
    let folder = std::env::temp_dir().join(format!("report-{}", std::process::id()));
    let path = folder.to_str().unwrap();
    let scenario = "put-if-not-exists/second-create-is-refused";
    exits(&["--scenario", scenario, "--report", path], 0, "verdict");
    let result = std::fs::read_to_string(folder.join("result.json")).unwrap();
    let page = std::fs::read_to_string(folder.join("report.html")).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let result: Value = serde_json::from_str(&result).unwrap();
    assert_eq!(result["scenarios"][0]["id"], scenario);
    assert!(page.contains("conformant") && page.contains(scenario));
    exits(&["--report", "/dev/null/x"], 2, "/dev/null/x");
}

#[test]
fn a_soak_takes_the_time_that_it_is_given_and_says_what_it_measured() {
    let begun = Instant::now();
    let scenario = "histories/drop-of-a-namespace-races-declares";
    let args = ["--scenario", scenario, "--duration", "2s"];
    exits(&args, 0, "What the whole run measured");
    let took = begun.elapsed();
    assert!(took >= Duration::from_secs(2), "{took:?}");
    // On a machine with much else to do the first round alone may take longer than the time given.
    assert!(took < Duration::from_secs(60), "{took:?}");
    exits(&args, 0, "DropNamespace");
}

#[test]
fn a_time_that_is_none_exits_2_and_so_does_a_soak_of_nothing() {
    exits(&["--duration", "soon"], 2, "--duration");
    exits(&["--duration", "5"], 2, "--duration");
    exits(&["--duration", "0s"], 2, "longer than nothing");
    let scenario = "put-if-not-exists/second-create-is-refused";
    exits(
        &["--scenario", scenario, "--duration", "2s"],
        2,
        "histories/*",
    );
}

#[test]
fn histories_are_kept_and_judged_again() {
    let directory = std::env::temp_dir().join(format!("histories-{}", std::process::id()));
    let path = directory.to_str().unwrap();
    let scenario = "put-if-not-exists/one-winner-of-two-naming-schemes";
    let args = ["--scenario", scenario, "--history", path];
    exits(&args, 0, "verdict: conformant");
    let history = directory.join("put-if-not-exists.one-winner-of-two-naming-schemes.jsonl");
    let said = "one order explains";
    exits(&["check", history.to_str().unwrap()], 0, said);
    exits(&args, 2, "is not empty: name another directory");
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn a_broken_history_is_told_in_words() {
    let history = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/range-deleted-one-by-one.jsonl"
    );
    exits(&["check", history], 1, "to delete versions 3 to 38 of t");
    exits(&["check", history], 1, "No order explains these answers");
}
