//! TLS by rustls.

use std::error::Error as StdError;
use std::sync::Arc;

use rustls::client::WantsClientCert;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{AlertDescription, ClientConfig, ConfigBuilder, RootCertStore};
use rustls_platform_verifier::Verifier;

use super::{ClientCertificate, Tls, unusable};
use crate::Error;

/// TLS as it is said.
pub(super) fn secure(
    http: reqwest::ClientBuilder,
    tls: &Tls,
) -> Result<reqwest::ClientBuilder, Error> {
    // A provider of its own, so that neither the process's default nor its absence matters.
    let provider = provider();
    let builder = versions(&provider)?;
    let builder = if tls.only_roots.is_empty() {
        let more = certificates("a root certificate", &tls.more_roots)?;
        let verifier = Verifier::new_with_extra_roots(more, provider).map_err(|error| {
            unusable(format!(
                "the trusted certificates cannot be loaded: {error}"
            ))
            .caused_by(error)
        })?;
        builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
    } else {
        let mut roots = RootCertStore::empty();
        for certificate in certificates("a root certificate", &tls.only_roots)? {
            roots.add(certificate).map_err(|error| {
                unusable(format!("a root certificate cannot be trusted: {error}")).caused_by(error)
            })?;
        }
        builder.with_root_certificates(roots)
    };
    let config = match &tls.client_certificate {
        Some(own) => show(builder, own)?,
        None => builder.with_no_client_auth(),
    };
    Ok(http.tls_backend_preconfigured(config))
}

/// TLS that trusts nobody.
pub(super) fn plain(http: reqwest::ClientBuilder) -> Result<reqwest::ClientBuilder, Error> {
    let config = versions(&provider())?
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    Ok(http.tls_backend_preconfigured(config))
}

/// What the server's alert says, if it is one that ends a handshake.
pub(super) fn refusal(error: &(dyn StdError + Send + Sync + 'static)) -> Option<String> {
    use AlertDescription::*;
    match error.downcast_ref()? {
        rustls::Error::AlertReceived(
            alert @ (AccessDenied
            | BadCertificate
            | CertificateExpired
            | CertificateRequired
            | CertificateRevoked
            | CertificateUnknown
            | DecryptError
            | HandshakeFailure
            | NoCertificate
            | UnknownCA
            | UnsupportedCertificate),
        ) => Some(format!("{alert:?}")),
        _ => None,
    }
}

fn provider() -> Arc<CryptoProvider> {
    #[cfg(feature = "aws-lc")]
    let provider = rustls::crypto::aws_lc_rs::default_provider();
    #[cfg(not(feature = "aws-lc"))]
    let provider = rustls::crypto::ring::default_provider();
    Arc::new(provider)
}

fn versions(
    provider: &Arc<CryptoProvider>,
) -> Result<ConfigBuilder<ClientConfig, rustls::WantsVerifier>, Error> {
    ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| unusable(format!("no protocol version: {error}")).caused_by(error))
}

fn show(
    builder: ConfigBuilder<ClientConfig, WantsClientCert>,
    own: &ClientCertificate,
) -> Result<ClientConfig, Error> {
    let chain = certificates("the client certificate", std::slice::from_ref(&own.chain))?;
    // What the parser says of a key may hold parts of it.
    let key = PrivateKeyDer::from_pem_slice(&own.key)
        .map_err(|_| unusable("the key of the client certificate is no private key in PEM"))?;
    builder.with_client_auth_cert(chain, key).map_err(|error| {
        unusable(format!(
            "the client certificate and its key cannot be used: {error}"
        ))
        .caused_by(error)
    })
}

fn certificates(what: &str, pems: &[Vec<u8>]) -> Result<Vec<CertificateDer<'static>>, Error> {
    let mut all = Vec::new();
    for pem in pems {
        let before = all.len();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            // What the parser says may hold what was given, and that may be a key by mistake.
            let certificate = certificate.map_err(|_| unusable(format!("{what} is not PEM")))?;
            all.push(certificate);
        }
        if all.len() == before {
            return Err(unusable(format!(
                "there is no certificate in the PEM text of {what}"
            )));
        }
    }
    Ok(all)
}
