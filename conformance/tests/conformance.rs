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

use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use clap::Parser;
use lance_namespace_suite::exit;
use lance_namespace_suite::play::{Played, Rules, Status, play_patiently};
use lance_namespace_suite::report::terminal;
use lance_namespace_suite::scenario::{Scenario, Tier};
use lance_namespace_suite::scenarios;
use lance_namespace_suite::session::{Session, random_seed};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use tokio::runtime::Runtime;

use crate::connection::{ConnectError, Connection, Own};
use crate::declared::Declared;

/// The standard arguments of a test binary, and the server to test.
#[derive(Parser, Clone)]
struct Args {
    #[command(flatten)]
    tests: Arguments,

    #[command(flatten)]
    connection: Connection,

    /// Number that names, bytes and orders come from; a random one without it.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Runtime::new().expect("a machine that runs tests has threads"));

/// The command, which serves the reference server where scenarios kill it.
const COMMAND: &str = env!("CARGO_BIN_EXE_lance-namespace-conformance");

/// What all tests share; opened by the first one, so that `--list` needs no server.
struct Opened {
    session: Arc<Session>,
    server: Mutex<Own>,
}

static OPENED: OnceLock<Result<Opened, String>> = OnceLock::new();

fn main() -> ExitCode {
    let mut args = Args::parse();
    let declared = match args.connection.declared() {
        Ok(declared) => declared,
        Err(ConnectError::Usage(text) | ConnectError::Start(text)) => {
            eprintln!("error: {text}");
            return ExitCode::from(exit::USAGE);
        }
    };
    args.connection = declared.connection.clone();
    let declared = Arc::new(declared);
    if !args.connection.names_a_server() {
        eprintln!("no --server-url: testing the embedded reference server");
    }
    let trials = scenarios::all()
        .map(|(number, scenario)| {
            let (args, declared) = (args.clone(), Arc::clone(&declared));
            Trial::ignorable_test(scenario.id, move || {
                test(&args, &declared, number, scenario)
            })
        })
        .collect();
    let conclusion = libtest_mimic::run(&args.tests, trials);
    match close() {
        Ok(()) => conclusion.exit_code(),
        Err(left) => {
            eprintln!("error: {left}");
            ExitCode::from(exit::INCONCLUSIVE)
        }
    }
}

fn test(
    args: &Args,
    declared: &Declared,
    number: usize,
    scenario: &'static Scenario,
) -> Result<Completion, Failed> {
    if !declared.tiers.is_empty() && !declared.tiers.contains(&scenario.tier) {
        let reason = format!("the tier {} is not claimed", scenario.tier);
        return Ok(Completion::ignored_with(reason));
    }
    let opened = OPENED.get_or_init(|| RUNTIME.block_on(open(args)));
    let session = &opened.as_ref().map_err(Failed::from)?.session;
    let given = session.target().given();
    if let Some(lacks) = scenario.given.iter().find(|needed| !given.contains(needed)) {
        let reason = format!("left out for want of {}", lacks.flag());
        return Ok(Completion::ignored_with(reason));
    }
    let recording = !args.connection.names_a_server();
    let rules = Rules {
        golden: !recording,
        claimed: declared.tiers.clone(),
        expectations: declared.expectations.clone(),
        ..Rules::default()
    };
    let played = RUNTIME.block_on(play_patiently(session, scenario, number, &rules));
    if let (Some(_), Some(reason)) = (played.lacks, &played.reason) {
        return Ok(Completion::ignored_with(reason.clone()));
    }
    if let Some(reason) = declared.expectations.accepts(&played) {
        return Ok(Completion::ignored_with(format!("known failure: {reason}")));
    }
    if recording && matches!(played.status, Status::Pass) {
        compare(&played);
    }
    match played.status {
        Status::Pass => Ok(Completion::Completed),
        // The reference server is to be without any fault.
        Status::Warn if !recording => {
            print!("{}", terminal::scenario_report(&played, session.target()));
            Ok(Completion::Completed)
        }
        // Its golden transcripts are recorded against the data plane in selftest/.
        Status::Unsupported if !recording || scenario.tier == Tier::Data => Ok(
            Completion::ignored_with(played.reason.unwrap_or_else(|| "unsupported".to_owned())),
        ),
        _ => Err(terminal::scenario_report(&played, session.target()).into()),
    }
}

async fn open(args: &Args) -> Result<Opened, String> {
    let connected = args
        .connection
        .connect(Some(Path::new(COMMAND)))
        .await
        .map_err(|error| match error {
            ConnectError::Usage(text) | ConnectError::Start(text) => text,
        })?;
    tokio::spawn(async {
        interrupt::interrupted().await;
        std::process::exit(i32::from(interrupt::INTERRUPTED));
    });
    let seed = args.seed.unwrap_or_else(random_seed);
    let session = Session::open(connected.target, seed)
        .await
        .map_err(|error| error.to_string())?;
    Ok(Opened {
        session,
        server: Mutex::new(connected.server),
    })
}

/// Removes what the tests made.
fn close() -> Result<(), String> {
    let Some(Ok(opened)) = OPENED.get() else {
        return Ok(());
    };
    let leftovers = RUNTIME.block_on(opened.session.clean_up());
    let mut server = opened.server.lock().unwrap_or_else(PoisonError::into_inner);
    let server = std::mem::replace(&mut *server, Own::None);
    let stays = matches!(server, Own::None);
    RUNTIME
        .block_on(server.stop())
        .map_err(|error| error.to_string())?;
    if leftovers.left.is_empty() || !stays {
        return Ok(());
    }
    Err(format!(
        "the run {} left this behind: {}",
        opened.session.run(),
        leftovers.left.join(", ")
    ))
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
