//! A server on a socket.

use std::future::IntoFuture;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::config::{Config, Credentials};
use crate::routes::router;
use crate::store::{OpenError, Store};

/// How long a shutdown waits for requests that have begun.
const GRACE: Duration = Duration::from_secs(10);

/// A running server. It stops when it is dropped; [`shutdown`](Self::shutdown) lets requests end.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    store: Store,
    credentials: Credentials,
    stop: Option<oneshot::Sender<()>>,
    serving: JoinHandle<std::io::Result<()>>,
}

/// Why a server does not run.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The database cannot be used.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The address is in use, not of this machine, or not allowed.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address that was given.
        address: SocketAddr,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// The server ended with an error, or the task that runs it did.
    #[error("the server failed")]
    Serve(#[source] std::io::Error),
}

impl Server {
    /// Opens the catalog and serves it on `address`; port 0 takes a free port.
    ///
    /// # Errors
    /// The catalog cannot be opened, or the address not listened on.
    pub async fn bind(address: SocketAddr, config: Config) -> Result<Self, ServerError> {
        let store = match config.db {
            Some(path) => Store::open(&path)?,
            None => Store::in_memory()?,
        };
        Self::serve(address, store, config.credentials).await
    }

    /// Serves the same catalog on another address as well, as a second server that ends on its own;
    /// port 0 takes a free port.
    ///
    /// # Errors
    /// The address cannot be listened on.
    pub async fn bind_another(&self, address: SocketAddr) -> Result<Self, ServerError> {
        Self::serve(address, self.store.clone(), self.credentials.clone()).await
    }

    async fn serve(
        address: SocketAddr,
        store: Store,
        credentials: Credentials,
    ) -> Result<Self, ServerError> {
        let failed = |source| ServerError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let local = listener.local_addr().map_err(failed)?;
        let router = router(store.clone(), credentials.clone());
        let (stop, stopped) = oneshot::channel::<()>();
        let serve = axum::serve(listener, router).with_graceful_shutdown(async {
            // An error here is the sender's end, which is a wish to stop as well.
            let _ = stopped.await;
        });
        let serving = tokio::spawn(serve.into_future());
        Ok(Self {
            address: local,
            store,
            credentials,
            stop: Some(stop),
            serving,
        })
    }

    /// The address that the server listens on, with its port.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// The base URL for clients.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The catalog that the server answers from.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Takes no more requests, waits up to ten seconds for those that have begun, and ends.
    ///
    /// # Errors
    /// The server had failed before.
    pub async fn shutdown(mut self) -> Result<(), ServerError> {
        self.stop.take();
        match tokio::time::timeout(GRACE, &mut self.serving).await {
            Ok(Ok(ended)) => ended.map_err(ServerError::Serve),
            Ok(Err(error)) => Err(ServerError::Serve(error.into())),
            // Some client neither ends its request nor hangs up; it is not waited for.
            Err(_elapsed) => Ok(()),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.serving.abort();
    }
}
