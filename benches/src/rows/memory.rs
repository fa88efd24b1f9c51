//! The memory that a large body takes, each measured in a process of its own.

use std::process::Command;

use crate::bare::Bare;
use crate::client::{Client, LARGE, Side, expect};
use crate::ours::Ours;
use crate::peer::Peer;
use crate::report::{Row, mebibytes};
use crate::{Result, answers};

/// The processes of each figure, of which the worst counts.
const RUNS: usize = 3;

/// What is sent or read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Work {
    Query,
    Insert,
}

impl Work {
    fn name(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Insert => "insert",
        }
    }

    pub(crate) fn named(name: &str) -> Result<Self> {
        match name {
            "query" => Ok(Self::Query),
            "insert" => Ok(Self::Insert),
            other => Err(format!("there is no such work: {other:?}").into()),
        }
    }
}

pub(crate) fn run(url: &str) -> Result<Vec<Row>> {
    let row = |text, work| -> Result<Row> {
        let mut peaks = [0.0; 3];
        for side in Side::ALL {
            for _ in 0..RUNS {
                peaks[side as usize] = peak(side, work, url)?.max(peaks[side as usize]);
            }
        }
        Ok(Row::once(text, peaks.map(Some), mebibytes))
    };
    Ok(vec![
        row("query of 256 MiB, peak memory above idle", Work::Query)?.under(32.0 * 1_048_576.0),
        row("insert of 256 MiB, peak memory above idle", Work::Insert)?,
    ])
}

/// The peak above idle, in bytes, of a process that makes one call.
fn peak(side: Side, work: Work, url: &str) -> Result<f64> {
    let output = Command::new(std::env::current_exe()?)
        .args(["memory", side.name(), work.name(), url])
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

/// Makes one call and prints the peak above idle, in bytes.
pub(crate) fn child(side: Side, work: Work, url: &str) -> Result<()> {
    let bytes = match side {
        Side::Ours => above_idle::<Ours>(work, url)?,
        Side::Bare => above_idle::<Bare>(work, url)?,
        Side::Peer => above_idle::<Peer>(work, url)?,
    };
    println!("{bytes}");
    Ok(())
}

fn above_idle<C: Client>(work: Work, url: &str) -> Result<u64> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let client = C::connect(url)?;
    let idle = memory("VmRSS:")?;
    runtime.block_on(async {
        match work {
            Work::Query => expect(client.query_table().await?, LARGE),
            Work::Insert => expect(client.insert_into_table().await?, Some(answers::INSERTED)),
        }
    })?;
    Ok(memory("VmHWM:")?.saturating_sub(idle))
}

/// A figure of this process's memory, in bytes, as Linux keeps it.
fn memory(name: &str) -> Result<u64> {
    let path = "/proc/self/status";
    let status = std::fs::read_to_string(path)
        .map_err(|error| format!("{path}, which Linux has, cannot be read: {error}"))?;
    let kibibytes: u64 = status
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .and_then(|value| value.trim().strip_suffix(" kB"))
        .ok_or_else(|| format!("{path} does not say {name}"))?
        .parse()?;
    Ok(kibibytes << 10)
}
