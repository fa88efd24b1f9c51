//! The server under test and how to reach it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use reqwest::Url;
use serde_json::{Map, Value};

use crate::call::Caller;
use crate::exchange::Exchange;
use crate::names::{Names, NamesError};
use crate::scenario::Given;
use crate::server::ServerCommand;
use crate::staging::Storage;

const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// How many bytes a secret has at least.
const SHORTEST_SECRET: usize = 8;

/// The server under test: where it is, and what every request to it carries.
#[derive(Clone)]
pub struct Target {
    url: Url,
    headers: HeaderMap,
    bad: HeaderMap,
    parent: Vec<String>,
    delimiter: String,
    timeout: Duration,
    replicas: Vec<Url>,
    command: Option<ServerCommand>,
    names: Names,
    storage: Storage,
    watcher: Option<Arc<dyn Fn(String) + Send + Sync>>,
}

/// Why a target cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TargetError {
    /// The server's URL cannot be read or is not HTTP.
    #[error(
        "the server URL {url:?} cannot be used: {reason}; give one such as http://127.0.0.1:2333"
    )]
    Url {
        /// What was given.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A header's name or value cannot be sent.
    #[error("the header {name:?} cannot be sent: {reason}; give it as 'Name: value'")]
    Header {
        /// The header's name; its value may be a secret and is not shown.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A bad credential stands in a header that no good one stands in, or is a good one.
    #[error("the bad credential in the header {name:?} cannot be used: {reason}")]
    BadCredential {
        /// The header's name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The delimiter cannot name the root on a URL's path, or the parent namespace contains it or
    /// has an empty part.
    #[error(
        "the parent namespace {parent:?} cannot be joined by the delimiter {delimiter:?}; give a \
         delimiter that is not empty, `.` or `..`, and that no part contains"
    )]
    Parent {
        /// The parts of the parent.
        parent: Vec<String>,
        /// The delimiter.
        delimiter: String,
    },
    /// What is declared of names leaves no room for a run.
    #[error(transparent)]
    Names(#[from] NamesError),
}

impl Target {
    /// A server at a base URL, with or without a path.
    ///
    /// # Errors
    ///
    /// If the URL cannot be read, is not `http` or `https`, or has a query or a fragment.
    pub fn new(url: &str) -> Result<Self, TargetError> {
        Ok(Self {
            url: base_url(url)?,
            headers: HeaderMap::new(),
            bad: HeaderMap::new(),
            parent: Vec::new(),
            delimiter: "$".to_owned(),
            timeout: Duration::from_secs(60),
            replicas: Vec::new(),
            command: None,
            names: Names::default(),
            storage: Storage::default(),
            watcher: None,
        })
    }

    /// Another server at a base URL, to which requests carry the same.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn at(&self, url: &str) -> Result<Self, TargetError> {
        Ok(Self {
            url: base_url(url)?,
            replicas: Vec::new(),
            command: None,
            ..self.clone()
        })
    }

    /// Sends this header with every request.
    ///
    /// # Errors
    ///
    /// If the name or the value cannot stand in a request.
    pub fn with_header(mut self, name: &str, value: &str) -> Result<Self, TargetError> {
        let (header, value) = secret_header(name, value)?;
        self.headers.append(header, value);
        Ok(self)
    }

    /// Says that the server must refuse this credential, and what carries none in this header; a
    /// good one must stand in a header of the same name.
    ///
    /// # Errors
    ///
    /// If the name or the value cannot stand in a request, no good credential stands in such a
    /// header, or it is the same.
    pub fn with_bad_credential(mut self, name: &str, value: &str) -> Result<Self, TargetError> {
        let (header, value) = secret_header(name, value)?;
        let error = |reason: &str| TargetError::BadCredential {
            name: name.to_owned(),
            reason: reason.to_owned(),
        };
        if !self.headers.contains_key(&header) {
            return Err(error(
                "no good one stands there; give it by --api-key, --bearer-token or --header",
            ));
        }
        if self
            .headers
            .get_all(&header)
            .iter()
            .any(|good| *good == value)
        {
            return Err(error("it is the good one"));
        }
        self.bad.insert(header, value);
        Ok(self)
    }

    /// Creates everything below this namespace, which must exist, in place of the root.
    ///
    /// # Errors
    ///
    /// If a part is empty or contains the delimiter.
    pub fn with_parent(mut self, parent: Vec<String>) -> Result<Self, TargetError> {
        self.parent = parent;
        self.check_parent()?;
        Ok(self)
    }

    /// Joins identifiers by this delimiter in place of `$`.
    ///
    /// # Errors
    ///
    /// If it is empty, `.` or `..`, or a part of the parent namespace contains it.
    pub fn with_delimiter(mut self, delimiter: &str) -> Result<Self, TargetError> {
        delimiter.clone_into(&mut self.delimiter);
        self.check_parent()?;
        Ok(self)
    }

    /// Says what the server allows of names. Scenarios that need more are left out, and the run's own
    /// namespaces keep to it.
    ///
    /// # Errors
    ///
    /// If that leaves no room below the parent namespace, which is named before.
    pub fn with_names(mut self, names: Names) -> Result<Self, TargetError> {
        names.layout(&self.parent, "")?;
        self.names = names;
        Ok(self)
    }

    /// Says how staging manifests get to the storage.
    #[must_use]
    pub fn with_storage(mut self, storage: Storage) -> Self {
        self.storage = storage;
        self
    }

    /// Tells of each request when its answer has come, in a line without secrets.
    #[must_use]
    pub fn with_watcher(mut self, watcher: Arc<dyn Fn(String) + Send + Sync>) -> Self {
        self.watcher = Some(watcher);
        self
    }

    /// How long one request may take before it counts as unanswered.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Names another replica of the service: what is written at the one is to be seen at the other.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_replica(mut self, url: &str) -> Result<Self, TargetError> {
        self.replicas.push(base_url(url)?);
        Ok(self)
    }

    /// Names a command that starts a server of the same kind, which scenarios may kill.
    #[must_use]
    pub fn with_command(mut self, command: ServerCommand) -> Self {
        self.command = Some(command);
        self
    }

    /// What it gives to scenarios beside itself.
    #[must_use]
    pub fn given(&self) -> Vec<Given> {
        let mut given = Vec::new();
        if self.command.is_some() {
            given.push(Given::ServerCommand);
        }
        if !self.replicas.is_empty() {
            given.push(Given::Replica);
        }
        if !self.bad.is_empty() {
            given.push(Given::Credentials);
        }
        if self.identity(&Caller::Stranger).is_some() {
            given.push(Given::Identity);
        }
        given
    }

    /// What is declared of it beside its URL and secrets, in one text: two targets that are declared alike
    /// have the same.
    pub(crate) fn settings(&self) -> String {
        let Self {
            parent,
            delimiter,
            names,
            storage,
            ..
        } = self;
        let given = self.given();
        self.without_secrets(&format!(
            "{parent:?} {delimiter:?} {names:?} {storage:?} {given:?}"
        ))
    }

    /// The headers that carry this caller's credentials, and those that all requests carry.
    pub(crate) fn headers_of(&self, caller: &Caller) -> HeaderMap {
        let mut headers = self.headers.clone();
        if matches!(caller, Caller::Known) {
            return headers;
        }
        for name in self.bad.keys().chain([&AUTHORIZATION, &API_KEY]) {
            headers.remove(name);
        }
        let own = match caller {
            Caller::Stranger => self.bad.clone(),
            Caller::With(own) => own.clone(),
            Caller::Known | Caller::Nobody => HeaderMap::new(),
        };
        headers.extend(own);
        headers
    }

    /// The good credentials: the headers that a bad one is given for.
    pub(crate) fn credentials(&self) -> HeaderMap {
        let known = self.headers.iter();
        let of_bad = known.filter(|(name, _)| self.bad.contains_key(*name));
        let owned = of_bad.map(|(name, value)| (name.clone(), value.clone()));
        owned.collect()
    }

    /// The credentials that the server does not know.
    pub(crate) fn bad_credentials(&self) -> &HeaderMap {
        &self.bad
    }

    /// A caller's credentials as the `identity` of a body: its API key and its bearer token; none if
    /// it has neither.
    pub(crate) fn identity(&self, caller: &Caller) -> Option<Value> {
        let headers = self.headers_of(caller);
        let text = |name: &HeaderName| headers.get(name)?.to_str().ok();
        let told = |name: &HeaderName| self.bad.contains_key(name);
        let mut identity = Map::new();
        if let Some(key) = text(&API_KEY).filter(|_| told(&API_KEY)) {
            identity.insert("api_key".to_owned(), Value::from(key));
        }
        let token = text(&AUTHORIZATION).filter(|_| told(&AUTHORIZATION));
        if let Some((scheme, token)) = token.and_then(|value| value.split_once(' '))
            && scheme.eq_ignore_ascii_case("bearer")
        {
            identity.insert("auth_token".to_owned(), Value::from(token.trim()));
        }
        (!identity.is_empty()).then_some(Value::Object(identity))
    }

    /// A text without the secrets that requests carry, and those that stand in the server's command.
    /// What is shorter than eight characters is no secret, and would take away half of the text.
    #[must_use]
    pub fn without_secrets(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in self.secrets() {
            if text.contains(&secret) {
                text = text.replace(&secret, "redacted");
            }
        }
        text
    }

    /// The secrets, the longest first, each in every way in which it may be written.
    fn secrets(&self) -> Vec<String> {
        let headers = self.headers.values().chain(self.bad.values());
        let of_headers = headers
            .filter_map(|value| value.to_str().ok())
            .map(|value| secret_of(value).to_owned());
        // Scenarios of authentication send halves of the good credentials.
        let good = self.credentials();
        let halves: Vec<String> = good
            .values()
            .filter_map(|value| value.to_str().ok())
            .map(|value| first_half(secret_of(value)))
            .collect();
        let urls = [&self.url].into_iter().chain(&self.replicas);
        let of_command = self.command.iter().flat_map(ServerCommand::secrets);
        let mut secrets: Vec<String> = of_headers
            .chain(halves)
            .chain(urls.flat_map(secrets_of_url))
            .chain(of_command.map(str::to_owned))
            .filter(|secret| secret.len() >= SHORTEST_SECRET)
            .flat_map(|secret| {
                let in_url = utf8_percent_encode(&secret, NON_ALPHANUMERIC).to_string();
                let in_json = Value::from(secret.as_str()).to_string();
                let in_json = in_json[1..in_json.len() - 1].to_owned();
                [secret, in_url, in_json]
            })
            .collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets.dedup();
        secrets
    }

    /// The other replicas of the service, each as a target of its own.
    pub(crate) fn replicas(&self) -> impl Iterator<Item = Self> {
        self.replicas.iter().map(|url| Self {
            url: url.clone(),
            replicas: Vec::new(),
            command: None,
            ..self.clone()
        })
    }

    /// The command that starts a server of the same kind.
    pub(crate) fn command(&self) -> Option<&ServerCommand> {
        self.command.as_ref()
    }

    fn check_parent(&self) -> Result<(), TargetError> {
        let part_fits = |part: &String| !part.is_empty() && !part.contains(&self.delimiter);
        // `.` and `..` alone on a URL's path mean other folders, and alone is how the root is named.
        let fits = !matches!(self.delimiter.as_str(), "" | "." | "..");
        if !fits || !self.parent.iter().all(part_fits) {
            return Err(TargetError::Parent {
                parent: self.parent.clone(),
                delimiter: self.delimiter.clone(),
            });
        }
        Ok(())
    }

    /// The base URL without a password, as reports show it.
    #[must_use]
    pub fn display_url(&self) -> String {
        without_password(self.url.as_str())
            .trim_end_matches('/')
            .to_owned()
    }

    /// The base URL without the user and the password that requests carry.
    pub(crate) fn url_without_user(&self) -> String {
        let mut url = self.url.clone();
        // Only a URL without a host refuses these, and this one has a host.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url.into()
    }

    /// Tells whoever watches of an exchange.
    pub(crate) fn watched(&self, exchange: &Exchange) {
        if let Some(watcher) = &self.watcher {
            watcher(self.without_secrets(&exchange.line()));
        }
    }

    /// Whether requests carry headers that were given.
    pub(crate) fn carries_headers(&self) -> bool {
        !self.headers.is_empty() || !self.url.username().is_empty()
    }

    pub(crate) fn names(&self) -> &Names {
        &self.names
    }

    pub(crate) fn storage(&self) -> &Storage {
        &self.storage
    }

    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The namespace below which everything is created; empty for the root.
    #[must_use]
    pub fn parent(&self) -> &[String] {
        &self.parent
    }

    /// What joins the parts of an identifier.
    #[must_use]
    pub fn delimiter(&self) -> &str {
        &self.delimiter
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Target")
            .field("url", &self.display_url())
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("parent", &self.parent)
            .field("delimiter", &self.delimiter)
            .finish_non_exhaustive()
    }
}

/// A header whose value is not shown.
fn secret_header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), TargetError> {
    let error = |reason: String| TargetError::Header {
        name: name.to_owned(),
        reason,
    };
    let header: HeaderName = name.parse().map_err(|source| error(format!("{source}")))?;
    let mut value: HeaderValue = value.parse().map_err(|source| error(format!("{source}")))?;
    value.set_sensitive(true);
    Ok((header, value))
}

/// The secret in a header's value: what follows the scheme, if there is one.
pub(crate) fn secret_of(value: &str) -> &str {
    match value.split_once(' ') {
        Some((_, secret)) if !secret.trim().contains(' ') => secret.trim(),
        _ => value,
    }
}

/// The first half of a secret: a credential that no server knows, and that tells half of one.
pub(crate) fn first_half(secret: &str) -> String {
    secret.chars().take(secret.chars().count() / 2).collect()
}

/// The password in a URL, as it stands there and decoded, and what is sent for it and its user.
fn secrets_of_url(url: &Url) -> Vec<String> {
    let plain = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let user = plain(url.username());
    let Some(password) = url.password() else {
        // A user by itself is a token.
        return vec![STANDARD.encode(format!("{user}:")), user];
    };
    let words = plain(password);
    let sent = STANDARD.encode(format!("{user}:{words}"));
    vec![password.to_owned(), words, sent]
}

/// Reads a base URL; its path is taken as a folder.
fn base_url(url: &str) -> Result<Url, TargetError> {
    let error = |reason: &str| TargetError::Url {
        url: without_password(url),
        reason: reason.to_owned(),
    };
    let mut parsed = Url::parse(url).map_err(|source| error(&source.to_string()))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(error("its scheme is neither http nor https"));
    }
    if parsed.query().is_some() || parsed.fragment().is_some() {
        return Err(error("it has a query or a fragment"));
    }
    if !parsed.path().ends_with('/') {
        let path = format!("{}/", parsed.path());
        parsed.set_path(&path);
    }
    Ok(parsed)
}

fn without_password(url: &str) -> String {
    match Url::parse(url) {
        Ok(mut parsed) => {
            // Only a URL that cannot have them refuses these, and this one has them.
            if parsed.password().is_some() {
                let _ = parsed.set_password(Some("redacted"));
            } else if !parsed.username().is_empty() {
                // A user by itself is a token.
                let _ = parsed.set_username("redacted");
            }
            parsed.to_string()
        }
        Err(_) => url.split('@').next_back().unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_that_is_not_http_is_refused() {
        for url in [
            "",
            "127.0.0.1:2333",
            "ftp://host",
            "http://host/?a=b",
            "http://",
        ] {
            assert!(Target::new(url).is_err(), "{url}");
        }
    }

    #[test]
    fn a_path_is_kept_as_a_folder() {
        let target = Target::new("http://host/api/lance").unwrap();
        assert_eq!(target.url().as_str(), "http://host/api/lance/");
        assert_eq!(target.display_url(), "http://host/api/lance");
    }

    #[test]
    fn secrets_are_never_shown() {
        let target = Target::new("http://user:hunter2@host")
            .unwrap()
            .with_header("x-api-key", "hunter2")
            .unwrap();
        assert!(!format!("{target:?}").contains("hunter2"));
        assert!(!target.display_url().contains("hunter2"));
        let token = Target::new("http://hunter2@host").unwrap();
        assert_eq!(token.display_url(), "http://redacted@host");
        let error = Target::new("ftp://user:hunter2@host").unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }

    #[test]
    fn a_secret_is_known_however_it_is_written() {
        let target = Target::new("http://user:pass%20word@host")
            .unwrap()
            .with_header("x-api-key", "key/with-\"all\"")
            .unwrap();
        for text in [
            "pass%20word",
            "Basic dXNlcjpwYXNzIHdvcmQ=",
            "pass word",
            r#"{"key": "key/with-\"all\""}"#,
            "?key=key%2Fwith%2D%22all%22",
        ] {
            let shown = target.without_secrets(text);
            assert!(shown.contains("redacted"), "{text}: {shown}");
        }
    }

    #[test]
    fn a_bad_credential_goes_with_a_good_one() {
        let target = Target::new("http://host")
            .unwrap()
            .with_header("X-Api-Key", "the good one")
            .unwrap()
            .with_header("x-tenant", "a")
            .unwrap();
        assert!(target.given().is_empty());
        for (name, value) in [("authorization", "Bearer x"), ("x-api-key", "the good one")] {
            assert!(target.clone().with_bad_credential(name, value).is_err());
        }
        let target = target
            .with_bad_credential("x-api-key", "the bad one")
            .unwrap();
        assert_eq!(target.given(), [Given::Credentials, Given::Identity]);
        let key = |caller| {
            let headers = target.headers_of(&caller);
            assert_eq!(headers["x-tenant"], "a");
            let key = headers.get("x-api-key")?;
            Some(key.to_str().unwrap().to_owned())
        };
        assert_eq!(key(Caller::Known).unwrap(), "the good one");
        assert_eq!(key(Caller::Stranger).unwrap(), "the bad one");
        assert_eq!(key(Caller::Nobody), None);
        let shown = target.without_secrets("the good one, the bad one");
        assert_eq!(shown, "redacted, redacted");
    }

    #[test]
    fn a_parent_with_the_delimiter_inside_is_refused() {
        let target = Target::new("http://host").unwrap();
        assert!(target.clone().with_parent(vec!["a$b".to_owned()]).is_err());
        for delimiter in ["", ".", ".."] {
            assert!(target.clone().with_delimiter(delimiter).is_err());
        }
    }
}
