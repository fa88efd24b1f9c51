//! The matrix: which scenarios catch each mutant.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use futures::{StreamExt, stream};
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::run::Run;

use crate::judgement::{Reported, catches};
use crate::mutant::Mutant;
use crate::mutants;
use crate::trial::trial;

/// The matrix that is kept, as text.
pub const KEPT: &str = include_str!("../matrix.txt");

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
    /// What is wrong with the judgement.
    pub faults: Vec<String>,
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

/// Plays a plan against mutants, with the seeds from 1 on, so many mutants at a time. `told` hears
/// of each as soon as it is through.
///
/// # Panics
///
/// If a trial cannot begin.
pub async fn try_all(
    mutants: Vec<&'static Mutant>,
    plan: &Plan,
    seeds: usize,
    at_a_time: usize,
    told: fn(&Mutant, &Tried),
) -> BTreeMap<&'static str, Tried> {
    // Scenarios are tasks of their own, so that this one need not be more than one.
    let trials = mutants.into_iter().map(async |mutant| {
        let mut tried = Tried::default();
        for seed in (1..).take(seeds) {
            tried.add(&trial(plan, seed, mutant.wrap).await);
        }
        tried.reported = patient(mutant, tried.reported).await;
        tried.faults = tried.reported.faults(mutant);
        told(mutant, &tried);
        (mutant.name, tried)
    });
    let trials = stream::iter(trials).buffer_unordered(at_a_time.max(1));
    trials.collect().await
}

/// Plays the scenarios that a mutant names with more seeds, as long as they miss something.
///
/// # Panics
///
/// If a trial cannot begin, or a mutant names scenarios that there are not.
pub async fn patient(mutant: &Mutant, mut reported: Reported) -> Reported {
    let patterns: Vec<String> = mutant.scenarios.iter().map(ToString::to_string).collect();
    let plan = Plan::new(&[], &patterns).expect("a mutant names scenarios");
    for seed in MORE_SEEDS {
        if reported.misses(mutant).is_empty() {
            break;
        }
        reported.add(&trial(&plan, seed, mutant.wrap).await);
    }
    reported
}

/// What is wrong with the mutants and scenarios that were tried: mutants that nothing catches or
/// that are judged otherwise than they say, and scenarios that catch nothing.
#[must_use]
pub fn shortcomings(tried: &BTreeMap<&'static str, Tried>) -> Vec<String> {
    let mut found = Vec::new();
    for (name, tried) in tried {
        if tried.caught.is_empty() {
            found.push(format!("{name}: no scenario catches it"));
        }
        found.extend(tried.faults.iter().map(|fault| format!("{name}: {fault}")));
    }
    let useless = useless(tried);
    found.extend(
        useless
            .iter()
            .map(|scenario| format!("{scenario} catches no mutant")),
    );
    found
}

fn useless(tried: &BTreeMap<&'static str, Tried>) -> BTreeSet<&'static str> {
    let played = tried
        .values()
        .flat_map(|tried| tried.played.iter().copied());
    let mut useless: BTreeSet<&str> = played.collect();
    for scenario in tried.values().flat_map(|tried| tried.caught.keys()) {
        useless.remove(scenario);
    }
    useless
}

/// Where the mutants that were tried differ from a matrix that is kept: what always caught a mutant
/// must catch it again, if need be with another seed.
///
/// # Panics
///
/// If a trial cannot begin.
pub async fn lapses(kept: &Matrix, tried: &BTreeMap<&'static str, Tried>) -> Vec<String> {
    let mut found = Vec::new();
    for (name, tried) in tried {
        let Some(row) = kept.0.get(*name) else {
            found.push(format!("{name} is not in the matrix"));
            continue;
        };
        for (scenario, often) in row {
            let again = *often == Often::Sometimes || tried.caught.contains_key(scenario.as_str());
            if !again && !catches_with_more_seeds(name, scenario).await {
                found.push(format!("{name}: {scenario} does not catch it any more"));
            }
        }
    }
    found
}

async fn catches_with_more_seeds(mutant: &str, scenario: &str) -> bool {
    let Some(mutant) = mutants::all().find(|one| one.name == mutant) else {
        return false;
    };
    let Ok(plan) = Plan::new(&[], &[scenario.to_owned()]) else {
        return false;
    };
    for seed in MORE_SEEDS {
        if !catches(&trial(&plan, seed, mutant.wrap).await).is_empty() {
            return true;
        }
    }
    false
}

/// How many mutants are caught, and how many scenarios catch one.
#[must_use]
pub fn summary(tried: &BTreeMap<&'static str, Tried>) -> String {
    let caught = tried
        .values()
        .filter(|tried| !tried.caught.is_empty())
        .count();
    let played: BTreeSet<&str> = tried
        .values()
        .flat_map(|tried| tried.played.iter().copied())
        .collect();
    format!(
        "{caught} of {} mutants are caught, {} of {} scenarios catch one",
        tried.len(),
        played.len() - useless(tried).len(),
        played.len()
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
