//! The time that a call has, over all its attempts.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep};

use crate::upload::Sent;

/// What is left of the time of a call and of its present attempt. The time that a streamed body
/// takes to be sent does not count.
pub(crate) struct Deadline {
    call: Option<Duration>,
    attempt: Option<Duration>,
    running: Option<Running>,
}

/// Time that runs. There is one timer for an attempt, since to start and to stop one costs more than
/// anything else that a call does in between.
struct Running {
    since: Instant,
    end: Pin<Box<Sleep>>,
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
            running: None,
        }
    }

    /// Begins an attempt with a limit of its own.
    pub(crate) fn attempt(&mut self, limit: Option<Duration>) {
        self.stop();
        self.attempt = limit;
    }

    /// The outcome of `work`, if it comes in time. Where a body is streamed, time begins when it has
    /// been `sent`.
    pub(crate) async fn hold<T>(
        &mut self,
        sent: Option<Arc<Sent>>,
        work: impl Future<Output = T>,
    ) -> Result<T, RanOut> {
        let mut sending = sent.map(|sent| {
            self.stop();
            Box::pin(async move { sent.notified().await })
        });
        let mut work = pin!(work);
        std::future::poll_fn(|cx| {
            if let Poll::Ready(done) = work.as_mut().poll(cx) {
                return Poll::Ready(Ok(done));
            }
            if let Some(body) = &mut sending {
                ready!(body.as_mut().poll(cx));
                sending = None;
            }
            let Some(running) = self.run() else {
                return Poll::Pending;
            };
            running.end.as_mut().poll(cx).map(|()| Err(RanOut))
        })
        .await
    }

    /// Waits, if there is time for it.
    pub(crate) async fn wait(&mut self, delay: Duration) -> bool {
        self.stop();
        if self.call.is_some_and(|left| delay >= left) {
            return false;
        }
        sleep(delay).await;
        self.spend(delay);
        true
    }

    /// Lets the time run; none where there is no limit.
    fn run(&mut self) -> Option<&mut Running> {
        if self.running.is_none() {
            let limit = self.call.into_iter().chain(self.attempt).min()?;
            self.running = Some(Running {
                since: Instant::now(),
                end: Box::pin(sleep(limit)),
            });
        }
        self.running.as_mut()
    }

    fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            self.spend(running.since.elapsed());
        }
    }

    fn spend(&mut self, time: Duration) {
        for left in [&mut self.call, &mut self.attempt].into_iter().flatten() {
            *left = left.saturating_sub(time);
        }
    }
}
