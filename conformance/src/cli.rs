//! The command line. Others build on it: flags are added, never changed.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use lance_namespace_suite::part::Shard;
use lance_namespace_suite::scenario::Tier;

use crate::check::CheckArgs;
use crate::connection::Connection;
use crate::init::InitArgs;
use crate::kept::{CompareArgs, ReportArgs, VerifyArgs};
use crate::merge::MergeArgs;

/// Certifies a Lance Namespace server: plays scenarios against it and reports every requirement
/// that it breaks.
///
/// Exit codes: 0 conformant (known failures aside), 1 violation, 2 usage, 3 inconclusive, 4 a stale
/// expectation.
#[derive(Parser)]
#[command(
    name = "lance-namespace-conformance",
    version,
    args_conflicts_with_subcommands = true
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Certify a server; this is what happens without a command, too.
    Run(RunArgs),
    /// Write conformance.toml, the declaration of a server, from what can be found out about it.
    Init(InitArgs),
    /// Look at a server before a run: can it be reached, are the credentials good, do the clocks agree,
    /// can manifests be staged? Says what to change.
    ///
    /// Exit codes: 0 a run can begin, 2 usage, 3 something has to be changed.
    Doctor {
        #[command(flatten)]
        connection: Connection,
    },
    /// Name every scenario, its tier and the requirements that it checks.
    List {
        /// Print what they cover instead: each operation, the statuses that it is seen to answer with,
        /// and the requirements that are judged by that.
        #[arg(long)]
        coverage: bool,
    },
    /// Explain a requirement, such as VER-2, or a scenario.
    Explain {
        /// The requirement or the scenario.
        id: String,
    },
    /// Judge histories without a server: is there an order that explains every answer?
    ///
    /// Exit codes: 0 there is, 1 there is none, 2 a file cannot be read, 3 inconclusive.
    Check(CheckArgs),
    /// Tell whether a result is complete and as it was written, what made it, and what it does not
    /// speak of.
    ///
    /// Exit codes: 0 it is, 1 it is not, 2 it cannot be read.
    Verify(VerifyArgs),
    /// Show two results side by side: two releases of a server, or two servers.
    ///
    /// Exit codes: 0 the second is no worse, 1 it is worse, 2 one cannot be read.
    Compare(CompareArgs),
    /// Put the results of all shards of a run together: known failures, tiers and the verdict are judged
    /// of the whole.
    ///
    /// Exit codes: those of the whole run; 2 if a result cannot be read, was altered, is of another run,
    /// is there twice, or is missing.
    Merge(MergeArgs),
    /// Write all reports of a result again.
    Report(ReportArgs),
    /// Write what a shell needs to complete this command to stdout.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write the manual page to stdout.
    Man,
    /// Write a JSON Schema to stdout.
    Schema {
        /// Of what.
        of: Described,
    },
    /// Serve the reference server until interrupted.
    Serve {
        /// Where to listen; port 0 takes a free one.
        #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:2333")]
        listen: SocketAddr,
        /// The SQLite file that keeps the catalogue; without it, memory.
        #[arg(long, value_name = "FILE")]
        db: Option<PathBuf>,
        /// API key that every request must carry in the header x-api-key; without it, none.
        #[arg(
            long,
            value_name = "K",
            env = "LANCE_NAMESPACE_REQUIRE_API_KEY",
            hide_env_values = true
        )]
        require_api_key: Option<String>,
        /// Token that every request must carry in the header authorization, after `Bearer`;
        /// without it, none.
        #[arg(
            long,
            value_name = "T",
            env = "LANCE_NAMESPACE_REQUIRE_BEARER_TOKEN",
            hide_env_values = true
        )]
        require_bearer_token: Option<String>,
    },
    /// Remove what an earlier run left on a server.
    Cleanup {
        /// The run, as its report names it.
        run: String,
        #[command(flatten)]
        connection: Connection,
    },
}

/// What to run, and against which server.
#[derive(Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) connection: Connection,

    /// Tier that the server claims to have: only claimed tiers are checked, and what the server
    /// lacks of them is a violation. May be given more than once; without it, all tiers are
    /// probed.
    #[arg(long = "tier", value_name = "T")]
    pub(crate) tiers: Vec<Tier>,

    /// Scenario to play, by name; `*` stands for anything. May be given more than once.
    #[arg(long = "scenario", value_name = "GLOB")]
    pub(crate) scenarios: Vec<String>,

    /// Number that names, bytes and orders come from; a random one without it.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// Play one part of the plan, the first of four by `1/4`: the result is then to be merged with those
    /// of the others, which must have the same seed. Certifies nothing by itself.
    #[arg(long, value_name = "I/N", requires = "seed")]
    pub(crate) shard: Option<Shard>,

    /// How long the run takes at least, such as `90s` or `2h 30m`: until then the workloads of the
    /// plan (`histories/*`) are played again and again, with other seeds. The first violation ends
    /// it.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) duration: Option<Duration>,

    /// How long one scenario may take before it counts as not told.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "3m")]
    pub(crate) time_limit: Duration,

    /// End with the first scenario that fails in a way that is not known.
    #[arg(long)]
    pub(crate) fail_fast: bool,

    /// Say nothing while the run goes on, and of its report only the verdict.
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Tell each request as it goes.
    #[arg(short, long)]
    pub(crate) verbose: bool,

    /// Print an annotation for each broken requirement, as GitHub shows them beside a job.
    #[arg(long)]
    pub(crate) github: bool,

    /// How many scenarios are played at a time.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: u16,

    /// File for the result as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// Folder for the reports: result.json; report.html, which needs nothing else to be read;
    /// junit.xml, summary.md and badge.svg for CI.
    #[arg(long, value_name = "DIR")]
    pub(crate) report: Option<PathBuf>,

    /// New or empty directory for what the clients of each scenario asked and were told: histories
    /// as JSON lines, which `check` judges again, and a picture of each that is broken.
    #[arg(long, value_name = "DIR")]
    pub(crate) history: Option<PathBuf>,
}

fn duration(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(Duration::ZERO) => Err("it must be longer than nothing".to_owned()),
        Ok(duration) => Ok(duration),
        Err(error) => Err(error.to_string()),
    }
}

/// What there is a JSON Schema of.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Described {
    /// Results, which are what `--json` writes.
    Result,
    /// The declaration of a server, conformance.toml.
    Declaration,
}
