//! The time that a call has, over all its attempts.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::OnceLock;
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::upload::Sent;

/// What is left of the time of a call and of its present attempt. The time that a streamed body
/// takes to be sent does not count.
pub(crate) struct Deadline {
    call: Option<Duration>,
    attempt: Option<Duration>,
}

/// The time of the call or of the attempt has run out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RanOut;

impl Deadline {
    /// The time of a call; none for no limit.
    pub(crate) fn new(call: Option<Duration>) -> Self {
        Self {
            call,
            attempt: None,
        }
    }

    /// Begins an attempt with a limit of its own.
    pub(crate) fn attempt(&mut self, limit: Option<Duration>) {
        self.attempt = limit;
    }

    /// The outcome of `work`, if it comes in time. Where a body is streamed, time begins when it has
    /// been `sent`.
    pub(crate) async fn hold<T>(
        &mut self,
        sent: Option<Arc<Sent>>,
        work: impl Future<Output = T>,
    ) -> Result<T, RanOut> {
        let Some(limit) = self.call.into_iter().chain(self.attempt).min() else {
            return Ok(work.await);
        };
        let since = OnceLock::new();
        let end = async {
            if let Some(sent) = sent {
                sent.notified().await;
            }
            since.get_or_init(Instant::now);
            sleep(limit).await;
        };
        let done = before(pin!(end), pin!(work)).await;
        if let Some(since) = since.get() {
            self.spend(since.elapsed());
        }
        done.ok_or(RanOut)
    }

    /// Waits, if there is time for it.
    pub(crate) async fn wait(&mut self, delay: Duration) -> bool {
        if self.call.is_some_and(|left| delay >= left) {
            return false;
        }
        sleep(delay).await;
        self.spend(delay);
        true
    }

    fn spend(&mut self, time: Duration) {
        for left in [&mut self.call, &mut self.attempt].into_iter().flatten() {
            *left = left.saturating_sub(time);
        }
    }
}

/// The outcome of `work`, if it comes before `end`.
async fn before<T>(
    mut end: Pin<&mut impl Future>,
    mut work: Pin<&mut impl Future<Output = T>>,
) -> Option<T> {
    std::future::poll_fn(|cx| {
        if let Poll::Ready(done) = work.as_mut().poll(cx) {
            return Poll::Ready(Some(done));
        }
        end.as_mut().poll(cx).map(|_| None)
    })
    .await
}
