//! The instructions of a call and of a decoding: no clock in it, so that a busy machine says the
//! same as an idle one. Those of the kernel are not in it either.

use std::process::Command;

use crate::bare::Bare;
use crate::client::{Client, Side, describe};
use crate::ours::Ours;
use crate::peer::Peer;
use crate::report::{Row, instructions};
use crate::rows::decode;
use crate::{Result, answers};

/// What is done over and over.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Work {
    Describe,
    Decode,
}

impl Work {
    fn name(self) -> &'static str {
        match self {
            Self::Describe => "describe",
            Self::Decode => "decode",
        }
    }

    pub(crate) fn named(name: &str) -> Result<Self> {
        match name {
            "describe" => Ok(Self::Describe),
            "decode" => Ok(Self::Decode),
            other => Err(format!("there is no such work: {other:?}").into()),
        }
    }

    /// How often two processes do it. Their difference counts: whatever else a process does is in
    /// both.
    fn times(self) -> [usize; 2] {
        match self {
            Self::Describe => [200, 1200],
            Self::Decode => [1, 5],
        }
    }
}

/// Whether instructions can be counted here.
pub(crate) fn can_run() -> bool {
    Command::new("valgrind")
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success())
}

pub(crate) fn run(url: &str) -> Result<Vec<Row>> {
    let row = |text, work: Work| -> Result<Row> {
        let [few, many] = work.times();
        let mut figures = [None; 3];
        for side in Side::ALL {
            let more = counted(side, work, many, url)? - counted(side, work, few, url)?;
            figures[side as usize] = Some(more / (many - few) as f64);
        }
        Ok(Row::once(text, figures, instructions))
    };
    Ok(vec![
        row("describe_table, instructions a call", Work::Describe)?
            .at_most(1.05, Side::Bare)
            .below(Side::Peer),
        row(
            "models of 10,000 versions with metadata, instructions",
            Work::Decode,
        )?
        .at_most(1.0, Side::Peer),
    ])
}

/// The instructions of a process that does its work `times` times.
fn counted(side: Side, work: Work, times: usize, url: &str) -> Result<f64> {
    let output = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no"])
        .arg("--cachegrind-out-file=/dev/null")
        .arg(std::env::current_exe()?)
        .args(["repeat", side.name(), work.name(), &times.to_string(), url])
        .output()
        .map_err(|error| format!("valgrind, which counts instructions, cannot be run: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(said.into());
    }
    said.lines()
        .find_map(|line| line.split_once("refs:"))
        .and_then(|(_, count)| count.trim().replace(',', "").parse().ok())
        .ok_or_else(|| format!("valgrind does not count them: {said}").into())
}

/// Does its work `times` times.
pub(crate) fn child(side: Side, work: Work, times: usize, url: &str) -> Result<()> {
    match (work, side) {
        (Work::Describe, Side::Ours) => call::<Ours>(times, url),
        (Work::Describe, Side::Bare) => call::<Bare>(times, url),
        (Work::Describe, Side::Peer) => call::<Peer>(times, url),
        (Work::Decode, side) => {
            let body = answers::versions(true);
            (0..times).try_for_each(|_| decode::once(side, &body).map(drop))
        }
    }
}

fn call<C: Client>(times: usize, url: &str) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(describe(&C::connect(url)?, times))
}
