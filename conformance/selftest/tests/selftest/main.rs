//! The suite is tested: it catches what is broken and accuses nothing else.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod command_line;
mod data;
mod honest;
mod mutants;
