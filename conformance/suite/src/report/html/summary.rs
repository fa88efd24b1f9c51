//! What stands before and after the scenarios: verdict, tiers, what to fix first, choices,
//! requirements.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use crate::play::Status;
use crate::report::broken::{Broken, broken, place, statement};
use crate::report::html::prose::prose;
use crate::report::html::scenario::{KNOWN, anchor, shown};
use crate::report::terminal::{result_verdict, tier_outcome};
use crate::requirement::{Level, Requirement, catalogue};
use crate::result::{RunResult, ScenarioResult};
use crate::run::{TierOutcome, Verdict};

/// The verdict, and what it is about.
pub(super) fn heading(result: &RunResult) -> Markup {
    let verdict = result_verdict(result);
    let meaning = match result.verdict {
        Verdict::Conformant => {
            "Everything that was planned was played, and every demanded requirement held."
        }
        Verdict::Excepted => "Conformant except for failures that are known and accepted.",
        Verdict::Stale => "An expectation has to be taken out or changed.",
        Verdict::Violation => "A demanded requirement is broken.",
        Verdict::Inconclusive => {
            "Nothing can be said: less was played than planned, or nothing at all."
        }
    };
    html! {
        header {
            p .product { "Lance Namespace conformance" }
            h1 {
                span .verdict .(verdict_class(result.verdict)) { (verdict) }
                " " span .url { (result.server.url) }
            }
            p { (meaning) }
            @if result.part.is_some() {
                p .note {
                    "This is a part of a run, of which the whole has " (result.plan.len()) " scenarios: it \
                     certifies nothing. " code { "merge" } " puts the results of all parts together."
                }
            }
            @if !result.merged.is_empty() {
                p .quiet { "Merged of the results of " (result.merged.len()) " parts." }
            }
            dl .numbers {
                div { dt { "planned" } dd { (result.planned) } }
                div { dt { "executed" } dd { (result.executed) } }
                div { dt { "requests" } dd { (result.requests) } }
                div { dt { "seconds" } dd { (format!("{:.1}", result.seconds)) } }
                div { dt { "seed" } dd { (result.seed) } }
                div { dt { "run" } dd { (result.run) } }
                div { dt { "suite" } dd { (result.suite.version) } }
                div { dt { "began" } dd { (result.environment.began) } }
            }
            @if let Some(reason) = &result.manifests_out_of_reach {
                p .note {
                    "Staging manifests were paths without a file, since a table's location was out \
                     of reach (" (reason) ")."
                }
            }
        }
    }
}

/// One row a tier: its outcome and how many scenarios came out how.
pub(super) fn tiers(result: &RunResult) -> Markup {
    const STATUSES: [&str; 6] = ["pass", "warn", "fail", KNOWN, "unsupported", "error"];
    // Most servers have none.
    let has = |status: &&&str| **status != KNOWN || !result.expectations.known.is_empty();
    let statuses: Vec<&str> = STATUSES.iter().filter(has).copied().collect();
    html! {
        section aria-labelledby="tiers" {
            h2 id="tiers" { "Tiers" }
            div .wide { table {
                thead { tr {
                    th scope="col" { "tier" }
                    th scope="col" { "outcome" }
                    @for status in &statuses { th scope="col" .number { (status) } }
                } }
                tbody {
                    @for (tier, outcome) in &result.server.tiers {
                        tr {
                            th scope="row" { (tier) }
                            td .outcome .(class_of(*outcome)) { (tier_outcome(*outcome)) }
                            @for status in &statuses {
                                td .number { (count(result, |scenario| {
                                    scenario.tier == *tier && shown(result, scenario) == *status
                                })) }
                            }
                        }
                    }
                }
            } }
        }
    }
}

fn verdict_class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Conformant => "conformant",
        Verdict::Excepted => "excepted",
        Verdict::Stale => "stale",
        Verdict::Violation => "violation",
        Verdict::Inconclusive => "inconclusive",
    }
}

pub(super) fn class_of(outcome: TierOutcome) -> &'static str {
    match outcome {
        TierOutcome::Conformant => "conformant",
        TierOutcome::Excepted => "excepted",
        TierOutcome::Violation => "violation",
        TierOutcome::Partial | TierOutcome::Unsupported => "unsupported",
        TierOutcome::Inconclusive => "inconclusive",
    }
}

fn count(result: &RunResult, counts: impl Fn(&ScenarioResult) -> bool) -> usize {
    let scenarios = result.scenarios.iter();
    scenarios.filter(|scenario| counts(scenario)).count()
}

/// The broken requirements, in the order in which to mend them.
pub(super) fn fix_first(result: &RunResult) -> Markup {
    let broken = broken(result);
    html! {
        @if !broken.is_empty() {
            section aria-labelledby="fix" {
                h2 id="fix" { "What to fix first" }
                ol .fix {
                    @for Broken { requirement, level, data_at_stake, shown_by } in broken {
                        li {
                            (badge(requirement, level))
                            @if data_at_stake { " " span .stake { "data at stake" } }
                            " " (prose(statement(requirement)))
                            @if shown_by.iter().all(|id| result.known(id).is_some()) {
                                " " span .quiet { "Known." }
                            }
                            (causes(requirement))
                            details {
                                summary { "shown by " (shown_by.len()) " "
                                    (if shown_by.len() == 1 { "scenario" } else { "scenarios" }) }
                                ul { @for id in shown_by {
                                    li { a href=(format!("#{}", anchor(id))) { (id) } }
                                } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// How servers come to break a requirement.
fn causes(requirement: &str) -> Markup {
    let causes = catalogue()
        .get(requirement)
        .map_or(&[][..], |known| &known.causes);
    html! {
        @if !causes.is_empty() {
            details .causes {
                summary { "how servers come to break it" }
                ul { @for cause in causes { li { (prose(cause)) } } }
            }
        }
    }
}

/// A requirement's id, with its level.
pub(super) fn badge(requirement: &str, level: Level) -> Markup {
    html! {
        a .requirement .(level.to_string()) href=(format!("#requirement-{requirement}")) {
            (requirement) " " small { (level) }
        }
    }
}

/// What was not planned, and what would change that.
pub(super) fn left_out(result: &RunResult) -> Markup {
    html! {
        @if !result.left_out.is_empty() {
            section aria-labelledby="left-out" {
                h2 id="left-out" { "Left out" }
                p { "The run was not given what these scenarios need. Nothing is certified of what \
                     they check." }
                ul { @for left_out in &result.left_out {
                    li { code { (left_out.id) } " for want of " code { (left_out.lacks.flag()) } }
                } }
            }
        }
    }
}

/// What the specification leaves open, and what the server does.
pub(super) fn choices(result: &RunResult) -> Markup {
    let mut choices: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for observation in result.scenarios.iter().flat_map(|each| &each.observations) {
        let of_requirement = choices.entry(observation.requirement.as_str()).or_default();
        of_requirement.insert(&observation.choice);
    }
    let mut choices: Vec<_> = choices.into_iter().collect();
    choices.sort_by_key(|(requirement, _)| place(requirement));
    html! {
        @if !choices.is_empty() {
            section aria-labelledby="choices" {
                h2 id="choices" { "What the specification leaves open, and what this server does" }
                dl .choices { @for (requirement, choices) in choices {
                    dt { (requirement) " " span .quiet { (prose(statement(requirement))) } }
                    @for choice in choices { dd { (choice) } }
                } }
            }
        }
    }
}

/// How a requirement came out.
fn came_out(result: &RunResult, requirement: &Requirement) -> &'static str {
    let id = requirement.id.as_str();
    let broken = |scenario: &&ScenarioResult| {
        scenario
            .findings
            .iter()
            .any(|finding| finding.requirement == id)
    };
    let checks = |scenario: &&ScenarioResult| {
        scenario.requirements.iter().any(|checked| checked == id)
            && matches!(scenario.status, Status::Pass | Status::Warn | Status::Fail)
    };
    if result.scenarios.iter().any(|each| broken(&each)) {
        "broken"
    } else if requirement.checked.is_some() {
        "held"
    } else if requirement.excluded.is_some() {
        "not checked by the suite"
    } else if result.scenarios.iter().any(|each| checks(&each)) {
        match requirement.level {
            Level::Open => "recorded",
            Level::Should | Level::Must => "held",
        }
    } else {
        "not checked in this run"
    }
}

/// Every requirement and how it came out.
pub(super) fn requirements(result: &RunResult) -> Markup {
    html! {
        section aria-labelledby="requirements" {
            h2 id="requirements" { "Requirements" }
            details {
                summary { "All " (catalogue().iter().count()) ", and how each came out" }
                div .wide { table {
                    thead { tr {
                        th scope="col" { "requirement" }
                        th scope="col" { "level" }
                        th scope="col" { "came out" }
                        th scope="col" { "statement" }
                    } }
                    tbody { @for requirement in catalogue().iter() {
                        @let came_out = came_out(result, requirement);
                        tr id=(format!("requirement-{}", requirement.id)) {
                            th scope="row" { (requirement.id) }
                            td { (requirement.level) }
                            td .(came_out.split(' ').next().unwrap_or_default()) { (came_out) }
                            td {
                                (prose(&requirement.statement))
                                @if let Some(reading) = &requirement.reading {
                                    p .quiet { "Read so: " (prose(reading)) }
                                }
                                @if let Some(why) = &requirement.excluded {
                                    p .quiet { "Not checked: " (prose(why)) }
                                }
                                p .quiet { "From " (requirement.source) "." }
                            }
                        }
                    } }
                } }
            }
        }
    }
}

/// How to do it again.
pub(super) fn footer(result: &RunResult) -> Markup {
    html! {
        footer {
            p { "Protocol " (result.suite.protocol) ", on " (result.environment.os) " "
                (result.environment.arch)
                @if !result.environment.command.is_empty() {
                    ", by " code { (result.environment.command.join(" ")) }
                }
                ". The result's digest is " code .digest { (result.digest) } "; "
                code { "verify result.json" } " looks whether it is complete and unaltered." }
            p { "To see all of it again:" }
            pre .command { code {
                "lance-namespace-conformance --server-url " (result.server.url) " --seed " (result.seed)
            } }
            @if !result.leftovers.is_empty() {
                p { "This was left behind; " code { "lance-namespace-conformance cleanup " (result.run) }
                    " removes it:" }
                ul { @for left in &result.leftovers { li { code { (left) } } } }
            }
        }
    }
}
