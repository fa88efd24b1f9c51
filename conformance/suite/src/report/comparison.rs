//! Two results side by side, as plain text of 80 columns.

use crate::play::Status;
use crate::report::terminal::{push, result_verdict};
use crate::result::{ChangedScenario, Comparison, FindingKey, RunResult};
use crate::run::TierOutcome;

const STATUSES: [Status; 5] = [
    Status::Pass,
    Status::Warn,
    Status::Fail,
    Status::Unsupported,
    Status::Error,
];

/// How wide the first column and the second are.
const FIRST: usize = 14;
const SECOND: usize = 32;

/// A comparison, as plain text.
#[must_use]
pub fn comparison(comparison: &Comparison<'_>) -> String {
    let mut text = String::new();
    let results = [comparison.first, comparison.second];
    row(&mut text, "", ["first".to_owned(), "second".to_owned()]);
    for (name, of) in facts() {
        row(&mut text, name, results.map(of));
    }
    push(&mut text, "");
    for status in STATUSES {
        row(
            &mut text,
            status.name(),
            results.map(|result| count(result, status)),
        );
    }
    push(&mut text, "");
    for (tier, outcomes) in &comparison.tiers {
        row(
            &mut text,
            tier.name(),
            outcomes.map(|outcome| tier_name(outcome).to_owned()),
        );
    }
    scenarios(&mut text, comparison);
    for (what, findings) in [
        ("new findings", &comparison.new),
        ("findings that are gone", &comparison.gone),
    ] {
        section(&mut text, what, findings);
    }
    push(&mut text, "");
    push(
        &mut text,
        match comparison.worse() {
            true => "the second is worse",
            false => "the second is no worse",
        },
    );
    text
}

/// Something that is told of each result: its name, and how to say it.
type Fact = (&'static str, fn(&RunResult) -> String);

/// What is told of each result before its tiers.
pub(super) fn facts() -> [Fact; 6] {
    [
        ("server", |result| result.server.url.clone()),
        ("verdict", result_verdict),
        ("began", |result| result.environment.began.clone()),
        ("suite", |result| result.suite.version.clone()),
        ("seed", |result| result.seed.to_string()),
        ("scenarios", |result| result.scenarios.len().to_string()),
    ]
}

pub(super) fn count(result: &RunResult, status: Status) -> String {
    let scenarios = result.scenarios.iter();
    let count = scenarios.filter(|scenario| scenario.status == status);
    count.count().to_string()
}

pub(super) fn tier_name(outcome: Option<TierOutcome>) -> &'static str {
    match outcome {
        None => "not played",
        Some(TierOutcome::Conformant) => "conformant",
        Some(TierOutcome::Excepted) => "known failures",
        Some(TierOutcome::Violation) => "violation",
        Some(TierOutcome::Partial) => "in part",
        Some(TierOutcome::Unsupported) => "unsupported",
        Some(TierOutcome::Inconclusive) => "inconclusive",
    }
}

pub(super) fn status_name(status: Option<Status>) -> &'static str {
    status.map_or("not played", Status::name)
}

fn row(text: &mut String, name: &str, [first, second]: [String; 2]) {
    let line = format!("{name:<FIRST$}{first:<SECOND$}  {second}");
    push(text, line.trim_end());
}

/// The scenarios that came out otherwise, under what they were and are.
fn scenarios(text: &mut String, comparison: &Comparison<'_>) {
    let alike = |a: &ChangedScenario, b: &ChangedScenario| (a.was, a.is) == (b.was, b.is);
    for group in comparison.scenarios.chunk_by(alike) {
        let (was, is) = (status_name(group[0].was), status_name(group[0].is));
        let (change, count) = (group[0].change.name(), group.len());
        push(text, "");
        push(text, &format!("{was} -> {is} ({change}): {count}"));
        for changed in group {
            push(text, &format!("  {}", changed.id));
        }
    }
}

fn section(text: &mut String, what: &str, findings: &[FindingKey]) {
    if findings.is_empty() {
        return;
    }
    push(text, "");
    push(text, &format!("{what}: {}", findings.len()));
    let alike =
        |a: &FindingKey, b: &FindingKey| (&a.requirement, a.level) == (&b.requirement, b.level);
    for group in findings.chunk_by(alike) {
        push(
            text,
            &format!("  {} ({})", group[0].requirement, group[0].level),
        );
        for finding in group {
            push(text, &format!("    {}", finding.scenario));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture::result;
    use crate::result::Comparison;
    use crate::scenarios;

    #[test]
    fn it_fits_into_80_columns() {
        let (before, mut after) = (result(), result());
        let names = scenarios::all().map(|(_, scenario)| scenario.id);
        let longest = names.max_by_key(|id| id.len()).unwrap();
        after.scenarios[0].id = longest.to_owned();
        let text = comparison(&Comparison::of(&before, &after));
        assert!(text.contains("fail -> not played (other): 1"), "{text}");
        assert!(text.contains(longest) && text.ends_with("the second is no worse\n"));
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
