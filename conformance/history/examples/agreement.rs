//! Puts random small histories to the checker and to stateright, and prints how often they agree.
//!
//! `cargo run --release -p lance-namespace-history --example agreement [HISTORIES [SEED]]`

#[path = "../oracle/mod.rs"]
mod oracle;
#[path = "../simulate/mod.rs"]
mod simulate;
#[path = "../simulate/small.rs"]
mod small;

use std::process::ExitCode;
use std::time::Instant;

use small::Agreement;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map_while(|each| each.parse().ok());
    let count = arguments.next().unwrap_or(10_000);
    let seed = arguments.next().unwrap_or(0);
    let started = Instant::now();
    let mut agreement = Agreement::default();
    for number in 0..count {
        let history = small::history(seed + number);
        agreement.judge(seed + number, &history, oracle::is_linearizable(&history));
    }
    println!("{agreement} ({:.1} s)", started.elapsed().as_secs_f64());
    for line in agreement.disagreements.iter().take(10) {
        println!("{line}");
    }
    if agreement.disagreements.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
