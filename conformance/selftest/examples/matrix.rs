//! Plays the suite against every mutant: `--write` keeps what each scenario caught, `--check`
//! compares with what is kept.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use lance_namespace_selftest::matrix::{
    KEPT, Matrix, Tried, lapses, shortcomings, summary, try_all,
};
use lance_namespace_selftest::mutant::Mutant;
use lance_namespace_selftest::mutants;
use lance_namespace_suite::plan::Plan;

/// Plays the suite against every mutant.
#[derive(Debug, Parser)]
struct Args {
    /// Keep what was caught in matrix.txt.
    #[arg(long, conflicts_with_all = ["check", "mutant", "scenario"])]
    write: bool,
    /// Compare with matrix.txt.
    #[arg(long, conflicts_with = "scenario")]
    check: bool,
    /// Only these mutants, in detail.
    #[arg(long, value_name = "NAME")]
    mutant: Vec<String>,
    /// Only these scenarios, by name or pattern.
    #[arg(long, value_name = "PATTERN")]
    scenario: Vec<String>,
    /// With how many seeds each is played: 2 where the matrix is written, else 1, if not given.
    #[arg(long)]
    seeds: Option<usize>,
    /// How many mutants are played at a time.
    #[arg(long, default_value_t = 3)]
    jobs: usize,
}

#[tokio::main]
async fn main() -> ExitCode {
    let args = Args::parse();
    let seeds = args.seeds.unwrap_or(if args.write { 2 } else { 1 });
    let plan = match Plan::new(&[], &args.scenario) {
        Ok(plan) => plan,
        Err(error) => return refused(&error.to_string()),
    };
    let named = |mutant: &&Mutant| {
        args.mutant.is_empty() || args.mutant.iter().any(|name| name == mutant.name)
    };
    let chosen: Vec<&'static Mutant> = mutants::all().filter(named).collect();
    if chosen.is_empty() || seeds == 0 {
        return refused("there is nothing to play");
    }
    let begun = Instant::now();
    let tried = try_all(chosen, &plan, seeds, args.jobs, tell).await;
    let mut wrong = Vec::new();
    // Some of the mutants or scenarios alone say nothing of the others.
    if args.mutant.is_empty() && args.scenario.is_empty() {
        wrong.extend(shortcomings(&tried));
    } else {
        in_detail(&tried, seeds);
    }
    if args.check {
        match Matrix::read(KEPT) {
            Ok(kept) => wrong.extend(lapses(&kept, &tried).await),
            Err(line) => wrong.push(format!("matrix.txt cannot be read: {line}")),
        }
    }
    if args.write {
        let rows = tried
            .iter()
            .map(|(name, tried)| ((*name).to_owned(), tried.row(seeds)));
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("matrix.txt");
        if let Err(error) = std::fs::write(&path, Matrix(rows.collect()).to_string()) {
            return refused(&format!("matrix.txt cannot be written: {error}"));
        }
    }
    for line in &wrong {
        println!("{line}");
    }
    let seconds = begun.elapsed().as_secs();
    println!("{} ({seeds} seeds, {seconds} s)", summary(&tried));
    ExitCode::from(u8::from(!wrong.is_empty()))
}

fn refused(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::from(2)
}

fn tell(mutant: &Mutant, tried: &Tried) {
    let judged = if tried.faults.is_empty() {
        ""
    } else {
        ", judged wrongly"
    };
    eprintln!(
        "{}: caught by {} scenarios{judged}",
        mutant.name,
        tried.caught.len()
    );
}

fn in_detail(tried: &BTreeMap<&'static str, Tried>, seeds: usize) {
    for (name, tried) in tried {
        println!("{name}");
        for (scenario, times) in &tried.caught {
            let report = tried.reports.get(scenario).map_or("", String::as_str);
            println!("  {times} of {seeds}: {scenario}: {report}");
        }
        for line in &tried.faults {
            println!("  {line}");
        }
    }
}
