//! Faults of authentication.

use axum::Router;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::IntoResponse;

use crate::interpose::{Received, interpose};
use crate::mutant::Mutant;
use crate::trial::{API_KEY, TOKEN};

pub(super) const MUTANTS: &[Mutant] = &[
    CREDENTIALS_CHECKED_ON_POST_ONLY,
    CREDENTIALS_CHECKED_ON_READS_ONLY,
    CREDENTIALS_CHECKED_FOR_TABLES_ONLY,
    NO_CREDENTIAL_IS_A_GUEST,
    CREDENTIALS_COMPARED_AS_PREFIXES,
    LONGER_CREDENTIAL_IS_GOOD,
    IDENTITY_WINS_OVER_HEADERS,
    WRITES_BEFORE_IT_LOOKS_WHO_ASKS,
    VERSIONS_WRITTEN_BEFORE_IT_LOOKS_WHO_ASKS,
    DENIES_WITHOUT_A_BODY,
];

const KEY: HeaderName = HeaderName::from_static("x-api-key");

/// The API key of a request; empty if it has none.
fn key_of(received: &Received) -> &str {
    let key = received.headers.get(KEY);
    key.and_then(|key| key.to_str().ok()).unwrap_or_default()
}

/// The request as one of a caller whom the server knows.
fn as_known(mut received: Received) -> Received {
    let headers = &mut received.headers;
    headers.insert(KEY, HeaderValue::from_static(API_KEY));
    if let Ok(token) = HeaderValue::try_from(format!("Bearer {TOKEN}")) {
        headers.insert(header::AUTHORIZATION, token);
    }
    received
}

/// A server that lets these requests through, whoever asks.
fn lets_through(honest: Router, through: fn(&Received) -> bool) -> Router {
    interpose(honest, move |honest, received| async move {
        match through(&received) {
            true => honest.answer(as_known(received)).await,
            false => honest.answer(received).await,
        }
    })
}

/// Whether a request only reads, as far as its route tells.
fn reads(received: &Received) -> bool {
    let path = received.uri.path();
    let ends = ["/list", "/describe", "/exists", "/tags/version", "/stats"];
    received.method == Method::GET || ends.iter().any(|end| path.ends_with(end))
}

const CREDENTIALS_CHECKED_ON_POST_ONLY: Mutant = Mutant {
    name: "credentials-checked-on-post-only",
    does: "A request by GET is answered, whoever asks.",
    scenarios: &["authentication/*"],
    breaks: &["AUTH-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| lets_through(honest, |received| received.method == Method::GET),
};

const CREDENTIALS_CHECKED_ON_READS_ONLY: Mutant = Mutant {
    name: "credentials-checked-on-reads-only",
    does: "A write is carried out, whoever asks.",
    scenarios: &["authentication/*"],
    breaks: &["AUTH-1", "REST-5"],
    may_break: &[],
    warns: &[],
    wrap: |honest| lets_through(honest, |received| !reads(received)),
};

const CREDENTIALS_CHECKED_FOR_TABLES_ONLY: Mutant = Mutant {
    name: "credentials-checked-for-tables-only",
    does: "What is asked of namespaces is answered, whoever asks.",
    scenarios: &["authentication/*"],
    breaks: &["AUTH-1", "REST-5"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        lets_through(honest, |received| {
            received.uri.path().starts_with("/v1/namespace/")
        })
    },
};

const NO_CREDENTIAL_IS_A_GUEST: Mutant = Mutant {
    name: "no-credential-is-a-guest",
    does: "A request without credentials is carried out; a bad credential is refused.",
    scenarios: &["authentication/*"],
    breaks: &["AUTH-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        lets_through(honest, |received| {
            let headers = &received.headers;
            !headers.contains_key(KEY) && !headers.contains_key(header::AUTHORIZATION)
        })
    },
};

const CREDENTIALS_COMPARED_AS_PREFIXES: Mutant = Mutant {
    name: "credentials-compared-as-prefixes",
    does: "Credentials are good as far as they go: compared to the length that was sent.",
    scenarios: &["authentication/a-part-of-a-credential-is-refused"],
    breaks: &["AUTH-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        lets_through(honest, |received| {
            received.headers.contains_key(KEY) && API_KEY.starts_with(key_of(received))
        })
    },
};

const LONGER_CREDENTIAL_IS_GOOD: Mutant = Mutant {
    name: "longer-credential-is-good",
    does: "A credential that begins with the good one is good.",
    scenarios: &["authentication/a-part-of-a-credential-is-refused"],
    breaks: &["AUTH-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| lets_through(honest, |received| key_of(received).starts_with(API_KEY)),
};

const IDENTITY_WINS_OVER_HEADERS: Mutant = Mutant {
    name: "identity-wins-over-headers",
    does: "Credentials in the body's identity count before those in headers.",
    scenarios: &["authentication/*"],
    breaks: &["REST-5"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, mut received| {
            let identity = received.json()["identity"].take();
            let text = |name: &str| identity[name].as_str().map(str::to_owned);
            let key = text("api_key").and_then(|key| HeaderValue::try_from(key).ok());
            if let Some(key) = key {
                received.headers.insert(KEY, key);
            }
            let token = text("auth_token").map(|token| format!("Bearer {token}"));
            let token = token.and_then(|token| HeaderValue::try_from(token).ok());
            if let Some(token) = token {
                received.headers.insert(header::AUTHORIZATION, token);
            }
            honest.answer(received).await
        })
    },
};

/// A server that carries out these requests, and answers those that are not known 401 after it.
fn looks_too_late(honest: Router, late: fn(&Received) -> bool) -> Router {
    interpose(honest, move |honest, received| async move {
        if !late(&received) {
            return honest.answer(received).await;
        }
        let probe = Received {
            method: Method::GET,
            uri: axum::http::Uri::from_static("/v1/namespace/$/list"),
            body: axum::body::Bytes::new(),
            headers: received.headers.clone(),
        };
        let who = honest.answer(probe).await;
        let answer = honest.answer(as_known(received)).await;
        match who.status() {
            StatusCode::UNAUTHORIZED => who,
            _ => answer,
        }
    })
}

const WRITES_BEFORE_IT_LOOKS_WHO_ASKS: Mutant = Mutant {
    name: "writes-before-it-looks-who-asks",
    does: "A write is carried out and then answered 401, where the caller is not known.",
    scenarios: &["authentication/*"],
    breaks: &["AUTH-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| looks_too_late(honest, |received| !reads(received)),
};

const VERSIONS_WRITTEN_BEFORE_IT_LOOKS_WHO_ASKS: Mutant = Mutant {
    name: "versions-written-before-it-looks-who-asks",
    does: "A version is created and the create then answered 401, where the caller is not known.",
    scenarios: &["authentication/refused-versions-*"],
    breaks: &["AUTH-1"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        looks_too_late(honest, |received| {
            received.uri.path().ends_with("/version/create")
        })
    },
};

const DENIES_WITHOUT_A_BODY: Mutant = Mutant {
    name: "denies-without-a-body",
    does: "A caller who is not known is answered 401 without an error's body.",
    scenarios: &["authentication/*"],
    breaks: &["REST-6"],
    may_break: &[],
    warns: &[],
    wrap: |honest| {
        interpose(honest, async |honest, received| {
            let answer = honest.answer(received).await;
            match answer.status() {
                StatusCode::UNAUTHORIZED => StatusCode::UNAUTHORIZED.into_response(),
                _ => answer,
            }
        })
    },
};
