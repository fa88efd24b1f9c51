//! The readings, by what they are about.
//!
//! The mutants measure what the suite misses; these measure whom it accuses though nothing is wrong.

mod batches;
mod form;
mod moments;
mod names;
mod pages;
mod properties;
mod refusals;
mod tables;
mod versions;

use std::collections::BTreeSet;

use axum::Router;
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::play::Status;
use lance_namespace_suite::run::Run;

use crate::reading::Reading;

/// Those of which one server takes one at most. No topic has more than two, so that two servers take all. What
/// decides what is done comes first, what only words answers last: the later ones stand before the earlier.
const TOPICS: &[&[Reading]] = &[
    versions::AGAIN,
    versions::NUMBERS,
    versions::RANGES,
    batches::AGAIN,
    batches::TABLES,
    batches::TWICE,
    batches::SIZES,
    batches::COMMITS,
    tables::BRANCHES,
    tables::TABLES,
    tables::RENAMES,
    names::NAMES,
    refusals::RACES,
    refusals::MISSING,
    refusals::LACKS,
    refusals::BODIES,
    refusals::ERRORS,
    pages::LIMITS,
    pages::PAGES,
    pages::ENDS,
    pages::TABLES,
    pages::ORDERS,
    properties::PROPERTIES,
    properties::LOCATIONS,
    form::MANIFESTS,
    form::TIMES,
    form::FIELDS,
    form::REST,
    moments::MOMENTS,
];

/// Those that no other is taken with: they take long, the others look at names as they are sent, or nothing
/// can be sure to be judged.
const ALONE: &[&[Reading]] = &[pages::SMALL_PAGES, names::FOLDED, moments::UNAVAILABLE];

/// Every reading.
pub fn all() -> impl Iterator<Item = &'static Reading> {
    let topics = TOPICS.iter().copied();
    topics.chain(ALONE.iter().copied()).flatten()
}

/// Those that are taken alone.
pub fn alone() -> impl Iterator<Item = &'static Reading> {
    ALONE.iter().copied().flatten()
}

/// Servers that take one reading of each topic, so many that each reading is taken by one.
#[must_use]
pub fn combined() -> Vec<Vec<&'static Reading>> {
    let most = TOPICS.iter().map(|topic| topic.len()).max().unwrap_or(0);
    let server = |number: usize| {
        let of_topics = TOPICS.iter().copied();
        let taken = of_topics.filter_map(|topic| topic.get(number % topic.len().max(1)));
        taken.collect()
    };
    (0..most).map(server).collect()
}

/// A router that takes all of these readings.
pub fn taking<'a>(readings: impl IntoIterator<Item = &'a Reading>, honest: Router) -> Router {
    let readings = readings.into_iter();
    readings.fold(honest, |honest, reading| (reading.wrap)(honest))
}

/// What a reading does not let judge that answers now and then as if it were not there: it may be any
/// scenario.
pub const EVERY: &[&str] = &["*"];

/// The scenarios that cannot be judged with one of these readings.
///
/// # Panics
///
/// If a reading names a scenario that there is not.
#[must_use]
pub fn excused(readings: &[&Reading]) -> BTreeSet<&'static str> {
    let patterns = readings.iter().flat_map(|reading| reading.unjudged);
    let patterns: Vec<String> = patterns.map(ToString::to_string).collect();
    if patterns.is_empty() {
        return BTreeSet::new();
    }
    let plan = Plan::new(&[], &patterns).expect("a reading names scenarios");
    plan.iter().map(|(_, scenario)| scenario.id).collect()
}

/// What a run says of a server that takes these readings, and must not: whatever it reports, and what it
/// leaves unjudged though it could be.
///
/// # Panics
///
/// If a reading names a scenario that there is not.
#[must_use]
pub fn wrongs(run: &Run, readings: &[&Reading]) -> Vec<String> {
    let excused = excused(readings);
    let mut wrongs = Vec::new();
    for played in &run.played {
        let id = played.scenario.id;
        for finding in &played.findings {
            let (requirement, level) = (finding.requirement, finding.level);
            wrongs.push(format!("{id}: {requirement} ({level}): {}", finding.actual));
        }
        let unjudged = matches!(played.status, Status::Error | Status::Unsupported);
        if unjudged && !excused.contains(id) {
            let reason = played.reason.as_deref().unwrap_or_default();
            wrongs.push(format!("{id}: not judged: {reason}"));
        }
    }
    wrongs
}
