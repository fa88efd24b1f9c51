//! The scenarios, each folded up.

use maud::{Markup, html};
use similar::{ChangeTag, TextDiff};

use crate::expectation::{Entry, Expectation};
use crate::play::Status;
use crate::report::broken::statement;
use crate::report::html::finding::finding;
use crate::report::html::prose::prose;
use crate::result::{RunResult, ScenarioResult};

/// What scenarios come out as on the page, what was broken first: a failure that is known is another
/// thing than one that is not.
const SHOWN: [&str; 6] = ["fail", "error", "warn", KNOWN, "unsupported", "pass"];

/// How a scenario is shown that failed as it is known to.
pub(super) const KNOWN: &str = "known";

/// How a scenario is shown.
pub(super) fn shown(result: &RunResult, scenario: &ScenarioResult) -> &'static str {
    match result.known(&scenario.id) {
        Some(_) => KNOWN,
        None => scenario.status.name(),
    }
}

/// The same for a reader.
fn label(shown: &str) -> &str {
    match shown {
        KNOWN => "known failure",
        other => other,
    }
}

/// Where a link finds a scenario.
pub(super) fn anchor(id: &str) -> String {
    format!("scenario-{}", id.replace('/', "--"))
}

/// The filter, and all scenarios: what failed comes first.
pub(super) fn list(result: &RunResult) -> Markup {
    html! {
        section aria-labelledby="scenarios" {
            h2 id="scenarios" { "Scenarios" }
            form .filter role="search" hidden {
                label { "Search " input type="search" name="words" autocomplete="off"
                    placeholder="name, requirement, words"; kbd { "/" } }
                fieldset {
                    legend { "Show" }
                    @for status in SHOWN {
                        @let count = of(result, status).count();
                        @if count > 0 {
                            label {
                                input type="checkbox" name="status" value=(status) checked;
                                " " (label(status)) " " span .quiet { "(" (count) ")" }
                            }
                        }
                    }
                }
                output aria-live="polite" {}
            }
            @for status in SHOWN {
                @for scenario in of(result, status) { (one(result, scenario)) }
            }
        }
    }
}

fn of<'a>(result: &'a RunResult, status: &str) -> impl Iterator<Item = &'a ScenarioResult> {
    let scenarios = result.scenarios.iter();
    scenarios.filter(move |scenario| shown(result, scenario) == status)
}

fn one(result: &RunResult, scenario: &ScenarioResult) -> Markup {
    let status = shown(result, scenario);
    html! {
        details .scenario id=(anchor(&scenario.id)) data-status=(status) {
            summary {
                span .status .(status) { (label(status)) }
                " " span {
                    code { (scenario.id) } " " span .title { (scenario.title) }
                    @for entry in known(result, scenario) { (accepted(entry)) }
                }
            }
            div .inside {
                p .quiet { "Tier " (scenario.tier) ", " (format!("{:.2}", scenario.seconds)) " s. Checks:" }
                ul .checks { @for requirement in &scenario.requirements {
                    li { a href=(format!("#requirement-{requirement}")) { (requirement) }
                        " " (prose(statement(requirement))) }
                } }
                @if !scenario.again.is_empty() { p { (times(scenario)) } }
                @if let Some(reason) = &scenario.reason { pre .reason { (reason) } }
                @for found in &scenario.findings { (finding(found)) }
                h3 { "Transcript" }
                (transcript(scenario))
                @for observation in &scenario.observations {
                    p { span .quiet { "Left open (" (observation.requirement) "): " } (observation.choice) }
                }
                p .quiet { "To see it again:" }
                pre .command { code {
                    "lance-namespace-conformance --server-url " (result.server.url)
                    " --scenario '" (scenario.id) "' --seed " (scenario.seed.unwrap_or(result.seed))
                } }
            }
        }
    }
}

/// The expectations by which a scenario may fail.
fn known<'a>(result: &'a RunResult, scenario: &ScenarioResult) -> &'a [Entry] {
    let known = result.known(&scenario.id);
    known.map_or(&[], |known| known.entries.as_slice())
}

/// Why a failure is accepted, until when, and where that is said.
fn accepted(entry: &Entry) -> Markup {
    let Expectation {
        reason,
        link,
        until,
        fails,
        ..
    } = &entry.expectation;
    html! {
        span .accepted {
            (reason) " "
            span .quiet {
                "("
                @if let Some(fails) = fails { "may fail " (fails) " times, " }
                @if let Some(until) = until { "until " (until) ", " }
                @match link {
                    Some(link) if link.starts_with("http") => { a href=(link) { (link) } ", " }
                    Some(link) => { (link) ", " }
                    None => {}
                }
                (entry.place) ")"
            }
        }
    }
}

/// How often a scenario failed that was played again.
fn times(scenario: &ScenarioResult) -> String {
    let failed = |status: &&Status| **status == Status::Fail;
    let again = scenario.again.iter().filter(failed).count();
    let plays = 1 + scenario.again.len();
    format!("It failed {} of {plays} times.", 1 + again)
}

/// What the scenario wrote down; where that is not what it writes against an honest server, both.
fn transcript(scenario: &ScenarioResult) -> Markup {
    let Some(golden) = &scenario.golden else {
        return html! { pre .transcript { @for line in &scenario.transcript { (line) "\n" } } };
    };
    let honest: Vec<&str> = golden.iter().map(String::as_str).collect();
    let actual: Vec<&str> = scenario.transcript.iter().map(String::as_str).collect();
    let diff = TextDiff::from_slices(&honest, &actual);
    html! {
        p .quiet { "What an honest server does (−) and what this one did (+):" }
        pre .transcript { @for change in diff.iter_all_changes() {
            @match change.tag() {
                ChangeTag::Equal => { "  " (change.value()) "\n" }
                ChangeTag::Delete => { del { "− " (change.value()) } "\n" }
                ChangeTag::Insert => { ins { "+ " (change.value()) } "\n" }
            }
        } }
    }
}
