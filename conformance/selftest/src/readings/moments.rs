//! What a server does now and then.

use std::sync::atomic::{AtomicUsize, Ordering};

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::IntoResponse;

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
            answer.into_response()
        })
    },
);

const CUT_BEFORE: Reading = Reading {
    name: "cut-before",
    does: "The connection is cut under one request in 23, which is not carried out.",
    of: &["REST-13"],
    unjudged: EVERY,
    wrap: |honest| {
        interpose_with(honest, count(), async |honest, received, count| match count
            .fetch_add(1, Ordering::Relaxed)
            .is_multiple_of(ONE_IN)
        {
            true => broken_off(),
            false => honest.answer(received).await,
        })
    },
};

const CUT_AFTER: Reading = Reading {
    name: "cut-after",
    does: "The connection is cut under one answer in 23.",
    of: &["REST-13"],
    unjudged: EVERY,
    wrap: |honest| {
        interpose_with(honest, count(), async |honest, received, count| {
            let answer = honest.answer(received).await;
            match count.fetch_add(1, Ordering::Relaxed).is_multiple_of(ONE_IN) {
                true => broken_off(),
                false => answer,
            }
        })
    },
};

const UNAVAILABLE_BEFORE: Reading = Reading {
    name: "unavailable-before",
    does: "One request in 23 is answered 503, and not carried out.",
    of: &["REST-13"],
    // A write that may have happened or not cannot be built upon.
    unjudged: EVERY,
    wrap: |honest| {
        interpose_with(honest, count(), async |honest, received, count| match count
            .fetch_add(1, Ordering::Relaxed)
            .is_multiple_of(ONE_IN)
        {
            true => error(StatusCode::SERVICE_UNAVAILABLE, 17),
            false => honest.answer(received).await,
        })
    },
};

const UNAVAILABLE_AFTER: Reading = Reading {
    name: "unavailable-after",
    does: "One request in 23 is carried out, and answered 503.",
    of: &["REST-13"],
    unjudged: EVERY,
    wrap: |honest| {
        interpose_with(honest, count(), async |honest, received, count| {
            let answer = honest.answer(received).await;
            match count.fetch_add(1, Ordering::Relaxed).is_multiple_of(ONE_IN) {
                true => error(StatusCode::SERVICE_UNAVAILABLE, 17),
                false => answer,
            }
        })
    },
};
