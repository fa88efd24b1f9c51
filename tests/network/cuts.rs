//! One cut at each place, of a read and of each helper that writes versions.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lance_namespace_client::models::*;
use lance_namespace_client::{Client, Error, ErrorKind, RetryPolicy};
use serde_json::{Value, json};
use wiremock::matchers::{any, path_regex};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::proxy::{self, Cut};

const OURS: &str = "t/_versions/7.manifest-aaaa";

/// A server of one version, which it creates if it does not exist, behind a proxy that cuts the first
/// request whose path has `cut_at` in it.
struct Place {
    client: Client,
    server: MockServer,
}

impl Place {
    async fn new(cut_at: &'static str, cut: Cut, exists: Option<&str>) -> Self {
        let server = MockServer::start().await;
        let stored = Arc::new(Mutex::new(exists.map(str::to_owned)));
        let creating = stored.clone();
        Mock::given(path_regex("/version/create$|/batch-create$|/batch-commit$"))
            .respond_with(move |request: &Request| create(&creating, request))
            .mount(&server)
            .await;
        Mock::given(path_regex("/version/describe$"))
            .respond_with(move |_: &Request| match &*stored.lock().unwrap() {
                Some(path) => {
                    let version = json!({ "version": 7, "manifest_path": path });
                    ResponseTemplate::new(200).set_body_json(json!({ "version": version }))
                }
                None => {
                    let body = json!({ "error": "no version 7", "code": 11 });
                    ResponseTemplate::new(404).set_body_json(body)
                }
            })
            .mount(&server)
            .await;
        Mock::given(any())
            .respond_with(ResponseTemplate::new(200).set_body_json(json!({ "version": 3 })))
            .mount(&server)
            .await;
        let done = AtomicBool::new(false);
        let decide = move |request: &[u8]| {
            let line = request.split(|byte| *byte == b'\r').next().unwrap();
            let this = String::from_utf8_lossy(line).contains(cut_at);
            (this && !done.swap(true, Ordering::Relaxed)).then_some(cut)
        };
        let url = proxy::start(*server.address(), Arc::new(decide)).await;
        let quick = Duration::from_millis(1);
        let client = Client::builder(url)
            .retry(RetryPolicy::new().with_delays(quick, quick))
            .build()
            .unwrap();
        Self { client, server }
    }

    /// How many requests with this in their path reached the server whole.
    async fn reached(&self, path: &str) -> usize {
        let requests = self.server.received_requests().await.unwrap();
        let these = requests
            .iter()
            .filter(|request| request.url.path().contains(path));
        these.count()
    }
}

/// Creates the version of a single create, of a batch or of a commit, if it does not exist.
fn create(stored: &Mutex<Option<String>>, request: &Request) -> ResponseTemplate {
    let mut stored = stored.lock().unwrap();
    if stored.is_some() {
        let body = json!({ "error": "version 7 exists", "code": 14 });
        return ResponseTemplate::new(409).set_body_json(body);
    }
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    let places = ["/manifest_path", "/entries/0/manifest_path"];
    let path = places
        .iter()
        .chain(&["/operations/0/create_table_version/manifest_path"])
        .find_map(|place| body.pointer(place))
        .unwrap()
        .as_str()
        .unwrap();
    *stored = Some(path.to_owned());
    let version = json!({ "version": 7, "manifest_path": path });
    ResponseTemplate::new(200).set_body_json(json!({
        "version": version,
        "versions": [version],
        "results": [{ "create_table_version": { "version": version } }],
    }))
}

/// The helpers that write versions.
#[derive(Debug, Clone, Copy)]
enum Helper {
    Create,
    Batch,
    Commit,
}

impl Helper {
    const ALL: [Self; 3] = [Self::Create, Self::Batch, Self::Commit];

    /// What is in the path of its operation, and of no other.
    fn path(self) -> &'static str {
        match self {
            Self::Create => "/version/create",
            Self::Batch => "/batch-create",
            Self::Commit => "/batch-commit",
        }
    }

    /// The version that it says is there.
    async fn call(self, client: &Client) -> Result<TableVersion, Error> {
        let request = CreateTableVersionRequest::new(7, OURS);
        Ok(match self {
            Self::Create => {
                let created = client.table(["t"]).create_version(request).await?;
                created.version.unwrap()
            }
            Self::Batch => {
                let mut batch = client.version_batch();
                let version = batch.create(CreateTableVersionEntry::new(["t"], 7, OURS));
                batch.send().await?.get(version).unwrap().clone()
            }
            Self::Commit => {
                let mut commit = client.commit();
                let version = commit.create_version(["t"], request);
                let done = commit.send().await?;
                done.get(version).unwrap().version.clone().unwrap()
            }
        })
    }
}

/// Whether the server did what it was asked before the cut.
fn done(cut: Cut) -> bool {
    matches!(cut, Cut::BeforeAnswer | Cut::InAnswer)
}

#[tokio::test]
async fn a_read_survives_each_cut() {
    for cut in Cut::ALL {
        let place = Place::new("/v1/table/t/describe", cut, None).await;
        let table = place.client.table(["t"]);
        let described = table.describe(DescribeTableRequest::new());
        assert_eq!(described.await.unwrap().version, Some(3), "{cut:?}");
        let reached = place.reached("/describe").await;
        assert_eq!(reached, if done(cut) { 2 } else { 1 }, "{cut:?}");
    }
}

#[tokio::test]
async fn a_write_that_was_done_is_ones_own_and_sent_once() {
    for helper in Helper::ALL {
        for cut in [Cut::BeforeAnswer, Cut::InAnswer] {
            let place = Place::new(helper.path(), cut, None).await;
            let version = helper.call(&place.client).await.unwrap();
            assert_eq!(version.manifest_path, OURS, "{helper:?} {cut:?}");
            assert_eq!(place.reached(helper.path()).await, 1, "{helper:?} {cut:?}");
            assert_eq!(
                place.reached("/version/describe").await,
                1,
                "{helper:?} {cut:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_write_that_did_not_arrive_is_unknown_and_not_sent_again() {
    for helper in Helper::ALL {
        for cut in [Cut::BeforeRequest, Cut::InRequest] {
            let place = Place::new(helper.path(), cut, None).await;
            let error = helper.call(&place.client).await.unwrap_err();
            assert!(error.is_unknown(), "{helper:?} {cut:?}: {error:?}");
            assert_eq!(
                error.lost_by(),
                Some(ErrorKind::Transport),
                "{helper:?} {cut:?}"
            );
            assert_eq!(error.attempts(), 1, "{helper:?} {cut:?}");
            assert_eq!(place.reached(helper.path()).await, 0, "{helper:?} {cut:?}");
            // The same request again is safe, and settles it.
            let version = helper.call(&place.client).await.unwrap();
            assert_eq!(version.manifest_path, OURS, "{helper:?} {cut:?}");
            assert_eq!(place.reached(helper.path()).await, 1, "{helper:?} {cut:?}");
        }
    }
}

#[tokio::test]
async fn a_version_of_another_writer_is_told_at_each_cut() {
    for helper in Helper::ALL {
        for cut in Cut::ALL {
            let theirs = "t/_versions/7.manifest-bbbb";
            let place = Place::new(helper.path(), cut, Some(theirs)).await;
            let error = helper.call(&place.client).await.unwrap_err();
            assert_eq!(
                error.kind(),
                ErrorKind::Taken,
                "{helper:?} {cut:?}: {error:?}"
            );
            let stands = error.existing_version().unwrap();
            assert_eq!(stands.manifest_path, theirs, "{helper:?} {cut:?}");
            let reached = usize::from(done(cut));
            assert_eq!(
                place.reached(helper.path()).await,
                reached,
                "{helper:?} {cut:?}"
            );
        }
    }
}

#[tokio::test]
async fn reading_back_survives_a_cut_too() {
    for cut in Cut::ALL {
        let place = Place::new("/version/describe", cut, Some(OURS)).await;
        let version = Helper::Create.call(&place.client).await.unwrap();
        assert_eq!(version.manifest_path, OURS, "{cut:?}");
        assert_eq!(place.reached("/version/create").await, 1, "{cut:?}");
    }
}
