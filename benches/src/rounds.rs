//! How noise is kept out: the clients take turns within a round, and what counts is the median of
//! the rounds' ratios.

use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};

use crate::Result;
use crate::client::Side;

/// The time that this process has spent on processors.
pub(crate) fn cpu() -> Result<Duration> {
    Ok(clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)?.into())
}

/// Time on the clock and on processors.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Spent {
    pub(crate) wall: Duration,
    pub(crate) cpu: Duration,
}

impl Spent {
    /// What `work` takes.
    pub(crate) fn on<T>(work: impl FnOnce() -> Result<T>) -> Result<(Self, T)> {
        let (wall, before) = (Instant::now(), cpu()?);
        let done = work()?;
        let spent = Self {
            cpu: cpu()? - before,
            wall: wall.elapsed(),
        };
        Ok((spent, done))
    }
}

/// What one client spent in each round.
pub(crate) type Rounds = Vec<Spent>;

/// What each client spent, `None` for one that took no part.
#[derive(Default)]
pub(crate) struct Measured([Option<Rounds>; 3]);

impl Measured {
    /// Has `sides` do `work` in turns. A round is `slices` turns of each, and each turn begins with
    /// another client, so that none always follows the same one. A first turn of each warms up
    /// and does not count.
    pub(crate) fn alternate(
        sides: &[Side],
        rounds: usize,
        slices: usize,
        mut work: impl FnMut(Side) -> Result<Spent>,
    ) -> Result<Self> {
        let mut measured = Self::default();
        for &side in sides {
            work(side)?;
            measured.0[side as usize] = Some(vec![Spent::default(); rounds]);
        }
        for round in 0..rounds {
            for slice in 0..slices {
                for turn in 0..sides.len() {
                    let side = sides[(round * slices + slice + turn) % sides.len()];
                    let spent = work(side)?;
                    if let Some(rounds) = &mut measured.0[side as usize] {
                        rounds[round].wall += spent.wall;
                        rounds[round].cpu += spent.cpu;
                    }
                }
            }
        }
        Ok(measured)
    }

    /// The median of a figure over a client's rounds.
    pub(crate) fn median(&self, side: Side, figure: impl Fn(Spent) -> f64) -> Option<f64> {
        let rounds = self.0[side as usize].as_ref()?;
        Some(Spread::of(rounds.iter().map(|spent| figure(*spent)).collect()).median)
    }

    /// Our figure by another's, round by round.
    pub(crate) fn ratio(&self, to: Side, figure: impl Fn(Spent) -> f64) -> Option<Spread> {
        let ours = self.0[Side::Ours as usize].as_ref()?;
        let theirs = self.0[to as usize].as_ref()?;
        let ratios = ours
            .iter()
            .zip(theirs)
            .map(|(ours, theirs)| figure(*ours) / figure(*theirs));
        Some(Spread::of(ratios.collect()))
    }
}

/// A median, and the quartiles about it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread {
    pub(crate) low: f64,
    pub(crate) median: f64,
    pub(crate) high: f64,
}

impl Spread {
    /// Of at least one value.
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let at = |part: f64| values[((values.len() - 1) as f64 * part).round() as usize];
        Self {
            low: at(0.25),
            median: at(0.5),
            high: at(0.75),
        }
    }

    /// One value, without any about it.
    pub(crate) fn exactly(value: f64) -> Self {
        Self {
            low: value,
            median: value,
            high: value,
        }
    }
}
