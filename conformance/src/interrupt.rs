//! What happens when the program is told to end: a run ends early and removes what it made, and no server
//! that was started stays behind.
use lance_namespace_suite::halt::Halt;
use lance_namespace_suite::server;

/// What a shell reports of a program that an interrupt ended.
pub(crate) const INTERRUPTED: u8 = 130;

/// Tells a run to end when the program is told to for the first time; at the second time the program
/// ends at once.
pub(crate) fn watch(halt: Halt) {
    tokio::spawn(async move {
        told().await;
        eprintln!("interrupted: what was made is being removed; interrupt again to end at once");
        halt.halt();
        interrupted().await;
        std::process::exit(i32::from(INTERRUPTED));
    });
}

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
