//! TLS by the operating system's own library.

use std::error::Error as StdError;

use reqwest::{Certificate, Identity};

use super::{Tls, unusable};
use crate::Error;

/// TLS as it is said.
pub(super) fn secure(
    http: reqwest::ClientBuilder,
    tls: &Tls,
) -> Result<reqwest::ClientBuilder, Error> {
    let mut http = plain(http)?;
    if !tls.more_roots.is_empty() {
        http = http.tls_certs_merge(certificates(&tls.more_roots)?);
    }
    if !tls.only_roots.is_empty() {
        http = http.tls_certs_only(certificates(&tls.only_roots)?);
    }
    if let Some(own) = &tls.client_certificate {
        // What the library says of a key may hold parts of it.
        let refused = |_| {
            unusable(
                "the client certificate and its key cannot be used: the one has to be PEM, the \
                 other PEM of PKCS #8 (`BEGIN PRIVATE KEY`), and they have to match",
            )
        };
        let identity = Identity::from_pkcs8_pem(&own.chain, &own.key).map_err(refused)?;
        // Whether they match comes out when a client is built.
        let trial = plain(reqwest::Client::builder())?.identity(identity.clone());
        trial.build().map_err(refused)?;
        http = http.identity(identity);
    }
    Ok(http)
}

/// TLS with the certificates of the operating system.
pub(super) fn plain(http: reqwest::ClientBuilder) -> Result<reqwest::ClientBuilder, Error> {
    Ok(http.tls_backend_native())
}

fn certificates(pems: &[Vec<u8>]) -> Result<Vec<Certificate>, Error> {
    let mut all = Vec::new();
    for pem in pems {
        let more = Certificate::from_pem_bundle(pem)
            .map_err(|_| unusable("a root certificate is not PEM"))?;
        if more.is_empty() {
            return Err(unusable(
                "there is no certificate in the PEM text of a root certificate",
            ));
        }
        all.extend(more);
    }
    Ok(all)
}

/// Its errors do not tell a refusal apart.
pub(super) fn refusal(_: &(dyn StdError + Send + Sync + 'static)) -> Option<String> {
    None
}
