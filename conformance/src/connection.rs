//! The server under test, as flags and environment variables name it.

use std::net::Ipv4Addr;

use clap::Args;
use lance_namespace_reference_server::{Config, Credentials, Server};
use lance_namespace_suite::target::{Target, TargetError};

/// Which server, and what every request to it carries.
#[derive(Args, Clone)]
pub(crate) struct Connection {
    /// URL of the server, with or without a path; without it, the embedded reference server.
    #[arg(long, value_name = "URL", env = "LANCE_NAMESPACE_SERVER_URL")]
    server_url: Option<String>,

    /// API key, sent as the header x-api-key.
    #[arg(
        long,
        value_name = "K",
        env = "LANCE_NAMESPACE_API_KEY",
        hide_env_values = true
    )]
    api_key: Option<String>,

    /// Bearer token, sent as the header authorization.
    #[arg(
        long,
        value_name = "T",
        env = "LANCE_NAMESPACE_BEARER_TOKEN",
        hide_env_values = true
    )]
    bearer_token: Option<String>,

    /// Header to send with every request; may be given more than once (in the environment: a line
    /// each).
    #[arg(
        long = "header",
        value_name = "N: V",
        env = "LANCE_NAMESPACE_HEADERS",
        hide_env_values = true,
        value_delimiter = '\n'
    )]
    headers: Vec<String>,

    /// Credential that the server must refuse, as a header in which a good one is given; the
    /// scenarios of authentication need it. May be given more than once (in the environment: a
    /// line each).
    #[arg(
        long = "bad-credential",
        value_name = "N: V",
        env = "LANCE_NAMESPACE_BAD_CREDENTIALS",
        hide_env_values = true,
        value_delimiter = '\n'
    )]
    bad_credentials: Vec<String>,

    /// Existing namespace to work in, its parts joined by the delimiter; without it, the root.
    #[arg(long, value_name = "PARENT", env = "LANCE_NAMESPACE_PARENT")]
    namespace: Option<String>,

    /// What joins the parts of an identifier.
    #[arg(long, value_name = "D", default_value = "$")]
    delimiter: String,
}

/// A server to test, and the embedded one that has to stay alive while it is tested.
pub(crate) struct Connected {
    pub(crate) target: Target,
    pub(crate) embedded: Option<Server>,
}

/// Why there is no server to test.
pub(crate) enum ConnectError {
    /// The flags are wrong.
    Usage(String),
    /// The embedded server does not start.
    Embedded(String),
}

impl Connection {
    /// Whether a server was named; otherwise the embedded one is tested.
    pub(crate) fn names_a_server(&self) -> bool {
        self.server_url.is_some()
    }

    /// The server to test; starts the embedded one if no URL was given.
    pub(crate) async fn connect(&self) -> Result<Connected, ConnectError> {
        // Wrong flags are wrong whether or not a server is there.
        let named = self.server_url.as_deref();
        let usage = |error: TargetError| ConnectError::Usage(error.to_string());
        self.target(named.unwrap_or("http://127.0.0.1"))
            .map_err(usage)?;
        let (target, embedded) = match named {
            Some(url) => (self.target(url).map_err(usage)?, None),
            None => {
                let with_credentials = self.knowing_credentials();
                let config = Config {
                    credentials: Credentials {
                        api_key: with_credentials.api_key.clone(),
                        bearer_token: with_credentials.bearer_token.clone(),
                    },
                    ..Config::default()
                };
                let server = Server::bind((Ipv4Addr::LOCALHOST, 0).into(), config)
                    .await
                    .map_err(|error| ConnectError::Embedded(error.to_string()))?;
                let target = with_credentials.target(&server.url()).map_err(usage)?;
                (target, Some(server))
            }
        };
        Ok(Connected { target, embedded })
    }

    /// The same with credentials for the embedded server, which knows those that are given by flags
    /// of their own, and made-up ones where none are.
    fn knowing_credentials(&self) -> Self {
        let mut with = self.clone();
        let given = |name: &str| {
            let named = |header: &String| header.split(':').next().map(str::trim) == Some(name);
            self.headers
                .iter()
                .any(|header| named(&header.to_lowercase()))
        };
        let none_is_bad = self.bad_credentials.is_empty();
        if !given("x-api-key") {
            with.api_key
                .get_or_insert_with(|| "embedded-api-key".to_owned());
            if none_is_bad {
                let bad = "x-api-key: not-the-embedded-key".to_owned();
                with.bad_credentials.push(bad);
            }
        }
        if !given("authorization") {
            with.bearer_token
                .get_or_insert_with(|| "embedded-token".to_owned());
            if none_is_bad {
                let bad = "authorization: Bearer not-the-embedded-token".to_owned();
                with.bad_credentials.push(bad);
            }
        }
        with
    }

    fn target(&self, url: &str) -> Result<Target, TargetError> {
        let mut target = Target::new(url)?.with_delimiter(&self.delimiter)?;
        if let Some(key) = &self.api_key {
            target = target.with_header("x-api-key", key)?;
        }
        if let Some(token) = &self.bearer_token {
            target = target.with_header("authorization", &format!("Bearer {token}"))?;
        }
        for header in &self.headers {
            let (name, value) = header.split_once(':').unwrap_or((header, ""));
            target = target.with_header(name.trim(), value.trim())?;
        }
        for header in &self.bad_credentials {
            let (name, value) = header.split_once(':').unwrap_or((header, ""));
            target = target.with_bad_credential(name.trim(), value.trim())?;
        }
        if let Some(parent) = &self.namespace {
            let parts = parent.split(&self.delimiter).map(str::to_owned).collect();
            target = target.with_parent(parts)?;
        }
        Ok(target)
    }
}
