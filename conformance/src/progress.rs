//! How a run goes on: a bar on a terminal, a line a scenario elsewhere.

use std::collections::BTreeSet;
use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lance_namespace_suite::play::Played;
use lance_namespace_suite::run::Observer;
use lance_namespace_suite::scenario::Scenario;

pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    running: Mutex<BTreeSet<&'static str>>,
}

impl Progress {
    pub(crate) fn new(planned: usize) -> Self {
        let bar = stderr().is_terminal().then(|| {
            let bar =
                ProgressBar::with_draw_target(Some(planned as u64), ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{pos}/{len} [{bar:20}] {wide_msg}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        Self {
            bar,
            running: Mutex::default(),
        }
    }

    pub(crate) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn show(&self, change: impl FnOnce(&mut BTreeSet<&'static str>)) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut running);
        if let Some(bar) = &self.bar {
            let names: Vec<&str> = running.iter().copied().collect();
            bar.set_message(names.join(", "));
        }
    }
}

impl Observer for Progress {
    fn begins(&self, scenario: &'static Scenario) {
        self.show(|running| {
            running.insert(scenario.id);
        });
    }

    fn ended(&self, played: &Played) {
        self.show(|running| {
            running.remove(played.scenario.id);
        });
        let line = format!(
            "{:<11} {} ({:.1} s)",
            played.status.name(),
            played.scenario.id,
            played.took.as_secs_f64()
        );
        match &self.bar {
            Some(bar) => {
                bar.println(line);
                bar.inc(1);
            }
            None => eprintln!("{line}"),
        }
    }

    fn round_ended(&self, number: u32, took: Duration) {
        let line = format!(
            "round {number} of the workloads ({:.1} s)",
            took.as_secs_f64()
        );
        match &self.bar {
            Some(bar) => bar.set_message(line),
            None => eprintln!("{line}"),
        }
    }
}
