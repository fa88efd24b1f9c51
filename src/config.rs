//! Settings of a client.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderValue, USER_AGENT};

use crate::auth::{self, CredentialProvider, Endpoint, OAuth2ClientCredentials, Tokens};
use crate::client::{Settings, Shared};
use crate::generated::wire;
use crate::id::DEFAULT_DELIMITER;
use crate::models::Identity;
use crate::redact::Hidden;
use crate::tls::{ClientCertificate, Tls};
use crate::transport::Transport;
use crate::{Client, Error, RetryPolicy, context};

const OWN_USER_AGENT: &str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));

/// The time that a connection may take to come about, unless set otherwise.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The time that a call may take, unless set otherwise.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Builds a [`Client`].
#[derive(Clone)]
#[must_use]
pub struct ClientBuilder {
    base_url: String,
    delimiter: String,
    headers: Vec<(String, String)>,
    identity: Identity,
    credentials: Option<Credentials>,
    connect_timeout: Option<Duration>,
    settings: Settings,
    user_agent: Option<String>,
    tls: Tls,
    http_client: Option<reqwest::Client>,
    legacy_context: bool,
    #[cfg(feature = "testing")]
    fake: Option<crate::testing::FakeServer>,
}

/// Where the credential of each request comes from.
#[derive(Clone)]
enum Credentials {
    Provider(Arc<dyn CredentialProvider>),
    OAuth2(OAuth2ClientCredentials),
}

impl ClientBuilder {
    pub(crate) fn new(base_url: String) -> Self {
        Self {
            base_url,
            delimiter: DEFAULT_DELIMITER.to_owned(),
            headers: Vec::new(),
            identity: Identity::new(),
            credentials: None,
            connect_timeout: None,
            settings: Settings {
                timeout: Some(TIMEOUT),
                attempt_timeout: None,
                retry: RetryPolicy::new(),
            },
            user_agent: None,
            tls: Tls::default(),
            http_client: None,
            legacy_context: false,
            #[cfg(feature = "testing")]
            fake: None,
        }
    }

    /// What joins the parts of an identifier on the path: `$` unless set. Any other is told to the
    /// server with each request. No part of an identifier may contain it.
    pub fn delimiter(mut self, delimiter: impl Into<String>) -> Self {
        self.delimiter = delimiter.into();
        self
    }

    /// A header of every request. A key or token of this builder, what its [provider of
    /// credentials](Self::credentials) gives, the context and the identity of a request go before it,
    /// in rising order.
    pub fn default_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The API key of every request whose identity has none, sent as `x-api-key`.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.identity.api_key = Some(key.into());
        self
    }

    /// The bearer token of every request whose identity has none, sent as `Authorization`.
    pub fn bearer_token(mut self, token: impl Into<String>) -> Self {
        self.identity.auth_token = Some(token.into());
        self
    }

    /// Asks `provider` for the credential of each request: an asynchronous closure, or a
    /// [`CredentialProvider`] of your own, or `Arc` of one. In place of a provider or of [OAuth 2
    /// credentials](Self::oauth2) given before.
    ///
    /// It is asked before each attempt that is sent, and not at all for a request whose identity has an
    /// API key or a token. Its headers go before those of this builder and after those that a request's
    /// context names. If it fails, nothing is sent, and the call ends with an [`Error`] of kind
    /// [`Credentials`](crate::ErrorKind::Credentials). After a 401 it is asked for
    /// [another](CredentialProvider::renew), once; a body that is streamed is not sent again.
    ///
    /// ```
    /// use lance_namespace_client::{Client, Credential};
    /// # async fn token() -> std::io::Result<String> { Ok("...".to_owned()) }
    ///
    /// # fn example() -> Result<Client, lance_namespace_client::Error> {
    /// let client = Client::builder("https://namespace.example.com")
    ///     .credentials(|| async {
    ///         let token = token().await?;
    ///         Ok::<_, lance_namespace_client::BoxError>(Credential::bearer(token)?)
    ///     })
    ///     .build()?;
    /// # Ok(client)
    /// # }
    /// ```
    pub fn credentials(mut self, provider: impl CredentialProvider) -> Self {
        self.credentials = Some(Credentials::Provider(Arc::new(provider)));
        self
    }

    /// Has tokens from an OAuth 2 token endpoint. In place of a [provider of
    /// credentials](Self::credentials) given before, and asked as one.
    pub fn oauth2(mut self, credentials: OAuth2ClientCredentials) -> Self {
        self.credentials = Some(Credentials::OAuth2(credentials));
        self
    }

    /// The time that a connection may take to come about: 10 seconds unless set.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = Some(timeout);
        self
    }

    /// The time that a call may take, over all its attempts and the waits between them, to the end of
    /// the answer: 60 seconds unless set, `None` for no limit. It never cuts a stream: for an Arrow
    /// body that is sent it begins when the body has been sent, and for an Arrow answer it ends when
    /// the answer begins.
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.settings.timeout = timeout.into();
        self
    }

    /// The time that one attempt may take, within the [timeout](Self::timeout) of the call: no limit of
    /// its own unless set. An operation that changes nothing is tried again after it; one that
    /// changes something ends with an [`Error`] of kind [`Unknown`](crate::ErrorKind::Unknown).
    pub fn attempt_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.settings.attempt_timeout = timeout.into();
        self
    }

    /// How a call is tried again where its operation allows it: [`RetryPolicy::new`] unless set,
    /// [`RetryPolicy::none`] for never.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.settings.retry = policy;
        self
    }

    /// The header `User-Agent`: this crate's name and version unless set.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = Some(user_agent.into());
        self
    }

    /// Trusts the certificates in a PEM text, besides those of the operating system and those given
    /// before.
    pub fn root_certificates(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.tls.more_roots.push(pem.into());
        self
    }

    /// Trusts the certificates in a PEM text and those given so before, and not those of the operating
    /// system.
    pub fn only_root_certificates(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.tls.only_roots.push(pem.into());
        self
    }

    /// Shows a certificate to servers that demand one, for the namespace as for an OAuth 2 token
    /// endpoint. `pem_chain` has the client's certificate first and then those that vouch for it;
    /// `pem_key` has its private key, in PKCS #8 (with rustls PKCS #1 and SEC 1 also serve).
    pub fn client_certificate(
        mut self,
        pem_chain: impl Into<Vec<u8>>,
        pem_key: impl Into<Vec<u8>>,
    ) -> Self {
        self.tls.client_certificate = Some(ClientCertificate {
            chain: pem_chain.into(),
            key: pem_key.into(),
        });
        self
    }

    /// Sends with a client of your own, whose TLS, proxies, pooling and redirection are then its
    /// own. Start it from [`http_client_builder`], which follows no redirection: a client that
    /// follows them may hand `x-api-key` to another host.
    pub fn http_client(mut self, client: reqwest::Client) -> Self {
        self.http_client = Some(client);
        self
    }

    /// Also sends an entry `k` of a request's context whose key does not begin with `header.`, as
    /// the header `x-lance-ctx-k`, as earlier releases of the protocol did. Off unless set: the
    /// present release gives such entries no way to travel.
    pub fn legacy_context_headers(mut self, on: bool) -> Self {
        self.legacy_context = on;
        self
    }

    /// Asks a fake in place of a server.
    #[cfg(feature = "testing")]
    pub(crate) fn fake(mut self, server: crate::testing::FakeServer) -> Self {
        self.fake = Some(server);
        self
    }

    /// Builds the client. Nothing is sent.
    ///
    /// # Errors
    ///
    /// An [`Error`] of kind [`Config`](crate::ErrorKind::Config) that names the setting that cannot
    /// be used.
    pub fn build(self) -> Result<Client, Error> {
        let base = base_url(&self.base_url)?;
        if self.delimiter.is_empty() {
            return Err(Error::config(
                "the delimiter is empty; leave it out for `$`",
            ));
        }
        let mut headers = HeaderMap::new();
        for (name, value) in &self.headers {
            let (name, value) = context::header(name, value).map_err(|reason| {
                Error::config(format!(
                    "the default header {name:?} cannot be used: {reason}"
                ))
            })?;
            headers.insert(name, value);
        }
        auth::identify(&self.identity, &mut headers).map_err(Error::config)?;
        self.identify_client(&mut headers)?;
        let endpoint = match &self.credentials {
            Some(Credentials::OAuth2(settings)) => {
                let user_agent = headers.get(USER_AGENT).cloned();
                Some(settings.clone().endpoint(&base, user_agent)?)
            }
            _ => None,
        };
        let http = match self.http_client {
            Some(_) if self.connect_timeout.is_some() || self.tls.given().is_some() => {
                let setting = self.tls.given().unwrap_or("a connect timeout");
                return Err(Error::config(format!(
                    "{setting} cannot be set on an HTTP client of your own from here; set it there"
                )));
            }
            Some(client) => client,
            None => {
                let secure = is_secure(&base) || endpoint.as_ref().is_some_and(Endpoint::is_secure);
                let builder = http_builder(&self.tls, secure)?
                    .connect_timeout(self.connect_timeout.unwrap_or(CONNECT_TIMEOUT));
                builder.build().map_err(|error| {
                    Error::config("the HTTP client cannot be built").caused_by(error)
                })?
            }
        };
        let credentials: Option<Arc<dyn CredentialProvider>> = match (endpoint, self.credentials) {
            (Some(endpoint), _) => Some(Arc::new(Tokens::new(endpoint, http.clone()))),
            (None, Some(Credentials::Provider(provider))) => Some(provider),
            _ => None,
        };
        let wire = wire::Client {
            client: http.clone(),
            baseurl: base.path().trim_end_matches('/').to_owned(),
            base,
        };
        #[cfg(feature = "testing")]
        let transport = match self.fake {
            Some(fake) => Transport::Fake(fake),
            None => Transport::Http(http),
        };
        #[cfg(not(feature = "testing"))]
        let transport = Transport::Http(http);
        let shared = Arc::new(Shared {
            transport,
            wire,
            credentials,
            delimiter: self.delimiter,
            headers,
            legacy_context: self.legacy_context,
        });
        Ok(Client {
            shared,
            settings: self.settings,
        })
    }

    /// Sets the user agent, but not over that of a client that the caller made.
    fn identify_client(&self, headers: &mut HeaderMap) -> Result<(), Error> {
        let value = match &self.user_agent {
            Some(own) => HeaderValue::from_str(own)
                .map_err(|_| Error::config(format!("the user agent {own:?} is not a header")))?,
            None if self.http_client.is_some() || headers.contains_key(USER_AGENT) => return Ok(()),
            None => HeaderValue::from_static(OWN_USER_AGENT),
        };
        headers.insert(USER_AGENT, value);
        Ok(())
    }
}

/// A builder of HTTP clients as this crate's own are made for `base_url`: TLS with the certificates of
/// the operating system when it is `https`, and no redirection followed. For
/// [`ClientBuilder::http_client`], after changes.
///
/// # Errors
///
/// An [`Error`] of kind [`Config`](crate::ErrorKind::Config) when the URL or TLS cannot be used.
pub fn http_client_builder(base_url: &str) -> Result<reqwest::ClientBuilder, Error> {
    http_builder(&Tls::default(), is_secure(&self::base_url(base_url)?))
}

fn http_builder(tls: &Tls, secure: bool) -> Result<reqwest::ClientBuilder, Error> {
    let builder = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    tls.set_up(builder, secure)
}

fn is_secure(url: &Url) -> bool {
    url.scheme() == "https"
}

fn base_url(text: &str) -> Result<Url, Error> {
    let refuse = |reason: &str| Error::config(format!("the base URL cannot be used: {reason}"));
    let url = Url::parse(text).map_err(|error| refuse(&error.to_string()))?;
    if !["http", "https"].contains(&url.scheme()) {
        return Err(refuse("its scheme is neither http nor https"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refuse(
            "it holds credentials; give them to the builder instead",
        ));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(refuse("it holds a query or a fragment; leave them out"));
    }
    Ok(url)
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers = self.headers.iter().map(|(name, _)| (name, Hidden));
        f.debug_struct("ClientBuilder")
            .field("delimiter", &self.delimiter)
            .field("headers", &headers.collect::<Vec<_>>())
            .field("identity", &self.identity)
            .field("credentials", &self.credentials)
            .field("tls", &self.tls)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // It may be of a type whose own output shows what it holds.
            Self::Provider(_) => f.write_str("Provider"),
            Self::OAuth2(settings) => settings.fmt(f),
        }
    }
}
