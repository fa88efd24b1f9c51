//! Plays the suite against every mutant: `--write` keeps what each scenario caught, `--check`
//! compares with what is kept.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use lance_namespace_selftest::broken::Broken;
use lance_namespace_selftest::matrix::{Matrix, Trials, Tried, lapses, shortcomings, summary};
use lance_namespace_selftest::mutants::recovery;
use lance_namespace_suite::plan::Plan;

/// As the first argument: this is to be a server that is killed.
const BROKEN_SERVER: &str = "broken-server";

/// Plays the suite against every mutant.
#[derive(Debug, Parser)]
struct Args {
    /// Keep what was caught in matrix.txt, beside what is there of other mutants and scenarios.
    #[arg(long, conflicts_with = "check")]
    write: bool,
    /// Compare with matrix.txt.
    #[arg(long)]
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
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let Some((BROKEN_SERVER, words)) = words.split_first().map(|(first, rest)| (&**first, rest))
    {
        return match recovery::serve(words).await {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => refused(&error.to_string()),
        };
    }
    match play(&Args::parse()).await {
        Ok(code) => code,
        Err(why) => refused(&why),
    }
}

async fn play(args: &Args) -> Result<ExitCode, String> {
    let seeds = args.seeds.unwrap_or(if args.write { 2 } else { 1 });
    let plan = Plan::new(&[], &args.scenario).map_err(|error| error.to_string())?;
    let mut chosen: Vec<Broken> = Broken::all().collect();
    if !args.mutant.is_empty() {
        chosen.retain(|broken| {
            args.mutant
                .iter()
                .any(|name| name == broken.expected().name)
        });
    }
    if chosen.is_empty() || seeds == 0 {
        return Err("there is nothing to play".to_owned());
    }
    let mut kept = Matrix::kept()?;
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let program = program.to_str().ok_or("this program's path is no text")?;
    let trials = Trials {
        plan: &plan,
        seeds,
        at_a_time: args.jobs,
        broken_server: &[program, BROKEN_SERVER],
    };
    let begun = Instant::now();
    let tried = trials.of(chosen, tell).await;
    if !args.mutant.is_empty() {
        in_detail(&tried, seeds);
    }
    let mut wrong: Vec<String> = tried
        .iter()
        .flat_map(|(name, tried)| {
            tried
                .misses
                .iter()
                .map(move |miss| format!("{name}: {miss}"))
        })
        .collect();
    if args.check {
        wrong.extend(lapses(&kept, &tried, trials.broken_server).await);
    }
    if args.write {
        kept.take(&tried, seeds);
        kept.tidy();
        kept.keep()?;
        wrong.extend(shortcomings(&kept));
    }
    for line in &wrong {
        println!("{line}");
    }
    let seconds = begun.elapsed().as_secs();
    println!("{} ({seeds} seeds, {seconds} s)", summary(&kept));
    Ok(ExitCode::from(u8::from(!wrong.is_empty())))
}

fn refused(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::from(2)
}

fn tell(mutant: &'static str, tried: &Tried) {
    eprintln!("{mutant}: caught by {} scenarios", tried.caught.len());
    for miss in &tried.misses {
        eprintln!("  {miss}");
    }
}

fn in_detail(tried: &BTreeMap<&'static str, Tried>, seeds: usize) {
    for (name, tried) in tried {
        println!("{name}");
        for (scenario, times) in &tried.caught {
            let report = tried.reports.get(scenario).map_or("", String::as_str);
            println!("  {times} of {seeds}: {scenario}: {report}");
        }
    }
}
