//! The command `check`: judge histories without a server.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use lance_namespace_history::{Verdict, check as judge, format, timeline};
use lance_namespace_suite::exit;

use crate::{Done, Failure};

/// Which histories to judge.
#[derive(Args)]
pub(crate) struct CheckArgs {
    /// Histories as JSON lines.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// File for a picture of the first violation: SVG, one lane a client.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Judges each history. A violation weighs more than a history that cannot be judged.
pub(crate) fn check(args: &CheckArgs) -> Done {
    let mut svg = args.svg.as_deref();
    let mut code = exit::CONFORMANT;
    for file in &args.files {
        let name = file.display();
        let history = File::open(file)
            .map_err(|error| Failure::usage(format!("{name} cannot be read: {error}")))?;
        let history = format::read(BufReader::new(history)).map_err(|error| {
            let failure = Failure::of(exit::USAGE, &error);
            Failure::usage(format!("{name}: {}", failure.text))
        })?;
        let operations = history.operations.len();
        match judge(&history) {
            Verdict::Consistent { .. } => {
                println!("{name}: consistent: one order explains {operations} operations");
            }
            Verdict::Violation(violation) => {
                println!(
                    "{name}: violation: of {operations} operations, these {} cannot be explained\n\
                     {violation}",
                    violation.operations.len()
                );
                code = exit::VIOLATION;
                if let Some(svg) = svg.take() {
                    draw(svg, &timeline(&violation))?;
                }
            }
            Verdict::Inconclusive { why } => {
                println!("{name}: inconclusive: {why}");
                if code == exit::CONFORMANT {
                    code = exit::INCONCLUSIVE;
                }
            }
        }
    }
    Ok(ExitCode::from(code))
}

fn draw(path: &Path, svg: &str) -> Result<(), Failure> {
    fs::write(path, svg)
        .map_err(|error| Failure::usage(format!("{} cannot be written: {error}", path.display())))
}
