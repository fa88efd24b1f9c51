//! The server under test and how to reach it.

mod credentials;
mod secrets;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use reqwest::Url;

use crate::call::Caller;
use crate::exchange::Exchange;
use crate::names::{Names, NamesError};
use crate::scenario::Given;
use crate::server::ServerCommand;
use crate::staging::Storage;
use secrets::without_password;
pub(crate) use secrets::{first_half, secret_of};

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
    fn a_parent_with_the_delimiter_inside_is_refused() {
        let target = Target::new("http://host").unwrap();
        assert!(target.clone().with_parent(vec!["a$b".to_owned()]).is_err());
        for delimiter in ["", ".", ".."] {
            assert!(target.clone().with_delimiter(delimiter).is_err());
        }
    }
}
