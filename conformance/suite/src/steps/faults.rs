//! What goes wrong in a race, gathered and told as a whole.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::exchange::Exchange;
use crate::log::Deviation;
use crate::requirement::Level;
use crate::stage::Stage;

/// What goes wrong in a race: one line of the transcript about the whole of it, and one finding for
/// each way to go wrong, which shows the first case.
pub struct Faults {
    label: String,
    found: BTreeMap<(&'static str, &'static str), Fault>,
}

struct Fault {
    level: Option<Level>,
    times: usize,
    first: String,
    exchanges: Vec<Arc<Exchange>>,
}

impl Faults {
    /// None so far in this race.
    #[must_use]
    pub fn new(label: &str) -> Self {
        Self {
            label: label.to_owned(),
            found: BTreeMap::new(),
        }
    }

    /// Whether nothing went wrong so far.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.found.is_empty()
    }

    /// A requirement is broken, at its own level. `at` says when, where and in numbers.
    pub fn broken(
        &mut self,
        requirement: &'static str,
        what: &'static str,
        at: impl Into<String>,
        exchanges: impl IntoIterator<Item = Arc<Exchange>>,
    ) {
        self.add((requirement, what), None, at.into(), exchanges);
    }

    /// Something is not as it should be, which weighs no more than a warning.
    pub fn doubtful(
        &mut self,
        requirement: &'static str,
        what: &'static str,
        at: impl Into<String>,
        exchanges: impl IntoIterator<Item = Arc<Exchange>>,
    ) {
        self.add(
            (requirement, what),
            Some(Level::Should),
            at.into(),
            exchanges,
        );
    }

    fn add(
        &mut self,
        key: (&'static str, &'static str),
        level: Option<Level>,
        at: String,
        exchanges: impl IntoIterator<Item = Arc<Exchange>>,
    ) {
        let fault = self.found.entry(key).or_insert_with(|| Fault {
            level,
            times: 0,
            first: at,
            exchanges: exchanges.into_iter().collect(),
        });
        fault.times += 1;
    }

    /// Nothing of it weighs more than a warning.
    #[must_use]
    pub fn at_most_doubtful(mut self) -> Self {
        for fault in self.found.values_mut() {
            fault.level = Some(Level::Should);
        }
        self
    }

    /// Judges the race by these requirements. `held` is what the transcript says if all went well,
    /// and what findings say was expected.
    pub fn end(self, s: &Stage, requirements: &[&'static str], held: &str) {
        for requirement in requirements {
            s.cite(requirement);
        }
        if self.found.is_empty() {
            s.line(format!("{}: {held}", self.label));
        }
        for ((requirement, what), fault) in self.found {
            s.line(format!("{}: {what}", self.label));
            let times = match fault.times {
                1 => "once".to_owned(),
                times => format!("{times} times"),
            };
            let actual = format!("{times}, {what} (first: {})", fault.first);
            let expected = format!("{}: {held}", self.label);
            let deviation = Deviation::new(expected, actual, fault.exchanges);
            match fault.level {
                None => s.violates(requirement, deviation),
                Some(level) => s.violated(requirement, level, deviation),
            }
        }
    }
}
