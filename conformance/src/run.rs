//! The command `run`: certify a server, print the report, write the result.

use std::fmt::Display;
use std::process::ExitCode;
use std::sync::Arc;

use lance_namespace_suite::exit;
use lance_namespace_suite::halt::Halt;
use lance_namespace_suite::part::Part;
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::play::Rules;
use lance_namespace_suite::report::certificate::told;
use lance_namespace_suite::report::github::annotations;
use lance_namespace_suite::report::terminal::report;
use lance_namespace_suite::result::RunResult;
use lance_namespace_suite::run::certify;
use lance_namespace_suite::session::random_seed;
use lance_namespace_suite::soak;

use crate::cli::RunArgs;
use crate::command_line::words;
use crate::connection::Connection;
use crate::files::Files;
use crate::histories::Histories;
use crate::progress::{Detail, Progress};
use crate::{Done, Failure, interrupt};

pub(crate) async fn run(args: &RunArgs) -> Done {
    let declared = args.connection.declared()?;
    let connection = &declared.connection;
    let tiers = match args.tiers.as_slice() {
        [] => &declared.tiers,
        tiers => tiers,
    };
    let whole = Plan::new(tiers, &args.scenarios).map_err(Failure::inconclusive)?;
    let plan = match args.shard {
        Some(shard) => whole.shard(shard).map_err(Failure::usage)?,
        None => whole.clone(),
    };
    if args.duration.is_some() && !soak::has_workloads(&plan) {
        return Err(Failure::usage(
            "--duration plays workloads again and again, and the plan has none; they are the \
             scenarios histories/*",
        ));
    }
    let files = Files::create(args.json.as_deref(), args.report.as_deref())?;
    let histories = args.history.as_deref().map(Histories::create).transpose()?;
    if !connection.names_a_server() && !args.quiet {
        eprintln!("no --server-url: certifying the embedded reference server");
    }
    let program = std::env::current_exe().ok();
    let halt = Halt::default();
    interrupt::watch(halt.clone());
    let connected = tokio::select! {
        connected = connection.connect(program.as_deref()) => connected?,
        () = halt.told() => return Err(Failure::inconclusive("interrupted")),
    };
    let seed = args.seed.unwrap_or_else(random_seed);
    let rules = Rules {
        claimed: tiers.to_vec(),
        time_limit: args.time_limit,
        expectations: declared.expectations,
        fail_fast: args.fail_fast,
        halt: halt.clone(),
        part: args.shard.map(|shard| Part {
            shard: Some(shard),
            whole,
            started_by: started_by(connection),
        }),
        duration: args.duration,
        histories: histories.is_some(),
        ..Rules::default()
    };
    let detail = match (args.quiet, args.verbose) {
        (true, _) => Detail::Quiet,
        (false, true) => Detail::Requests,
        (false, false) => Detail::Scenarios,
    };
    let mut target = connected.target.clone();
    let mut possible = plan.clone();
    possible.leave_out(&target);
    let progress = Arc::new(Progress::new(possible.len(), detail));
    if detail == Detail::Requests {
        let progress = Arc::clone(&progress);
        target = target.with_watcher(Arc::new(move |line| progress.request(&line)));
    }
    let ran = certify(
        target,
        &plan,
        seed,
        usize::from(args.jobs),
        &rules,
        progress.as_ref(),
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
    match args.quiet {
        true => print!("{}", told(&run)),
        false => print!("{}", report(&run, &connected.target)),
    }
    let result = RunResult::new(&run, &connected.target)
        .by_command(words())
        .sealed();
    if args.github {
        print!("{}", annotations(&result));
    }
    files.write(&result)?;
    if let Some(histories) = histories {
        histories.write(&run)?;
    }
    Ok(ExitCode::from(exit::code(run.verdict())))
}

/// How the server comes about where it is started for this run alone; none where it is there already.
fn started_by(connection: &Connection) -> Option<String> {
    match (&connection.server_cmd, connection.server_urls.is_empty()) {
        (_, false) => None,
        (Some(command), true) => Some(command.clone()),
        (None, true) => Some("the embedded reference server".to_owned()),
    }
}
