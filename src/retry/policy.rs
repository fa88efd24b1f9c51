//! How often, and how long after.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use tokio::time::Instant;

/// How a client tries again, where the operation allows it ([`RetryClass`](crate::RetryClass)).
///
/// Before the second attempt a call waits for the first delay, and for twice as long before each
/// further one, up to the longest; to each delay comes up to as much again by chance, so that
/// clients that failed together do not return together. Where the server says `Retry-After`, the
/// longer of the two counts. The client's [timeout](crate::ClientBuilder::timeout) spans all
/// attempts and the waits between them: a wait that would go beyond it is not begun.
///
/// ```
/// use std::time::Duration;
/// use lance_namespace_client::{Client, RetryPolicy};
///
/// # fn main() -> Result<(), lance_namespace_client::Error> {
/// let patient = RetryPolicy::new()
///     .with_max_attempts(10)
///     .with_delays(Duration::from_millis(50), Duration::from_secs(2));
/// let client = Client::builder("http://localhost:2333").retry(patient).build()?;
/// // For one call, or as long as the clone is kept:
/// let once = client.with_retry(RetryPolicy::none());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    attempts: u32,
    first: Duration,
    longest: Duration,
}

impl RetryPolicy {
    /// The usual policy: at most 4 attempts, delays from 100 milliseconds to 5 seconds.
    pub const fn new() -> Self {
        Self {
            attempts: 4,
            first: Duration::from_millis(100),
            longest: Duration::from_secs(5),
        }
    }

    /// One attempt, and no other.
    pub const fn none() -> Self {
        Self::new().with_max_attempts(1)
    }

    /// The attempts that a call may take, the first included. 0 is read as 1.
    #[must_use]
    pub const fn with_max_attempts(mut self, attempts: u32) -> Self {
        self.attempts = if attempts == 0 { 1 } else { attempts };
        self
    }

    /// The delay before the second attempt, and the longest before any.
    #[must_use]
    pub const fn with_delays(mut self, first: Duration, longest: Duration) -> Self {
        self.first = first;
        self.longest = longest;
        self
    }

    /// The attempts that a call may take.
    pub const fn max_attempts(&self) -> u32 {
        self.attempts
    }

    /// The delays between the attempts, by chance.
    pub(crate) fn delays(&self) -> ExponentialBackoff {
        ExponentialBuilder::new()
            .with_min_delay(self.first)
            .with_max_delay(self.longest)
            .with_max_times(self.attempts.saturating_sub(1) as usize)
            .with_jitter()
            .build()
    }
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self::new()
    }
}

/// What a call has tried so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tried {
    pub(crate) began: Instant,
    pub(crate) attempts: u32,
    /// Whether an attempt before the last one was answered by a server.
    pub(crate) reached: bool,
}

impl Tried {
    pub(crate) fn nothing() -> Self {
        Self {
            began: Instant::now(),
            attempts: 0,
            reached: false,
        }
    }
}
