//! The scenarios, each folded up.

use maud::{Markup, html};
use similar::{ChangeTag, TextDiff};

use crate::play::Status;
use crate::report::broken::statement;
use crate::report::html::finding::finding;
use crate::report::html::prose::prose;
use crate::result::{RunResult, ScenarioResult};

/// What was broken comes first.
pub(super) const STATUSES: [Status; 5] = [
    Status::Fail,
    Status::Error,
    Status::Warn,
    Status::Unsupported,
    Status::Pass,
];

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
                    @for status in STATUSES {
                        @let count = of(result, status).count();
                        @if count > 0 {
                            label {
                                input type="checkbox" name="status" value=(status.name()) checked;
                                " " (status.name()) " " span .quiet { "(" (count) ")" }
                            }
                        }
                    }
                }
                output aria-live="polite" {}
            }
            @for status in STATUSES {
                @for scenario in of(result, status) { (one(result, scenario)) }
            }
        }
    }
}

fn of(result: &RunResult, status: Status) -> impl Iterator<Item = &ScenarioResult> {
    let scenarios = result.scenarios.iter();
    scenarios.filter(move |scenario| scenario.status == status)
}

fn one(result: &RunResult, scenario: &ScenarioResult) -> Markup {
    let status = scenario.status.name();
    html! {
        details .scenario id=(anchor(&scenario.id)) data-status=(status) {
            summary {
                span .status .(status) { (status) }
                " " span { code { (scenario.id) } " " span .title { (scenario.title) } }
            }
            div .inside {
                p .quiet { "Tier " (scenario.tier) ", " (format!("{:.2}", scenario.seconds)) " s. Checks:" }
                ul .checks { @for requirement in &scenario.requirements {
                    li { a href=(format!("#requirement-{requirement}")) { (requirement) }
                        " " (prose(statement(requirement))) }
                } }
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
