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
use lance_namespace_selftest::judgement::report;
use lance_namespace_selftest::trial::patient_trial;
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::play::Status;

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
    let (mut played, mut accused, mut unjudged) = (0, 0, 0);
    for seed in (args.from..).take(usize::try_from(args.seeds).unwrap_or(usize::MAX)) {
        let wrap = |honest| held_back(data_plane::over(honest), delay);
        let run = patient_trial(&plan, seed, args.jobs, PATIENCE, wrap).await;
        let with = |statuses: &[Status]| {
            let of = run
                .played
                .iter()
                .filter(|played| statuses.contains(&played.status));
            of.count()
        };
        played += run.played.len();
        accused += with(&[Status::Fail, Status::Warn]);
        unjudged += with(&[Status::Error, Status::Unsupported]);
        for line in report(&run) {
            println!("seed {seed}: {line}");
        }
    }
    busy.store(false, Ordering::Relaxed);
    println!(
        "{accused} false alarms and {unjudged} scenarios not judged, of {played} in {} runs ({} s)",
        args.seeds,
        begun.elapsed().as_secs()
    );
    ExitCode::from(u8::from(accused + unjudged > 0 || played == 0))
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
