//! A server's process: started, waited for until it answers, and ended.

use std::collections::VecDeque;
use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::call::Call;
use crate::server::ServerCommand;
use crate::server::group::{Group, Signal};
use crate::target::{Target, TargetError};
use crate::wire::{ClientError, Wire};

/// How many of the last lines of its output are kept.
const LINES: usize = 20;
/// How much of a line is kept.
const LONGEST_LINE: usize = 400;
/// How long it is between two looks, at first.
const LOOK: Duration = Duration::from_millis(5);
/// How long it is between two looks at most.
const LONGEST_LOOK: Duration = Duration::from_millis(100);
/// How long one question whether it answers may take.
const QUESTION: Duration = Duration::from_secs(2);
/// How long a server may take to end in good order.
const GRACE: Duration = Duration::from_secs(3);
/// How long the last words of one that has ended may take.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// How long the rest of a killed group may take to be gone.
const GOING: Duration = Duration::from_millis(500);

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// There is no folder for it.
    #[error("there is no temporary folder for the server: {0}")]
    Dir(#[source] std::io::Error),
    /// There is no port for it.
    #[error("loopback has no free port: {0}")]
    Port(#[source] std::io::Error),
    /// The program cannot be run.
    #[error("the server command cannot be run: {program}: {source}")]
    Run {
        /// The program.
        program: String,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// It ended before it answered.
    #[error("the server command ended ({status}) before it answered at {url}{output}")]
    Ended {
        /// How.
        status: ExitStatus,
        /// Where it had to answer.
        url: String,
        /// What it said.
        output: LastLines,
    },
    /// It did not answer in time.
    #[error("the server command did not answer at {url} within {seconds} s{output}")]
    Silent {
        /// Where it had to answer.
        url: String,
        /// How long it was waited for.
        seconds: u64,
        /// What it said.
        output: LastLines,
    },
    /// Nobody can say whether it still runs.
    #[error("the server cannot be waited for: {0}")]
    Wait(#[source] std::io::Error),
    /// It cannot be asked.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// Its URL cannot be used.
    #[error(transparent)]
    Target(#[from] TargetError),
}

/// The last lines that a server printed.
#[derive(Clone, Debug, Default)]
pub struct LastLines(Vec<String>);

impl fmt::Display for LastLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("; it printed nothing");
        }
        f.write_str("; the last that it printed:")?;
        self.0.iter().try_for_each(|line| write!(f, "\n  {line}"))
    }
}

/// A server's process and what it has started. They end when it is dropped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    group: Group,
    gone: bool,
    output: Output,
}

#[derive(Clone, Debug, Default)]
struct Output {
    lines: Arc<Mutex<VecDeque<String>>>,
    /// One for each pipe that is still read.
    reading: Arc<()>,
}

impl Process {
    /// Starts a server that keeps everything in this folder, on a free port, and waits until it
    /// answers. Requests to it carry what those to `like` do. Answers where it is.
    pub(crate) async fn start(
        command: &ServerCommand,
        dir: &Path,
        like: &Target,
    ) -> Result<(Self, Target), StartError> {
        match Self::start_once(command, dir, like).await {
            // Someone else may have taken the port meanwhile.
            Err(StartError::Ended { .. }) => Self::start_once(command, dir, like).await,
            started => started,
        }
    }

    async fn start_once(
        command: &ServerCommand,
        dir: &Path,
        like: &Target,
    ) -> Result<(Self, Target), StartError> {
        let port = free_port().map_err(StartError::Port)?;
        let target = like.at(&format!("http://127.0.0.1:{port}"))?;
        let wire = Wire::new(target.clone())?;
        let mut process = Self::run(&command.words(port, dir), dir)?;
        process.until_it_answers(&wire, command.patience()).await?;
        Ok((process, target))
    }

    fn run(words: &[String], dir: &Path) -> Result<Self, StartError> {
        let (program, args) = words
            .split_first()
            .map_or(("", &[][..]), |(program, args)| (program.as_str(), args));
        let mut command = Command::new(program);
        command
            .args(args)
            // A pipe that nothing is written to: it closes when the suite ends, however it ends.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Group::isolate(&mut command);
        let mut child = command.spawn().map_err(|source| StartError::Run {
            program: program.to_owned(),
            source,
        })?;
        let group = Group::of(&child, dir);
        let output = Output::default();
        output.keep(child.stdout.take());
        output.keep(child.stderr.take());
        Ok(Self {
            child,
            group,
            gone: false,
            output,
        })
    }

    async fn until_it_answers(
        &mut self,
        wire: &Wire,
        patience: Duration,
    ) -> Result<(), StartError> {
        let url = wire.target().display_url();
        let begun = Instant::now();
        let mut look = LOOK;
        loop {
            let left = patience.saturating_sub(begun.elapsed());
            let question = Call::new("ListNamespaces").id(&[]).query("limit", 1);
            let asked = wire.ask_once(&question);
            let asked = tokio::time::timeout(left.min(QUESTION), asked).await;
            if let Some(status) = self.child.try_wait().map_err(StartError::Wait)? {
                // Its last words may still be on their way, and what it has started may go on.
                let ended = Instant::now();
                while !self.output.is_read() && ended.elapsed() < LAST_WORDS {
                    tokio::time::sleep(LOOK).await;
                }
                return Err(StartError::Ended {
                    status,
                    url,
                    output: self.output.last(),
                });
            }
            // Any answer but that it is not ready yet.
            if asked.is_ok_and(|exchange| exchange.status().is_some_and(|status| status != 503)) {
                return Ok(());
            }
            if left.is_zero() {
                return Err(StartError::Silent {
                    url,
                    seconds: patience.as_secs(),
                    output: self.output.last(),
                });
            }
            tokio::time::sleep(look).await;
            // Some take milliseconds to begin and some take seconds.
            look = (look + look / 4).min(LONGEST_LOOK);
        }
    }

    /// Its group.
    pub(crate) fn group(&self) -> Group {
        self.group
    }

    /// Kills it, and waits until nothing of it is left.
    pub(crate) async fn killed(mut self) {
        self.group.signal(Signal::Kill);
        let begun = Instant::now();
        // Once nothing is left but what nobody reaps, waiting longer helps nobody.
        while self.ended().is_none() || self.group.is_left() && begun.elapsed() < GOING {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        self.gone = !self.group.is_left();
    }

    /// Asks it to end and, if it does not, kills it.
    pub(crate) async fn stop(mut self) {
        self.group.signal(Signal::Terminate);
        let begun = Instant::now();
        while self.ended().is_none() && begun.elapsed() < GRACE {
            tokio::time::sleep(LOOK).await;
        }
        self.killed().await;
    }

    fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The number of a group that is gone may come to be another's.
        if !self.gone {
            self.group.signal(Signal::Kill);
            // A process that was killed does not keep anyone waiting.
            let _ = self.child.wait();
        }
        self.group.forget();
    }
}

impl Output {
    /// Keeps the last lines of what is read there, until it ends.
    fn keep(&self, from: Option<impl Read + Send + 'static>) {
        let Some(from) = from else { return };
        let output = self.clone();
        std::thread::spawn(move || {
            let mut from = BufReader::new(from);
            let mut line = Vec::new();
            while from.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                let text = String::from_utf8_lossy(&line);
                output.add(text.trim_end().chars().take(LONGEST_LINE).collect());
                line.clear();
            }
        });
    }

    /// Whether all pipes have been read to their end.
    fn is_read(&self) -> bool {
        Arc::strong_count(&self.reading) == 1
    }

    fn add(&self, line: String) {
        let mut lines = self.lines();
        if lines.len() == LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    fn last(&self) -> LastLines {
        LastLines(self.lines().iter().cloned().collect())
    }

    fn lines(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A port that was free a moment ago.
fn free_port() -> std::io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    Ok(listener.local_addr()?.port())
}
