//! The suite run against a server in the process.

use std::net::Ipv4Addr;
use std::time::Duration;

use axum::Router;
use lance_namespace_reference_server::{Credentials, Store, router};
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::play::{Played, Rules};
use lance_namespace_suite::run::{Observer, Run, certify};
use lance_namespace_suite::scenario::{Given, Scenario};
use lance_namespace_suite::target::{Target, TargetError};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::interpose::Honest;

/// The API key that the server asks for.
pub(crate) const API_KEY: &str = "key-of-the-self-test";

/// The bearer token that it asks for as well.
pub(crate) const TOKEN: &str = "token-of-the-self-test";

/// Nobody is told how a run goes on.
struct Silent;

impl Observer for Silent {
    fn begins(&self, _: &'static Scenario) {}
    fn ended(&self, _: &Played) {}
}

/// The reference server behind a layer, on a free port of loopback until it is dropped.
pub struct Served {
    url: String,
    serving: JoinHandle<()>,
}

impl Served {
    /// The base URL.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Serves the reference server behind a layer.
///
/// # Panics
///
/// If the server cannot begin: there is nothing to test then.
pub async fn serve(wrap: impl FnOnce(Router) -> Router) -> Served {
    serve_router(wrap(reference_server(Credentials::default()))).await
}

fn reference_server(credentials: Credentials) -> Router {
    let store = Store::in_memory().expect("a catalog in memory opens");
    router(store, credentials)
}

/// Serves a router on a free port of loopback.
///
/// # Panics
///
/// If that cannot begin: there is nothing to test then.
pub async fn serve_router(router: Router) -> Served {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .await
        .expect("loopback has a free port");
    let address = listener.local_addr().expect("the listener is bound");
    let serving = tokio::spawn(async move {
        axum::serve(listener, router)
            .await
            .expect("a bound listener is served");
    });
    Served {
        url: format!("http://{address}"),
        serving,
    }
}

/// How many scenarios are played at a time.
const JOBS: usize = 4;

fn knowing_credentials(url: &str) -> Result<Target, TargetError> {
    Target::new(url)?
        .with_header("x-api-key", API_KEY)?
        .with_header("authorization", &format!("Bearer {TOKEN}"))?
        .with_bad_credential("x-api-key", "a-key-of-somebody-else")?
        .with_bad_credential("authorization", "Bearer a-token-of-somebody-else")
}

/// Runs a plan against the reference server behind a layer. The server asks for credentials where
/// the plan has a scenario about them.
///
/// # Panics
///
/// If the server or the run cannot begin: there is nothing to test then. If what somebody else has on
/// the server is not as it was.
pub async fn trial(plan: &Plan, seed: u64, wrap: impl FnOnce(Router) -> Router) -> Run {
    patient_trial(plan, seed, JOBS, Rules::default().time_limit, wrap).await
}

/// The same with this many scenarios at a time, each of which may take this long.
///
/// # Panics
///
/// As [`trial`].
pub async fn patient_trial(
    plan: &Plan,
    seed: u64,
    jobs: usize,
    time_limit: Duration,
    wrap: impl FnOnce(Router) -> Router,
) -> Run {
    let given = plan
        .iter()
        .any(|(_, s)| s.given.contains(&Given::Credentials));
    let credentials = match given {
        false => Credentials::default(),
        true => Credentials {
            api_key: Some(API_KEY.to_owned()),
            bearer_token: Some(TOKEN.to_owned()),
        },
    };
    let honest = reference_server(credentials);
    let bystander = Bystander::settled(Honest::of(honest.clone())).await;
    let served = serve_router(wrap(honest)).await;
    let target = match given {
        false => Target::new(served.url()),
        true => knowing_credentials(served.url()),
    };
    let target = target.expect("the address is a URL");
    let rules = Rules {
        time_limit,
        histories: true,
        ..Rules::default()
    };
    let run = run(target, plan, seed, jobs, &rules).await;
    bystander.is_unharmed().await;
    run
}

/// Somebody who has tables on the server before a run comes: whatever is broken, they are none of the run's.
struct Bystander {
    honest: Honest,
}

impl Bystander {
    /// The namespace.
    const OWN: &str = "somebody_else";

    /// Tables in the root and in a namespace, each with one version.
    fn tables() -> [Vec<String>; 2] {
        [&["orders"][..], &[Self::OWN, "orders"]]
            .map(|id| id.iter().map(ToString::to_string).collect())
    }

    async fn settled(honest: Honest) -> Self {
        let create = format!("/v1/namespace/{}/create", Self::OWN);
        honest.post(&create, &json!({})).await;
        for id in Self::tables() {
            honest.on_table(&id, "/declare", &json!({})).await;
            let version = json!({ "version": 1, "manifest_path": "orders/1.manifest" });
            honest.on_table(&id, "/version/create", &version).await;
        }
        let settled = Self { honest };
        settled.is_unharmed().await;
        settled
    }

    async fn is_unharmed(&self) {
        for id in Self::tables() {
            let described = self.honest.on_table(&id, "/describe", &json!({})).await;
            assert!(described.status().is_success(), "{id:?} of another is gone");
            let versions = self.honest.versions(&id).await;
            assert_eq!(versions.len(), 1, "{id:?} of another: {versions:?}");
        }
    }
}

/// Runs a plan against a target; the histories are kept.
///
/// # Panics
///
/// If the run cannot begin: there is nothing to test then.
pub async fn trial_of(target: Target, plan: &Plan, seed: u64) -> Run {
    let rules = Rules {
        histories: true,
        ..Rules::default()
    };
    run(target, plan, seed, JOBS, &rules).await
}

async fn run(target: Target, plan: &Plan, seed: u64, jobs: usize, rules: &Rules) -> Run {
    certify(target, plan, seed, jobs, rules, &Silent)
        .await
        .expect("the server answers")
}
