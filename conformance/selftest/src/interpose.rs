//! A layer between a client and the reference server's router.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderValue, Method, Uri, header};
use axum::response::{IntoResponse, Response};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::Value;
use tower::ServiceExt;

/// Bodies in these tests are far smaller.
const LONGEST_BODY: usize = 64 << 20;

/// The honest router behind a layer.
#[derive(Clone)]
pub struct Honest(Router);

/// A request, read whole.
#[derive(Clone)]
pub struct Received {
    /// The HTTP method.
    pub method: Method,
    /// Path and query.
    pub uri: Uri,
    /// The body.
    pub body: Bytes,
    headers: axum::http::HeaderMap,
}

/// A router that hands each request, with the honest router, to `layer`.
pub fn interpose<F, Answer>(honest: Router, layer: F) -> Router
where
    F: Fn(Honest, Received) -> Answer + Send + Sync + 'static,
    Answer: Future<Output = Response> + Send + 'static,
{
    let layer = Arc::new(layer);
    let honest = Honest(honest);
    Router::new().fallback(move |request: Request| {
        let (layer, honest) = (Arc::clone(&layer), honest.clone());
        async move {
            let (parts, body) = request.into_parts();
            match to_bytes(body, LONGEST_BODY).await {
                Ok(body) => {
                    let received = Received {
                        method: parts.method,
                        uri: parts.uri,
                        headers: parts.headers,
                        body,
                    };
                    layer(honest, received).await
                }
                // The client has hung up: nobody reads this.
                Err(error) => error.to_string().into_response(),
            }
        }
    })
}

impl Received {
    /// The identifier in a route such as `/v1/table/{id}/version/create`, if the request is for
    /// that route; `suffix` is what follows the identifier.
    #[must_use]
    pub fn table(&self, suffix: &str) -> Option<Vec<String>> {
        self.parts("/v1/table/", suffix)
    }

    /// The identifier in a route, between this prefix and this suffix.
    #[must_use]
    pub fn parts(&self, prefix: &str, suffix: &str) -> Option<Vec<String>> {
        let path = self.uri.path();
        let id = path.strip_prefix(prefix)?.strip_suffix(suffix)?;
        let id = percent_decode_str(id).decode_utf8().ok()?;
        (!id.contains('/')).then(|| id.split('$').map(str::to_owned).collect())
    }

    /// The value of a query parameter.
    #[must_use]
    pub fn query(&self, name: &str) -> Option<String> {
        let pairs = self.uri.query()?.split('&');
        let value = pairs
            .filter_map(|pair| pair.split_once('='))
            .find_map(|(key, value)| (key == name).then_some(value))?;
        Some(percent_decode_str(value).decode_utf8_lossy().into_owned())
    }

    /// The body as JSON; null if it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

impl Honest {
    /// What the honest server answers to the request as it came.
    pub async fn answer(&self, received: Received) -> Response {
        let mut request = Request::new(Body::from(received.body));
        *request.method_mut() = received.method;
        *request.uri_mut() = received.uri;
        *request.headers_mut() = received.headers;
        self.send(request).await
    }

    /// What the honest server answers to an operation on a table; `suffix` is what follows the
    /// identifier in the route.
    pub async fn on_table(&self, id: &[String], suffix: &str, body: &Value) -> Response {
        let id = id.join("$");
        let id = utf8_percent_encode(&id, NON_ALPHANUMERIC);
        let mut request = Request::new(Body::from(body.to_string()));
        *request.method_mut() = Method::POST;
        if let Ok(uri) = format!("/v1/table/{id}{suffix}").parse() {
            *request.uri_mut() = uri;
        }
        let json = HeaderValue::from_static("application/json");
        request.headers_mut().insert(header::CONTENT_TYPE, json);
        self.send(request).await
    }

    async fn send(&self, request: Request) -> Response {
        match self.0.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }
}

/// The JSON of an answer that was carried out; null of any other.
pub async fn json_of(response: Response) -> Value {
    match to_bytes(response.into_body(), LONGEST_BODY).await {
        Ok(body) => serde_json::from_slice(&body).unwrap_or_default(),
        Err(_) => Value::Null,
    }
}

/// A 200 with this body.
#[must_use]
pub fn ok(body: &Value) -> Response {
    let json = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, json)], body.to_string()).into_response()
}
