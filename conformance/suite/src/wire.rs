//! Requests as they are sent and answers as they come: the suite looks at HTTP itself, so that a
//! tolerant client cannot hide a server's fault.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures::TryFutureExt;
use http::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use tokio::sync::OnceCell;

use crate::protocol::{self, Operation};
use crate::proxy::{self, Fault, Proxy, ProxyError};
use crate::race;
use crate::rows::{Frame, FrameError};
use crate::target::Target;

/// Everything but RFC 3986's unreserved characters.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// How often a request that is surely not carried out, or only reads, is sent again.
const RETRIES: u32 = 8;

/// The longest wait that a server's `Retry-After` can ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// A request to be sent: an operation and its arguments.
#[derive(Clone, Debug)]
pub struct Call {
    pub(crate) operation: &'static Operation,
    method: http::Method,
    path: String,
    pub(crate) id: Option<Vec<String>>,
    pub(crate) index: Option<String>,
    pub(crate) query: Vec<(&'static str, String)>,
    pub(crate) body: Body,
    pub(crate) odd: bool,
    pub(crate) caller: Caller,
}

/// Who asks, by the credentials that a request carries in its headers.
#[derive(Clone, Debug, Default)]
pub enum Caller {
    /// The one that the server knows.
    #[default]
    Known,
    /// Nobody: no credentials at all.
    Nobody,
    /// One with the credentials that the server does not know.
    Stranger,
    /// One with these credentials in the place of the known ones.
    With(HeaderMap),
}

/// The body of a request.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    None,
    Json(Value),
    Raw(&'static str, Bytes),
}

impl Call {
    /// A call of the operation of this name.
    ///
    /// # Panics
    ///
    /// If the protocol has no operation of this name, which is a fault of the suite.
    #[must_use]
    pub fn new(operation: &str) -> Self {
        let operation = protocol::operation(operation);
        let body = if operation.takes_json {
            Body::Json(Value::Object(serde_json::Map::new()))
        } else {
            Body::None
        };
        Self {
            operation,
            method: operation.method.clone(),
            path: operation.path.clone(),
            id: None,
            index: None,
            query: Vec::new(),
            body,
            odd: false,
            caller: Caller::Known,
        }
    }

    /// The identifier in the route, in parts; empty for the root namespace.
    #[must_use]
    pub fn id(mut self, id: &[String]) -> Self {
        self.id = Some(id.to_vec());
        self
    }

    /// The name of the index in the route.
    #[must_use]
    pub fn index(mut self, name: &str) -> Self {
        self.index = Some(name.to_owned());
        self
    }

    /// A query parameter.
    #[must_use]
    pub fn query(mut self, name: &'static str, value: impl ToString) -> Self {
        self.query.push((name, value.to_string()));
        self
    }

    /// A query parameter, in place of the one of this name.
    #[must_use]
    pub fn instead_of_query(mut self, name: &'static str, value: impl ToString) -> Self {
        self.query.retain(|(other, _)| *other != name);
        self.query(name, value)
    }

    /// The JSON body.
    #[must_use]
    pub fn json(mut self, body: Value) -> Self {
        self.body = Body::Json(body);
        self
    }

    /// The same request of another operation.
    ///
    /// # Panics
    ///
    /// If the protocol has no operation of this name, which is a fault of the suite.
    #[must_use]
    pub fn of(mut self, operation: &str) -> Self {
        self.operation = protocol::operation(operation);
        self.method = self.operation.method.clone();
        self.path.clone_from(&self.operation.path);
        self
    }

    /// The name of the operation.
    #[must_use]
    pub fn operation(&self) -> &'static str {
        &self.operation.id
    }

    /// The same request by another method than the operation's.
    #[must_use]
    pub fn by_method(mut self, method: http::Method) -> Self {
        self.method = method;
        self
    }

    /// The same request at another path than the operation's, with `{id}` where the identifier
    /// goes.
    #[must_use]
    pub fn at_path(mut self, path: &str) -> Self {
        path.clone_into(&mut self.path);
        self
    }

    /// Whether the operation has fields in a JSON body; `branch` is one of them, where it is about
    /// one.
    #[must_use]
    pub fn has_fields(&self) -> bool {
        // The one operation whose body is a map of the caller's own.
        self.operation.takes_json && self.operation() != "UpdateTableSchemaMetadata"
    }

    /// Whether the operation declares a JSON body.
    #[must_use]
    pub fn takes_json(&self) -> bool {
        self.operation.takes_json
    }

    /// The same JSON body as another content type.
    #[must_use]
    pub fn as_type(self, content_type: &'static str) -> Self {
        match &self.body {
            Body::Json(body) => {
                let text = body.to_string();
                self.raw(content_type, text)
            }
            Body::None | Body::Raw(..) => self,
        }
    }

    /// The fields of the JSON body without which the request is none.
    #[must_use]
    pub fn required(&self) -> &'static [String] {
        &self.operation.required
    }

    /// The same request without a body, and without a content type.
    #[must_use]
    pub fn bare(mut self) -> Self {
        self.body = Body::None;
        self
    }

    /// Whether this is no request of the operation: method or path are not its own.
    pub(crate) fn is_astray(&self) -> bool {
        self.method != self.operation.method || self.path != self.operation.path
    }

    /// Says that no client should send this: what refuses it may be middleware, in plain text
    /// (requirement REST-6).
    #[must_use]
    pub fn odd(mut self) -> Self {
        self.odd = true;
        self
    }

    /// Says who asks.
    #[must_use]
    pub fn by(mut self, caller: Caller) -> Self {
        self.caller = caller;
        self
    }

    /// A field of the JSON body; none takes it out.
    #[must_use]
    pub fn field(mut self, name: &str, value: impl Into<Option<Value>>) -> Self {
        if let Body::Json(Value::Object(fields)) = &mut self.body {
            match value.into() {
                Some(value) => fields.insert(name.to_owned(), value),
                None => fields.remove(name),
            };
        }
        self
    }

    /// A body that may be anything, with its content type.
    #[must_use]
    pub fn raw(mut self, content_type: &'static str, body: impl Into<Bytes>) -> Self {
        self.body = Body::Raw(content_type, body.into());
        self
    }
}

/// What came back for a request.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// One request and what came of it.
#[derive(Clone, Debug)]
pub struct Exchange {
    pub(crate) operation: &'static Operation,
    pub(crate) method: http::Method,
    /// Whether it is no request of the operation: method or path are not its own.
    pub(crate) astray: bool,
    pub(crate) id: Option<Vec<String>>,
    pub(crate) query: Vec<(&'static str, String)>,
    pub(crate) url: String,
    pub(crate) sent: Body,
    pub(crate) odd: bool,
    pub(crate) caller: Caller,
    pub(crate) answer: Result<Received, String>,
    pub(crate) started: Instant,
    pub(crate) ended: Instant,
    /// Which of the scenario's clients asked.
    pub(crate) client: u32,
    /// Answers of 429 and 503 that were waited out before this one.
    pub(crate) put_off: u32,
    /// What was done to the request on its way.
    pub(crate) fault: Option<Fault>,
    /// Whether the server may have got the request more than once: a refusal does not say then that
    /// it was not carried out.
    pub(crate) repeated: bool,
}

impl Exchange {
    /// The HTTP status; none if no answer came.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.answer.as_ref().ok().map(|answer| answer.status)
    }

    /// The answer's body as JSON, if it is JSON.
    #[must_use]
    pub fn json(&self) -> Option<Value> {
        let answer = self.answer.as_ref().ok()?;
        serde_json::from_slice(&answer.body).ok()
    }

    /// The answer's content type, without parameters; none if it has none.
    #[must_use]
    pub fn content_type(&self) -> Option<&str> {
        let answer = self.answer.as_ref().ok()?;
        let content_type = answer.headers.get(CONTENT_TYPE)?.to_str().ok()?;
        content_type.split(';').next().map(str::trim)
    }

    /// The rows in the answer.
    ///
    /// # Errors
    ///
    /// If its body is no Arrow.
    pub fn frame(&self) -> Result<Frame, FrameError> {
        match &self.answer {
            Ok(answer) => Frame::read(&answer.body),
            Err(_) => Frame::read(&[]),
        }
    }

    /// The name of the operation that was asked for.
    #[must_use]
    pub fn operation(&self) -> &'static str {
        &self.operation.id
    }

    /// The `code` of an `ErrorResponse`; none if the answer is no such thing.
    #[must_use]
    pub fn code(&self) -> Option<i64> {
        if self.status()? < 400 {
            return None;
        }
        self.json()?.get("code")?.as_i64()
    }

    /// A field of the JSON body that was sent; none if it was not.
    #[must_use]
    pub fn sent_field(&self, name: &str) -> Option<Value> {
        match &self.sent {
            Body::Json(body) => body.get(name).cloned(),
            Body::None | Body::Raw(..) => None,
        }
    }

    /// Which of the scenario's clients asked.
    #[must_use]
    pub fn client(&self) -> u32 {
        self.client
    }

    /// What the suite's proxy did to the request; none if it did not go through it.
    #[must_use]
    pub fn fault(&self) -> Option<Fault> {
        self.fault
    }

    /// When the request was about to be sent, for the first time if it was put off.
    #[must_use]
    pub fn started(&self) -> Instant {
        self.started
    }

    /// When the answer had been read.
    #[must_use]
    pub fn ended(&self) -> Instant {
        self.ended
    }
}

/// Why an HTTP client cannot be set up.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum ClientError {
    /// TLS cannot be used.
    Tls(#[from] lance_namespace_client::Error),
    /// The client cannot be built.
    Build(#[from] reqwest::Error),
}

/// The suite's own HTTP client.
pub(crate) struct Wire {
    http: reqwest::Client,
    target: Target,
    count: Arc<AtomicU64>,
    broken: OnceCell<BrokenWay>,
}

/// The way to the server on which connections break.
struct BrokenWay {
    proxy: Proxy,
    http: reqwest::Client,
}

/// Why no request can be sent over connections that break.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BrokenWayError {
    #[error(transparent)]
    Proxy(#[from] ProxyError),
    #[error("the HTTP client cannot be set up: {0}")]
    Client(#[from] ClientError),
}

/// The suite's settings of an HTTP client, whatever it connects to.
fn client(url: &str, target: &Target) -> Result<reqwest::ClientBuilder, ClientError> {
    // The SDK's settings for TLS and redirects; all that is sent and read is the suite's own.
    let builder = lance_namespace_client::http_client_builder(url)?;
    Ok(builder
        .connect_timeout(Duration::from_secs(10))
        .timeout(target.timeout())
        .user_agent(concat!("lance-namespace-suite/", env!("CARGO_PKG_VERSION")))
        .no_proxy())
}

impl Wire {
    pub(crate) fn new(target: Target) -> Result<Self, ClientError> {
        let http = client(&target.url_without_user(), &target)?
            // Shorter than the keep-alive of common servers: a request on a connection that the
            // server is closing would count as unanswered.
            .pool_idle_timeout(Duration::from_secs(3))
            .build()?;
        Ok(Self {
            http,
            target,
            count: Arc::default(),
            broken: OnceCell::new(),
        })
    }

    /// A client of another server, whose requests are counted with those of this one.
    pub(crate) fn beside(&self, target: Target) -> Result<Self, ClientError> {
        Ok(Self {
            count: Arc::clone(&self.count),
            ..Self::new(target)?
        })
    }

    pub(crate) fn target(&self) -> &Target {
        &self.target
    }

    /// How many requests have been sent so far.
    pub(crate) fn requests(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Sends a call and waits for the whole answer.
    ///
    /// A 429 surely did not happen and is sent again after a wait; so is a read that was answered
    /// 503 (requirement REST-13).
    pub(crate) async fn send(&self, call: &Call) -> Exchange {
        let mut put_off = 0;
        let first = Instant::now();
        loop {
            let mut exchange = self.send_once(call, put_off, None).await;
            if put_off > 0 {
                exchange.started = first;
            }
            let again = match exchange.status() {
                Some(429) => true,
                Some(503) => reads_only(call.operation) && !call.is_astray(),
                _ => false,
            };
            if !again || put_off == RETRIES {
                return exchange;
            }
            tokio::time::sleep(wait(&exchange, put_off)).await;
            put_off += 1;
        }
    }

    /// Sends a call once over a connection that breaks in this way.
    ///
    /// # Errors
    ///
    /// If the proxy that breaks it cannot be set up.
    pub(crate) async fn send_through(
        &self,
        fault: Fault,
        call: &Call,
    ) -> Result<Exchange, BrokenWayError> {
        let way = self
            .broken
            .get_or_try_init(async || {
                let proxy = Proxy::start(&self.target, Fault::Delay(Duration::ZERO)).await?;
                let http = client(&proxy.url(), &self.target)?
                    .pool_max_idle_per_host(0)
                    .build()
                    .map_err(ClientError::from)?;
                Ok::<_, BrokenWayError>(BrokenWay { proxy, http })
            })
            .await?;
        Ok(self.send_once(call, 0, Some((fault, way))).await)
    }

    /// Sends a call once, whatever comes of it.
    pub(crate) async fn ask_once(&self, call: &Call) -> Exchange {
        self.send_once(call, 0, None).await
    }

    async fn send_once(
        &self,
        call: &Call,
        put_off: u32,
        broken: Option<(Fault, &BrokenWay)>,
    ) -> Exchange {
        self.count.fetch_add(1, Ordering::Relaxed);
        let url = self.url(call);
        let method = call.method.clone();
        let mut request = match broken {
            None => self.http.request(method, &url),
            Some((fault, way)) => {
                let base = self.target.url().as_str();
                let rest = url.strip_prefix(base).unwrap_or(&url);
                let url = format!("{}{rest}", way.proxy.url_for(&self.target));
                let request = way.http.request(method, url);
                request.header(proxy::HEADER, fault.header())
            }
        }
        .headers(self.target.headers_of(&call.caller))
        .header(ACCEPT, HeaderValue::from_static(call.operation.accept()));
        request = match &call.body {
            // Some servers answer 411 to a POST that does not say how long it is.
            Body::None if call.method == http::Method::POST => {
                request.header(CONTENT_LENGTH, HeaderValue::from_static("0"))
            }
            Body::None => request,
            Body::Json(body) => request
                .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
                .body(body.to_string()),
            Body::Raw(content_type, body) => request
                .header(CONTENT_TYPE, HeaderValue::from_static(content_type))
                .body(body.clone()),
        };
        let started = Instant::now();
        let answer = request
            .send()
            .and_then(async |response| {
                Ok(Received {
                    status: response.status().as_u16(),
                    headers: response.headers().clone(),
                    body: response.bytes().await?,
                })
            })
            .await
            .map_err(|error| chain(&error.without_url()));
        Exchange {
            operation: call.operation,
            method: call.method.clone(),
            astray: call.is_astray(),
            id: call.id.clone(),
            query: call.query.clone(),
            url: self.public_url(&url),
            sent: call.body.clone(),
            odd: call.odd,
            caller: call.caller.clone(),
            answer,
            started,
            ended: Instant::now(),
            client: race::client(),
            put_off,
            fault: broken.map(|(fault, _)| fault),
            repeated: matches!(broken, Some((Fault::SendTwice, _))),
        }
    }

    fn url(&self, call: &Call) -> String {
        let delimiter = self.target.delimiter();
        let mut path = call.path.trim_start_matches('/').to_owned();
        if let Some(id) = &call.id {
            let joined = if id.is_empty() {
                delimiter.to_owned()
            } else {
                id.join(delimiter)
            };
            let encoded = utf8_percent_encode(&joined, SEGMENT).to_string();
            path = path.replace("{id}", &encoded);
        }
        if let Some(index) = &call.index {
            let encoded = utf8_percent_encode(index, SEGMENT).to_string();
            path = path.replace("{index_name}", &encoded);
        }
        let mut query: Vec<(&str, &str)> = call
            .query
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        if delimiter != "$" && !call.query.iter().any(|(name, _)| *name == "delimiter") {
            query.push(("delimiter", delimiter));
        }
        let query: Vec<String> = query
            .iter()
            .map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, SEGMENT)))
            .collect();
        let base = match call.caller {
            Caller::Known => self.target.url().to_string(),
            // What stands in the URL is a credential, too.
            _ => self.target.url_without_user(),
        };
        if query.is_empty() {
            format!("{base}{path}")
        } else {
            format!("{base}{path}?{}", query.join("&"))
        }
    }

    fn public_url(&self, url: &str) -> String {
        let with_user = url.strip_prefix(self.target.url().as_str());
        let rest = with_user.or_else(|| url.strip_prefix(&self.target.url_without_user()));
        let rest = rest.unwrap_or(url);
        format!("{}/{rest}", self.target.display_url())
    }
}

/// Whether the operation changes nothing, so that it can be asked again whatever became of it.
pub(crate) fn reads_only(operation: &Operation) -> bool {
    let id = operation.id.as_str();
    operation.method == http::Method::GET
        || [
            "Describe", "List", "Get", "Count", "Query", "Explain", "Analyze",
        ]
        .iter()
        .any(|verb| id.starts_with(verb))
        || id.ends_with("Exists")
}

fn wait(exchange: &Exchange, put_off: u32) -> Duration {
    let asked = exchange
        .answer
        .as_ref()
        .ok()
        .and_then(|answer| answer.headers.get(RETRY_AFTER))
        .and_then(|value| value.to_str().ok()?.trim().parse().ok())
        .map(Duration::from_secs);
    let own = Duration::from_millis(50 << put_off.min(6));
    asked.unwrap_or(own).max(own).min(LONGEST_WAIT)
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(target: Target, call: Call) -> String {
        Wire::new(target).unwrap().url(&call)
    }

    fn parts(parts: &[&str]) -> Vec<String> {
        parts.iter().map(|&part| part.to_owned()).collect()
    }

    #[test]
    fn identifiers_stay_one_segment() {
        let target = Target::new("http://host/api").unwrap();
        let call = Call::new("DescribeTable").id(&parts(&["a/b", "c d%\\?#"]));
        assert_eq!(
            url(target, call),
            "http://host/api/v1/table/a%2Fb%24c%20d%25%5C%3F%23/describe"
        );
    }

    #[test]
    fn the_root_is_the_delimiter_and_another_delimiter_is_said() {
        let target = Target::new("http://host").unwrap();
        let call = Call::new("ListNamespaces").id(&[]).query("limit", 5);
        assert_eq!(
            url(target.clone(), call.clone()),
            "http://host/v1/namespace/%24/list?limit=5"
        );
        let target = target.with_delimiter("/").unwrap();
        assert_eq!(
            url(target, call),
            "http://host/v1/namespace/%2F/list?limit=5&delimiter=%2F"
        );
    }

    #[test]
    fn only_reads_are_asked_again_after_a_503() {
        let reads = protocol::operations()
            .values()
            .filter(|operation| reads_only(operation))
            .map(|operation| operation.id.as_str())
            .collect::<Vec<_>>();
        assert_eq!(
            reads,
            [
                "AnalyzeTableQueryPlan",
                "CountTableRows",
                "DescribeNamespace",
                "DescribeTable",
                "DescribeTableIndexStats",
                "DescribeTableVersion",
                "DescribeTransaction",
                "ExplainTableQueryPlan",
                "GetTableStats",
                "GetTableTagVersion",
                "ListAllTables",
                "ListNamespaces",
                "ListTableBranches",
                "ListTableIndices",
                "ListTableTags",
                "ListTableVersions",
                "ListTables",
                "NamespaceExists",
                "QueryTable",
                "TableExists",
            ]
        );
    }
}
