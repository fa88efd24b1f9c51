//! OAuth 2 client credentials: the settings.

use std::fmt;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::HeaderValue;

use super::endpoint::Endpoint;
use crate::Error;
use crate::redact::Hidden;

/// Where tokens are had unless set otherwise, relative to the base URL.
const TOKEN_URL: &str = "oauth/token";
/// The time that a token may take, unless set otherwise.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Parameters that have a setting of their own.
const OWN: [&str; 4] = ["grant_type", "client_id", "client_secret", "scope"];

/// OAuth 2 client credentials (RFC 6749, section 4.4): the client trades its id and its secret for
/// bearer tokens, which it sends with its requests. The protocol's security scheme `OAuth2`.
///
/// ```
/// use lance_namespace_client::{Client, OAuth2ClientCredentials};
///
/// # fn example(secret: String) -> Result<Client, lance_namespace_client::Error> {
/// let credentials = OAuth2ClientCredentials::new("reports", secret)
///     .token_url("https://login.example.com/oauth2/token")
///     .scope("namespace.read");
/// let client = Client::builder("https://namespace.example.com")
///     .oauth2(credentials)
///     .build()?;
/// # Ok(client)
/// # }
/// ```
///
/// # When tokens are asked for
///
/// The first request asks for a token, and requests that come meanwhile wait for that one. A token is
/// used until 30 seconds before it expires, or a tenth of its life if that is less. From then on the
/// next request has it renewed in the background and goes out with the present one, as do those
/// after it: a renewal that fails is tried again after a second and does no harm before the token has
/// expired. A token whose answer does not say when it expires is used until the server rejects it.
///
/// A request that is answered with 401 is sent once more with another token: the one that another
/// request got meanwhile, or else a new one.
///
/// A token is asked for once: where no usable token is left and the token endpoint does not give one,
/// all who wait for it get an [`Error`] of kind [`Credentials`](crate::ErrorKind::Credentials) whose
/// source is an [`OAuth2Error`](crate::OAuth2Error), and the next request asks again.
///
/// # How they are asked for
///
/// By the HTTP client that sends the requests: its TLS settings and its connect timeout hold, and a
/// redirection is an error unless an HTTP client of yours follows it. Headers of the client are not
/// sent but for `User-Agent`. A token URL of `http` sends the secret in the clear.
#[derive(Clone)]
#[must_use]
pub struct OAuth2ClientCredentials {
    pub(super) client_id: String,
    pub(super) client_secret: String,
    token_url: String,
    scopes: Vec<String>,
    parameters: Vec<(String, String)>,
    pub(super) secret_in_body: bool,
    pub(super) timeout: Duration,
}

impl OAuth2ClientCredentials {
    /// Client credentials, for the token endpoint `oauth/token` below the base URL.
    pub fn new(client_id: impl Into<String>, client_secret: impl Into<String>) -> Self {
        Self {
            client_id: client_id.into(),
            client_secret: client_secret.into(),
            token_url: TOKEN_URL.to_owned(),
            scopes: Vec::new(),
            parameters: Vec::new(),
            secret_in_body: false,
            timeout: TIMEOUT,
        }
    }

    /// The token endpoint: a URL, or a reference relative to the base URL as to a folder.
    ///
    /// It is `oauth/token` unless set: at `https://host/api/lance` that is
    /// `https://host/api/lance/oauth/token`, beside the operations. The protocol says `/oauth/token`, and
    /// whoever reads that as the rules for URLs have it sets `/oauth/token`:
    /// `https://host/oauth/token`. For a base URL without a path both are the same.
    pub fn token_url(mut self, url: impl Into<String>) -> Self {
        self.token_url = url.into();
        self
    }

    /// A scope to ask for, or several separated by spaces, besides those given before. None unless set:
    /// the token endpoint decides.
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        self.scopes.push(scope.into());
        self
    }

    /// Another parameter for the token endpoint, such as `audience` or `resource`.
    pub fn parameter(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.parameters.push((name.into(), value.into()));
        self
    }

    /// Sends the client's id and secret in the body, as `client_id` and `client_secret`. Unless called
    /// they are sent as HTTP Basic authentication, which every OAuth 2 server must take.
    pub fn secret_in_body(mut self) -> Self {
        self.secret_in_body = true;
        self
    }

    /// The time that a token may take, from its request to the end of the answer: 30 seconds unless
    /// set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The token endpoint of a server at `base`, for tokens of requests with this user agent.
    ///
    /// # Errors
    ///
    /// An [`Error`] of kind [`Config`](crate::ErrorKind::Config) that names the setting that cannot be
    /// used, without a secret.
    pub(crate) fn endpoint(
        self,
        base: &Url,
        user_agent: Option<HeaderValue>,
    ) -> Result<Endpoint, Error> {
        let refuse = |reason: &str| Error::config(format!("OAuth 2 cannot be used: {reason}"));
        if self.client_id.is_empty() {
            return Err(refuse("the client id is empty"));
        }
        if self.client_secret.is_empty() {
            return Err(refuse("the client secret is empty"));
        }
        for (name, _) in &self.parameters {
            if OWN.contains(&name.as_str()) {
                let reason = format!("the parameter {name:?} is the client's own");
                return Err(refuse(&reason));
            }
        }
        let mut folder = base.clone();
        folder.set_path(&format!("{}/", base.path().trim_end_matches('/')));
        let url = folder
            .join(&self.token_url)
            .map_err(|error| refuse(&format!("the token URL is no URL: {error}")))?;
        if !["http", "https"].contains(&url.scheme()) {
            return Err(refuse(
                "the scheme of the token URL is neither http nor https",
            ));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refuse("the token URL holds credentials; leave them out"));
        }
        if url.fragment().is_some() {
            return Err(refuse("the token URL holds a fragment; leave it out"));
        }
        Ok(Endpoint::new(self, url, user_agent))
    }

    /// The body of a token request.
    pub(super) fn form(&self) -> Vec<(&str, String)> {
        let mut form = vec![("grant_type", "client_credentials".to_owned())];
        if !self.scopes.is_empty() {
            form.push(("scope", self.scopes.join(" ")));
        }
        for (name, value) in &self.parameters {
            form.push((name, value.clone()));
        }
        if self.secret_in_body {
            form.push(("client_id", self.client_id.clone()));
            form.push(("client_secret", self.client_secret.clone()));
        }
        form
    }
}

impl fmt::Debug for OAuth2ClientCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parameters = self.parameters.iter().map(|(name, _)| (name, Hidden));
        // A token URL that is refused may hold credentials, and any may hold them in its query.
        f.debug_struct("OAuth2ClientCredentials")
            .field("client_id", &self.client_id)
            .field("client_secret", &Hidden)
            .field("scopes", &self.scopes)
            .field("parameters", &parameters.collect::<Vec<_>>())
            .field("secret_in_body", &self.secret_in_body)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
