//! How a server is set up.

use std::fmt;
use std::path::PathBuf;

/// Where a server keeps its catalog and whom it serves. The default keeps it in memory and
/// serves everyone.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// The file of the catalog; in memory without one.
    pub db: Option<PathBuf>,
    /// What callers must present.
    pub credentials: Credentials,
}

/// The credentials that every request must present: none, one of the two, or both.
///
/// This lets tests see what clients send. It is no protection for a server on a public network.
#[derive(Clone, Default)]
pub struct Credentials {
    /// The value of the `x-api-key` header, or of `identity.api_key` in the body.
    pub api_key: Option<String>,
    /// The token of an `Authorization: Bearer` header, or `identity.auth_token` in the body.
    pub bearer_token: Option<String>,
}

impl Credentials {
    pub(crate) fn is_none(&self) -> bool {
        self.api_key.is_none() && self.bearer_token.is_none()
    }

    /// Whether what a request presents is all that is required.
    pub(crate) fn admit(&self, api_key: Option<&str>, bearer_token: Option<&str>) -> bool {
        let fits = |required: &Option<String>, presented| {
            required
                .as_deref()
                .is_none_or(|required| presented == Some(required))
        };
        fits(&self.api_key, api_key) && fits(&self.bearer_token, bearer_token)
    }
}

impl fmt::Debug for Credentials {
    /// Says which credentials are required and not their values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("api_key", &self.api_key.as_ref().map(|_| "***"))
            .field("bearer_token", &self.bearer_token.as_ref().map(|_| "***"))
            .finish()
    }
}
