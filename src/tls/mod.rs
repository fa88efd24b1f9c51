//! TLS: which certificates are trusted, and which one is shown.
//!
//! Of the features that bring TLS the first of `native-tls`, `aws-lc` and `rustls` counts.

use std::error::Error as StdError;
use std::fmt;

use crate::Error;
use crate::redact::Hidden;

#[cfg(feature = "native-tls")]
#[path = "native.rs"]
mod backend;
#[cfg(all(
    any(feature = "rustls", feature = "aws-lc"),
    not(feature = "native-tls")
))]
#[path = "rustls.rs"]
mod backend;
#[cfg(not(any(feature = "rustls", feature = "aws-lc", feature = "native-tls")))]
#[path = "off.rs"]
mod backend;

/// The TLS settings of a client, as they were given: PEM texts.
#[derive(Clone, Default)]
pub(crate) struct Tls {
    /// Trusted besides those of the operating system.
    pub(crate) more_roots: Vec<Vec<u8>>,
    /// Trusted in place of those of the operating system.
    pub(crate) only_roots: Vec<Vec<u8>>,
    pub(crate) client_certificate: Option<ClientCertificate>,
}

/// A certificate that the client shows, with those that vouch for it, and its key.
#[derive(Clone)]
#[cfg_attr(
    not(any(feature = "rustls", feature = "aws-lc", feature = "native-tls")),
    expect(dead_code, reason = "it is refused unread")
)]
pub(crate) struct ClientCertificate {
    pub(crate) chain: Vec<u8>,
    pub(crate) key: Vec<u8>,
}

impl Tls {
    /// Sets TLS up in `http`: for `https` as it is said here, otherwise so that no TLS connection can
    /// come about.
    ///
    /// # Errors
    ///
    /// An [`Error`] of kind [`Config`](crate::ErrorKind::Config) that names the setting that cannot be
    /// used.
    pub(crate) fn set_up(
        &self,
        http: reqwest::ClientBuilder,
        secure: bool,
    ) -> Result<reqwest::ClientBuilder, Error> {
        let given = self.given();
        if let (false, Some(setting)) = (secure, given) {
            return Err(Error::config(format!(
                "{setting} are of no use with a base URL of http; use https or leave them out"
            )));
        }
        if !self.more_roots.is_empty() && !self.only_roots.is_empty() {
            return Err(unusable(
                "root certificates besides those of the operating system and only certain ones \
                 cannot both be trusted; keep to one of the two settings",
            ));
        }
        match secure {
            true => backend::secure(http, self),
            false => backend::plain(http),
        }
    }

    /// A setting that was given, if any was.
    pub(crate) fn given(&self) -> Option<&'static str> {
        if !self.more_roots.is_empty() || !self.only_roots.is_empty() {
            return Some("root certificates");
        }
        self.client_certificate
            .as_ref()
            .map(|_| "client certificates")
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // How many PEM texts there are: what they hold may be a key, if only by mistake.
        f.debug_struct("Tls")
            .field("more_roots", &self.more_roots.len())
            .field("only_roots", &self.only_roots.len())
            .field(
                "client_certificate",
                &self.client_certificate.as_ref().map(|_| Hidden),
            )
            .finish()
    }
}

/// Why the server refused to set a TLS connection up, where that is what the error is: the client then
/// found out only when it had begun to send, and nothing was carried out.
pub(crate) fn refusal(error: &reqwest::Error) -> Option<String> {
    let mut cause: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(io) = error.downcast_ref::<std::io::Error>()
            && let Some(why) = io.get_ref().and_then(backend::refusal)
        {
            return Some(why);
        }
        cause = error.source();
    }
    None
}

fn unusable(reason: impl fmt::Display) -> Error {
    Error::config(format!("TLS cannot be used: {reason}"))
}
