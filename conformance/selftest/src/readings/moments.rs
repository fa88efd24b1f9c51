//! What a server does now and then.

use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;

use super::EVERY;
use crate::interpose::{broken_off, error, interpose, interpose_with};
use crate::reading::{Reading, reading};

pub(super) const MOMENTS: &[Reading] = &[CLOSES_CONNECTIONS, THROTTLES];
pub(super) const UNAVAILABLE: &[Reading] =
    &[UNAVAILABLE_BEFORE, UNAVAILABLE_AFTER, CUT_BEFORE, CUT_AFTER];

/// How rare it is: one request in so many.
const ONE_IN: usize = 23;

/// Counts requests; the first ones, with which a run begins, pass.
fn count() -> AtomicUsize {
    AtomicUsize::new(1)
}

const CLOSES_CONNECTIONS: Reading = reading(
    "closes-connections",
    "Every answer is the last one on its connection.",
    &["REST-13"],
    |honest| {
        interpose(honest, async |honest, received| {
            let mut answer = honest.answer(received).await;
            let close = HeaderValue::from_static("close");
            answer.headers_mut().insert(header::CONNECTION, close);
            answer
        })
    },
);

const THROTTLES: Reading = reading(
    "throttles",
    "One request in 23 is answered 429, half of them with a Retry-After, and not carried out.",
    &["REST-13"],
    |honest| {
        interpose_with(honest, count(), async |honest, received, count| {
            let number = count.fetch_add(1, Ordering::Relaxed);
            if !number.is_multiple_of(ONE_IN) {
                return honest.answer(received).await;
            }
            let mut answer = error(StatusCode::TOO_MANY_REQUESTS, 21);
            if number.is_multiple_of(2) {
                let at_once = HeaderValue::from_static("0");
                answer.headers_mut().insert(header::RETRY_AFTER, at_once);
            }
            answer
        })
    },
);

/// A router that answers otherwise now and then, and does not carry out what was asked.
fn before(honest: Router, otherwise: fn() -> Response) -> Router {
    interpose_with(honest, count(), move |honest, received, count| async move {
        match count.fetch_add(1, Ordering::Relaxed).is_multiple_of(ONE_IN) {
            true => otherwise(),
            false => honest.answer(received).await,
        }
    })
}

/// A router that carries out all that is asked, and answers otherwise now and then.
fn after(honest: Router, otherwise: fn() -> Response) -> Router {
    interpose_with(honest, count(), move |honest, received, count| async move {
        let answer = honest.answer(received).await;
        match count.fetch_add(1, Ordering::Relaxed).is_multiple_of(ONE_IN) {
            true => otherwise(),
            false => answer,
        }
    })
}

fn unavailable() -> Response {
    error(StatusCode::SERVICE_UNAVAILABLE, 17)
}

/// One with which nothing can be sure to be judged: on a write that may have happened or not nothing can be
/// built.
const fn unsure(name: &'static str, does: &'static str, wrap: fn(Router) -> Router) -> Reading {
    Reading {
        name,
        does,
        of: &["REST-13"],
        unjudged: EVERY,
        wrap,
    }
}

const CUT_BEFORE: Reading = unsure(
    "cut-before",
    "The connection is cut under one request in 23, which is not carried out.",
    |honest| before(honest, broken_off),
);

const CUT_AFTER: Reading = unsure(
    "cut-after",
    "The connection is cut under one answer in 23.",
    |honest| after(honest, broken_off),
);

const UNAVAILABLE_BEFORE: Reading = unsure(
    "unavailable-before",
    "One request in 23 is answered 503, and not carried out.",
    |honest| before(honest, unavailable),
);

const UNAVAILABLE_AFTER: Reading = unsure(
    "unavailable-after",
    "One request in 23 is carried out, and answered 503.",
    |honest| after(honest, unavailable),
);
