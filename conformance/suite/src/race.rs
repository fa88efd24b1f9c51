//! Many clients at once.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::exchange::Exchange;
use crate::outcome::Outcome;

tokio::task_local! {
    static CLIENT: u32;
}

/// Runs what one client does: its requests carry this number in histories.
pub async fn as_client<T>(number: u32, work: impl Future<Output = T>) -> T {
    CLIENT.scope(number, work).await
}

/// The number of the client that is at work here; 0 where nobody else was named.
pub(crate) fn client() -> u32 {
    CLIENT.try_with(|number| *number).unwrap_or_default()
}

/// Runs `racers` clients, numbered from 1, that all start at the same moment; answers what each one
/// got, in order.
///
/// # Panics
///
/// If a client panics: its panic goes on here.
pub async fn race<T, F>(racers: usize, client: impl Fn(usize) -> F) -> Vec<T>
where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    let barrier = Arc::new(Barrier::new(racers));
    let mut tasks = JoinSet::new();
    for (racer, number) in (0..racers).zip(1..) {
        let barrier = Arc::clone(&barrier);
        let client = client(racer);
        tasks.spawn(async move {
            barrier.wait().await;
            (racer, as_client(number, client).await)
        });
    }
    let mut results: Vec<(usize, T)> = tasks.join_all().await;
    results.sort_by_key(|(racer, _)| *racer);
    results.into_iter().map(|(_, result)| result).collect()
}

/// How many answers of each class there were, such as `1 ok, 31 conflict`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tally(BTreeMap<String, usize>);

impl Tally {
    /// Counts the classes of answers.
    #[must_use]
    pub fn of<'a>(exchanges: impl IntoIterator<Item = &'a Arc<Exchange>>) -> Self {
        let mut counts = BTreeMap::new();
        for exchange in exchanges {
            *counts.entry(Outcome::of(exchange).to_string()).or_insert(0) += 1;
        }
        Self(counts)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut counts: Vec<(&String, &usize)> = self.0.iter().collect();
        counts.sort_by_key(|(class, _)| *class != "ok");
        for (index, (class, count)) in counts.into_iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{count} {class}")?;
        }
        Ok(())
    }
}
