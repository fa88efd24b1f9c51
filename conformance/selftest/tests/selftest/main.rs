//! The suite is tested: it catches what is broken and accuses nothing else.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod clean_up;
mod command_line;
mod coverage;
mod data;
mod declaration;
mod exit_codes;
mod flaky;
mod histories;
mod honest;
mod mutants;
mod proxy;
mod readings;
#[cfg(unix)]
mod recovery;
mod replicas;
mod reports;
#[cfg(unix)]
mod server_command;
mod sharding;
mod silence;
mod slow;
mod tiers;
