//! The token endpoint: what is sent to it, and what its answers mean.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderValue, USER_AGENT};
use reqwest::{Response, StatusCode, Url};
use serde_json::Value;

use super::oauth2::OAuth2ClientCredentials;
use crate::Credential;

/// What RFC 6749 has encoded in an id and a secret before they become HTTP Basic authentication.
const RESERVED: AsciiSet = NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');
/// The most of an answer that is read.
const LIMIT: usize = 1 << 20;
/// The most of the endpoint's words that are shown.
const SHOWN: usize = 500;

/// The token endpoint gave no token. It is the source of an [`Error`](crate::Error) of kind
/// [`Credentials`](crate::ErrorKind::Credentials).
///
/// `Display` shows where the token was asked for and what the endpoint said, without the client's
/// secret if the endpoint repeats it.
#[derive(Clone)]
pub struct OAuth2Error(Arc<Failure>);

#[derive(Debug)]
struct Failure {
    /// Without its query.
    url: String,
    status: Option<StatusCode>,
    error: Option<String>,
    message: String,
    source: Option<reqwest::Error>,
}

impl OAuth2Error {
    /// The HTTP status, if the endpoint answered: also a successful one, of an answer that holds no
    /// token that can be used.
    pub fn status(&self) -> Option<StatusCode> {
        self.0.status
    }

    /// The error code of OAuth 2 (RFC 6749, section 5.2), such as `invalid_client`, if the endpoint gave
    /// one.
    pub fn error(&self) -> Option<&str> {
        self.0.error.as_deref()
    }
}

impl fmt::Display for OAuth2Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no token from {}: {}", self.0.url, self.0.message)
    }
}

impl fmt::Debug for OAuth2Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OAuth2Error").field(&*self.0).finish()
    }
}

impl StdError for OAuth2Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        let source = self.0.source.as_ref()?;
        Some(source)
    }
}

/// What a token endpoint grants.
pub(super) struct Grant {
    pub(super) credential: Credential,
    /// From when it was asked for.
    pub(super) life: Option<Duration>,
}

/// A token endpoint, and who asks it.
pub(crate) struct Endpoint {
    client: OAuth2ClientCredentials,
    url: Url,
    /// Of the requests that the tokens are for, unless the HTTP client has its own.
    user_agent: Option<HeaderValue>,
    /// The client's id and secret as HTTP Basic authentication has them.
    basic: String,
}

impl Endpoint {
    pub(super) fn new(
        client: OAuth2ClientCredentials,
        url: Url,
        user_agent: Option<HeaderValue>,
    ) -> Self {
        let pair = format!(
            "{}:{}",
            encoded(&client.client_id),
            encoded(&client.client_secret)
        );
        let basic = BASE64_STANDARD.encode(pair);
        Self {
            client,
            url,
            user_agent,
            basic,
        }
    }

    /// Whether TLS is needed.
    pub(crate) fn is_secure(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// Asks for a token.
    pub(super) async fn ask(&self, http: &reqwest::Client) -> Result<Grant, OAuth2Error> {
        match tokio::time::timeout(self.client.timeout, self.exchange(http)).await {
            Ok(outcome) => outcome,
            Err(_) => {
                let limit = self.client.timeout;
                Err(self.failure(None, format!("there was no answer within {limit:?}")))
            }
        }
    }

    async fn exchange(&self, http: &reqwest::Client) -> Result<Grant, OAuth2Error> {
        let broken = |status, error: reqwest::Error| {
            let message = match error.is_connect() {
                true => "no connection to it",
                false => "the connection to it broke",
            };
            let mut failure = self.bare(status, message.to_owned());
            failure.source = Some(error.without_url());
            OAuth2Error(Arc::new(failure))
        };
        let mut request = http
            .post(self.url.clone())
            .header(ACCEPT, "application/json")
            .form(&self.client.form());
        if !self.client.secret_in_body {
            request = request.header(AUTHORIZATION, format!("Basic {}", self.basic));
        }
        if let Some(user_agent) = &self.user_agent {
            request = request.header(USER_AGENT, user_agent);
        }
        let mut answer = request.send().await.map_err(|error| broken(None, error))?;
        let status = answer.status();
        let body = read(&mut answer)
            .await
            .map_err(|error| broken(Some(status), error))?;
        match status.is_success() {
            true => self.grant(status, &body),
            false => Err(self.refusal(status, &body)),
        }
    }

    fn grant(&self, status: StatusCode, body: &[u8]) -> Result<Grant, OAuth2Error> {
        let refuse = |message: String| self.failure(Some(status), message);
        let Ok(Value::Object(fields)) = serde_json::from_slice(body) else {
            return Err(refuse("its answer is not a JSON object".to_owned()));
        };
        let text = |name: &str| fields.get(name).and_then(Value::as_str);
        if let Some(other) = text("token_type").filter(|kind| !kind.eq_ignore_ascii_case("bearer"))
        {
            let other = self.shown(other);
            return Err(refuse(format!(
                "its token is of the type {other}, not bearer"
            )));
        }
        let token = text("access_token")
            .ok_or_else(|| refuse("its answer has no access_token".to_owned()))?;
        let credential = Credential::bearer(token).map_err(|error| refuse(error.to_string()))?;
        let life = match fields.get("expires_in") {
            None | Some(Value::Null) => None,
            Some(value) => Some(seconds(value).ok_or_else(|| {
                refuse("the expires_in of its answer is not a number of seconds".to_owned())
            })?),
        };
        Ok(Grant { credential, life })
    }

    fn refusal(&self, status: StatusCode, body: &[u8]) -> OAuth2Error {
        let fields: Value = serde_json::from_slice(body).unwrap_or_default();
        let text = |name: &str| Some(self.shown(fields.get(name)?.as_str()?));
        let error = text("error");
        let mut message = status.to_string();
        if status.is_redirection() {
            message.push_str(": a redirection, which is not followed");
        }
        for words in [error.clone(), text("error_description")] {
            if let Some(words) = words.filter(|words| !words.is_empty()) {
                message.push_str(&format!(": {words}"));
            }
        }
        let mut failure = self.bare(Some(status), message);
        failure.error = error;
        OAuth2Error(Arc::new(failure))
    }

    /// The endpoint's words, without a secret that it repeats.
    fn shown(&self, words: &str) -> String {
        let secret = &self.client.client_secret;
        let mut shown = words.to_owned();
        for form in [secret, &encoded(secret), &self.basic] {
            shown = shown.replace(form, "[hidden]");
        }
        shown.chars().take(SHOWN).collect()
    }

    fn failure(&self, status: Option<StatusCode>, message: String) -> OAuth2Error {
        OAuth2Error(Arc::new(self.bare(status, message)))
    }

    fn bare(&self, status: Option<StatusCode>, message: String) -> Failure {
        let mut url = self.url.clone();
        url.set_query(None);
        Failure {
            url: url.into(),
            status,
            error: None,
            message,
            source: None,
        }
    }
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, &RESERVED).to_string()
}

async fn read(answer: &mut Response) -> reqwest::Result<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(piece) = answer.chunk().await? {
        body.extend_from_slice(&piece);
        if body.len() > LIMIT {
            break;
        }
    }
    Ok(body)
}

/// A time in seconds: some servers write it as text or with a fraction.
fn seconds(value: &Value) -> Option<Duration> {
    let seconds = match value {
        Value::String(text) => text.trim().parse().ok()?,
        other => other.as_f64()?,
    };
    if !f64::is_finite(seconds) {
        return None;
    }
    Some(Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX))
}
