//! What scenarios cover of the protocol: which operation was seen to answer with which status, and
//! which requirements were judged by that.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::exchange::Exchange;
use crate::play::Played;
use crate::protocol::operations;

/// The table that this build was made with: what the scenarios cover of an honest server that has
/// every operation.
pub const KEPT: &str = include_str!("../coverage.md");

/// An operation and the status of an answer.
pub type Answered = (&'static str, u16);

/// The answers that a scenario got.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// Those to requests that were sent one after the other.
    pub in_order: BTreeSet<Answered>,
    /// Those to requests of clients that were at work at once.
    pub in_races: BTreeSet<Answered>,
    /// The requirements that were judged by an answer.
    pub judged: BTreeSet<(Answered, &'static str)>,
}

impl Answers {
    pub(crate) fn came(&mut self, exchange: &Exchange) {
        if let Some(answered) = answered(exchange) {
            match exchange.client {
                0 => self.in_order.insert(answered),
                _ => self.in_races.insert(answered),
            };
        }
    }

    pub(crate) fn judged(&mut self, exchange: &Exchange, requirement: &'static str) {
        if let Some(answered) = answered(exchange) {
            self.judged.insert((answered, requirement));
        }
    }
}

fn answered(exchange: &Exchange) -> Option<Answered> {
    let status = exchange.status().filter(|_| !exchange.astray)?;
    Some((exchange.operation(), status))
}

/// What scenarios cover of the protocol.
#[derive(Clone, Debug, Default)]
pub struct Coverage(BTreeMap<Answered, Cell>);

/// How one operation is seen to answer with one status.
#[derive(Clone, Debug, Default)]
struct Cell {
    /// The scenarios that see it for sure.
    scenarios: BTreeSet<&'static str>,
    /// The requirements that are judged by it.
    judged: BTreeSet<&'static str>,
    /// The requirements of the scenarios that see it.
    around: BTreeSet<&'static str>,
}

/// The families in which who comes first, or how far a request gets, decides what is answered.
const BY_CHANCE: [&str; 4] = ["faults", "histories", "recovery", "replicas"];

impl Coverage {
    /// What these scenarios cover. What only some runs see is left out: answers in races, and those
    /// of the families about faults.
    pub fn of<'a>(played: impl IntoIterator<Item = &'a Played>) -> Self {
        let mut coverage = Self::default();
        for played in played {
            let (family, _) = played.scenario.id.split_once('/').unwrap_or_default();
            if !BY_CHANCE.contains(&family) {
                coverage.add(played);
            }
        }
        coverage
    }

    fn add(&mut self, played: &Played) {
        for answered in &played.answers.in_order {
            let cell = self.0.entry(*answered).or_default();
            cell.scenarios.insert(played.scenario.id);
            cell.around.extend(&played.cited);
        }
        for (answered, requirement) in &played.answers.judged {
            if let Some(cell) = self.0.get_mut(answered) {
                cell.judged.insert(requirement);
            }
        }
    }

    /// The operations that were asked for.
    #[must_use]
    pub fn operations(&self) -> BTreeSet<&'static str> {
        self.0.keys().map(|(operation, _)| *operation).collect()
    }

    /// The operations that no scenario asks for.
    #[must_use]
    pub fn missing(&self) -> Vec<&'static str> {
        let asked = self.operations();
        let all = operations().keys().map(String::as_str);
        all.filter(|id| !asked.contains(id)).collect()
    }
}

impl fmt::Display for Coverage {
    /// A table in Markdown, a row for each operation and status.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HEAD)?;
        let mut last = "";
        for ((operation, status), cell) in &self.0 {
            let name = if *operation == last { "" } else { operation };
            last = operation;
            let requirements = match cell.judged.is_empty() {
                false => words(&cell.judged),
                true => format!("({})", words(&cell.around)),
            };
            let scenarios = cell.scenarios.len();
            writeln!(f, "| {name} | {status} | {scenarios} | {requirements} |")?;
        }
        let (asked, answers) = (self.operations().len(), self.0.len());
        writeln!(f, "\n{asked} operations, {answers} ways to answer.")
    }
}

const HEAD: &str = "\
# What the scenarios cover

How each operation is seen to answer by an honest server that has them all: the status, the number of
scenarios that see it, and the requirements that are judged by such an answer; in brackets those of the
scenarios that see it, where it is judged by what is read afterwards or by many answers together. The
shape of each 2xx answer (REST-9), and status and code of each error (REST-6, REST-7, REST-8), are judged
besides. What only some runs see, in races or when connections break, is left out.

A test writes this table, where golden transcripts are recorded, and holds it:
`INSTA_UPDATE=always .ci/selftest coverage`

| operation | status | scenarios | requirements |
|---|---|---|---|
";

fn words(requirements: &BTreeSet<&'static str>) -> String {
    let mut ids: Vec<&str> = requirements.iter().copied().collect();
    ids.sort_by_key(|id| {
        let (family, number) = id.rsplit_once('-').unwrap_or((id, ""));
        (family, number.parse::<u32>().unwrap_or_default())
    });
    ids.join(" ")
}
