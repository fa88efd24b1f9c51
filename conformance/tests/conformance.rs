//! Every scenario as one test: `cargo test -- --server-url=URL`.
//!
//! Without a URL the reference server is started in the process, and each transcript is compared
//! with its golden one by insta, so that `cargo insta` can record a changed one.

#[path = "../src/connection.rs"]
mod connection;
#[path = "../src/declared.rs"]
mod declared;
#[path = "../src/interrupt.rs"]
#[expect(dead_code, reason = "tests end at once")]
mod interrupt;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use lance_namespace_suite::exit;
use lance_namespace_suite::harness::{Harness, RESULTS, SEED, StartError, Started, by_its_status};
use lance_namespace_suite::play::{Played, Rules, Status};
use lance_namespace_suite::report::terminal;
use lance_namespace_suite::scenario::Tier;
use lance_namespace_suite::target::Target;
use libtest_mimic::{Arguments, Completion, Failed};

use crate::connection::{ConnectError, Connection, Own};

/// The standard arguments of a test binary, and the server to test.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    tests: Arguments,

    #[command(flatten)]
    connection: Connection,

    /// Number that names, bytes and orders come from; a random one without it.
    #[arg(long, value_name = "N", env = SEED)]
    seed: Option<u64>,

    /// Folder for the result of each process.
    #[arg(long, value_name = "DIR", env = RESULTS)]
    results: Option<PathBuf>,
}

/// The command, which serves the reference server where scenarios kill it.
const COMMAND: &str = env!("CARGO_BIN_EXE_lance-namespace-conformance");

fn main() -> ExitCode {
    let args = Args::parse();
    let declared = match args.connection.declared() {
        Ok(declared) => declared,
        Err(ConnectError::Usage(text) | ConnectError::Start(text)) => {
            eprintln!("error: {text}");
            return ExitCode::from(exit::USAGE);
        }
    };
    let connection = declared.connection;
    let named = connection.names_a_server();
    if !named {
        eprintln!("no --server-url: testing the embedded reference server");
    }
    let rules = Rules {
        golden: named,
        claimed: declared.tiers,
        expectations: declared.expectations,
        ..Rules::default()
    };
    Harness::new(args.tests)
        .with_seed(args.seed)
        .with_results(args.results)
        .with_rules(rules)
        .judged_by(if named { by_its_status } else { honest })
        .run(async move || start(&connection).await)
}

async fn start(connection: &Connection) -> Result<Started, StartError> {
    let connected =
        connection
            .connect(Some(Path::new(COMMAND)))
            .await
            .map_err(|error| match error {
                ConnectError::Usage(text) | ConnectError::Start(text) => text,
            })?;
    tokio::spawn(async {
        interrupt::interrupted().await;
        std::process::exit(i32::from(interrupt::INTERRUPTED));
    });
    Ok(match connected.server {
        Own::None => Started::staying(connected.target),
        own => Started::with_stop(connected.target, async || Ok(own.stop().await?)),
    })
}

/// The reference server is to be without any fault, and writes what everybody else is compared with.
fn honest(played: &Played, target: &Target) -> Result<Completion, Failed> {
    match played.status {
        Status::Pass => {
            compare(played);
            Ok(Completion::Completed)
        }
        // Its golden transcripts are recorded against the data plane in selftest/.
        Status::Unsupported if played.scenario.tier == Tier::Data => by_its_status(played, target),
        _ => Err(terminal::scenario_report(played, target).into()),
    }
}

/// Compares a transcript with the golden one, in `suite/snapshots/FAMILY/NAME.snap`.
fn compare(played: &Played) {
    let (family, name) = played
        .scenario
        .id
        .split_once('/')
        .unwrap_or(("", played.scenario.id));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(format!("../suite/snapshots/{family}"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, played.transcript));
}
