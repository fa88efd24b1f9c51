//! What the protocol says of every answer, whatever the scenario.

use std::sync::Arc;

use crate::call::Body;
use crate::codes::may_answer;
use crate::exchange::Exchange;
use crate::log::Deviation;
use crate::protocol::status_of_code;
use crate::requirement::Level;
use crate::rows;

/// Where an answer breaks what holds for all answers: REST-6, REST-7, REST-8 and REST-9.
pub(crate) fn deviations(exchange: &Arc<Exchange>) -> Vec<(&'static str, Level, Deviation)> {
    let Ok(answer) = &exchange.answer else {
        return Vec::new();
    };
    // What is asked at another path, or by another method, is no operation.
    if exchange.astray {
        return Vec::new();
    }
    let operation = &exchange.operation;
    let deviation =
        |expected: String, actual: String| Deviation::new(expected, actual, [Arc::clone(exchange)]);
    match answer.status {
        // The model of DropNamespace asks for this one in mode Skip; no answer has it.
        204 if operation.id == "DropNamespace" => Vec::new(),
        status @ 200..=299 if !operation.success.contains(&status) => vec![(
            "REST-9",
            Level::Should,
            deviation(
                format!("{} answers {:?}", operation.id, operation.success),
                format!("{} answers {status}", operation.id),
            ),
        )],
        200..=299 => operation
            .violations(&answer.body)
            .into_iter()
            .map(|violation| {
                let expected = format!("a body that fits the response model of {}", operation.id);
                ("REST-9", Level::Must, deviation(expected, violation))
            })
            .collect(),
        status @ 400.. => error_deviations(exchange, status)
            .map(|(requirement, level, expected, actual)| {
                (requirement, level, deviation(expected, actual))
            })
            .into_iter()
            .collect(),
        status => vec![(
            "REST-9",
            Level::Must,
            deviation(
                format!("{} answers 2xx, 4xx or 5xx", operation.id),
                format!("{} answers {status}", operation.id),
            ),
        )],
    }
}

fn error_deviations(
    exchange: &Exchange,
    status: u16,
) -> Option<(&'static str, Level, String, String)> {
    let operation = exchange.operation;
    let id = &operation.id;
    match exchange.code() {
        None if excused(exchange, status) => None,
        None => Some((
            "REST-6",
            Level::Must,
            format!("{id} answers {status} with an ErrorResponse"),
            format!("{id} answers {status} without a code"),
        )),
        Some(code) => match status_of_code(code) {
            None => Some((
                "REST-6",
                Level::Must,
                format!("{id} answers an error with a code from 0 to 23"),
                format!("{id} answers an error with code {code}"),
            )),
            _ if !may_answer(operation, code) => Some((
                "REST-8",
                Level::Should,
                format!("{id} answers the codes that the error page lists for it, or common ones"),
                format!("{id} answers code {code}"),
            )),
            Some(expected) if expected == status => None,
            // The model of DropNamespace asks for 400 where the error page implies 404.
            Some(404) if id == "DropNamespace" && status == 400 && code == 1 => None,
            // A body that is too long is an invalid input with a status of its own.
            Some(400) if matches!(status, 413 | 415) => None,
            Some(expected) => Some((
                "REST-7",
                Level::Should,
                format!("{id} answers code {code} with {expected}"),
                format!("{id} answers code {code} with {status}"),
            )),
        },
    }
}

/// Middleware may refuse in plain text what never reaches an operation, and what stands between
/// client and server may fail in its own words.
fn excused(exchange: &Exchange, status: u16) -> bool {
    let raw = |content_type: &str| content_type != rows::STREAM;
    let malformed =
        exchange.odd || matches!(exchange.sent, Body::Raw(content_type, _) if raw(content_type));
    match status {
        // Absent routes are judged where a tier is probed, under REST-12.
        404 | 405 => exchange
            .answer
            .as_ref()
            .is_ok_and(|answer| answer.body.is_empty()),
        413 | 415 | 422 | 429 | 502..=504 => true,
        400..=499 => malformed,
        _ => false,
    }
}
