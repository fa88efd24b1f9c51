//! The command `run`: certify a server, print the report, write the result.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use lance_namespace_suite::exit;
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::play::Rules;
use lance_namespace_suite::report::terminal::report;
use lance_namespace_suite::result::RunResult;
use lance_namespace_suite::run::certify;
use lance_namespace_suite::session::random_seed;

use crate::cli::RunArgs;
use crate::progress::Progress;
use crate::{Done, Failure};

pub(crate) async fn run(args: &RunArgs) -> Done {
    let plan = Plan::new(&args.tiers, &args.scenarios).map_err(Failure::inconclusive)?;
    // Before the run: a result that cannot be written would be lost.
    let json = match &args.json {
        Some(path) => Some((path, create(path)?)),
        None => None,
    };
    if !args.connection.names_a_server() {
        eprintln!("no --server-url: certifying the embedded reference server");
    }
    let program = std::env::current_exe().ok();
    let connected = args.connection.connect(program.as_deref()).await?;
    let seed = args.seed.unwrap_or_else(random_seed);
    let rules = Rules {
        claimed: args.tiers.clone(),
        ..Rules::default()
    };
    let progress = Progress::new(plan.len());
    let ran = certify(
        connected.target.clone(),
        &plan,
        seed,
        usize::from(args.jobs),
        &rules,
        &progress,
    )
    .await;
    progress.end();
    connected
        .server
        .stop()
        .await
        .map_err(Failure::inconclusive)?;
    let run = ran.map_err(Failure::inconclusive)?;
    print!("{}", report(&run, &connected.target));
    if let Some((path, file)) = json {
        write(path, file, &RunResult::new(&run, &connected.target))?;
    }
    Ok(ExitCode::from(exit::code(run.verdict())))
}

fn create(path: &Path) -> Result<File, Failure> {
    File::create(path)
        .map_err(|error| Failure::usage(format!("{} cannot be written: {error}", path.display())))
}

fn write(path: &Path, file: File, result: &RunResult) -> Result<(), Failure> {
    let mut file = BufWriter::new(file);
    serde_json::to_writer_pretty(&mut file, result)
        .map_err(std::io::Error::from)
        .and_then(|()| writeln!(file))
        .and_then(|()| file.flush())
        .map_err(|error| {
            Failure::inconclusive(format!("{} cannot be written: {error}", path.display()))
        })
}
