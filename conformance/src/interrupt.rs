//! What happens when the program is told to end: no server that it started stays behind.

use lance_namespace_suite::server;

/// What a shell reports of a program that an interrupt ended.
pub(crate) const INTERRUPTED: u8 = 130;

/// Waits until the program is told to end, by an interrupt or SIGTERM, and ends the servers that it
/// has started.
pub(crate) async fn interrupted() {
    told().await;
    server::end_all();
}

#[cfg(unix)]
async fn told() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        Ok(()) = tokio::signal::ctrl_c() => {}
    }
}

#[cfg(not(unix))]
async fn told() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}
