//! What programs see of calls by `tracing`.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use lance_namespace_client::Client;
use lance_namespace_client::models::*;
use lance_namespace_client::testing::{FakeServer, Reply};
use opentelemetry::trace::TracerProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Subscriber, info_span};
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::{Layer, Registry};

/// The fields of a span, by name.
type Fields = BTreeMap<&'static str, String>;

/// A span that was seen.
#[derive(Debug)]
struct Seen {
    id: Id,
    name: &'static str,
    fields: Fields,
}

/// Keeps every span.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<Seen>>>);

impl Spans {
    fn named(&self, name: &str) -> Vec<Fields> {
        let spans = self.0.lock().unwrap();
        let named = spans.iter().filter(|seen| seen.name == name);
        named.map(|seen| seen.fields.clone()).collect()
    }

    fn everything(&self) -> String {
        format!("{:?}", self.0.lock().unwrap())
    }
}

struct Into<'a>(&'a mut Fields);

impl Visit for Into<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }
}

impl<S: Subscriber> Layer<S> for Spans {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, _: Context<'_, S>) {
        let mut fields = Fields::new();
        attributes.record(&mut Into(&mut fields));
        let seen = Seen {
            id: id.clone(),
            name: attributes.metadata().name(),
            fields,
        };
        self.0.lock().unwrap().push(seen);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, _: Context<'_, S>) {
        let mut spans = self.0.lock().unwrap();
        let span = spans.iter_mut().rev().find(|seen| seen.id == *id);
        values.record(&mut Into(&mut span.unwrap().fields));
    }
}

fn table() -> DescribeTableRequest {
    DescribeTableRequest::new().with_id(["prod", "users"])
}

#[tokio::test(start_paused = true)]
async fn a_call_is_a_span_and_each_attempt_one_within_it() {
    let spans = Spans::default();
    let _guard = tracing::subscriber::set_default(Registry::default().with(spans.clone()));
    let server = FakeServer::new();
    let busy = Reply::error(503, 17, "starting").with_header("x-request-id", "r1");
    let answer = Reply::ok(&DescribeTableResponse::new()).with_header("x-request-id", "r2");
    server.queue("DescribeTable", [busy, answer]);
    server.client().describe_table(&table()).await.unwrap();

    let call = &spans.named("lance_namespace")[0];
    assert_eq!(call["operation"], "DescribeTable");
    assert_eq!(call["table"], "prod$users");
    assert_eq!(call["attempts"], "2");
    assert_eq!(call["status"], "200");
    assert_eq!(call["request_id"], "r2");
    assert!(call["duration_ms"].parse::<f64>().unwrap() >= 100.0);
    assert!(!call.contains_key("error") && !call.contains_key("namespace"));

    let attempts = spans.named("attempt");
    assert_eq!(attempts.len(), 2);
    assert_eq!(attempts[0]["attempt"], "1");
    assert_eq!(attempts[0]["status"], "503");
    assert_eq!(attempts[0]["code"], "17");
    assert_eq!(attempts[0]["error"], "server");
    assert_eq!(attempts[0]["request_id"], "r1");
    assert_eq!(attempts[1]["attempt"], "2");
    assert_eq!(attempts[1]["status"], "200");
    assert!(attempts[1].contains_key("duration_ms"));
}

#[tokio::test(start_paused = true)]
async fn a_failed_call_says_how() {
    let spans = Spans::default();
    let _guard = tracing::subscriber::set_default(Registry::default().with(spans.clone()));
    let server = FakeServer::new();
    server.queue("DropNamespace", [Reply::lost()]);
    let namespace = server.client().namespace(["prod"]);
    namespace
        .drop(DropNamespaceRequest::new())
        .await
        .unwrap_err();
    let call = &spans.named("lance_namespace")[0];
    assert_eq!(call["namespace"], "prod");
    assert_eq!(call["error"], "unknown");
    assert_eq!(call["attempts"], "1");
    assert_eq!(spans.named("attempt")[0]["error"], "transport");
}

#[tokio::test(start_paused = true)]
async fn no_span_holds_a_secret() {
    let spans = Spans::default();
    let _guard = tracing::subscriber::set_default(Registry::default().with(spans.clone()));
    let server = FakeServer::new();
    let echo = Reply::error(401, 16, "bad key s3cret")
        .with_header("set-cookie", "s3cret")
        .with_header("x-request-id", "r1");
    server.on("CreateTable", move |_| echo.clone());
    let client = server
        .client_builder()
        .api_key("s3cret")
        .bearer_token("s3cret")
        .default_header("x-token", "s3cret")
        .build()
        .unwrap();
    let request = CreateTableRequest::new()
        .with_id(["t"])
        .with_context([("header.x-other", "s3cret")])
        .with_identity(Identity::new().with_auth_token("s3cret"))
        .with_storage_options([("secret_access_key", "s3cret")]);
    client.create_table(&request, "s3cret").await.unwrap_err();
    let seen = spans.everything();
    assert!(seen.contains("r1") && !seen.contains("s3cret"), "{seen}");
}

#[tokio::test(start_paused = true)]
async fn the_trace_context_of_the_span_is_sent() {
    let tracer = SdkTracerProvider::builder().build().tracer("test");
    let layer = tracing_opentelemetry::layer().with_tracer(tracer);
    let _guard = tracing::subscriber::set_default(Registry::default().with(layer));
    let server = FakeServer::new();
    server.on("DescribeTable", |_| Reply::status(503));
    let client: Client = server.client();
    let calls = async {
        client.describe_table(&table()).await.unwrap_err();
    };
    tracing::Instrument::instrument(calls, info_span!("request")).await;

    let parents: Vec<String> = server
        .calls("DescribeTable")
        .iter()
        .map(|call| call.headers()["traceparent"].to_str().unwrap().to_owned())
        .collect();
    assert_eq!(parents.len(), 4);
    let mut spans = Vec::new();
    for parent in &parents {
        let parts: Vec<&str> = parent.split('-').collect();
        assert_eq!((parts[0], parts[1].len(), parts[2].len()), ("00", 32, 16));
        assert_eq!(parts[1], parents[0].split('-').nth(1).unwrap(), "one trace");
        assert_eq!(parts[3], "01", "sampled");
        spans.push(parts[2]);
    }
    spans.sort_unstable();
    spans.dedup();
    assert_eq!(spans.len(), 4, "each attempt is a span of its own");
}

#[tokio::test(start_paused = true)]
async fn without_a_trace_nothing_of_it_is_sent() {
    let server = FakeServer::new();
    server.on(
        "DescribeTable",
        |_| Reply::ok(&DescribeTableResponse::new()),
    );
    server.client().describe_table(&table()).await.unwrap();
    assert!(!server.all_calls()[0].headers().contains_key("traceparent"));
}
