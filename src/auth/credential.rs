//! Credentials, as headers.

use std::fmt;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

use crate::context::{header, secret};
use crate::models::Identity;
use crate::redact::Hidden;
use crate::{Error, ErrorKind};

/// The header of an API key.
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// What tells a server who is asking: headers of a request. `Debug` shows their names only.
///
/// ```
/// use lance_namespace_client::Credential;
///
/// # fn example(token: &str) -> Result<Credential, lance_namespace_client::Error> {
/// let both = Credential::bearer(token)?.and(Credential::header("x-tenant", "prod")?);
/// # Ok(both)
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Credential(HeaderMap);

impl Credential {
    /// No credential: the request goes out without.
    pub fn none() -> Self {
        Self(HeaderMap::new())
    }

    /// A bearer token, sent as `Authorization: Bearer`.
    ///
    /// # Errors
    ///
    /// An [`Error`] of kind [`Credentials`](ErrorKind::Credentials), which does not show the token, when
    /// it is empty or a header cannot hold it: often it ends with a line break.
    pub fn bearer(token: impl AsRef<str>) -> Result<Self, Error> {
        let value = bearer(given(token.as_ref(), "bearer token")?).map_err(refused)?;
        Ok(Self::of(AUTHORIZATION, value))
    }

    /// An API key, sent as `x-api-key`.
    ///
    /// # Errors
    ///
    /// An [`Error`] of kind [`Credentials`](ErrorKind::Credentials), which does not show the key, when it
    /// is empty or a header cannot hold it.
    pub fn api_key(key: impl AsRef<str>) -> Result<Self, Error> {
        let value = api_key(given(key.as_ref(), "API key")?).map_err(refused)?;
        Ok(Self::of(API_KEY, value))
    }

    /// A header of your own.
    ///
    /// # Errors
    ///
    /// An [`Error`] of kind [`Credentials`](ErrorKind::Credentials), which does not show the value, when
    /// the name or the value cannot be sent, or the header says how a message travels, such as
    /// `Content-Length`.
    pub fn header(name: impl AsRef<str>, value: impl AsRef<str>) -> Result<Self, Error> {
        let name = name.as_ref();
        let (name, value) = header(name, value.as_ref())
            .map_err(|reason| refused(format!("the header {name:?} cannot be sent: {reason}")))?;
        Ok(Self::of(name, value))
    }

    /// This and another: where both have a header, the other's counts.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        other.apply(&mut self.0);
        self
    }

    /// Adds its headers, in place of those that are there.
    pub(crate) fn apply(&self, headers: &mut HeaderMap) {
        for (name, value) in &self.0 {
            headers.insert(name, value.clone());
        }
    }

    fn of(name: HeaderName, value: HeaderValue) -> Self {
        Self(HeaderMap::from_iter([(name, value)]))
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credential ")?;
        f.debug_map()
            .entries(self.0.keys().map(|name| (name.as_str(), Hidden)))
            .finish()
    }
}

/// Adds the headers of an identity, in place of those that are there.
pub(crate) fn identify(identity: &Identity, headers: &mut HeaderMap) -> Result<(), String> {
    if let Some(key) = &identity.api_key {
        headers.insert(API_KEY, api_key(key)?);
    }
    if let Some(token) = &identity.auth_token {
        headers.insert(AUTHORIZATION, bearer(token)?);
    }
    Ok(())
}

/// Whether an identity holds a credential, so that nobody needs to be asked for one.
pub(crate) fn brings_its_own(identity: &Identity) -> bool {
    identity.api_key.is_some() || identity.auth_token.is_some()
}

fn api_key(key: &str) -> Result<HeaderValue, String> {
    secret(key).map_err(|reason| format!("the API key cannot be sent: {reason}"))
}

fn bearer(token: &str) -> Result<HeaderValue, String> {
    secret(&format!("Bearer {token}"))
        .map_err(|reason| format!("the bearer token cannot be sent: {reason}"))
}

fn given<'a>(value: &'a str, what: &str) -> Result<&'a str, Error> {
    match value.is_empty() {
        true => Err(refused(format!("the {what} is empty"))),
        false => Ok(value),
    }
}

fn refused(reason: String) -> Error {
    Error::new(ErrorKind::Credentials, reason)
}
