//! The command line.

use crate::Result;
use crate::client::Side;
use crate::rows::{Kind, instructions, memory};

pub(crate) const USAGE: &str = "\
usage: cargo bench --manifest-path benches/Cargo.toml -- [--row NAME]... [--all] [--write]

  --row NAME  only this row: describe, instructions, callers, decode, list, memory,
              transfer or build
  --all       every row, the slow one (build) too
  --write     also writes benches/RESULTS.md";

/// What a process of this binary does. All but the first two are for its own children.
pub(crate) enum Command {
    Help,
    Bench(Settings),
    Serve,
    Repeat {
        side: Side,
        work: instructions::Work,
        times: usize,
        url: String,
    },
    Memory {
        side: Side,
        work: memory::Work,
        url: String,
    },
}

/// What a run measures.
#[derive(Default)]
pub(crate) struct Settings {
    rows: Vec<Kind>,
    all: bool,
    pub(crate) write: bool,
}

impl Settings {
    /// Why a row is left out, if it is. One that is asked for by name never is.
    pub(crate) fn leaves_out(&self, kind: Kind) -> Option<&'static str> {
        match kind {
            _ if self.rows.contains(&kind) => None,
            _ if !self.rows.is_empty() => Some("since other rows were asked for"),
            Kind::Build if !self.all => Some("since it takes minutes"),
            Kind::Instructions if !instructions::can_run() => Some("for want of valgrind"),
            _ => None,
        }
    }
}

impl Command {
    pub(crate) fn parse(arguments: &[String]) -> Result<Self> {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        match arguments.as_slice() {
            ["serve"] => return Ok(Self::Serve),
            ["repeat", side, work, times, url] => {
                return Ok(Self::Repeat {
                    side: Side::named(side)?,
                    work: instructions::Work::named(work)?,
                    times: times.parse()?,
                    url: (*url).to_owned(),
                });
            }
            ["memory", side, work, url] => {
                return Ok(Self::Memory {
                    side: Side::named(side)?,
                    work: memory::Work::named(work)?,
                    url: (*url).to_owned(),
                });
            }
            _ => {}
        }
        let mut settings = Settings::default();
        let mut rest = arguments.into_iter();
        while let Some(argument) = rest.next() {
            match argument {
                // cargo's own.
                "--bench" => {}
                "--all" => settings.all = true,
                "--write" => settings.write = true,
                "--row" => {
                    let name = rest.next().ok_or("--row needs the name of a row")?;
                    settings.rows.push(Kind::named(name)?);
                }
                "--help" => return Ok(Self::Help),
                other => return Err(format!("unknown argument {other:?}\n\n{USAGE}").into()),
            }
        }
        Ok(Self::Bench(settings))
    }
}
