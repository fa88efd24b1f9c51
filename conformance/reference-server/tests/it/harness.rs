//! A client that goes straight to the router.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request};
use lance_namespace_reference_server::{Credentials, Store, router};
use serde_json::{Value, json};
use tower::ServiceExt;

#[derive(Clone)]
pub(crate) struct Client {
    router: Router,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
    /// The body, or null where it is no JSON.
    pub(crate) body: Value,
}

impl Answer {
    /// Status and Lance code; the code is absent from a success.
    pub(crate) fn outcome(&self) -> (u16, Option<u64>) {
        (self.status, self.body["code"].as_u64())
    }

    #[track_caller]
    pub(crate) fn ok(self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text);
        self.body
    }

    #[track_caller]
    pub(crate) fn fails(self, status: u16, code: u64) {
        assert_eq!(self.outcome(), (status, Some(code)), "{}", self.text);
        let error = self.body["error"].as_str().unwrap();
        assert!(!error.is_empty());
        assert_eq!(
            self.body["instance"],
            self.headers["x-request-id"].to_str().unwrap()
        );
    }
}

impl Client {
    pub(crate) fn new() -> Self {
        Self::of(Store::in_memory().unwrap())
    }

    pub(crate) fn of(store: Store) -> Self {
        Self::with(router(store, Credentials::default()))
    }

    pub(crate) fn with(router: Router) -> Self {
        Self { router }
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.unwrap();
        Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body: serde_json::from_slice(&bytes).unwrap_or_default(),
            text: String::from_utf8_lossy(&bytes).into_owned(),
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Request::get(path).body(Body::empty()).unwrap())
            .await
    }

    pub(crate) async fn post_text(&self, path: &str, body: impl Into<Body>) -> Answer {
        self.send(Request::post(path).body(body.into()).unwrap())
            .await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        self.post_text(path, body.to_string()).await
    }

    /// POST to the operation `operation` of the table `id`.
    pub(crate) async fn table(&self, id: &str, operation: &str, body: Value) -> Answer {
        self.post(&format!("/v1/table/{id}/{operation}"), body)
            .await
    }

    /// POST to the operation `operation` of the namespace `id`.
    pub(crate) async fn namespace(&self, id: &str, operation: &str, body: Value) -> Answer {
        self.post(&format!("/v1/namespace/{id}/{operation}"), body)
            .await
    }

    pub(crate) async fn declare(&self, id: &str) -> Value {
        self.table(id, "declare", json!({})).await.ok()
    }

    pub(crate) async fn create_version(&self, id: &str, version: i64, path: &str) -> Answer {
        let body = json!({"version": version, "manifest_path": path});
        self.table(id, "version/create", body).await
    }

    /// The versions of a table in the order that `query` asks for.
    pub(crate) async fn versions(&self, id: &str, query: &str) -> Vec<i64> {
        let path = format!("/v1/table/{id}/version/list?{query}");
        let body = self.post_text(&path, "").await.ok();
        let versions = body["versions"].as_array().unwrap().iter();
        versions
            .map(|entry| entry["version"].as_i64().unwrap())
            .collect()
    }

    /// Every item of a listing by GET or POST, page by page, and how many pages there were.
    pub(crate) async fn pages(&self, method: &str, path: &str, field: &str) -> (Vec<Value>, usize) {
        let (mut items, mut token, mut count) = (Vec::new(), String::new(), 0);
        loop {
            let uri = format!("{path}&page_token={token}");
            let request = Request::builder()
                .method(method)
                .uri(uri)
                .body(Body::empty())
                .unwrap();
            let mut body = self.send(request).await.ok();
            count += 1;
            match body[field].take() {
                Value::Array(page) => items.extend(page),
                Value::Object(page) => items.extend(page.into_iter().map(|(name, _)| name.into())),
                other => panic!("{field} is {other}"),
            }
            match body["page_token"].as_str() {
                Some(next) => next.clone_into(&mut token),
                None => return (items, count),
            }
        }
    }
}

/// A directory that goes with the test.
pub(crate) struct TempDir(PathBuf);

impl TempDir {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}
