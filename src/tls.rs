//! TLS by rustls, with ring and the certificates of the operating system.

use crate::Error;

/// Sets up TLS in `http`: for a base URL of `https` with trusted certificates, otherwise so that no
/// TLS connection can come about.
#[cfg(feature = "rustls")]
pub(crate) fn set_up(
    http: reqwest::ClientBuilder,
    secure: bool,
    roots: &[Vec<u8>],
) -> Result<reqwest::ClientBuilder, Error> {
    use std::sync::Arc;

    use rustls::pki_types::CertificateDer;
    use rustls::pki_types::pem::PemObject;
    use rustls::{ClientConfig, RootCertStore};
    use rustls_platform_verifier::Verifier;

    let failed = |what: &str, error: Box<dyn std::error::Error + Send + Sync>| {
        Error::config(format!("TLS cannot be used: {what}: {error}")).caused_by(error)
    };
    // A provider of its own, so that neither the process's default nor its absence matters.
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| failed("no protocol version", error.into()))?;
    if !secure {
        if !roots.is_empty() {
            return Err(Error::config(
                "root certificates are of no use with a base URL of http; use https or leave them \
                 out",
            ));
        }
        let config = config
            .with_root_certificates(RootCertStore::empty())
            .with_no_client_auth();
        return Ok(http.tls_backend_preconfigured(config));
    }
    let mut extra = Vec::new();
    for pem in roots {
        let before = extra.len();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let certificate = certificate.map_err(|error| {
                failed("a root certificate is not PEM", error.to_string().into())
            })?;
            extra.push(certificate);
        }
        if extra.len() == before {
            return Err(Error::config(
                "TLS cannot be used: there is no certificate in the PEM text given",
            ));
        }
    }
    let verifier = Verifier::new_with_extra_roots(extra, provider)
        .map_err(|error| failed("the trusted certificates cannot be loaded", error.into()))?;
    let config = config
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(http.tls_backend_preconfigured(config))
}

/// Without the feature only `http` can be used.
#[cfg(not(feature = "rustls"))]
pub(crate) fn set_up(
    http: reqwest::ClientBuilder,
    secure: bool,
    roots: &[Vec<u8>],
) -> Result<reqwest::ClientBuilder, Error> {
    if secure || !roots.is_empty() {
        return Err(Error::config(
            "TLS cannot be used, so neither https nor root certificates can: this build has it \
             switched off; switch the feature `rustls` on",
        ));
    }
    Ok(http)
}
