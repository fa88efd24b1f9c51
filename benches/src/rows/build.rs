//! A clean release build of a program whose only dependency is a client.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

use crate::Result;
use crate::client::Side;
use crate::report::{Row, count, seconds};

const HERE: &str = env!("CARGO_MANIFEST_DIR");

pub(crate) fn run() -> Result<Vec<Row>> {
    let ours = Built::program(
        &format!(
            "lance-namespace-client = {{ path = {:?} }}",
            format!("{HERE}/..")
        ),
        "lance_namespace_client::Client::new(\"http://localhost:2333\")",
    )?;
    let peer = Built::program(
        "lance-namespace-reqwest-client = \"=0.13.0\"",
        "lance_namespace_reqwest_client::apis::configuration::Configuration::new()",
    )?;
    let row = |work, figure: fn(&Built) -> f64, format| {
        let mut figures = [None; 3];
        figures[Side::Ours as usize] = Some(figure(&ours));
        figures[Side::Peer as usize] = Some(figure(&peer));
        Row::once(work, figures, format)
    };
    Ok(vec![
        row(
            "clean release build, CPU time",
            |built| built.cpu.as_secs_f64(),
            seconds,
        )
        .at_most(1.15, Side::Peer),
        row(
            "clean release build, time",
            |built| built.wall.as_secs_f64(),
            seconds,
        ),
        row(
            "clean release build, crates",
            |built| built.crates as f64,
            count,
        ),
    ])
}

/// What a build took.
struct Built {
    cpu: Duration,
    wall: Duration,
    crates: usize,
}

impl Built {
    /// Builds a program of one dependency and one expression, offline, into an empty folder. Its
    /// versions are those that are measured here.
    fn program(dependency: &str, expression: &str) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let path = folder.path();
        fs::create_dir(path.join("src"))?;
        fs::write(
            path.join("Cargo.toml"),
            format!(
                "[workspace]\n\n[package]\nname = \"program\"\nversion = \"0.1.0\"\n\
                 edition = \"2024\"\n\n[dependencies]\n{dependency}\n"
            ),
        )?;
        fs::write(
            path.join("src/main.rs"),
            format!("fn main() {{\n    drop({expression});\n}}\n"),
        )?;
        fs::copy(format!("{HERE}/Cargo.lock"), path.join("Cargo.lock"))?;
        let (wall, before) = (Instant::now(), children()?);
        let messages = cargo(path, &["build", "--release", "--message-format=json"])?;
        Ok(Self {
            cpu: children()? - before,
            wall: wall.elapsed(),
            crates: crates(&messages)?,
        })
    }
}

/// Runs cargo in a folder and gives its output.
fn cargo(folder: &Path, arguments: &[&str]) -> Result<Vec<u8>> {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .args(["--offline", "--target-dir"])
        .arg(folder.join("target"))
        .current_dir(folder)
        // What cargo tells a bench about its own package is nothing to do with this one, and
        // neither are a user's flags.
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("RUSTC_WRAPPER")
        .env_remove("CARGO_INCREMENTAL")
        .stdin(Stdio::null())
        .output()?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(String::from_utf8_lossy(&output.stderr).into()),
    }
}

/// The packages that a build compiled, without the program's own.
fn crates(messages: &[u8]) -> Result<usize> {
    let mut packages = std::collections::BTreeSet::new();
    for line in messages
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        let message: serde_json::Value = serde_json::from_slice(line)?;
        if message["reason"] == "compiler-artifact" {
            packages.extend(message["package_id"].as_str().map(str::to_owned));
        }
    }
    Ok(packages.len().saturating_sub(1))
}

/// The time that ended children of this process, and theirs, have spent on processors.
fn children() -> Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    Ok(duration(usage.user_time()) + duration(usage.system_time()))
}

fn duration(time: TimeVal) -> Duration {
    Duration::from_micros(time.tv_sec() as u64 * 1_000_000 + time.tv_usec() as u64)
}
