//! The commands `verify`, `compare` and `report`: what results say that were written before.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use lance_namespace_suite::exit;
use lance_namespace_suite::report::{comparison, html, verified};
use lance_namespace_suite::result::{Comparison, ReadError, RunResult};

use crate::files::{Files, cannot_write};
use crate::{Done, Failure};

/// Which result to verify.
#[derive(Args)]
pub(crate) struct VerifyArgs {
    /// The result: what `--json` wrote.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Fail as well if not every scenario of the suite was asked for and played: if some were left
    /// out, are unsupported, or could not be told.
    #[arg(long)]
    whole: bool,
}

/// Which results to compare.
#[derive(Args)]
pub(crate) struct CompareArgs {
    /// The result to compare with, such as that of the last release.
    #[arg(value_name = "FIRST")]
    first: PathBuf,

    /// The result that must be no worse.
    #[arg(value_name = "SECOND")]
    second: PathBuf,

    /// File for the comparison as a page of HTML.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Which result to show.
#[derive(Args)]
pub(crate) struct ReportArgs {
    /// The result: what `--json` wrote.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Folder for the reports, as that of `--report`.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(crate) fn verify(args: &VerifyArgs) -> Done {
    let verified = read(&args.file, RunResult::verify)?;
    print!("{}", verified::verified(&verified));
    if !verified.faults.is_empty() {
        return Ok(ExitCode::from(exit::VIOLATION));
    }
    if args.whole && !verified.whole_suite() {
        println!("but --whole asks for every scenario of the suite");
        return Ok(ExitCode::from(exit::VIOLATION));
    }
    Ok(ExitCode::from(exit::CONFORMANT))
}

pub(crate) fn compare(args: &CompareArgs) -> Done {
    let first = read(&args.first, RunResult::read)?;
    let second = read(&args.second, RunResult::read)?;
    let shard = |result: &RunResult| result.part.as_ref().map(|part| part.shard);
    if shard(&first) != shard(&second) {
        return Err(Failure::usage(
            "one of the results is of a part of a run, and the other is not of the same part: `merge` the \
             parts first",
        ));
    }
    let compared = Comparison::of(&first, &second);
    print!("{}", comparison::comparison(&compared));
    if let Some(path) = &args.html {
        fs::write(path, html::comparison(&compared))
            .map_err(|error| Failure::usage(cannot_write(path, &error)))?;
    }
    Ok(ExitCode::from(match compared.worse() {
        true => exit::VIOLATION,
        false => exit::CONFORMANT,
    }))
}

pub(crate) fn report(args: &ReportArgs) -> Done {
    let result = read(&args.file, RunResult::read)?;
    let files = Files::create(None, Some(&args.folder))?;
    let names = files.names();
    files.write(&result)?;
    println!("{}: {names}", args.folder.display());
    Ok(ExitCode::from(exit::CONFORMANT))
}

pub(crate) fn read<T>(
    path: &Path,
    read: impl FnOnce(&str) -> Result<T, ReadError>,
) -> Result<T, Failure> {
    let name = path.display();
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("{name} cannot be read: {error}")))?;
    read(&text).map_err(|error| Failure::usage(format!("{name} cannot be read: {error}")))
}
