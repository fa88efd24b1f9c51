//! A proxy that breaks connections, between the suite's own client and a server.
//!
//! It listens on a free port of loopback and forwards each request over a connection of its own, so
//! that what happens to one exchange happens to no other. Nobody else's traffic goes through it.

mod answer;
mod fault;
mod forward;
mod request;
mod upstream;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};
use url::Url;

pub use fault::Fault;
pub(crate) use fault::HEADER;
use upstream::Upstream;

use crate::target::Target;

/// A proxy in front of one server, until it is dropped.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    path: String,
    serving: JoinHandle<()>,
}

/// Why a proxy cannot stand before a server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProxyError {
    /// No port of loopback can be had.
    #[error("the proxy cannot listen on loopback: {0}")]
    Listen(#[from] io::Error),
    /// TLS to the server cannot be set up.
    #[error("the proxy cannot speak TLS to the server: {0}")]
    Tls(#[from] rustls::Error),
    /// The server's URL names no host that can be connected to.
    #[error("the proxy cannot tell which host {0} names")]
    Host(String),
}

impl Proxy {
    /// Listens, and does this to each request that asks for nothing else.
    ///
    /// # Errors
    ///
    /// If no port can be had, or the server's TLS cannot be set up.
    pub async fn start(target: &Target, every: Fault) -> Result<Self, ProxyError> {
        let upstream = Arc::new(Upstream::of(target)?);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let serving = tokio::spawn(serve(listener, upstream, every));
        Ok(Self {
            address,
            path: target.url().path().to_owned(),
            serving,
        })
    }

    /// The URL at which the server is reached through the proxy, with the server's own path.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, self.path)
    }

    /// The same, with the user that requests to the target name.
    pub(crate) fn url_for(&self, target: &Target) -> String {
        let own = self.url();
        let Ok(mut url) = Url::parse(&own) else {
            return own;
        };
        // Only a URL without a host refuses these, and this one has a host.
        let _ = url.set_username(target.url().username());
        let _ = url.set_password(target.url().password());
        url.into()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Takes connections for ever; all of them end with it.
async fn serve(listener: TcpListener, upstream: Arc<Upstream>, every: Fault) {
    let mut connections = JoinSet::new();
    loop {
        // What ended is forgotten.
        while connections.try_join_next().is_some() {}
        let Ok((client, _)) = listener.accept().await else {
            // Out of file descriptors, or a client that is gone already: the next one may do better.
            tokio::task::yield_now().await;
            continue;
        };
        let upstream = Arc::clone(&upstream);
        connections.spawn(async move {
            // What goes wrong here is what the client sees: a connection that ends.
            let _ = forward::one(client, &upstream, every).await;
        });
    }
}
