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
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Instant, SystemTime};

use futures::FutureExt;
use futures::future::BoxFuture;
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use tokio::runtime::Runtime;

use crate::exit;
use crate::part::Part;
use crate::plan::{LeftOut, Plan};
use crate::play::{Played, Rules, Status, play_patiently};
use crate::report::terminal;
use crate::result::RunResult;
use crate::run::Ended;
use crate::scenario::Scenario;
use crate::scenarios;
use crate::session::{Session, random_seed};
use crate::target::Target;

/// What starting a server can fail with.
pub type StartError = Box<dyn Error + Send + Sync>;

/// The environment variable with the seed that names, bytes and orders come from.
pub const SEED: &str = "LANCE_NAMESPACE_SEED";

/// The environment variable with the folder that results are written to: one of each process that runs
/// tests, for `lance-namespace-conformance merge`.
pub const RESULTS: &str = "LANCE_NAMESPACE_RESULTS";

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
    results: Option<PathBuf>,
}

impl Harness {
    /// With the arguments of this process, and the seed and the folder for results of the environment. Ends the process where
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
        let results = std::env::var_os(RESULTS).map(PathBuf::from);
        Self::new(Arguments::from_args())
            .with_seed(seed)
            .with_results(results)
    }

    /// With these arguments.
    #[must_use]
    pub fn new(arguments: Arguments) -> Self {
        Self {
            arguments,
            seed: None,
            rules: Rules::default(),
            judge: by_its_status,
            results: None,
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

    /// With a folder for the results, which is made where there is none. It needs a seed, too: the results
    /// of several processes, such as those of nextest, are parts of one run only if all have the same.
    #[must_use]
    pub fn with_results(mut self, folder: Option<PathBuf>) -> Self {
        self.results = folder;
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
        if self.results.is_some() && self.seed.is_none() {
            eprintln!("error: {RESULTS} needs {SEED}: parts of one run have one seed");
            return ExitCode::from(exit::USAGE);
        }
        let seed = self.seed.unwrap_or_else(random_seed);
        let opening = move |runtime: &Runtime| runtime.block_on(Opened::new(start, seed));
        let shared = Arc::new(Shared {
            runtime,
            opening: Mutex::new(Some(Box::new(opening))),
            opened: OnceLock::new(),
            rules: self.rules,
            judge: self.judge,
            results: self.results,
            told: Mutex::default(),
            began: (SystemTime::now(), Instant::now()),
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
    results: Option<PathBuf>,
    told: Mutex<Told>,
    began: (SystemTime, Instant),
}

/// What the tests of this process came to.
#[derive(Default)]
struct Told {
    played: Vec<(usize, Played)>,
    left_out: Vec<LeftOut>,
}

struct Opened {
    session: Arc<Session>,
    started: bool,
    stop: Mutex<Option<Stop>>,
}

impl Opened {
    async fn new<F>(start: impl FnOnce() -> F, seed: u64) -> Result<Self, String>
    where
        F: Future<Output = Result<Started, StartError>>,
    {
        let started = start().await.map_err(|error| error.to_string())?;
        // Each process that runs tests may play against one server, with one seed.
        let run = Part::run_name(None, seed);
        let session = Session::open_as(started.target, seed, run).await;
        Ok(Self {
            started: started.stop.is_some(),
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
        if let Some(&lacks) = scenario.given.iter().find(|needed| !given.contains(needed)) {
            self.told(|told| told.left_out.push(LeftOut { scenario, lacks }));
            let reason = format!("left out for want of {}", lacks.flag());
            return Ok(Completion::ignored_with(reason));
        }
        let played = play_patiently(session, scenario, number, &self.rules);
        let played = self.runtime.block_on(played);
        if self.results.is_some() {
            self.told(|told| told.played.push((number, played.clone())));
        }
        if let (Some(_), Some(reason)) = (played.lacks, &played.reason) {
            return Ok(Completion::ignored_with(reason));
        }
        if let Some(reason) = self.rules.expectations.accepts(&played) {
            return Ok(Completion::ignored_with(format!("known failure: {reason}")));
        }
        (self.judge)(&played, session.target())
    }

    fn told(&self, add: impl FnOnce(&mut Told)) {
        add(&mut self.told.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Writes the result of what was played. The file's name is that of the scenarios, so that what is
    /// played again takes the place of what was played before.
    fn write_result(&self, folder: &Path, opened: &Opened) -> Result<(), String> {
        let told = std::mem::take(&mut *self.told.lock().unwrap_or_else(PoisonError::into_inner));
        let Told { played, left_out } = told;
        let names = played.iter().map(|(_, played)| played.scenario.id);
        let names: Vec<&str> = names
            .chain(left_out.iter().map(|left_out| left_out.scenario.id))
            .collect();
        let Some(first) = names.first() else {
            return Ok(());
        };
        let mut file = first.replace('/', ".");
        let whole = Plan::new(&self.rules.claimed, &[]).map_err(|error| error.to_string())?;
        let mut asked_for = whole.clone();
        asked_for.retain(|scenario| names.contains(&scenario.id));
        if names.len() > 1 {
            file = format!("{file}.and-{}-more", names.len() - 1);
        }
        let target = opened.session.target();
        let started = opened.started.then(|| "the tests".to_owned());
        let rules = Rules {
            part: Some(Part {
                shard: None,
                whole,
                started_by: started,
            }),
            ..self.rules.clone()
        };
        let ended = Ended {
            url: target.display_url(),
            began: self.began.0,
            begun: self.began.1,
            asked_for: asked_for.names(),
            left_out,
            played,
            soak: None,
        };
        let run = self
            .runtime
            .block_on(ended.conclude(&opened.session, &rules));
        let json = RunResult::new(&run, target).sealed().json();
        let path = folder.join(format!("{file}.json"));
        let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, json));
        written.map_err(|error| format!("{} cannot be written: {error}", path.display()))
    }

    /// Writes the result, removes what the tests made, and stops the server.
    fn close(&self) -> Result<(), String> {
        let Some(Ok(opened)) = self.opened.get() else {
            return Ok(());
        };
        let written = match &self.results {
            Some(folder) => self.write_result(folder, opened),
            None => Ok(()),
        };
        let leftovers = self.runtime.block_on(opened.session.clean_up());
        let stop = opened
            .stop
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(stop) = stop {
            let stopped = self.runtime.block_on(async { stop().await });
            return stopped.map_err(|error| error.to_string()).and(written);
        }
        if leftovers.left.is_empty() {
            return written;
        }
        let run = opened.session.run();
        let left = leftovers.left.join(", ");
        Err(format!("the run {run} left this behind: {left}"))
    }
}
