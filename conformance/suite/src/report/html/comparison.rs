//! Two results side by side, as one HTML file.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use crate::play::Status;
use crate::report::broken::{place, statement};
use crate::report::comparison::{count, facts, status_name, tier_name};
use crate::report::html::page;
use crate::report::html::prose::prose;
use crate::report::html::summary::{badge, class_of};
use crate::requirement::Level;
use crate::result::{Comparison, RunResult};

/// What scenarios come out as, what was broken first.
const STATUSES: [Status; 5] = [
    Status::Fail,
    Status::Error,
    Status::Warn,
    Status::Unsupported,
    Status::Pass,
];

/// A comparison as a page that needs nothing else.
#[must_use]
pub fn comparison(comparison: &Comparison<'_>) -> String {
    let Comparison { first, second, .. } = comparison;
    let title = format!("{} and {}", first.server.url, second.server.url);
    let body = html! {
        header {
            p .product { "Lance Namespace conformance" }
            h1 { span .verdict .(if comparison.worse() { "violation" } else { "conformant" }) {
                (if comparison.worse() { "the second is worse" } else { "the second is no worse" })
            } }
        }
        main {
            (results([first, second]))
            (tiers(comparison))
            (scenarios(comparison))
            (requirements(comparison))
        }
    };
    page(&title, &body)
}

fn heading(what: &str) -> Markup {
    html! { thead { tr {
        th scope="col" { (what) }
        th scope="col" { "first" }
        th scope="col" { "second" }
    } } }
}

fn results(results: [&RunResult; 2]) -> Markup {
    html! {
        section aria-labelledby="results" {
            h2 id="results" { "Results" }
            div .wide { table {
                (heading(""))
                tbody {
                    @for (name, of) in facts() {
                        tr { th scope="row" { (name) } @for result in results { td { (of(result)) } } }
                    }
                    @for status in STATUSES {
                        tr {
                            th scope="row" { (status.name()) }
                            @for result in results { td { (count(result, status)) } }
                        }
                    }
                }
            } }
        }
    }
}

fn tiers(comparison: &Comparison<'_>) -> Markup {
    html! {
        section aria-labelledby="tiers" {
            h2 id="tiers" { "Tiers" }
            div .wide { table {
                (heading("tier"))
                tbody { @for (tier, outcomes) in &comparison.tiers { tr {
                    th scope="row" { (tier) }
                    @for outcome in outcomes {
                        td .outcome .(outcome.map_or("unsupported", class_of)) { (tier_name(*outcome)) }
                    }
                } } }
            } }
        }
    }
}

fn scenarios(comparison: &Comparison<'_>) -> Markup {
    let status = |status: Option<Status>| {
        html! { td { span .status .(status.map_or("unsupported", Status::name)) { (status_name(status)) } } }
    };
    html! {
        section aria-labelledby="scenarios" {
            h2 id="scenarios" { "Scenarios that came out otherwise" }
            @if comparison.scenarios.is_empty() {
                p { "None." }
            } @else {
                div .wide { table {
                    thead { tr {
                        th scope="col" { "scenario" }
                        th scope="col" { "first" }
                        th scope="col" { "second" }
                        th scope="col" { "the second is" }
                    } }
                    tbody { @for changed in &comparison.scenarios { tr {
                        th scope="row" { code { (changed.id) } }
                        (status(changed.was))
                        (status(changed.is))
                        td .(changed.change.name()) { (changed.change.name()) }
                    } } }
                } }
            }
        }
    }
}

/// Every requirement that either breaks, and how many scenarios show it.
fn requirements(comparison: &Comparison<'_>) -> Markup {
    let mut shown: BTreeMap<(usize, &str, Level), [BTreeSet<&str>; 2]> = BTreeMap::new();
    for (findings, sides) in [
        (&comparison.gone, &[0][..]),
        (&comparison.new, &[1]),
        (&comparison.both, &[0, 1]),
    ] {
        for finding in findings {
            let requirement = finding.requirement.as_str();
            let key = (place(requirement), requirement, finding.level);
            let by_side = shown.entry(key).or_default();
            for side in sides {
                by_side[*side].insert(&finding.scenario);
            }
        }
    }
    html! {
        section aria-labelledby="requirements" {
            h2 id="requirements" { "Requirements that either breaks" }
            @if shown.is_empty() {
                p { "None." }
            } @else {
                div .wide { table {
                    (heading("requirement"))
                    tbody { @for ((_, requirement, level), sides) in &shown { tr {
                        th scope="row" id=(format!("requirement-{requirement}")) {
                            (badge(requirement, *level)) " " span .sentence { (prose(statement(requirement))) }
                        }
                        @for shown_by in sides { td {
                            @if shown_by.is_empty() {
                                span .held { "not broken" }
                            } @else {
                                details {
                                    summary .broken { "broken in " (shown_by.len()) }
                                    ul { @for id in shown_by { li { code { (id) } } } }
                                }
                            }
                        } }
                    } } }
                } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture::result;

    #[test]
    fn both_stand_side_by_side() {
        let (before, mut after) = (result(), result());
        after.server.url = "http://other".to_owned();
        after.scenarios[1].status = Status::Fail;
        let page = comparison(&Comparison::of(&before, &after));
        for part in [
            "http://host</td><td>http://other</td>",
            "the second is worse",
            "<code>a/c</code>",
            "broken in 1",
        ] {
            assert!(page.contains(part), "{part} is not in {page}");
        }
    }
}
