//! Telling a run to end early.

use std::sync::Arc;

use tokio::sync::watch;

/// A way to tell a run to end early: no further scenario begins, those that are being played are
/// broken off, and what they made is removed. Clones tell the same run.
#[derive(Clone, Debug)]
pub struct Halt(Arc<watch::Sender<bool>>);

impl Default for Halt {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Halt {
    /// Tells the run to end.
    pub fn halt(&self) {
        self.0.send_replace(true);
    }

    /// Whether it was told to.
    #[must_use]
    pub fn is_told(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is told to.
    pub async fn told(&self) {
        // The sender is this one, so that the wait ends with its word only.
        let _ = self.0.subscribe().wait_for(|told| *told).await;
    }

    /// What a task answers; none if it was broken off, since the run was told to end.
    pub(crate) async fn or_break_off<T>(&self, mut task: tokio::task::JoinHandle<T>) -> Option<T> {
        tokio::select! {
            ended = &mut task => ended.ok(),
            () = self.told() => {
                task.abort();
                // Nothing is made any more when this comes back.
                task.await.ok()
            }
        }
    }
}
