//! Certifies Lance Namespace servers: `lance-namespace-conformance --server-url URL`.

mod check;
mod cli;
mod command_line;
mod connection;
mod declared;
mod doctor;
mod files;
mod histories;
mod init;
mod interrupt;
mod kept;
mod merge;
mod progress;
mod run;

use std::error::Error;
use std::fmt::Display;
use std::net::SocketAddr;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use lance_namespace_reference_server::{Config, Credentials, Server};
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::report::explain::explain;
use lance_namespace_suite::result::RunResult;
use lance_namespace_suite::session::Session;
use lance_namespace_suite::{coverage, exit};

use crate::cli::{Cli, Command, Described};
use crate::connection::{ConnectError, Connection};

#[tokio::main]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match cli.command {
        None => run::run(&cli.run).await,
        Some(Command::Run(args)) => run::run(&args).await,
        Some(Command::Init(args)) => init::init(&args).await,
        Some(Command::Doctor { connection }) => doctor::doctor(&connection).await,
        Some(Command::Completions { shell }) => {
            let mut command = Cli::command();
            let name = command.get_name().to_owned();
            clap_complete::generate(shell, &mut command, name, &mut std::io::stdout());
            Ok(ExitCode::SUCCESS)
        }
        Some(Command::Man) => manual(),
        Some(Command::Schema { of }) => schema(of),
        Some(Command::List { coverage: false }) => list(),
        Some(Command::List { coverage: true }) => list_coverage(),
        Some(Command::Verify(args)) => kept::verify(&args),
        Some(Command::Compare(args)) => kept::compare(&args),
        Some(Command::Merge(args)) => merge::merge(&args),
        Some(Command::Report(args)) => kept::report(&args),
        Some(Command::Explain { id }) => explain_one(&id),
        Some(Command::Serve {
            listen,
            db,
            require_api_key: api_key,
            require_bearer_token: bearer_token,
        }) => {
            let credentials = Credentials {
                api_key,
                bearer_token,
            };
            serve(listen, Config { db, credentials }).await
        }
        Some(Command::Check(args)) => check::check(&args),
        Some(Command::Cleanup { run, connection }) => cleanup(&run, &connection).await,
    };
    match done {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("error: {}", failure.text);
            ExitCode::from(failure.code)
        }
    }
}

/// Why a command did not do what it was asked.
struct Failure {
    code: u8,
    text: String,
}

impl Failure {
    /// A failure with an error's whole chain.
    fn of(code: u8, error: &dyn Error) -> Self {
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            text = format!("{text}: {cause}");
            source = cause.source();
        }
        Self { code, text }
    }

    fn usage(text: impl Display) -> Self {
        Self {
            code: exit::USAGE,
            text: text.to_string(),
        }
    }

    fn inconclusive(text: impl Display) -> Self {
        Self {
            code: exit::INCONCLUSIVE,
            text: text.to_string(),
        }
    }
}

impl From<ConnectError> for Failure {
    fn from(error: ConnectError) -> Self {
        match error {
            ConnectError::Usage(text) => Self::usage(text),
            ConnectError::Start(text) => Self::inconclusive(text),
        }
    }
}

type Done = Result<ExitCode, Failure>;

/// Writes the manual page, and those of the subcommands after it.
fn manual() -> Done {
    let mut command = Cli::command();
    command.build();
    let subcommands: Vec<clap::Command> = command.get_subcommands().cloned().collect();
    let mut page = Vec::new();
    let mut written = clap_mangen::Man::new(command).render(&mut page);
    for subcommand in subcommands
        .into_iter()
        .filter(|each| each.get_name() != "help")
    {
        written = written.and_then(|()| clap_mangen::Man::new(subcommand).render(&mut page));
    }
    written.map_err(Failure::inconclusive)?;
    print!("{}", String::from_utf8_lossy(&page));
    Ok(ExitCode::SUCCESS)
}

fn schema(of: Described) -> Done {
    let schema = match of {
        Described::Result => RunResult::json_schema(),
        Described::Declaration => init::declaration_schema()?,
    };
    print!("{schema}");
    Ok(ExitCode::SUCCESS)
}

fn list() -> Done {
    let plan = Plan::new(&[], &[]).map_err(Failure::inconclusive)?;
    for (_, scenario) in plan.iter() {
        println!(
            "{:<62} {:<12} {}",
            scenario.id,
            scenario.tier.name(),
            scenario.requirements.join(" ")
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn list_coverage() -> Done {
    print!("{}", coverage::KEPT);
    Ok(ExitCode::SUCCESS)
}

fn explain_one(id: &str) -> Done {
    let text = explain(id).ok_or_else(|| {
        Failure::usage(format!(
            "there is no requirement or scenario {id}; `lance-namespace-conformance list` names \
             the scenarios and what they check"
        ))
    })?;
    print!("{text}");
    Ok(ExitCode::SUCCESS)
}

async fn serve(listen: SocketAddr, config: Config) -> Done {
    let server = Server::bind(listen, config)
        .await
        .map_err(|error| Failure::of(exit::USAGE, &error))?;
    println!("{}", server.url());
    if let Err(error) = tokio::signal::ctrl_c().await {
        return Err(Failure::inconclusive(format!(
            "interrupts cannot be waited for: {error}"
        )));
    }
    server.shutdown().await.map_err(Failure::inconclusive)?;
    Ok(ExitCode::SUCCESS)
}

async fn cleanup(run: &str, connection: &Connection) -> Done {
    let declared = connection.declared()?;
    let connected = declared.connection.connect(None).await?;
    let leftovers = Session::clean_up_after(connected.target, run)
        .await
        .map_err(Failure::inconclusive)?;
    println!("removed {} tables and namespaces", leftovers.removed);
    if leftovers.left.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    Err(Failure::inconclusive(format!(
        "these could not be removed: {}",
        leftovers.left.join(", ")
    )))
}
