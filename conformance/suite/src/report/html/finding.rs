//! A finding: the sentence that was broken, and what shows it.

use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::report::html::prose::prose;
use crate::report::html::summary::{badge, statement};
use crate::result::FindingResult;

/// A finding, with its exchanges folded up.
pub(super) fn finding(finding: &FindingResult) -> Markup {
    html! {
        article .finding {
            h3 { (badge(&finding.requirement, finding.level)) " " (prose(statement(&finding.requirement))) }
            dl {
                dt { "expected" } dd .words { (finding.expected) }
                dt { "actual" } dd .words { (finding.actual) }
            }
            @if let Some(timeline) = &finding.timeline {
                // As a picture, so that its names and colours stay its own.
                img .timeline alt=(format!("Timeline: {}", finding.actual))
                    src=(format!("data:image/svg+xml,{}", utf8_percent_encode(timeline, NON_ALPHANUMERIC)));
            }
            @for each in &finding.exchanges { (exchange(each)) }
        }
    }
}

/// A request and what came of it.
fn exchange(exchange: &Value) -> Markup {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let status = exchange["response"]["status"].as_u64();
    html! {
        details .exchange {
            summary {
                code { (exchange["operation"].as_str().unwrap_or("?")) }
                " → "
                @match status {
                    Some(status) => (status),
                    None => "no answer",
                }
            }
            pre { (exchange["request"]["method"].as_str().unwrap_or_default()) " "
                (exchange["request"]["url"].as_str().unwrap_or_default()) "\n"
                (shown(&exchange["request"]["body"])) }
            @if let Some(error) = text(&exchange["error"]) {
                pre .answer { (error) }
            } @else {
                pre .answer {
                    @if let Some(status) = status { (status) "\n" }
                    @for (name, value) in exchange["response"]["headers"].as_object().into_iter().flatten() {
                        (name) ": " (value.as_str().unwrap_or_default()) "\n"
                    }
                    (shown(&exchange["response"]["body"]))
                }
            }
            @if let Some(curl) = text(&exchange["curl"]) {
                pre .command { code { (curl) } }
            }
        }
    }
}

/// A body as it is read best.
fn shown(body: &Value) -> String {
    match body {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        body => serde_json::to_string_pretty(body).unwrap_or_else(|_| body.to_string()),
    }
}
