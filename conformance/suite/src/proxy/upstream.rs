//! The proxy's own connections to the server.

use std::io;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use rustls_platform_verifier::Verifier;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use url::Host;

use super::ProxyError;
use crate::target::Target;

/// The server behind the proxy.
pub(super) struct Upstream {
    /// Host and port, as requests name them.
    pub(super) authority: String,
    host: String,
    port: u16,
    tls: Option<(TlsConnector, ServerName<'static>)>,
}

/// A connection, with TLS or without.
pub(super) trait Connection: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Connection for T {}

impl Upstream {
    /// How a target is reached, with the certificates of the operating system where it is `https`,
    /// as the suite's client trusts them.
    pub(super) fn of(target: &Target) -> Result<Self, ProxyError> {
        let tls = match target.url().scheme() {
            "https" => Some(trusting_the_system()?),
            _ => None,
        };
        Self::with(target, tls)
    }

    pub(super) fn with(target: &Target, tls: Option<ClientConfig>) -> Result<Self, ProxyError> {
        let url = target.url();
        let unknown = || ProxyError::Host(target.display_url());
        let port = url.port_or_known_default().ok_or_else(unknown)?;
        // Brackets belong into a URL, and not into an address.
        let host = match url.host().ok_or_else(unknown)? {
            Host::Domain(name) => name.to_owned(),
            Host::Ipv4(address) => address.to_string(),
            Host::Ipv6(address) => address.to_string(),
        };
        let name = url.host_str().ok_or_else(unknown)?;
        let authority = match url.port() {
            Some(port) => format!("{name}:{port}"),
            None => name.to_owned(),
        };
        let tls = match tls {
            Some(config) => {
                let name = ServerName::try_from(host.clone()).map_err(|_| unknown())?;
                Some((TlsConnector::from(Arc::new(config)), name))
            }
            None => None,
        };
        Ok(Self {
            authority,
            host,
            port,
            tls,
        })
    }

    /// A new connection.
    pub(super) async fn connect(&self) -> io::Result<Box<dyn Connection>> {
        let stream = self.greet().await?;
        Ok(match &self.tls {
            None => Box::new(stream),
            Some((tls, name)) => Box::new(tls.connect(name.clone(), stream).await?),
        })
    }

    /// A new connection on which nothing is said, not even TLS.
    pub(super) async fn greet(&self) -> io::Result<TcpStream> {
        let stream = TcpStream::connect((self.host.as_str(), self.port)).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }
}

fn trusting_the_system() -> Result<ClientConfig, ProxyError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = Verifier::new(Arc::clone(&provider))?;
    let builder = ClientConfig::builder_with_provider(provider);
    Ok(builder
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};
    use rustls::{RootCertStore, ServerConfig};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio_rustls::TlsAcceptor;

    use super::*;

    #[tokio::test]
    async fn a_server_with_tls_is_reached_by_tls() {
        let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let certificate = CertificateDer::from(own.cert.der().to_vec());
        let key = PrivateKeyDer::try_from(own.signing_key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.clone()], key)
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            let acceptor = TlsAcceptor::from(Arc::new(config));
            let (stream, _) = listener.accept().await.unwrap();
            let mut stream = acceptor.accept(stream).await.unwrap();
            stream.write_all(b"over TLS").await.unwrap();
            stream.shutdown().await.unwrap();
        });
        let mut roots = RootCertStore::empty();
        roots.add(certificate).unwrap();
        let trusting = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let target = Target::new(&format!("https://localhost:{port}/base")).unwrap();
        let upstream = Upstream::with(&target, Some(trusting)).unwrap();
        let mut heard = String::new();
        let mut connection = upstream.connect().await.unwrap();
        connection.read_to_string(&mut heard).await.unwrap();
        assert_eq!(heard, "over TLS");
        assert_eq!(upstream.authority, format!("localhost:{port}"));
    }

    #[test]
    fn an_address_of_version_6_keeps_its_brackets_only_in_the_request() {
        let target = Target::new("http://[::1]:2333").unwrap();
        let upstream = Upstream::of(&target).unwrap();
        assert_eq!(upstream.authority, "[::1]:2333");
        assert_eq!(upstream.host, "::1");
    }
}
