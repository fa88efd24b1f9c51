//! A finding: the sentence that was broken, and what shows it.

use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::report::broken::statement;
use crate::report::html::prose::prose;
use crate::report::html::summary::badge;
use crate::result::{ExchangeResult, FindingResult};

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
fn exchange(exchange: &ExchangeResult) -> Markup {
    let request = &exchange.request;
    html! {
        details .exchange {
            summary {
                code { (exchange.operation) }
                " → "
                @match &exchange.response {
                    Some(response) => (response.status),
                    None => "no answer",
                }
            }
            @if let Some(fault) = &exchange.fault { p .quiet { "On its way: " (fault) } }
            pre { (request.method) " " (request.url) "\n" (shown(request.body.as_ref())) }
            @if let Some(error) = &exchange.error { pre .answer { (error) } }
            @if let Some(response) = &exchange.response {
                pre .answer {
                    (response.status) "\n"
                    @for (name, value) in &response.headers { (name) ": " (value) "\n" }
                    (shown(response.body.as_ref()))
                }
            }
            pre .command { code { (exchange.curl) } }
        }
    }
}

/// A body as it is read best.
fn shown(body: Option<&Value>) -> String {
    match body {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(body) => serde_json::to_string_pretty(body).unwrap_or_else(|_| body.to_string()),
    }
}
