//! A server that the suite started, with a folder of its own.

use tempfile::TempDir;

use crate::server::group::Signal;
use crate::server::process::Process;
use crate::server::{ServerCommand, StartError};
use crate::target::Target;

/// A server that the suite started in a fresh temporary folder. It ends, and its folder is
/// removed, when it is dropped.
#[derive(Debug)]
pub struct StartedServer {
    command: ServerCommand,
    target: Target,
    // Before the folder: it is written to until the process has ended.
    process: Option<Process>,
    dir: TempDir,
}

impl StartedServer {
    /// Starts a server and waits until it answers. Requests to it are to carry what those to `like`
    /// do.
    ///
    /// # Errors
    ///
    /// If it cannot be run, ends, or does not answer in time.
    pub async fn start(command: &ServerCommand, like: &Target) -> Result<Self, StartError> {
        let dir = tempfile::Builder::new()
            .prefix("lance-conformance-")
            .tempdir()
            .map_err(StartError::Dir)?;
        let (process, target) = Process::start(command, dir.path(), like).await?;
        Ok(Self {
            command: command.clone(),
            target,
            process: Some(process),
            dir,
        })
    }

    /// Where it is now.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// What kills it (SIGKILL), and does not wait.
    pub(crate) fn killer(&self) -> impl FnOnce() + Send + 'static {
        let group = self.process.as_ref().map(Process::group);
        move || {
            if let Some(group) = group {
                group.signal(Signal::Kill);
            }
        }
    }

    /// Starts it again on what it has in its folder; if it still runs, it is killed. It has another
    /// port then.
    ///
    /// # Errors
    ///
    /// If it cannot be run, ends, or does not answer in time.
    pub async fn restart(&mut self) -> Result<(), StartError> {
        if let Some(process) = self.process.take() {
            process.killed().await;
        }
        let (process, target) =
            Process::start(&self.command, self.dir.path(), &self.target).await?;
        self.process = Some(process);
        self.target = target;
        Ok(())
    }

    /// Ends it in good order.
    pub async fn stop(mut self) {
        if let Some(process) = self.process.take() {
            process.stop().await;
        }
    }
}
