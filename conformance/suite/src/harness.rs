//! The scenarios as tests in the repository of a server: one test a scenario, with filters, `--list`,
//! `--exact` and `--test-threads` as usual, and under nextest.
//!
//! The test target starts the server, in its own process if it likes. In `Cargo.toml`:
//!
//! ```toml
//! [dev-dependencies]
//! lance-namespace-suite = { version = "0.1", features = ["harness"] }
//!
//! [[test]]
//! name = "conformance"
//! harness = false
//! ```
//!
//! and in `tests/conformance.rs`:
//!
//! ```no_run
//! # mod my_server {
//! #     pub struct Server;
//! #     impl Server { pub fn url(&self) -> String { String::new() } }
//! #     pub async fn start() -> std::io::Result<Server> { Ok(Server) }
//! # }
//! use std::process::ExitCode;
//!
//! use lance_namespace_suite::harness::{Harness, Started};
//! use lance_namespace_suite::target::Target;
//!
//! fn main() -> ExitCode {
//!     Harness::from_args().run(async || {
//!         let server = my_server::start().await?;
//!         Ok(Started::new(Target::new(&server.url())?, server))
//!     })
//! }
//! ```

use std::error::Error;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use futures::FutureExt;
use futures::future::BoxFuture;
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use tokio::runtime::Runtime;

use crate::exit;
use crate::play::{Played, Rules, Status, play_patiently};
use crate::report::terminal;
use crate::scenario::Scenario;
use crate::scenarios;
use crate::session::{Session, random_seed};
use crate::target::Target;

/// What starting a server can fail with.
pub type StartError = Box<dyn Error + Send + Sync>;

/// The environment variable with the seed that names, bytes and orders come from.
pub const SEED: &str = "LANCE_NAMESPACE_SEED";

type Stop = Box<dyn FnOnce() -> BoxFuture<'static, Result<(), StartError>> + Send>;

/// A server to test.
pub struct Started {
    target: Target,
    stop: Option<Stop>,
}

impl Started {
    /// A server that is dropped when all is tested.
    #[must_use]
    pub fn new(target: Target, server: impl Send + 'static) -> Self {
        Self::with_stop(target, async || {
            drop(server);
            Ok(())
        })
    }

    /// A server that is stopped so when all is tested.
    pub fn with_stop<F>(target: Target, stop: impl FnOnce() -> F + Send + 'static) -> Self
    where
        F: Future<Output = Result<(), StartError>> + Send + 'static,
    {
        Self {
            target,
            stop: Some(Box::new(|| stop().boxed())),
        }
    }

    /// A server that was there before and stays: what the tests cannot remove from it is an error.
    #[must_use]
    pub fn staying(target: Target) -> Self {
        Self { target, stop: None }
    }
}

/// How a scenario that was played counts as a test.
pub type Judge = fn(&Played, &Target) -> Result<Completion, Failed>;

/// The test target.
pub struct Harness {
    arguments: Arguments,
    seed: Option<u64>,
    rules: Rules,
    judge: Judge,
}

impl Harness {
    /// With the arguments of this process, and the seed of the environment. Ends the process where
    /// either is wrong.
    #[must_use]
    pub fn from_args() -> Self {
        let seed = std::env::var(SEED).ok().map(|text| {
            text.parse().unwrap_or_else(|_| {
                eprintln!(
                    "error: {SEED} is {text:?}, and a seed is a number from 0 to {}",
                    u64::MAX
                );
                std::process::exit(i32::from(exit::USAGE))
            })
        });
        Self::new(Arguments::from_args()).with_seed(seed)
    }

    /// With these arguments.
    #[must_use]
    pub fn new(arguments: Arguments) -> Self {
        Self {
            arguments,
            seed: None,
            rules: Rules::default(),
            judge: by_its_status,
        }
    }

    /// With this seed; none is a random one.
    #[must_use]
    pub fn with_seed(mut self, seed: Option<u64>) -> Self {
        self.seed = seed;
        self
    }

    /// With these rules: the tiers that the server claims, the failures that are known, how long a
    /// scenario may take.
    #[must_use]
    pub fn with_rules(mut self, rules: Rules) -> Self {
        self.rules = rules;
        self
    }

    /// With another judge than [`by_its_status`].
    #[must_use]
    pub fn judged_by(mut self, judge: Judge) -> Self {
        self.judge = judge;
        self
    }

    /// Runs the tests. The server is started by the first that is run, so that `--list` needs none.
    pub fn run<F>(self, start: impl FnOnce() -> F + Send + 'static) -> ExitCode
    where
        F: Future<Output = Result<Started, StartError>>,
    {
        let runtime = match Runtime::new() {
            Ok(runtime) => runtime,
            Err(error) => return inconclusive(&format!("no threads can be started: {error}")),
        };
        let seed = self.seed.unwrap_or_else(random_seed);
        let opening = move |runtime: &Runtime| runtime.block_on(Opened::new(start, seed));
        let shared = Arc::new(Shared {
            runtime,
            opening: Mutex::new(Some(Box::new(opening))),
            opened: OnceLock::new(),
            rules: self.rules,
            judge: self.judge,
        });
        let trials = scenarios::all().map(|(number, scenario)| {
            let shared = Arc::clone(&shared);
            Trial::ignorable_test(scenario.id, move || shared.test(number, scenario))
        });
        let conclusion = libtest_mimic::run(&self.arguments, trials.collect());
        if conclusion.has_failed() {
            eprintln!("{SEED}={seed} plays the same again");
        }
        match shared.close() {
            Ok(()) => conclusion.exit_code(),
            Err(left) => inconclusive(&left),
        }
    }
}

/// Passes and warnings pass, and say what they warn of; what the server lacks, or the run was not
/// given, is ignored with the reason; everything else fails with its report.
///
/// # Errors
///
/// The report of what is broken.
pub fn by_its_status(played: &Played, target: &Target) -> Result<Completion, Failed> {
    match played.status {
        Status::Pass => Ok(Completion::Completed),
        Status::Warn => {
            print!("{}", terminal::scenario_report(played, target));
            Ok(Completion::Completed)
        }
        Status::Unsupported => {
            let reason = played.reason.as_deref().unwrap_or("unsupported");
            Ok(Completion::ignored_with(reason))
        }
        _ => Err(terminal::scenario_report(played, target).into()),
    }
}

fn inconclusive(why: &str) -> ExitCode {
    eprintln!("error: {why}");
    ExitCode::from(exit::INCONCLUSIVE)
}

type Opening = Box<dyn FnOnce(&Runtime) -> Result<Opened, String> + Send>;

/// What all tests share.
struct Shared {
    runtime: Runtime,
    opening: Mutex<Option<Opening>>,
    opened: OnceLock<Result<Opened, String>>,
    rules: Rules,
    judge: Judge,
}

struct Opened {
    session: Arc<Session>,
    stop: Mutex<Option<Stop>>,
}

impl Opened {
    async fn new<F>(start: impl FnOnce() -> F, seed: u64) -> Result<Self, String>
    where
        F: Future<Output = Result<Started, StartError>>,
    {
        let started = start().await.map_err(|error| error.to_string())?;
        let session = Session::open(started.target, seed).await;
        Ok(Self {
            session: session.map_err(|error| error.to_string())?,
            stop: Mutex::new(started.stop),
        })
    }
}

impl Shared {
    fn test(&self, number: usize, scenario: &'static Scenario) -> Result<Completion, Failed> {
        let claimed = &self.rules.claimed;
        if !claimed.is_empty() && !claimed.contains(&scenario.tier) {
            let reason = format!("the tier {} is not claimed", scenario.tier);
            return Ok(Completion::ignored_with(reason));
        }
        let opened = self.opened.get_or_init(|| {
            let mut opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
            match opening.take() {
                Some(opening) => opening(&self.runtime),
                None => Err("the server did not start".to_owned()),
            }
        });
        let session = &opened.as_ref().map_err(Failed::from)?.session;
        let given = session.target().given();
        if let Some(lacks) = scenario.given.iter().find(|needed| !given.contains(needed)) {
            let reason = format!("left out for want of {}", lacks.flag());
            return Ok(Completion::ignored_with(reason));
        }
        let played = play_patiently(session, scenario, number, &self.rules);
        let played = self.runtime.block_on(played);
        if let (Some(_), Some(reason)) = (played.lacks, &played.reason) {
            return Ok(Completion::ignored_with(reason));
        }
        if let Some(reason) = self.rules.expectations.accepts(&played) {
            return Ok(Completion::ignored_with(format!("known failure: {reason}")));
        }
        (self.judge)(&played, session.target())
    }

    /// Removes what the tests made, and stops the server.
    fn close(&self) -> Result<(), String> {
        let Some(Ok(opened)) = self.opened.get() else {
            return Ok(());
        };
        let leftovers = self.runtime.block_on(opened.session.clean_up());
        let stop = opened
            .stop
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(stop) = stop {
            let stopped = self.runtime.block_on(async { stop().await });
            return stopped.map_err(|error| error.to_string());
        }
        if leftovers.left.is_empty() {
            return Ok(());
        }
        let run = opened.session.run();
        let left = leftovers.left.join(", ");
        Err(format!("the run {run} left this behind: {left}"))
    }
}
