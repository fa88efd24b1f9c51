//! Runs of the suite with more than a URL: a command that starts servers, another replica.

use axum::Router;
use lance_namespace_reference_server::{Credentials, Store, router};
use lance_namespace_suite::plan::Plan;
use lance_namespace_suite::run::Run;
use lance_namespace_suite::server::ServerCommand;
use lance_namespace_suite::target::Target;

use crate::trial::{serve, serve_router, trial_of};

/// The command that starts a server of this name; `broken_server` are the words that start one.
///
/// # Panics
///
/// On a system that cannot start servers.
#[must_use]
pub fn command(broken_server: &[&str], name: &str, kills: usize) -> ServerCommand {
    let words = [broken_server, &[name, "127.0.0.1:{port}", "{dir}/catalog"]].concat();
    ServerCommand::of_words(words.into_iter().map(str::to_owned).collect())
        .expect("servers can be started here")
        .with_kills(kills)
}

/// Runs a plan, with servers to be killed that this command starts.
///
/// # Panics
///
/// If the server or the run cannot begin: there is nothing to test then.
pub async fn trial_with_kills(plan: &Plan, seed: u64, command: ServerCommand) -> Run {
    let served = serve(|honest| honest).await;
    let target = Target::new(served.url()).expect("the address is a URL");
    trial_of(target.with_command(command), plan, seed).await
}

/// Runs a plan against two nodes over one catalog, each behind a layer of its own.
///
/// # Panics
///
/// If the servers or the run cannot begin: there is nothing to test then.
pub async fn trial_of_two_nodes(plan: &Plan, seed: u64, wrap: fn(Router) -> Router) -> Run {
    let store = Store::in_memory().expect("a catalog in memory opens");
    let honest = router(store, Credentials::default());
    let nodes = [
        serve_router(wrap(honest.clone())).await,
        serve_router(wrap(honest)).await,
    ];
    let target = Target::new(nodes[0].url()).expect("the address is a URL");
    let target = target
        .with_replica(nodes[1].url())
        .expect("the address is a URL");
    trial_of(target, plan, seed).await
}
