//! How a run goes on: a bar on a terminal, a line a scenario elsewhere.

use std::collections::BTreeSet;
use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lance_namespace_suite::play::Played;
use lance_namespace_suite::run::Observer;
use lance_namespace_suite::scenario::Scenario;

/// How much of a run is told while it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Nothing.
    Quiet,
    /// Each scenario.
    Scenarios,
    /// Each request, too.
    Requests,
}

pub(crate) struct Progress {
    detail: Detail,
    planned: usize,
    begun: Instant,
    bar: Option<ProgressBar>,
    now: Mutex<Now>,
}

#[derive(Default)]
struct Now {
    ended: usize,
    running: BTreeSet<&'static str>,
}

impl Progress {
    pub(crate) fn new(planned: usize, detail: Detail) -> Self {
        let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
        let shows_a_bar = detail != Detail::Quiet && stderr().is_terminal() && !dumb;
        let bar = shows_a_bar.then(|| {
            let bar =
                ProgressBar::with_draw_target(Some(planned as u64), ProgressDrawTarget::stderr());
            // No colours, whatever NO_COLOR says; the rest of 80 columns names what is running.
            let template = "{pos}/{len} [{bar:12}] {elapsed}, {eta} left: {wide_msg}";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        Self {
            detail,
            planned,
            begun: Instant::now(),
            bar,
            now: Mutex::default(),
        }
    }

    pub(crate) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Tells of a request.
    pub(crate) fn request(&self, line: &str) {
        self.say(line);
    }

    fn say(&self, line: &str) {
        match &self.bar {
            _ if self.detail == Detail::Quiet => {}
            Some(bar) => bar.println(line),
            None => eprintln!("{line}"),
        }
    }

    fn show(&self, change: impl FnOnce(&mut Now)) -> usize {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut now);
        if let Some(bar) = &self.bar {
            let names: Vec<&str> = now.running.iter().copied().collect();
            bar.set_message(names.join(", "));
        }
        now.ended
    }

    /// How far the run is, where no bar says it: `[12/80, 3 s left]`.
    fn place(&self, ended: usize) -> String {
        if self.bar.is_some() {
            return String::new();
        }
        let planned = self.planned;
        let left = self
            .begun
            .elapsed()
            .mul_f64(share(planned.saturating_sub(ended), ended));
        match left.as_secs() {
            0 => format!("[{ended}/{planned}] "),
            seconds => format!("[{ended}/{planned}, {seconds} s left] "),
        }
    }
}

/// A part of a whole that is small enough to be exact.
fn share(part: usize, whole: usize) -> f64 {
    let small = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    small(part) / small(whole.max(1))
}

impl Observer for Progress {
    fn begins(&self, scenario: &'static Scenario) {
        self.show(|now| {
            now.running.insert(scenario.id);
        });
    }

    fn ended(&self, played: &Played) {
        let ended = self.show(|now| {
            now.running.remove(played.scenario.id);
            now.ended += 1;
        });
        let status = match played.lacks {
            Some(_) => "left out",
            None => played.status.name(),
        };
        self.say(&format!(
            "{}{status:<11} {} ({:.1} s)",
            self.place(ended),
            played.scenario.id,
            played.took.as_secs_f64()
        ));
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }

    fn round_ended(&self, number: u32, took: Duration) {
        let line = format!(
            "round {number} of the workloads ({:.1} s)",
            took.as_secs_f64()
        );
        match &self.bar {
            Some(bar) => bar.set_message(line),
            None => self.say(&line),
        }
    }
}
