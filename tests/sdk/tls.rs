//! TLS against servers with certificates of their own.

use std::process::Command;
use std::sync::Arc;

use lance_namespace_client::models::*;
use lance_namespace_client::{Client, ClientBuilder, Error, ErrorKind, OAuth2ClientCredentials};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};
use tokio_rustls::server::TlsStream;

/// Tells a child of this process where a server is that its environment trusts.
const TRUSTED_URL: &str = "LANCE_NAMESPACE_TEST_TRUSTED_URL";

/// Who vouches for certificates.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        Self(CertifiedIssuer::self_signed(params, key).unwrap())
    }

    fn pem(&self) -> String {
        self.0.pem()
    }

    /// A certificate and its key.
    fn issue(&self, name: &str) -> (rcgen::Certificate, KeyPair) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        (params.signed_by(&key, &self.0).unwrap(), key)
    }

    /// A certificate and its key, each as PEM.
    fn issue_pem(&self, name: &str) -> (String, String) {
        let (certificate, key) = self.issue(name);
        (certificate.pem(), key.serialize_pem())
    }
}

/// A server with a certificate from `authority` that answers every connection once, if need be only
/// those that show a certificate from `clients`. Gives its URL.
async fn secure(authority: &Authority, clients: Option<&Authority>) -> String {
    let provider = Arc::new(ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .unwrap();
    let builder = match clients {
        None => builder.with_no_client_auth(),
        Some(clients) => {
            let mut roots = RootCertStore::empty();
            roots.add(clients.0.der().clone()).unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider);
            builder.with_client_cert_verifier(verifier.build().unwrap())
        }
    };
    let (certificate, key) = authority.issue("localhost");
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let config = builder.with_single_cert(vec![certificate.der().clone()], key);
    let acceptor = TlsAcceptor::from(Arc::new(config.unwrap()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            match acceptor.accept(stream).into_fallible().await {
                Ok(stream) => answer(stream).await,
                // What the client has sent is read, for its sake: what is left unread would tear the
                // connection down before it has seen why.
                Err((_, mut stream)) => while stream.read_u8().await.is_ok() {},
            }
        }
    });
    format!("https://localhost:{port}")
}

async fn answer(mut stream: TlsStream<TcpStream>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let body = r#"{"access_token":"a"}"#;
    let answer = format!(
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(answer.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
}

async fn call(builder: ClientBuilder) -> Result<DropTableResponse, Error> {
    let client = builder.build().unwrap();
    client
        .drop_table(&DropTableRequest::new().with_id(["t"]))
        .await
}

/// Everything that an error and its sources say.
fn everything(error: &Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    text
}

#[tokio::test]
async fn a_certificate_that_is_trusted_is_taken() {
    let (authority, another) = (Authority::new("one"), Authority::new("two"));
    let url = secure(&authority, None).await;
    let client = || Client::builder(&url);
    let bundle = another.pem() + &authority.pem();
    call(client().root_certificates(authority.pem()))
        .await
        .unwrap();
    call(client().only_root_certificates(authority.pem()))
        .await
        .unwrap();
    call(client().root_certificates(bundle.clone()))
        .await
        .unwrap();
    call(client().only_root_certificates(bundle)).await.unwrap();
    let each = client()
        .only_root_certificates(another.pem())
        .only_root_certificates(authority.pem());
    call(each).await.unwrap();
}

#[tokio::test]
async fn a_certificate_that_nobody_trusts_is_no_connection() {
    let (authority, another) = (Authority::new("one"), Authority::new("two"));
    let url = secure(&authority, None).await;
    let client = || Client::builder(&url);
    for builder in [
        client(),
        client().root_certificates(another.pem()),
        client().only_root_certificates(another.pem()),
    ] {
        let error = call(builder).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Connect);
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_certificates_of_the_operating_system_are_trusted_unless_only_others_are() {
    let authority = Authority::new("three");
    let url = secure(&authority, None).await;
    let file = std::env::temp_dir().join(format!("lance-namespace-roots-{}", std::process::id()));
    std::fs::write(&file, authority.pem()).unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap());
    child
        .args(["--exact", "--ignored", "tls::in_an_environment_that_trusts"])
        .env("SSL_CERT_FILE", &file)
        .env(TRUSTED_URL, url);
    let output = tokio::task::spawn_blocking(move || child.output().unwrap());
    let output = output.await.unwrap();
    std::fs::remove_file(&file).unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("1 passed"), "{said}");
}

#[tokio::test]
#[ignore = "another test runs it, in an environment of its own"]
async fn in_an_environment_that_trusts() {
    let url = std::env::var(TRUSTED_URL).unwrap();
    let another = Authority::new("three").pem();
    let client = || Client::builder(&url);
    call(client()).await.unwrap();
    call(client().root_certificates(another.clone()))
        .await
        .unwrap();
    let only = client().only_root_certificates(another);
    assert_eq!(call(only).await.unwrap_err().kind(), ErrorKind::Connect);
}

#[tokio::test]
async fn a_client_certificate_opens_servers_that_demand_one() {
    let (authority, clients) = (Authority::new("one"), Authority::new("two"));
    let url = secure(&authority, Some(&clients)).await;
    let client = || Client::builder(&url).root_certificates(authority.pem());
    let (certificate, key) = clients.issue_pem("ann");
    call(client().client_certificate(certificate, key))
        .await
        .unwrap();
}

#[tokio::test]
async fn without_the_client_certificate_that_a_server_demands_nothing_is_carried_out() {
    let (authority, clients) = (Authority::new("one"), Authority::new("two"));
    let url = secure(&authority, Some(&clients)).await;
    let client = || Client::builder(&url).root_certificates(authority.pem());
    let (certificate, key) = Authority::new("three").issue_pem("ann");
    for (builder, why) in [
        (client(), ["CertificateRequired", "certificate required"]),
        (
            client().client_certificate(certificate, key),
            ["UnknownCA", "unknown ca"],
        ),
    ] {
        let error = call(builder).await.unwrap_err();
        let said = everything(&error);
        assert!(why.iter().any(|why| said.contains(why)), "{said}");
        // The operating system's library does not tell it from a connection that broke.
        if cfg!(not(feature = "native-tls")) {
            assert_eq!(error.kind(), ErrorKind::Connect);
            let shown = error.to_string();
            assert!(shown.contains("refused the TLS connection"), "{shown}");
        }
    }
}

#[tokio::test]
async fn a_token_endpoint_of_https_is_reached_also_from_http() {
    let authority = Authority::new("three");
    let url = secure(&authority, None).await;
    let namespace = crate::server::raw_answer("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
    let credentials = OAuth2ClientCredentials::new("ann", "secret").token_url(url);
    let builder = Client::builder(namespace.await)
        .root_certificates(authority.pem())
        .oauth2(credentials);
    call(builder).await.unwrap();
}

#[test]
fn certificates_that_cannot_be_used_are_errors() {
    let (certificate, key) = Authority::new("three").issue_pem("ann");
    let (_, another_key) = Authority::new("three").issue_pem("ann");
    let broken = "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n";
    let client = || Client::builder("https://localhost");
    let mut cases = vec![
        (
            client()
                .root_certificates(certificate.clone())
                .only_root_certificates(certificate.clone()),
            "keep to one",
        ),
        (
            client().client_certificate(certificate.clone(), another_key),
            "client certificate and its key",
        ),
        (
            client().client_certificate(key.clone(), certificate.clone()),
            "client certificate",
        ),
    ];
    for pem in ["", "not PEM", broken] {
        cases.extend([
            (client().root_certificates(pem), "root certificate"),
            (client().only_root_certificates(pem), "root certificate"),
            (
                client().client_certificate(pem, key.clone()),
                "client certificate",
            ),
            (
                client().client_certificate(certificate.clone(), pem),
                "client certificate",
            ),
        ]);
    }
    for (builder, expected) in cases {
        let error = builder.build().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        assert!(error.to_string().contains("TLS cannot be used"), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
    }
}
