//! The report of a run as plain text: a table by tier, then each finding.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use crate::log::Finding;
use crate::play::{Played, Status};
use crate::requirement::catalogue;
use crate::result::RunResult;
use crate::run::{Run, TierOutcome, Verdict};
use crate::scenario::{Given, Tier};
use crate::target::Target;

use super::certificate;

/// How wide lines of prose are.
const WIDTH: usize = 96;

/// How many exchanges of a finding are shown; `--json` has them all.
const EXCHANGES: usize = 4;

/// The report of a run.
#[must_use]
pub fn report(run: &Run, target: &Target) -> String {
    told(run, |text, found| finding(text, found, target))
}

/// The report of a run that was merged of parts: without requests, which the files have.
#[must_use]
pub fn merged(run: &Run) -> String {
    told(run, said)
}

/// The report of a run whose findings are told so.
fn told(run: &Run, finding: impl Fn(&mut String, &Finding)) -> String {
    let mut text = String::new();
    table(&mut text, run);
    for status in [Status::Fail, Status::Error, Status::Warn] {
        let of_status = run.played.iter().filter(|played| played.status == status);
        for played in of_status.filter(|played| run.known(played).is_none()) {
            push(&mut text, "");
            scenario(&mut text, played, &finding);
            again(&mut text, run, played);
        }
    }
    text.push_str(&certificate::expectations(run));
    unsupported(&mut text, run, finding);
    left_out(&mut text, run);
    observations(&mut text, run);
    timings(&mut text, run);
    verdict(&mut text, run);
    text
}

fn table(text: &mut String, run: &Run) {
    let mut counts: BTreeMap<Tier, BTreeMap<Status, usize>> = BTreeMap::new();
    for played in &run.played {
        let tier = counts.entry(played.scenario.tier).or_default();
        *tier.entry(played.status).or_default() += 1;
    }
    let outcomes = run.tiers();
    push(
        text,
        "tier          pass  warn  fail  unsupported  error  outcome",
    );
    for (tier, counts) in counts {
        let count = |status| counts.get(&status).copied().unwrap_or(0);
        let outcome = outcomes.get(&tier).copied().map_or("", tier_outcome);
        push(
            text,
            &format!(
                "{:<12}  {:>4}  {:>4}  {:>4}  {:>11}  {:>5}  {outcome}",
                tier.name(),
                count(Status::Pass),
                count(Status::Warn),
                count(Status::Fail),
                count(Status::Unsupported),
                count(Status::Error),
            ),
        );
    }
}

pub(super) fn tier_outcome(outcome: TierOutcome) -> &'static str {
    match outcome {
        TierOutcome::Conformant => "conformant",
        TierOutcome::Excepted => "conformant except for known failures",
        TierOutcome::Violation => "violation",
        TierOutcome::Partial => "in part: what the server has of it holds",
        TierOutcome::Unsupported => "unsupported: nothing is certified",
        TierOutcome::Inconclusive => "inconclusive",
    }
}

/// The verdict by its name, without numbers.
pub(super) fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Conformant => "conformant",
        Verdict::Excepted => "conformant except known failures",
        Verdict::Stale => "stale expectations",
        Verdict::Violation => "violation",
        Verdict::Inconclusive => "inconclusive",
    }
}

/// The verdict of a result, and of which part of its plan it speaks.
pub(super) fn result_verdict(result: &RunResult) -> String {
    let verdict = verdict_name(result.verdict);
    match result.part_words() {
        Some(part) => format!("{part}: {verdict}"),
        None => verdict.to_owned(),
    }
}

/// How to make again what the run has removed: the same scenario makes the same names.
fn again(text: &mut String, run: &Run, played: &Played) {
    let given: String = played
        .scenario
        .given
        .iter()
        .map(|given| match given {
            // These are in the declaration.
            Given::Depth | Given::TablesElsewhere | Given::Characters => "",
            Given::ServerCommand => " --server-cmd CMD",
            Given::Replica => " --server-url REPLICA",
            Given::Credentials | Given::Identity => " --bad-credential 'NAME: VALUE'",
        })
        .collect();
    push(text, "");
    push(
        text,
        &format!(
            "  to see it again, from the beginning:\n    lance-namespace-conformance --server-url {} \
             --scenario {} --seed {}{given}",
            run.url, played.scenario.id, played.seed
        ),
    );
}

/// The report of one scenario: what differs, and each finding with the requests that show it.
#[must_use]
pub fn scenario_report(played: &Played, target: &Target) -> String {
    let mut report = String::new();
    scenario(&mut report, played, |text, found| {
        finding(text, found, target);
    });
    report
}

/// What differs in a scenario, and each of its findings.
fn scenario(text: &mut String, played: &Played, finding: impl Fn(&mut String, &Finding)) {
    heading(text, played);
    if let Some(diff) = played.diff() {
        push(text, "");
        push(
            text,
            "  what an honest server does (-) and what this one did (+):",
        );
        for line in diff.lines() {
            push(text, &format!("    {line}"));
        }
    }
    for broken in &played.findings {
        push(text, "");
        finding(text, broken);
    }
}

/// How a scenario came out, what must hold, and why nothing can be said if that is so.
fn heading(text: &mut String, played: &Played) {
    let heading = match played.status {
        Status::Pass => "PASS",
        Status::Warn => "WARNING",
        Status::Fail => "VIOLATION",
        Status::Unsupported => "UNSUPPORTED",
        Status::Error => "NOT TOLD",
    };
    push(text, &format!("{heading}  {}", played.scenario.id));
    push(text, &wrapped(played.scenario.title, "  "));
    if let Some(reason) = &played.reason {
        push(text, &wrapped(reason, "  "));
    }
}

/// What the server lacks, once for each way that it says so.
fn unsupported(text: &mut String, run: &Run, finding: impl Fn(&mut String, &Finding)) {
    let mut reasons: BTreeMap<(Tier, &str), Vec<&Played>> = BTreeMap::new();
    for played in &run.played {
        if played.status == Status::Unsupported {
            let reason = played.reason.as_deref().unwrap_or_default();
            reasons
                .entry((played.scenario.tier, reason))
                .or_default()
                .push(played);
        }
    }
    for ((tier, reason), scenarios) in reasons {
        push(text, "");
        push(
            text,
            &format!(
                "UNSUPPORTED  {tier}: scenarios not played: {}",
                scenarios.len()
            ),
        );
        push(text, &wrapped(reason, "  "));
        for broken in &scenarios[0].findings {
            finding(text, broken);
        }
    }
}

/// What was not planned, and which flag would change that.
fn left_out(text: &mut String, run: &Run) {
    let mut scenarios: BTreeMap<Given, Vec<&str>> = BTreeMap::new();
    for left_out in &run.left_out {
        let named = scenarios.entry(left_out.lacks).or_default();
        named.push(left_out.scenario.id);
    }
    for (given, scenarios) in scenarios {
        push(text, "");
        let count = scenarios.len();
        push(
            text,
            &format!("LEFT OUT  for want of {}: {count} scenarios", given.flag()),
        );
        push(text, &wrapped(&scenarios.join(", "), "  "));
    }
}

/// A finding: the requirement's sentence, what was expected, what there was.
fn said(text: &mut String, finding: &Finding) {
    let Finding {
        requirement,
        level,
        expected,
        actual,
        ..
    } = finding;
    let statement = catalogue()
        .get(requirement)
        .map_or("", |requirement| requirement.statement.as_str());
    let sentence = format!("{requirement} ({level}): {statement}");
    push(text, &wrapped(&sentence, "  "));
    push(text, &wrapped(&format!("expected: {expected}"), "    "));
    push(text, &wrapped(&format!("actual:   {actual}"), "    "));
}

/// A finding, and the requests that show it.
fn finding(text: &mut String, finding: &Finding, target: &Target) {
    said(text, finding);
    let exchanges = &finding.exchanges;
    for exchange in exchanges.iter().take(EXCHANGES) {
        for line in exchange.summary(target).lines() {
            push(text, &format!("    {line}"));
        }
    }
    if exchanges.len() > EXCHANGES {
        let more = exchanges.len() - EXCHANGES;
        push(text, &format!("    and {more} more, which --json has"));
    }
    if let Some(last) = exchanges.last() {
        push(text, "    the last request as curl:");
        push(text, &format!("      {}", last.curl(target)));
    }
}

fn observations(text: &mut String, run: &Run) {
    let mut choices: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for played in &run.played {
        for observation in &played.observations {
            let choices = choices.entry(observation.requirement).or_default();
            if !choices.contains(&observation.choice.as_str()) {
                choices.push(&observation.choice);
            }
        }
    }
    if choices.is_empty() {
        return;
    }
    push(text, "");
    push(
        text,
        "What the specification leaves open, and what this server does:",
    );
    for requirement in catalogue().iter() {
        for choice in choices.get(requirement.id.as_str()).into_iter().flatten() {
            push(
                text,
                &wrapped(&format!("{}: {choice}", requirement.id), "  "),
            );
        }
    }
}

/// How long answers took, where a duration was asked for. It is information: nothing is judged by it.
fn timings(text: &mut String, run: &Run) {
    let Some(soak) = &run.soak else {
        return;
    };
    let rounds = match soak.rounds {
        1 => "1 round more".to_owned(),
        rounds => format!("{rounds} rounds more"),
    };
    push(text, "");
    push(
        text,
        &format!(
            "The workloads were played {rounds}. What the whole run measured, in milliseconds:"
        ),
    );
    push(
        text,
        "  operation                    answers       /s      p50      p90      p99      max",
    );
    for timing in &run.timings {
        let millis = |duration: Duration| duration.as_secs_f64() * 1e3;
        push(
            text,
            &format!(
                "  {:<27} {:>8} {:>8.1} {:>8.2} {:>8.2} {:>8.2} {:>8.2}",
                timing.operation,
                timing.answers,
                timing.per_second(run.took),
                millis(timing.p50),
                millis(timing.p90),
                millis(timing.p99),
                millis(timing.max),
            ),
        );
    }
}

fn verdict(text: &mut String, run: &Run) {
    push(text, "");
    if let Some(reason) = &run.manifests_out_of_reach {
        let note = format!(
            "note: staging manifests were paths without a file, since a table's location was out of \
             reach ({reason})"
        );
        push(text, &wrapped(&note, ""));
    }
    if !run.leftovers.left.is_empty() {
        push(
            text,
            &format!(
                "left behind, try `lance-namespace-conformance cleanup {}`:",
                run.name
            ),
        );
        for left in &run.leftovers.left {
            push(text, &format!("  {left}"));
        }
    }
    text.push_str(&certificate::told(run));
    let part = run
        .part_words()
        .map_or_else(String::new, |part| format!("{part}, "));
    let numbers = format!(
        "{part}{} planned, {} executed, {} requests in {:.1} s, seed {}, run {}",
        run.planned,
        run.executed(),
        run.requests,
        run.took.as_secs_f64(),
        run.seed,
        run.name
    );
    push(text, &numbers);
}

pub(super) fn push(text: &mut String, line: &str) {
    // Writing to a String does not fail.
    let _ = writeln!(text, "{line}");
}

/// Prose in lines that fit a terminal. Line breaks of its own stay.
pub(super) fn wrapped(prose: &str, indent: &str) -> String {
    let mut lines = Vec::new();
    for paragraph in prose.lines() {
        let mut line = String::from(indent);
        for word in paragraph.split(' ') {
            let full = line.chars().count() + 1 + word.chars().count() > WIDTH;
            if full && line.len() > indent.len() {
                lines.push(std::mem::replace(&mut line, format!("{indent}  ")));
            }
            if line.trim_start().len() < line.len() && line.trim().is_empty() || line.is_empty() {
                line.push_str(word);
            } else {
                line.push(' ');
                line.push_str(word);
            }
        }
        lines.push(line);
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_wrapped_under_its_indent() {
        let text = wrapped(&"word ".repeat(40), "  ");
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH));
        assert!(
            text.lines()
                .skip(1)
                .all(|line| line.starts_with("    word"))
        );
    }
}
