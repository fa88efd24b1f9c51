//! The command `run`: certify a server, print the report, write the result.

use std::fmt::Display;
use std::process::ExitCode;

use lance_namespace_suite::exit;
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::play::Rules;
use lance_namespace_suite::report::terminal::report;
use lance_namespace_suite::result::RunResult;
use lance_namespace_suite::run::certify;
use lance_namespace_suite::session::random_seed;
use lance_namespace_suite::soak;

use crate::cli::RunArgs;
use crate::command_line::words;
use crate::files::Files;
use crate::histories::Histories;
use crate::progress::Progress;
use crate::{Done, Failure};

pub(crate) async fn run(args: &RunArgs) -> Done {
    let plan = Plan::new(&args.tiers, &args.scenarios).map_err(Failure::inconclusive)?;
    if args.duration.is_some() && !soak::has_workloads(&plan) {
        return Err(Failure::usage(
            "--duration plays workloads again and again, and the plan has none; they are the \
             scenarios histories/*",
        ));
    }
    let files = Files::create(args.json.as_deref(), args.report.as_deref())?;
    let histories = args.history.as_deref().map(Histories::create).transpose()?;
    if !args.connection.names_a_server() {
        eprintln!("no --server-url: certifying the embedded reference server");
    }
    let program = std::env::current_exe().ok();
    let connected = args.connection.connect(program.as_deref()).await?;
    let seed = args.seed.unwrap_or_else(random_seed);
    let rules = Rules {
        claimed: args.tiers.clone(),
        duration: args.duration,
        histories: histories.is_some(),
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
    // A server may repeat in its answer what it was sent.
    let plain = |error: &dyn Display| connected.target.without_secrets(&error.to_string());
    let run = ran.map_err(|error| Failure::inconclusive(plain(&error)))?;
    print!("{}", report(&run, &connected.target));
    let result = RunResult::new(&run, &connected.target)
        .by_command(words())
        .sealed();
    files.write(&result)?;
    if let Some(histories) = histories {
        histories.write(&run)?;
    }
    Ok(ExitCode::from(exit::code(run.verdict())))
}
