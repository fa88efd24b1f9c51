//! Requests as they are sent and answers as they come: the suite looks at HTTP itself, so that a
//! tolerant client cannot hide a server's fault.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use http::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use tokio::sync::OnceCell;

use crate::call::{Body, Call};
use crate::exchange::{Exchange, Received};
use crate::proxy::{self, Fault, Proxy, ProxyError};
use crate::race;
use crate::target::Target;

/// How often a request that is surely not carried out, or only reads, is sent again.
const RETRIES: u32 = 8;

/// The longest wait that a server's `Retry-After` can ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

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
    /// Opens a connection for each request.
    alone: reqwest::Client,
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
        let url = target.url_without_user();
        Ok(Self {
            http: client(&url, &target)?
                // Shorter than the keep-alive of common servers: a request on a connection that
                // the server is closing would count as unanswered.
                .pool_idle_timeout(Duration::from_secs(3))
                .build()?,
            alone: client(&url, &target)?.pool_max_idle_per_host(0).build()?,
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
                Some(503) => call.operation.reads_only() && !call.is_astray(),
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
        let url = call.url(&self.target);
        let method = call.method.clone();
        let mut request = match broken {
            None if call.may_stay_unread() => self.alone.request(method, &url),
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
        let answer = received(request).await;
        let answer = answer.map_err(|error| chain(&error.without_url()));
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

    fn public_url(&self, url: &str) -> String {
        let with_user = url.strip_prefix(self.target.url().as_str());
        let rest = with_user.or_else(|| url.strip_prefix(&self.target.url_without_user()));
        let rest = rest.unwrap_or(url);
        format!("{}/{rest}", self.target.display_url())
    }
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

/// Sends a request, and reads the answer to its end.
async fn received(request: reqwest::RequestBuilder) -> reqwest::Result<Received> {
    let response = request.send().await?;
    Ok(Received {
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        body: response.bytes().await?,
    })
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
    use std::sync::atomic::AtomicUsize;

    use http::HeaderMap;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;
    use crate::call::Caller;

    /// A server that answers whatever is sent to it and never hangs up; and how many connections
    /// it has got.
    async fn patient_server() -> (Target, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(async move {
                    let mut some = [0; 4096];
                    while matches!(stream.read(&mut some).await, Ok(1..)) {
                        let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
                        if stream.write_all(answer).await.is_err() {
                            return;
                        }
                    }
                });
            }
        });
        (Target::new(&url).unwrap(), connections)
    }

    #[tokio::test]
    async fn what_may_stay_unread_is_sent_on_a_connection_of_its_own() {
        let plain = Call::new("DescribeTable");
        let usual = [
            plain.clone(),
            plain.clone().raw("application/json", "{nonsense"),
            Call::new("ListNamespaces"),
            Call::new("InsertIntoTable").raw(crate::rows::STREAM, vec![0; 64]),
        ];
        let (target, connections) = patient_server().await;
        let wire = Wire::new(target).unwrap();
        for call in &usual {
            assert_eq!(wire.send(call).await.status(), Some(200));
        }
        assert_eq!(connections.load(Ordering::Relaxed), 1);

        let unread = [
            plain.clone().odd(),
            plain.clone().as_type("text/plain"),
            plain.clone().by_method(http::Method::PUT),
            plain.clone().at_path("/v1/nothing"),
            plain.clone().by(Caller::Nobody),
            plain.clone().by(Caller::With(HeaderMap::new())),
            plain.clone().raw("application/json", vec![b' '; 1 << 20]),
        ];
        for (k, call) in unread.iter().enumerate() {
            wire.send(call).await;
            assert_eq!(wire.send(&plain).await.status(), Some(200));
            assert_eq!(connections.load(Ordering::Relaxed), k + 2, "{call:?}");
        }
    }
}
