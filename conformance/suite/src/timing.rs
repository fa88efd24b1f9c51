//! How long answers take, by operation. It is information: no requirement speaks of it.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hdrhistogram::Histogram;

use crate::exchange::Exchange;

/// The longest time that is told from longer ones, in microseconds: an hour.
const LONGEST: u64 = 3_600_000_000;

/// How long the answers to one operation took, whatever they were. A percentile is exact to three
/// digits.
#[derive(Clone, Debug)]
pub struct Timing {
    /// The operation's name.
    pub operation: &'static str,
    /// How many answers there were.
    pub answers: u64,
    /// Half of them came within this time.
    pub p50: Duration,
    /// Nine in ten came within this time.
    pub p90: Duration,
    /// 99 in a hundred came within this time.
    pub p99: Duration,
    /// The longest time.
    pub max: Duration,
}

impl Timing {
    /// How many answers there were a second, in a run that took so long.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "a rate is shown with few digits"
    )]
    pub fn per_second(&self, run: Duration) -> f64 {
        self.answers as f64 / run.as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

/// What is measured so far. It takes the same memory however long a run goes on.
#[derive(Debug, Default)]
pub(crate) struct Timings(Mutex<BTreeMap<&'static str, Histogram<u64>>>);

impl Timings {
    /// Counts an answer. A request without one is not counted.
    pub(crate) fn record(&self, exchange: &Exchange) {
        if exchange.answer.is_ok() && !exchange.astray {
            let took = exchange.ended.saturating_duration_since(exchange.started);
            self.add(exchange.operation.id.as_str(), took);
        }
    }

    fn add(&self, operation: &'static str, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let mut histograms = self.lock();
        if !histograms.contains_key(operation) {
            // Bounds that are right do not fail.
            let Ok(histogram) = Histogram::new_with_bounds(1, LONGEST, 3) else {
                return;
            };
            histograms.insert(operation, histogram);
        }
        if let Some(histogram) = histograms.get_mut(operation) {
            histogram.saturating_record(micros);
        }
    }

    /// What was measured so far, by the operation's name.
    pub(crate) fn all(&self) -> Vec<Timing> {
        let histograms = self.lock();
        let timings = histograms.iter().map(|(operation, histogram)| {
            let within = |quantile| Duration::from_micros(histogram.value_at_quantile(quantile));
            Timing {
                operation,
                answers: histogram.len(),
                p50: within(0.5),
                p90: within(0.9),
                p99: within(0.99),
                max: Duration::from_micros(histogram.max()),
            }
        });
        timings.collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<&'static str, Histogram<u64>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_answers() {
        let timings = Timings::default();
        for millis in 1..=1000 {
            timings.add("CreateTableVersion", Duration::from_millis(millis));
        }
        timings.add("DescribeTable", Duration::from_millis(7));
        let [create, describe] = &timings.all()[..] else {
            panic!("there are two operations");
        };
        assert_eq!(create.answers, 1000);
        for (within, millis) in [(create.p50, 500), (create.p90, 900), (create.p99, 990)] {
            let off = within.abs_diff(Duration::from_millis(millis));
            assert!(off < Duration::from_millis(1), "{millis}: {within:?}");
        }
        assert_eq!(create.max.as_millis(), 1000);
        assert_eq!(describe.operation, "DescribeTable");
        assert!((create.per_second(Duration::from_secs(10)) - 100.0).abs() < 1e-9);
    }

    #[test]
    fn what_takes_longer_than_can_be_told_counts_as_the_longest() {
        let timings = Timings::default();
        timings.add("DescribeTable", Duration::MAX);
        assert!(timings.all()[0].max >= Duration::from_secs(3599));
    }
}
