//! What a run was made on and with.

use std::fmt;
use std::process::Command;

use crate::Result;

/// The versions that are measured.
const LOCK: &str = include_str!("../Cargo.lock");

pub(crate) struct Machine {
    date: String,
    processor: String,
    cores: usize,
    kernel: String,
    load: String,
    rustc: String,
    commit: Option<String>,
}

impl Machine {
    pub(crate) fn here() -> Result<Self> {
        let processor = read("/proc/cpuinfo")?
            .lines()
            .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
            .map_or("an unnamed processor".to_owned(), |(_, name)| {
                name.to_owned()
            });
        let load = read("/proc/loadavg")?;
        Ok(Self {
            date: said("date", &["-u", "+%F"]).ok_or("the date is not known")?,
            processor,
            cores: std::thread::available_parallelism()?.get(),
            kernel: read("/proc/sys/kernel/osrelease")?.trim().to_owned(),
            load: load.split(' ').next().unwrap_or_default().to_owned(),
            rustc: said("rustc", &["--version"]).ok_or("rustc does not say its version")?,
            commit: said("git", &["describe", "--always", "--dirty", "--exclude=*"]),
        })
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "- {}, on {} ({} cores), Linux {}, load {} when it began",
            self.date, self.processor, self.cores, self.kernel, self.load
        )?;
        writeln!(f, "- {}, profile `bench`", self.rustc)?;
        write!(
            f,
            "- ours: lance-namespace-client {}",
            versions("lance-namespace-client")
        )?;
        if let Some(commit) = &self.commit {
            write!(f, " at {commit}")?;
        }
        writeln!(
            f,
            "; peer: lance-namespace-reqwest-client {}",
            versions("lance-namespace-reqwest-client")
        )?;
        let libraries: Vec<String> = ["reqwest", "hyper", "tokio", "serde_json"]
            .iter()
            .map(|name| format!("{name} {}", versions(name)))
            .collect();
        writeln!(
            f,
            "- {} (ours and bare have the newer reqwest, the peer the older)",
            libraries.join(", ")
        )
    }
}

/// The locked versions of a crate.
fn versions(name: &str) -> String {
    let wanted = format!("name = {name:?}");
    let mut lines = LOCK.lines();
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        if line == wanted {
            let version = lines.next().and_then(|line| line.split('"').nth(1));
            found.extend(version);
        }
    }
    found.join(" and ")
}

fn read(path: &str) -> Result<String> {
    std::fs::read_to_string(path)
        .map_err(|error| format!("{path}, which Linux has, cannot be read: {error}").into())
}

/// What a program says, where it is there.
fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
