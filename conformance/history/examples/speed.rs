//! Makes honest histories of more and more operations, judges them, and prints how long that takes.
//!
//! `cargo run --release -p lance-namespace-history --example speed [OPERATIONS...]`

#[path = "../simulate/large.rs"]
mod large;
#[path = "../simulate/mod.rs"]
mod simulate;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use fastrand::Rng;
use lance_namespace_history::{Verdict, check, format};
use simulate::workload::{self, Workload};

fn main() -> ExitCode {
    let arguments = std::env::args().skip(1).map_while(|each| each.parse().ok());
    let mut sizes: Vec<usize> = arguments.collect();
    if sizes.is_empty() {
        sizes = vec![10_000, 30_000, 100_000, 300_000, 1_000_000];
    }
    let mut is_right = true;
    for (mix, workload) in [
        ("without deletes", Workload::large(64, 0).without_deletes()),
        ("with clean-up", Workload::large(64, 0).with_clean_up()),
    ] {
        for &operations in &sizes {
            let workload = Workload {
                operations,
                ..workload.clone()
            };
            is_right &= measure(mix, &workload);
        }
    }
    println!(
        "peak memory of this program, the text of the largest history included: {}",
        peak()
    );
    if is_right {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn measure(mix: &str, workload: &Workload) -> bool {
    let history = workload::history(workload, &mut Rng::with_seed(1));
    let mut lines = Vec::new();
    format::write(&history, &mut lines).expect("memory can be written");
    drop(history);
    let (reading, history) = timed(|| format::read(lines.as_slice()));
    let history = history.expect("what was written can be read");
    let (checking, verdict) = timed(|| check(&history));
    let verdict = match verdict {
        Verdict::Consistent { .. } => "consistent".to_owned(),
        other => format!("{other:?}").chars().take(2_000).collect(),
    };
    println!(
        "{:>9} operations by {} clients, {mix}: checked in {:.2} s ({:.2} us each), read from {:.0} MB in {:.2} s: {verdict}",
        history.operations.len(),
        workload.clients,
        checking.as_secs_f64(),
        checking.as_secs_f64() * 1e6 / history.operations.len() as f64,
        lines.len() as f64 / 1e6,
        reading.as_secs_f64(),
    );
    verdict == "consistent"
}

/// How long a processor works on it, where the system tells; else, how long it takes.
fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let (started, worked) = (Instant::now(), processor_time());
    let done = work();
    match (worked, processor_time()) {
        (Some(before), Some(after)) => (after - before, done),
        _ => (started.elapsed(), done),
    }
}

fn processor_time() -> Option<Duration> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = told.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

/// The most memory that the program had, where the system tells.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |line| line.trim().to_owned())
}
