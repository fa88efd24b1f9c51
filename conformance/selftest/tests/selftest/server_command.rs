//! What the command does with servers that it starts: it says why they do not, and leaves none behind.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use lance_namespace_selftest::kept::HONEST;

use crate::command_line::{COMMAND, exits};

const PROGRAM: &str = env!("CARGO_BIN_EXE_broken_server");
const SCENARIO: &str = "put-if-not-exists/second-create-is-refused";

/// A folder for what a test writes.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// A command that starts the reference server, with a process beside it, and writes down the
    /// number of each.
    fn command(&self) -> String {
        let here = self.0.display();
        format!(
            "sh -c 'sleep 600 & echo $! >>{here}/pids; echo $$ >>{here}/pids; \
             exec {PROGRAM} {HONEST} 127.0.0.1:{{port}} {{dir}}/catalog'"
        )
    }

    fn pids(&self) -> Vec<u32> {
        let text = std::fs::read_to_string(self.0.join("pids")).unwrap_or_default();
        text.lines().map(|line| line.parse().unwrap()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Whether a process runs; one that has ended and that nobody has asked about does not.
fn runs(pid: u32) -> bool {
    let output = Command::new("ps")
        .args(["-o", "stat=", "-p", &pid.to_string()])
        .output()
        .unwrap();
    let state = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}

#[track_caller]
fn none_runs(folder: &Folder, at_least: usize) {
    let pids = folder.pids();
    assert!(pids.len() >= at_least, "{pids:?}");
    let begun = Instant::now();
    while pids.iter().any(|pid| runs(*pid)) {
        assert!(begun.elapsed() < Duration::from_secs(5), "{pids:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_server_that_it_starts_is_certified_and_ended() {
    let folder = Folder::new("started");
    let command = folder.command();
    let args = ["--server-cmd", &command, "--scenario", SCENARIO];
    exits(&args, 0, "1 planned, 1 executed");
    none_runs(&folder, 2);
}

#[test]
fn servers_that_it_kills_leave_nothing_behind() {
    let folder = Folder::new("killed");
    let command = folder.command();
    let scenario = "recovery/versions-survive-a-kill";
    let args = [
        "--server-cmd",
        &command,
        "--scenario",
        scenario,
        "--kills",
        "2",
    ];
    exits(&args, 0, "1 planned, 1 executed");
    // The one that is certified, and one for each start of the one that is killed.
    none_runs(&folder, 8);
}

#[test]
fn a_command_that_starts_no_server_is_told() {
    exits(&["--server-cmd", "serve --db {dir}"], 2, "{port}");
    exits(&["--server-cmd", "serve '{port}"], 2, "close");
    exits(
        &["--server-cmd", "/nowhere/at/all {port}"],
        3,
        "/nowhere/at/all",
    );
    let ends = "sh -c 'echo no license for {port} >&2; exit 7'";
    exits(&["--server-cmd", ends], 3, "exit status: 7");
    exits(&["--server-cmd", ends], 3, "no license for");
    let folder = Folder::new("silent");
    let silent = format!(
        "sh -c 'echo $$ >>{}/pids; echo still thinking; exec sleep 600 {{port}}'",
        folder.0.display()
    );
    let args = ["--server-cmd", &silent, "--start-timeout", "1"];
    exits(&args, 3, "within 1 s");
    exits(&args, 3, "still thinking");
    none_runs(&folder, 2);
}

#[test]
fn an_interrupt_ends_the_servers_too() {
    for signal in ["-INT", "-TERM"] {
        let folder = Folder::new("interrupted");
        let mut suite = start(&folder, Path::new(&*COMMAND));
        let begun = Instant::now();
        while folder.pids().len() < 6 {
            assert!(begun.elapsed() < Duration::from_secs(30));
            std::thread::sleep(Duration::from_millis(10));
        }
        let pid = suite.id().to_string();
        let sent = Command::new("kill").args([signal, &pid]).status().unwrap();
        assert!(sent.success());
        assert_eq!(suite.wait().unwrap().code(), Some(3));
        none_runs(&folder, 6);
    }
}

fn start(folder: &Folder, program: &Path) -> Child {
    Command::new(program)
        .args(["--server-cmd", &folder.command(), "--kills", "1000"])
        .args(["--scenario", "recovery/versions-survive-a-kill"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}
