//! The matrix: which scenarios catch each mutant.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use futures::{StreamExt, stream};
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::run::Run;
use lance_namespace_suite::scenarios;

use crate::broken::Broken;
use crate::judgement::{Reported, catches};

/// The file that keeps the matrix.
const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/matrix.txt");

/// The seeds with which is tried again what depends on who comes first.
const MORE_SEEDS: std::ops::RangeInclusive<u64> = 101..=105;

const HEAD: &str = "\
# Which scenarios catch each mutant: always, with every seed that was tried, or sometimes, where it
# depends on who comes first. Written by
#     cargo run --release -p lance-namespace-selftest --example matrix -- --write
";

/// How often a scenario catches a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Often {
    /// With every seed.
    Always,
    /// With some seeds.
    Sometimes,
}

/// The scenarios that catch each mutant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matrix(pub BTreeMap<String, BTreeMap<String, Often>>);

impl Matrix {
    /// Reads the matrix that is kept.
    ///
    /// # Errors
    ///
    /// If its file cannot be read, or has a line that is none of a matrix.
    pub fn kept() -> Result<Self, String> {
        let text = std::fs::read_to_string(KEPT)
            .map_err(|error| format!("{KEPT} cannot be read: {error}"))?;
        Self::read(&text).map_err(|line| format!("{KEPT} has the line {line}"))
    }

    /// Keeps it in place of the one that is kept.
    ///
    /// # Errors
    ///
    /// If its file cannot be written.
    pub fn keep(&self) -> Result<(), String> {
        std::fs::write(KEPT, self.to_string())
            .map_err(|error| format!("{KEPT} cannot be written: {error}"))
    }

    /// Reads what `Display` wrote.
    ///
    /// # Errors
    ///
    /// The first line that is none of a matrix.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut matrix = Self::default();
        let mut row = None;
        let lines = text
            .lines()
            .filter(|line| !line.starts_with('#') && !line.is_empty());
        for line in lines {
            let Some(cell) = line.strip_prefix("  ") else {
                row = Some(matrix.0.entry(line.to_owned()).or_default());
                continue;
            };
            let (often, scenario) = match cell.split_once(' ') {
                Some(("always", scenario)) => (Often::Always, scenario),
                Some(("sometimes", scenario)) => (Often::Sometimes, scenario),
                _ => return Err(line.to_owned()),
            };
            let row = row.as_mut().ok_or_else(|| line.to_owned())?;
            row.insert(scenario.trim().to_owned(), often);
        }
        Ok(matrix)
    }
}

impl Matrix {
    /// Takes in what was tried with this many seeds, in place of what is there of the same mutants
    /// and scenarios.
    pub fn take(&mut self, tried: &BTreeMap<&'static str, Tried>, seeds: usize) {
        for (name, tried) in tried {
            let row = self.0.entry((*name).to_owned()).or_default();
            row.retain(|scenario, _| !tried.played.contains(scenario.as_str()));
            row.extend(tried.row(seeds));
        }
    }

    /// Drops the mutants and scenarios that there are no more.
    pub fn tidy(&mut self) {
        let mutants: BTreeSet<&str> = Broken::all().map(|broken| broken.expected().name).collect();
        let all: BTreeSet<&str> = scenarios::all().map(|(_, scenario)| scenario.id).collect();
        self.0.retain(|name, _| mutants.contains(name.as_str()));
        for row in self.0.values_mut() {
            row.retain(|scenario, _| all.contains(scenario.as_str()));
        }
    }
}

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HEAD)?;
        for (mutant, cells) in &self.0 {
            write!(f, "\n{mutant}\n")?;
            for (scenario, often) in cells {
                match often {
                    Often::Always => writeln!(f, "  always    {scenario}")?,
                    Often::Sometimes => writeln!(f, "  sometimes {scenario}")?,
                }
            }
        }
        Ok(())
    }
}

/// What became of one mutant.
#[derive(Debug, Default)]
pub struct Tried {
    /// What was reported, with all seeds together.
    pub reported: Reported,
    /// With how many seeds each scenario caught it.
    pub caught: BTreeMap<&'static str, usize>,
    /// What the scenarios reported, each with its first seed.
    pub reports: BTreeMap<&'static str, String>,
    /// The scenarios that were played.
    pub played: BTreeSet<&'static str>,
    /// What was not reported, and must be. What else was reported is judged with the scenarios that a
    /// mutant names: among all of them a fault shows in many requirements.
    pub misses: Vec<String>,
}

impl Tried {
    fn add(&mut self, run: &Run) {
        self.reported.add(run);
        self.played
            .extend(run.played.iter().map(|played| played.scenario.id));
        for (scenario, report) in catches(run) {
            *self.caught.entry(scenario).or_default() += 1;
            self.reports.entry(scenario).or_insert(report);
        }
    }

    /// Its row of the matrix after this many seeds.
    #[must_use]
    pub fn row(&self, seeds: usize) -> BTreeMap<String, Often> {
        let cell = |(scenario, times): (&&str, &usize)| {
            let often = if *times == seeds {
                Often::Always
            } else {
                Often::Sometimes
            };
            ((*scenario).to_owned(), often)
        };
        self.caught.iter().map(cell).collect()
    }
}

/// How mutants are tried.
#[derive(Clone, Copy, Debug)]
pub struct Trials<'a> {
    /// The scenarios.
    pub plan: &'a Plan,
    /// How many seeds, from 1 on.
    pub seeds: usize,
    /// How many mutants at a time.
    pub at_a_time: usize,
    /// The words that start a server to be killed.
    pub broken_server: &'a [&'a str],
}

impl Trials<'_> {
    /// Plays the plan against broken services. `told` hears of each as soon as it is through.
    ///
    /// # Panics
    ///
    /// If a trial cannot begin.
    pub async fn of(
        &self,
        broken: Vec<Broken>,
        told: fn(&'static str, &Tried),
    ) -> BTreeMap<&'static str, Tried> {
        // Scenarios are tasks of their own, so that this one need not be more than one.
        let trials = broken.into_iter().map(async |broken| {
            let expected = broken.expected();
            let tried = self.one(broken).await;
            told(expected.name, &tried);
            (expected.name, tried)
        });
        let trials = stream::iter(trials).buffer_unordered(self.at_a_time.max(1));
        trials.collect().await
    }

    async fn one(&self, broken: Broken) -> Tried {
        let mut tried = Tried::default();
        let plan = broken.plan_of(self.plan);
        if plan.is_empty() {
            return tried;
        }
        for seed in (1..).take(self.seeds) {
            tried.add(&broken.trial(&plan, seed, self.broken_server).await);
        }
        let reported = patient(broken, tried.reported, self.broken_server).await;
        tried.misses = reported.misses(&broken.expected());
        tried.reported = reported;
        tried
    }
}

/// Plays the scenarios that a broken service names with more seeds, as long as they miss something.
///
/// # Panics
///
/// If a trial cannot begin, or scenarios are named that there are not.
pub async fn patient(broken: Broken, mut reported: Reported, broken_server: &[&str]) -> Reported {
    let plan = broken.own_plan().expect("a mutant names scenarios");
    for seed in MORE_SEEDS {
        if reported.misses(&broken.expected()).is_empty() {
            break;
        }
        reported.add(&broken.trial(&plan, seed, broken_server).await);
    }
    reported
}

/// What is wrong with a matrix of every mutant and scenario: rows and scenarios that are missing or
/// of nothing, mutants that nothing catches, and scenarios that catch nothing.
#[must_use]
pub fn shortcomings(matrix: &Matrix) -> Vec<String> {
    let mut found = Vec::new();
    for broken in Broken::all() {
        let name = broken.expected().name;
        match matrix.0.get(name) {
            None => found.push(format!("{name} has no row")),
            Some(row) if row.is_empty() => found.push(format!("{name}: no scenario catches it")),
            Some(_) => {}
        }
    }
    let mutants: BTreeSet<&str> = Broken::all().map(|broken| broken.expected().name).collect();
    let strange = matrix
        .0
        .keys()
        .filter(|name| !mutants.contains(name.as_str()));
    found.extend(strange.map(|name| format!("there is no mutant {name}")));
    let all: BTreeSet<&str> = scenarios::all().map(|(_, scenario)| scenario.id).collect();
    let useful = useful(matrix);
    let useless = all.difference(&useful);
    found.extend(useless.map(|scenario| format!("{scenario} catches no mutant")));
    let strange = useful.difference(&all);
    found.extend(strange.map(|scenario| format!("there is no scenario {scenario}")));
    found
}

fn useful(matrix: &Matrix) -> BTreeSet<&str> {
    let cells = matrix.0.values().flat_map(BTreeMap::keys);
    cells.map(String::as_str).collect()
}

/// What in a matrix does not hold any more: what always caught a mutant must catch it again, if
/// need be with another seed.
///
/// # Panics
///
/// If a trial cannot begin.
pub async fn lapses(
    kept: &Matrix,
    tried: &BTreeMap<&'static str, Tried>,
    broken_server: &[&str],
) -> Vec<String> {
    let mut found = Vec::new();
    for broken in Broken::all() {
        let name = broken.expected().name;
        let Some(tried) = tried.get(name) else {
            continue;
        };
        let cells = kept.0.get(name).into_iter().flatten();
        let always = cells.filter(|(_, often)| **often == Often::Always);
        for (scenario, _) in always {
            let played = tried.played.contains(scenario.as_str());
            let again = tried.caught.contains_key(scenario.as_str());
            if played && !again && !catches_it(broken, scenario, broken_server).await {
                found.push(format!("{name}: {scenario} does not catch it any more"));
            }
        }
    }
    found
}

async fn catches_it(broken: Broken, scenario: &str, broken_server: &[&str]) -> bool {
    let Ok(plan) = Plan::new(&[], &[scenario.to_owned()]) else {
        return false;
    };
    for seed in MORE_SEEDS {
        if !catches(&broken.trial(&plan, seed, broken_server).await).is_empty() {
            return true;
        }
    }
    false
}

/// How many mutants are caught, and how many scenarios catch one.
#[must_use]
pub fn summary(matrix: &Matrix) -> String {
    let caught = matrix.0.values().filter(|row| !row.is_empty()).count();
    format!(
        "{caught} of {} mutants are caught, {} of {} scenarios catch one",
        Broken::all().count(),
        useful(matrix).len(),
        scenarios::all().count()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_is_read_as_it_was_written() {
        let row = [("a/b", Often::Always), ("a/c", Often::Sometimes)];
        let row = row.map(|(scenario, often)| (scenario.to_owned(), often));
        let rows = [
            ("one".to_owned(), BTreeMap::from(row)),
            ("two".to_owned(), BTreeMap::new()),
        ];
        let matrix = Matrix(BTreeMap::from(rows));
        assert_eq!(Matrix::read(&matrix.to_string()), Ok(matrix));
        assert!(Matrix::read("one\n  often a/b").is_err());
    }
}
