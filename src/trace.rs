//! Spans of `tracing`: one for a call, and within it one for each attempt. Bodies, headers, credentials
//! and the words of errors are in none of them.

use tokio::time::Instant;
use tracing::Span;
use tracing::field::{Empty, display};

use crate::Error;
use crate::answer::Answer;
use crate::error::request_id;
use crate::operation::Operation;
use crate::retry::Tried;

/// The span of a call. It is recorded in when the call has ended.
pub(crate) fn call(operation: &'static Operation, id: Option<&String>) -> Span {
    let span = tracing::info_span!(
        "lance_namespace",
        otel.name = operation.id(),
        otel.kind = "client",
        operation = operation.id(),
        namespace = Empty,
        table = Empty,
        attempts = Empty,
        status = Empty,
        code = Empty,
        error = Empty,
        request_id = Empty,
        duration_ms = Empty,
    );
    if let Some(id) = id {
        let field = match operation.path().starts_with("/v1/namespace/") {
            true => "namespace",
            false => "table",
        };
        span.record(field, id.as_str());
    }
    span
}

pub(crate) fn answered(span: &Span, answer: &Answer, tried: &Tried) {
    if span.is_disabled() {
        return;
    }
    span.record("attempts", tried.attempts);
    record_answer(span, answer);
    span.record("duration_ms", millis(tried.began));
}

pub(crate) fn failed(span: &Span, error: &Error) {
    if span.is_disabled() {
        return;
    }
    span.record("attempts", error.attempts());
    record_error(span, error);
    span.record("duration_ms", error.elapsed().as_secs_f64() * 1e3);
}

/// The span of an attempt.
pub(crate) fn attempt(number: u32) -> Span {
    tracing::debug_span!(
        "attempt",
        attempt = number,
        status = Empty,
        code = Empty,
        error = Empty,
        request_id = Empty,
        duration_ms = Empty,
    )
}

pub(crate) fn attempt_answered(span: &Span, answer: &Answer, began: Instant) {
    if span.is_disabled() {
        return;
    }
    record_answer(span, answer);
    span.record("duration_ms", millis(began));
}

pub(crate) fn attempt_failed(span: &Span, error: &Error, began: Instant) {
    if span.is_disabled() {
        return;
    }
    record_error(span, error);
    span.record("duration_ms", millis(began));
}

fn record_answer(span: &Span, answer: &Answer) {
    span.record("status", answer.status.as_u16());
    if let Some(id) = request_id(&answer.headers) {
        span.record("request_id", id);
    }
}

fn record_error(span: &Span, error: &Error) {
    span.record("error", display(error.kind()));
    if let Some(status) = error.status() {
        span.record("status", status.as_u16());
    }
    if let Some(code) = error.code() {
        span.record("code", code.number());
    }
    if let Some(id) = error.request_id() {
        span.record("request_id", id);
    }
}

fn millis(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

/// Adds the W3C trace context of the present span, if it has one.
#[cfg(feature = "trace-context")]
pub(crate) fn propagate(headers: &mut reqwest::header::HeaderMap) {
    use opentelemetry::trace::TraceContextExt;
    use reqwest::header::HeaderValue;
    use tracing_opentelemetry::OpenTelemetrySpanExt;

    let context = Span::current().context();
    let span = context.span();
    let span = span.span_context();
    if !span.is_valid() {
        return;
    }
    let parent = format!(
        "00-{}-{}-{:02x}",
        span.trace_id(),
        span.span_id(),
        span.trace_flags().to_u8()
    );
    for (name, text) in [
        ("traceparent", parent),
        ("tracestate", span.trace_state().header()),
    ] {
        if let Ok(value) = HeaderValue::from_str(&text)
            && !text.is_empty()
        {
            headers.insert(name, value);
        }
    }
}
