//! A layer between a client and the reference server's router.

use std::io;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::response::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use futures::stream;
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::trial::{API_KEY, TOKEN};

/// The route of `BatchCreateTableVersions`.
pub const BATCH: &str = "/v1/table/version/batch-create";

/// The route of `BatchCommitTables`.
pub const COMMIT: &str = "/v1/table/batch-commit";

/// Bodies in these tests are far smaller.
pub(crate) const LONGEST_BODY: usize = 64 << 20;

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
    /// The headers.
    pub headers: HeaderMap,
}

/// A router that hands each request, with the honest router, to `layer`.
pub fn interpose<F, Answer>(honest: Router, layer: F) -> Router
where
    F: Fn(Honest, Received) -> Answer + Send + Sync + 'static,
    Answer: Future<Output = Response> + Send + 'static,
{
    let layer = Arc::new(layer);
    let honest = Honest::of(honest);
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

/// The same, where all requests share a state.
pub fn interpose_with<S, F, Answer>(honest: Router, state: S, layer: F) -> Router
where
    S: Send + Sync + 'static,
    F: Fn(Honest, Received, Arc<S>) -> Answer + Send + Sync + 'static,
    Answer: Future<Output = Response> + Send + 'static,
{
    let state = Arc::new(state);
    interpose(honest, move |honest, received| {
        layer(honest, received, Arc::clone(&state))
    })
}

/// A router that carries out another request than it received, where `of` says so.
pub fn misread(
    honest: Router,
    of: fn(&Received) -> bool,
    change: fn(Received) -> Received,
) -> Router {
    interpose(honest, move |honest, received| async move {
        let read = if of(&received) {
            change(received)
        } else {
            received
        };
        honest.answer(read).await
    })
}

/// A router that changes the body of what was carried out, where `of` says so.
pub fn misanswer(honest: Router, of: fn(&Received) -> bool, change: fn(&mut Value)) -> Router {
    interpose(honest, move |honest, received| async move {
        let concerned = of(&received);
        let answer = honest.answer(received).await;
        if !concerned || !answer.status().is_success() {
            return answer;
        }
        let mut body = json_of(answer).await;
        change(&mut body);
        ok(&body)
    })
}

/// A router that changes every JSON body that it answers, those of errors too.
pub fn reword(honest: Router, change: fn(&Received, &mut Value)) -> Router {
    interpose(honest, move |honest, received| async move {
        let answer = honest.answer(received.clone()).await;
        match json_parts(answer).await {
            Ok((parts, mut body)) => {
                change(&received, &mut body);
                Response::from_parts(parts, Body::from(body.to_string()))
            }
            Err(other) => other,
        }
    })
}

/// A router that answers otherwise what was refused with this status, where `of` says so.
pub fn misrefuse(
    honest: Router,
    of: fn(&Received) -> bool,
    status: StatusCode,
    otherwise: fn(Value) -> Response,
) -> Router {
    interpose(honest, move |honest, received| async move {
        let concerned = of(&received);
        let answer = honest.answer(received).await;
        if !concerned || answer.status() != status {
            return answer;
        }
        otherwise(json_of(answer).await)
    })
}

impl Received {
    /// The request again, for a router.
    #[must_use]
    pub fn request(self) -> Request {
        let mut request = Request::new(Body::from(self.body));
        *request.method_mut() = self.method;
        *request.uri_mut() = self.uri;
        *request.headers_mut() = self.headers;
        request
    }

    /// Whether the path ends so.
    #[must_use]
    pub fn is(&self, suffix: &str) -> bool {
        self.uri.path().ends_with(suffix)
    }

    /// The entries, if this is a batch.
    #[must_use]
    pub fn entries(&self) -> Option<Vec<Value>> {
        (self.uri.path() == BATCH).then(|| array(&self.json(), "entries"))?
    }

    /// The operations, if this is a commit.
    #[must_use]
    pub fn operations(&self) -> Option<Vec<Value>> {
        (self.uri.path() == COMMIT).then(|| array(&self.json(), "operations"))?
    }

    /// The same request with a body changed so.
    #[must_use]
    pub fn with_body(self, change: impl FnOnce(&mut Value)) -> Self {
        let mut body = self.json();
        change(&mut body);
        self.with(&body)
    }

    /// The same request with this value of a query parameter, or without it.
    #[must_use]
    pub fn with_query(mut self, name: &str, value: Option<&str>) -> Self {
        let pairs = self.uri.query().unwrap_or_default().split('&');
        let others = pairs.filter(|pair| pair.split('=').next() != Some(name) && !pair.is_empty());
        let mut query: Vec<String> = others.map(str::to_owned).collect();
        query.extend(
            value.map(|value| format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC))),
        );
        let path = self.uri.path();
        if let Ok(uri) = format!("{path}?{}", query.join("&")).parse() {
            self.uri = uri;
        }
        self
    }

    /// The identifier in a route such as `/v1/table/{id}/version/create`, if the request is for
    /// that route and its parts are joined by `$`; `suffix` is what follows the identifier.
    #[must_use]
    pub fn table(&self, suffix: &str) -> Option<Vec<String>> {
        self.parts("/v1/table/", suffix)
    }

    /// The identifier in a route, between this prefix and this suffix.
    #[must_use]
    pub fn parts(&self, prefix: &str, suffix: &str) -> Option<Vec<String>> {
        let path = self.uri.path();
        let id = path.strip_prefix(prefix)?.strip_suffix(suffix)?;
        if self
            .query("delimiter")
            .is_some_and(|delimiter| delimiter != "$")
        {
            return None;
        }
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

    /// The same request with another body.
    #[must_use]
    pub fn with(&self, body: &Value) -> Self {
        let mut headers = self.headers.clone();
        headers.remove(header::CONTENT_LENGTH);
        Self {
            method: self.method.clone(),
            uri: self.uri.clone(),
            body: Bytes::from(body.to_string()),
            headers,
        }
    }

    /// The body as JSON; null if it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

impl Honest {
    /// The honest server of this router.
    #[must_use]
    pub fn of(router: Router) -> Self {
        Self(router)
    }

    /// What the honest server answers to the request as it came.
    pub async fn answer(&self, received: Received) -> Response {
        self.send(received.request()).await
    }

    /// What the honest server answers to an operation on a table; `suffix` is what follows the
    /// identifier in the route.
    pub async fn on_table(&self, id: &[String], suffix: &str, body: &Value) -> Response {
        let id = id.join("$");
        let id = utf8_percent_encode(&id, NON_ALPHANUMERIC);
        self.post(&format!("/v1/table/{id}{suffix}"), body).await
    }

    /// What the honest server answers to a POST at this path.
    pub async fn post(&self, path: &str, body: &Value) -> Response {
        let mut request = Request::new(Body::from(body.to_string()));
        *request.method_mut() = Method::POST;
        if let Ok(uri) = path.parse() {
            *request.uri_mut() = uri;
        }
        let json = HeaderValue::from_static("application/json");
        let headers = request.headers_mut();
        headers.insert(header::CONTENT_TYPE, json);
        // What the layer asks for by itself it asks for as one that the server knows.
        headers.insert("x-api-key", HeaderValue::from_static(API_KEY));
        if let Ok(token) = HeaderValue::try_from(format!("Bearer {TOKEN}")) {
            headers.insert(header::AUTHORIZATION, token);
        }
        self.send(request).await
    }

    /// The entry of a version, if it is there.
    pub async fn entry(&self, id: &[String], branch: &Value, version: i64) -> Option<Value> {
        let body = json!({ "branch": branch, "version": version });
        let answer = self.on_table(id, "/version/describe", &body).await;
        let found = answer.status().is_success();
        let entry = json_of(answer).await["version"].take();
        found.then_some(entry)
    }

    /// The entries of a table's main branch, by number.
    pub async fn versions(&self, id: &[String]) -> Vec<Value> {
        let answer = self.on_table(id, "/version/list", &json!({})).await;
        match json_of(answer).await["versions"].take() {
            Value::Array(versions) => versions,
            _ => Vec::new(),
        }
    }

    /// Removes one version of a table.
    pub async fn remove(&self, id: &[String], branch: &Value, version: i64) -> Response {
        let delete = json!({
            "branch": branch,
            "ranges": [{ "start_version": version, "end_version": version.saturating_add(1) }],
        });
        self.on_table(id, "/version/delete", &delete).await
    }

    /// Creates a version, in place of one that is there.
    pub async fn replace(&self, id: &[String], create: &Value) -> Response {
        let version = create["version"].as_i64().unwrap_or_default();
        self.remove(id, &create["branch"], version).await;
        self.on_table(id, "/version/create", create).await
    }

    async fn send(&self, request: Request) -> Response {
        match self.0.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }
}

/// What a field of a body holds, if that is an array.
fn array(body: &Value, field: &str) -> Option<Vec<Value>> {
    body.get(field)?.as_array().cloned()
}

/// The JSON of an answer that was carried out; null of any other.
pub async fn json_of(response: Response) -> Value {
    match to_bytes(response.into_body(), LONGEST_BODY).await {
        Ok(body) => serde_json::from_slice(&body).unwrap_or_default(),
        Err(_) => Value::Null,
    }
}

/// An answer in JSON, in its parts.
///
/// # Errors
///
/// Any other answer, as it was.
pub async fn json_parts(answer: Response) -> Result<(Parts, Value), Response> {
    let content_type = answer.headers().get(header::CONTENT_TYPE);
    if !content_type.is_some_and(|text| text.as_bytes().starts_with(b"application/json")) {
        return Err(answer);
    }
    let (mut parts, body) = answer.into_parts();
    parts.headers.remove(header::CONTENT_LENGTH);
    let body = json_of(Response::new(body)).await;
    Ok((parts, body))
}

/// An answer that breaks off, and tells nothing.
#[must_use]
pub fn broken_off() -> Response {
    let cut = stream::once(async { Err::<Bytes, _>(io::Error::other("the connection is cut")) });
    Response::new(Body::from_stream(cut))
}

/// An error with this status and code.
#[must_use]
pub fn error(status: StatusCode, code: u32) -> Response {
    let body = json!({ "code": code, "error": "as this server sees it" });
    (status, ok(&body)).into_response()
}

/// The strings of an array, such as the parts of an identifier.
#[must_use]
pub fn strings(array: &Value) -> Vec<String> {
    let items = array.as_array().into_iter().flatten();
    let strings = items.filter_map(|item| Some(item.as_str()?.to_owned()));
    strings.collect()
}

/// A 200 with this body.
#[must_use]
pub fn ok(body: &Value) -> Response {
    let json = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, json)], body.to_string()).into_response()
}
