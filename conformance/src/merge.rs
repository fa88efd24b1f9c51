//! The command `merge`: one result of the results of all shards.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use lance_namespace_suite::exit;
use lance_namespace_suite::report::certificate::told;
use lance_namespace_suite::report::github::annotations;
use lance_namespace_suite::report::terminal;
use lance_namespace_suite::result::{Merged, Named, RunResult};

use crate::command_line::words;
use crate::files::Files;
use crate::kept::read;
use crate::{Done, Failure};

/// Which results to merge.
#[derive(Args)]
pub(crate) struct MergeArgs {
    /// The results of the shards: what `--json` wrote, or `result.json` of `--report`.
    #[arg(required = true, value_name = "RESULT")]
    parts: Vec<PathBuf>,

    /// File for the result as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Folder for the reports, as that of `run`.
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,

    /// Print an annotation for each broken requirement, as GitHub shows them beside a job.
    #[arg(long)]
    github: bool,

    /// Say of the report only the verdict.
    #[arg(short, long)]
    quiet: bool,
}

pub(crate) fn merge(args: &MergeArgs) -> Done {
    let parts = args.parts.iter().map(|path| part(path));
    let parts: Vec<Named> = parts.collect::<Result<_, Failure>>()?;
    let merged = Merged::of(&parts).map_err(Failure::usage)?;
    // Not before: a wrong list of files leaves the reports of an earlier run.
    let files = Files::create(args.json.as_deref(), args.report.as_deref())?;
    match args.quiet {
        true => print!("{}", told(&merged.run)),
        false => print!("{}", terminal::merged(&merged.run)),
    }
    let result = merged.result.by_command(words()).sealed();
    if args.github {
        print!("{}", annotations(&result));
    }
    files.write(&result)?;
    Ok(ExitCode::from(exit::code(result.verdict)))
}

/// A result that is complete and as it was written, with its name.
fn part(path: &Path) -> Result<Named, Failure> {
    let name = path.display().to_string();
    let verified = read(path, RunResult::verify)?;
    match verified.faults.is_empty() {
        true => Ok((name, verified.result)),
        false => Err(Failure::usage(format!(
            "{name} is not as it was written, or not complete: {}",
            verified.faults.join("; ")
        ))),
    }
}
