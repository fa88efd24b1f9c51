//! What happens to every request and answer.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use crate::config::Credentials;
use crate::error::{Error, ErrorKind};
use crate::extract::{Identity, MAX_BODY};
use crate::json;

const REQUEST_ID: &str = "x-request-id";
const API_KEY: &str = "x-api-key";

/// Gives the answer its request id, and an error its body.
pub(super) async fn identify(request: Request, next: Next) -> Response {
    let id = request_id();
    let mut response = next.run(request).await;
    if let Some(error) = response.extensions_mut().remove::<Error>() {
        response = error.render(&id);
    }
    if let Ok(value) = HeaderValue::try_from(id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    response
}

/// The start of the process and a count: no two answers of a server, or of two, share it.
fn request_id() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    static START: LazyLock<u128> = LazyLock::new(|| {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_nanos()
    });
    format!("{:x}-{}", *START, COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Lets requests with the right credentials through.
pub(super) async fn authenticate(
    State(credentials): State<Credentials>,
    request: Request,
    next: Next,
) -> Response {
    if credentials.is_none() {
        return next.run(request).await;
    }
    match admit(&credentials, request).await {
        Ok(request) => next.run(request).await,
        Err(error) => error.into_response(),
    }
}

/// Headers go before the `identity` of the body (REST-5), which is read only without a header.
async fn admit(credentials: &Credentials, request: Request) -> Result<Request, Error> {
    let key = header_text(request.headers(), API_KEY);
    let token = header_text(request.headers(), header::AUTHORIZATION.as_str())
        .map(|value| bearer_token(&value).unwrap_or_default().to_owned());
    if credentials.admit(key.as_deref(), token.as_deref()) {
        return Ok(request);
    }
    let (parts, body) = request.into_parts();
    let bytes = to_bytes(body, MAX_BODY)
        .await
        .map_err(|_| unauthenticated())?;
    let identity = identity(&bytes);
    let key = key.or(identity.api_key);
    let token = token.or(identity.auth_token);
    if credentials.admit(key.as_deref(), token.as_deref()) {
        Ok(Request::from_parts(parts, Body::from(bytes)))
    } else {
        Err(unauthenticated())
    }
}

fn unauthenticated() -> Error {
    Error::new(
        ErrorKind::Unauthenticated,
        "credentials are missing or wrong",
    )
}

/// A header's text; one that is no text is as wrong as any.
fn header_text(headers: &HeaderMap, name: &str) -> Option<String> {
    let value = headers.get(name)?;
    Some(value.to_str().unwrap_or_default().to_owned())
}

fn bearer_token(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn identity(body: &[u8]) -> Identity {
    #[derive(Deserialize)]
    struct Identified {
        identity: Option<json::Object<Identity>>,
    }
    let body = json::parse::<Identified>(body).ok();
    body.and_then(|body| body.identity)
        .map(|identity| identity.0)
        .unwrap_or_default()
}
