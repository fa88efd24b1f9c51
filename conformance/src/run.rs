//! The command `run`: certify a server, print the report, write the result.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use lance_namespace_suite::exit;
use lance_namespace_suite::halt::Halt;
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::play::Rules;
use lance_namespace_suite::report::certificate::told;
use lance_namespace_suite::report::html::html;
use lance_namespace_suite::report::terminal::report;
use lance_namespace_suite::result::RunResult;
use lance_namespace_suite::run::certify;
use lance_namespace_suite::session::random_seed;
use lance_namespace_suite::soak;

use crate::cli::RunArgs;
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
    let plan = Plan::new(tiers, &args.scenarios).map_err(Failure::inconclusive)?;
    if args.duration.is_some() && !soak::has_workloads(&plan) {
        return Err(Failure::usage(
            "--duration plays workloads again and again, and the plan has none; they are the \
             scenarios histories/*",
        ));
    }
    // Before the run: a result that cannot be written would be lost.
    let files = Files::create(args)?;
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
    let run = ran.map_err(Failure::inconclusive)?;
    match args.quiet {
        true => print!("{}", told(&run)),
        false => print!("{}", report(&run, &connected.target)),
    }
    files.write(&RunResult::new(&run, &connected.target))?;
    if let Some(histories) = histories {
        histories.write(&run)?;
    }
    Ok(ExitCode::from(exit::code(run.verdict())))
}

/// The files that a run writes, open before it begins.
struct Files {
    json: Vec<(PathBuf, File)>,
    html: Option<(PathBuf, File)>,
}

impl Files {
    fn create(args: &RunArgs) -> Result<Self, Failure> {
        let mut json: Vec<PathBuf> = args.json.iter().cloned().collect();
        let mut html = None;
        if let Some(folder) = &args.report {
            fs::create_dir_all(folder).map_err(|error| unwritten(folder, &error))?;
            json.push(folder.join("result.json"));
            html = Some(folder.join("report.html"));
        }
        let create = |path: PathBuf| match File::create(&path) {
            Ok(file) => Ok((path, file)),
            Err(error) => Err(unwritten(&path, &error)),
        };
        Ok(Self {
            json: json.into_iter().map(create).collect::<Result<_, _>>()?,
            html: html.map(create).transpose()?,
        })
    }

    fn write(self, result: &RunResult) -> Result<(), Failure> {
        for (path, mut file) in self.json {
            serde_json::to_string_pretty(result)
                .map_err(io::Error::from)
                .and_then(|text| writeln!(file, "{text}"))
                .map_err(|error| Failure::inconclusive(cannot_write(&path, &error)))?;
        }
        if let Some((path, mut file)) = self.html {
            file.write_all(html(result).as_bytes())
                .map_err(|error| Failure::inconclusive(cannot_write(&path, &error)))?;
        }
        Ok(())
    }
}

fn unwritten(path: &Path, error: &io::Error) -> Failure {
    Failure::usage(cannot_write(path, error))
}

fn cannot_write(path: &Path, error: &io::Error) -> String {
    format!("{} cannot be written: {error}", path.display())
}
