//! Process groups: what a command starts is signalled as a whole, and nothing else is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The groups that run.
static RUNNING: Mutex<Running> = Mutex::new(Running {
    groups: BTreeMap::new(),
    ended: false,
});

struct Running {
    /// Each with its folder.
    groups: BTreeMap<u32, PathBuf>,
    /// Whether the program is about to end.
    ended: bool,
}

/// What a group is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// To end in good order.
    Terminate,
    /// Nothing: it is ended.
    Kill,
}

/// The group of a process that was started as the first of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group(u32);

/// Kills every server that the suite has started and removes their folders: for a program that is
/// about to end without leaving its functions.
pub fn end_all() {
    let mut running = running();
    // What another thread is about to start ends as well.
    running.ended = true;
    for (id, dir) in std::mem::take(&mut running.groups) {
        Group(id).send(Signal::Kill);
        // What cannot be removed is left in the folder for temporary files.
        let _ = std::fs::remove_dir_all(dir);
    }
}

impl Group {
    /// Makes a command start a group of its own.
    pub(crate) fn isolate(command: &mut Command) {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        #[cfg(not(unix))]
        let _ = command;
    }

    /// The group that this process was started as the first of.
    pub(crate) fn of(child: &Child, dir: &Path) -> Self {
        let group = Self(child.id());
        let mut running = running();
        running.groups.insert(group.0, dir.to_owned());
        if running.ended {
            group.send(Signal::Kill);
        }
        group
    }

    /// Tells every process of the group; none if it has been forgotten.
    pub(crate) fn signal(self, signal: Signal) {
        if running().groups.contains_key(&self.0) {
            self.send(signal);
        }
    }

    fn send(self, signal: Signal) {
        #[cfg(unix)]
        if let Some(id) = self.pid() {
            let signal = match signal {
                Signal::Terminate => rustix::process::Signal::TERM,
                Signal::Kill => rustix::process::Signal::KILL,
            };
            // The one error that can come says that none of them is left.
            let _ = rustix::process::kill_process_group(id, signal);
        }
        #[cfg(not(unix))]
        let _ = signal;
    }

    /// Whether any process of it is left.
    pub(crate) fn is_left(self) -> bool {
        #[cfg(unix)]
        let left = self
            .pid()
            .is_some_and(|id| rustix::process::test_kill_process_group(id).is_ok());
        #[cfg(not(unix))]
        let left = false;
        left
    }

    /// Nothing is signalled by this number any more: another group may come to have it.
    pub(crate) fn forget(self) {
        running().groups.remove(&self.0);
    }

    #[cfg(unix)]
    fn pid(self) -> Option<rustix::process::Pid> {
        rustix::process::Pid::from_raw(i32::try_from(self.0).ok()?)
    }
}

fn running() -> MutexGuard<'static, Running> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}
