//! TLS against a server with a certificate of its own.

use std::sync::Arc;

use lance_namespace_client::models::*;
use lance_namespace_client::{Client, ErrorKind};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

/// A server that answers every connection once. Gives its URL and the certificate to trust.
async fn secure() -> (String, String) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let root = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let leaf = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let leaf = leaf.signed_by(&key, &root).unwrap();

    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![leaf.der().clone()],
            PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
        )
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            // A client that does not trust the certificate hangs up.
            let Ok(mut stream) = acceptor.accept(stream).await else {
                continue;
            };
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.unwrap());
            }
            stream
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")
                .await
                .unwrap();
            stream.shutdown().await.unwrap();
        }
    });
    (format!("https://localhost:{port}"), root.pem())
}

#[tokio::test]
async fn a_certificate_that_is_trusted_is_taken() {
    let (url, root) = secure().await;
    let client = Client::builder(url)
        .root_certificates(root)
        .build()
        .unwrap();
    client
        .drop_table(&DropTableRequest::new().with_id(["t"]))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_certificate_that_nobody_trusts_is_no_connection() {
    let (url, _) = secure().await;
    let (_, another) = secure().await;
    let client = Client::builder(url)
        .root_certificates(another)
        .build()
        .unwrap();
    let error = client
        .drop_table(&DropTableRequest::new().with_id(["t"]))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connect);
}

#[test]
fn certificates_that_cannot_be_used_are_errors() {
    for pem in [
        "",
        "not PEM",
        "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n",
    ] {
        let builder = Client::builder("https://localhost").root_certificates(pem);
        let error = builder.build().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        assert!(error.to_string().contains("TLS cannot be used"), "{error}");
    }
}
