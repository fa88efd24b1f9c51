//! The client against bare reqwest and its peer, `lance-namespace-reqwest-client`: one run, one
//! table. See the README beside it.

mod answers;
mod bare;
mod client;
mod machine;
mod ours;
mod peer;
mod report;
mod rounds;
mod rows;
mod server;
mod settings;

use std::process::ExitCode;

use settings::{Command, Settings};

/// Whatever stops a run.
type Error = Box<dyn std::error::Error + Send + Sync>;
type Result<T> = std::result::Result<T, Error>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match Command::parse(&arguments).and_then(run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<()> {
    match command {
        Command::Help => {
            println!("{}", settings::USAGE);
            Ok(())
        }
        Command::Serve => server::serve(),
        Command::Repeat {
            side,
            work,
            times,
            url,
        } => rows::instructions::child(side, work, times, &url),
        Command::Memory { side, work, url } => rows::memory::child(side, work, &url),
        Command::Bench(settings) => bench(&settings),
    }
}

fn bench(settings: &Settings) -> Result<()> {
    let server = server::Server::start()?;
    let mut report = report::Report::begin()?;
    for kind in rows::Kind::ALL {
        if let Some(reason) = settings.leaves_out(kind) {
            report.leave_out(kind, reason);
            continue;
        }
        eprintln!("measuring {}", kind.name());
        let rows = kind
            .run(&server)
            .map_err(|error| format!("the row {} failed: {error}", kind.name()))?;
        report.add(rows);
    }
    let text = report.text();
    println!("{text}");
    if settings.write {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/RESULTS.md");
        std::fs::write(path, text).map_err(|error| format!("{path} cannot be written: {error}"))?;
    }
    Ok(())
}
