//! Runs the suite against the honest server, seed after seed: nothing may be accused. The machine
//! can be put under load meanwhile, and the answers held back.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use axum::Router;
use clap::Parser;
use lance_namespace_selftest::data_plane;
use lance_namespace_selftest::interpose::interpose;
use lance_namespace_selftest::reading::Reading;
use lance_namespace_selftest::readings::{self, taking, wrongs};
use lance_namespace_selftest::trial::patient_trial;
use lance_namespace_suite::plan::Plan;

/// How long a scenario may take: on a loaded machine, or with a delay, much longer than elsewhere.
const PATIENCE: Duration = Duration::from_secs(1800);

/// Runs the suite against the honest server, seed after seed.
#[derive(Debug, Parser)]
struct Args {
    /// How many seeds.
    #[arg(long, default_value_t = 200)]
    seeds: u64,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    from: u64,
    /// Keep all cores busy meanwhile, with twice as many threads.
    #[arg(long)]
    load: bool,
    /// Hold back each request and each answer by so many milliseconds.
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 0)]
    delay: u64,
    /// Only these scenarios, by name or pattern.
    #[arg(long, value_name = "PATTERN")]
    scenario: Vec<String>,
    /// How many scenarios are played at a time.
    #[arg(long, default_value_t = 4)]
    jobs: usize,
    /// Against an honest server that takes this reading of the specification; `all` for each in turn.
    #[arg(long, value_name = "NAME")]
    reading: Vec<String>,
}

impl Args {
    /// The servers to play against, each by the readings that it takes.
    fn servers(&self) -> Result<Vec<Vec<&'static Reading>>, String> {
        let mut servers = Vec::new();
        for name in &self.reading {
            let named = readings::all().filter(|reading| name == "all" || reading.name == name);
            let before = servers.len();
            servers.extend(named.map(|reading| vec![reading]));
            if servers.len() == before {
                let names: Vec<&str> = readings::all().map(|reading| reading.name).collect();
                let names = names.join(", ");
                return Err(format!(
                    "there is no reading {name:?}; these there are: all, {names}"
                ));
            }
        }
        if servers.is_empty() {
            servers.push(Vec::new());
        }
        Ok(servers)
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let args = Args::parse();
    let plan = match Plan::new(&[], &args.scenario) {
        Ok(plan) => plan,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let servers = match args.servers() {
        Ok(servers) => servers,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let busy = Arc::new(AtomicBool::new(args.load));
    let cores = available_parallelism().map_or(1, usize::from);
    for _ in 0..2 * cores {
        let busy = Arc::clone(&busy);
        std::thread::spawn(move || {
            while busy.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        });
    }
    let begun = Instant::now();
    let delay = Duration::from_millis(args.delay);
    let (mut runs, mut played, mut wrong) = (0, 0, 0);
    for readings in servers {
        let name = readings.first().map_or("honest", |reading| reading.name);
        for seed in (args.from..).take(usize::try_from(args.seeds).unwrap_or(usize::MAX)) {
            let wrap = |honest| {
                let honest = taking(readings.iter().copied(), data_plane::over(honest));
                held_back(honest, delay)
            };
            let run = patient_trial(&plan, seed, args.jobs, PATIENCE, wrap).await;
            runs += 1;
            played += run.played.len();
            let wrongs = wrongs(&run, &readings);
            wrong += wrongs.len();
            for line in wrongs {
                println!("{name}, seed {seed}: {line}");
            }
        }
    }
    busy.store(false, Ordering::Relaxed);
    println!(
        "{wrong} false alarms or scenarios not judged, of {played} in {runs} runs ({} s)",
        begun.elapsed().as_secs()
    );
    ExitCode::from(u8::from(wrong > 0 || played == 0))
}

/// A router that takes its time, in both directions.
fn held_back(honest: Router, delay: Duration) -> Router {
    if delay.is_zero() {
        return honest;
    }
    interpose(honest, move |honest, received| async move {
        tokio::time::sleep(delay).await;
        let answer = honest.answer(received).await;
        tokio::time::sleep(delay).await;
        answer
    })
}
