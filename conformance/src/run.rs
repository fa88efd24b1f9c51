//! The command `run`: certify a server, print the report, write the result.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lance_namespace_suite::exit;
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::play::Rules;
use lance_namespace_suite::report::html::html;
use lance_namespace_suite::report::terminal::report;
use lance_namespace_suite::result::RunResult;
use lance_namespace_suite::run::certify;
use lance_namespace_suite::session::random_seed;
use lance_namespace_suite::soak;

use crate::cli::RunArgs;
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
    // Before the run: a result that cannot be written would be lost.
    let files = Files::create(args)?;
    if !args.connection.names_a_server() {
        eprintln!("no --server-url: certifying the embedded reference server");
    }
    let connected = args.connection.connect().await?;
    let seed = args.seed.unwrap_or_else(random_seed);
    let rules = Rules {
        claimed: args.tiers.clone(),
        duration: args.duration,
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
    if let Some(server) = connected.embedded {
        server.shutdown().await.map_err(Failure::inconclusive)?;
    }
    let run = ran.map_err(Failure::inconclusive)?;
    print!("{}", report(&run, &connected.target));
    files.write(&RunResult::new(&run, &connected.target))?;
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
