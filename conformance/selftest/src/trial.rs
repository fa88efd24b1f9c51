//! The suite run against a server in the process.

use std::net::Ipv4Addr;
use std::time::Duration;

use axum::Router;
use lance_namespace_reference_server::{Credentials, Store, router};
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::play::{Played, Rules};
use lance_namespace_suite::run::{Observer, Run, certify};
use lance_namespace_suite::scenario::Scenario;
use lance_namespace_suite::target::Target;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

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
    let store = Store::in_memory().expect("a catalog in memory opens");
    let router = wrap(router(store, Credentials::default()));
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

/// Runs a plan against the reference server behind a layer.
///
/// # Panics
///
/// If the server or the run cannot begin: there is nothing to test then.
pub async fn trial(plan: &Plan, seed: u64, wrap: impl FnOnce(Router) -> Router) -> Run {
    patient_trial(plan, seed, JOBS, Rules::default().time_limit, wrap).await
}

/// The same with this many scenarios at a time, each of which may take this long.
///
/// # Panics
///
/// If the server or the run cannot begin: there is nothing to test then.
pub async fn patient_trial(
    plan: &Plan,
    seed: u64,
    jobs: usize,
    time_limit: Duration,
    wrap: impl FnOnce(Router) -> Router,
) -> Run {
    let served = serve(wrap).await;
    let target = Target::new(served.url()).expect("the address is a URL");
    let rules = Rules {
        time_limit,
        ..Rules::default()
    };
    certify(target, plan, seed, jobs, &rules, &Silent)
        .await
        .expect("the server answers")
}
