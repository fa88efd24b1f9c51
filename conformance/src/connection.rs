//! The server under test, as flags and environment variables name it.

use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use lance_namespace_reference_server::{Config, Credentials, Server, ServerError};
use lance_namespace_suite::names::Names;
use lance_namespace_suite::server::{CommandError, ServerCommand, StartedServer};
use lance_namespace_suite::staging::Storage;
use lance_namespace_suite::target::{Target, TargetError};

/// A free port of loopback.
const LOOPBACK: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// Which server, and what every request to it carries.
#[derive(Args, Clone)]
pub(crate) struct Connection {
    /// URL of the server, with or without a path; without it and a command, the embedded reference
    /// server. Others after the first are replicas of the same service (in the environment: divided
    /// by spaces), and what is written at the first is looked for at the second.
    #[arg(
        long = "server-url",
        value_name = "URL",
        env = "LANCE_NAMESPACE_SERVER_URL",
        hide_env_values = true,
        value_delimiter = ' '
    )]
    pub(crate) server_urls: Vec<String>,

    /// Command that starts the server, run without a shell: {port} stands for the port of loopback
    /// to listen on, {dir} for a fresh folder to keep everything in. Some scenarios kill servers
    /// that they start so. Without a URL, all are played against a server started so.
    #[arg(
        long,
        value_name = "CMD",
        env = "LANCE_NAMESPACE_SERVER_CMD",
        hide_env_values = true
    )]
    pub(crate) server_cmd: Option<String>,

    /// How long a server that was started may take until it answers; 30 seconds if nothing is said.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) start_timeout: Option<NonZeroU64>,

    /// How often each scenario that kills servers does so.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) kills: u16,

    /// API key, sent as the header x-api-key.
    #[arg(
        long,
        value_name = "K",
        env = "LANCE_NAMESPACE_API_KEY",
        hide_env_values = true
    )]
    pub(crate) api_key: Option<String>,

    /// Bearer token, sent as the header authorization.
    #[arg(
        long,
        value_name = "T",
        env = "LANCE_NAMESPACE_BEARER_TOKEN",
        hide_env_values = true
    )]
    pub(crate) bearer_token: Option<String>,

    /// Header to send with every request; may be given more than once (in the environment: a line
    /// each).
    #[arg(
        long = "header",
        value_name = "N: V",
        env = "LANCE_NAMESPACE_HEADERS",
        hide_env_values = true,
        value_delimiter = '\n'
    )]
    pub(crate) headers: Vec<String>,

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
    pub(crate) bad_credentials: Vec<String>,

    /// Existing namespace to work in, its parts joined by the delimiter; without it, the root.
    #[arg(long, value_name = "PARENT", env = "LANCE_NAMESPACE_PARENT")]
    pub(crate) namespace: Option<String>,

    /// What joins the parts of an identifier; `$` if nothing is said.
    #[arg(long, value_name = "D")]
    pub(crate) delimiter: Option<String>,

    /// The declaration of the server; without it, ./conformance.toml if that is there. Flags and
    /// environment variables win over what it says.
    #[arg(long, value_name = "FILE", env = "LANCE_NAMESPACE_CONFIG")]
    pub(crate) config: Option<PathBuf>,

    /// What the declaration says of names.
    #[arg(skip)]
    pub(crate) names: Names,

    /// What it says of the parent namespace, in parts.
    #[arg(skip)]
    pub(crate) parent: Option<Vec<String>>,

    /// What it says of staging manifests.
    #[arg(skip)]
    pub(crate) storage: Storage,
}

/// A server to test, and the one that has to stay alive while it is tested.
pub(crate) struct Connected {
    pub(crate) target: Target,
    pub(crate) server: Own,
}

/// A server that was started to be tested.
pub(crate) enum Own {
    /// The reference server in this process, and a second one on the same catalog.
    Embedded(Box<[Server; 2]>),
    /// One that a command started.
    Started(Box<StartedServer>),
    /// None: the one that is tested was there before.
    None,
}

/// Why there is no server to test.
pub(crate) enum ConnectError {
    /// The flags are wrong.
    Usage(String),
    /// The server does not start.
    Start(String),
}

impl Connection {
    /// Whether a server was named; otherwise the embedded one is tested.
    pub(crate) fn names_a_server(&self) -> bool {
        !self.server_urls.is_empty() || self.server_cmd.is_some()
    }

    /// The server to test; starts it if no URL was given. `own` is the program that serves the
    /// reference server, which scenarios kill where the embedded one is tested.
    pub(crate) async fn connect(&self, own: Option<&Path>) -> Result<Connected, ConnectError> {
        // Wrong flags are wrong whether or not a server is there.
        let command = self.command()?;
        let urls: Vec<&str> = self.server_urls.iter().map(String::as_str).collect();
        let nowhere = self.target(&["http://127.0.0.1"])?;
        match (urls.as_slice(), command) {
            ([], None) => self.embedded(own).await,
            ([], Some(command)) => {
                let started = StartedServer::start(&command, &nowhere).await;
                // A server may print what its command line has.
                let server = started.map_err(|error| {
                    let knowing = nowhere.clone().with_command(command.clone());
                    ConnectError::Start(knowing.without_secrets(&error.to_string()))
                })?;
                Ok(Connected {
                    target: server.target().clone().with_command(command),
                    server: Own::Started(Box::new(server)),
                })
            }
            (urls, command) => {
                let target = self.target(urls)?;
                Ok(Connected {
                    target: match command {
                        Some(command) => target.with_command(command),
                        None => target,
                    },
                    server: Own::None,
                })
            }
        }
    }

    async fn embedded(&self, own: Option<&Path>) -> Result<Connected, ConnectError> {
        let with_credentials = self.knowing_credentials();
        let config = Config {
            credentials: Credentials {
                api_key: with_credentials.api_key.clone(),
                bearer_token: with_credentials.bearer_token.clone(),
            },
            ..Config::default()
        };
        let server = Server::bind(LOOPBACK, config).await?;
        let replica = server.bind_another(LOOPBACK).await?;
        let target = with_credentials.target(&[&server.url(), &replica.url()])?;
        // Where servers cannot be started, what would kill them is left out.
        let command = own.and_then(|program| {
            let program = program.to_str()?;
            let listen = "127.0.0.1:{port}";
            let words = [
                program,
                "serve",
                "--listen",
                listen,
                "--db",
                "{dir}/catalog.db",
            ];
            ServerCommand::of_words(words.map(str::to_owned).to_vec()).ok()
        });
        Ok(Connected {
            target: match command {
                Some(command) => target.with_command(self.adjusted(command)),
                None => target,
            },
            server: Own::Embedded(Box::new([server, replica])),
        })
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

    fn command(&self) -> Result<Option<ServerCommand>, CommandError> {
        let command = self.server_cmd.as_deref();
        let command = command.map(ServerCommand::parse).transpose()?;
        Ok(command.map(|command| self.adjusted(command)))
    }

    fn adjusted(&self, command: ServerCommand) -> ServerCommand {
        command
            .with_patience(Duration::from_secs(
                self.start_timeout.map_or(30, NonZeroU64::get),
            ))
            .with_kills(usize::from(self.kills))
    }

    fn target(&self, urls: &[&str]) -> Result<Target, TargetError> {
        let (first, replicas) = urls
            .split_first()
            .map_or(("", &[][..]), |(first, others)| (*first, others));
        let delimiter = self.delimiter.as_deref().unwrap_or("$");
        let mut target = Target::new(first)?.with_delimiter(delimiter)?;
        for replica in replicas {
            target = target.with_replica(replica)?;
        }
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
        let split = |parent: &String| parent.split(delimiter).map(str::to_owned).collect();
        let given = self.namespace.as_ref().map(split);
        if let Some(parent) = given.or_else(|| self.parent.clone()) {
            target = target.with_parent(parent)?;
        }
        let target = target.with_storage(self.storage.clone());
        target.with_names(self.names.clone())
    }
}

impl Own {
    /// Ends it.
    pub(crate) async fn stop(self) -> Result<(), ServerError> {
        match self {
            Self::Embedded(servers) => {
                for server in *servers {
                    server.shutdown().await?;
                }
            }
            Self::Started(server) => server.stop().await,
            Self::None => {}
        }
        Ok(())
    }
}

impl From<TargetError> for ConnectError {
    fn from(error: TargetError) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<CommandError> for ConnectError {
    fn from(error: CommandError) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<ServerError> for ConnectError {
    fn from(error: ServerError) -> Self {
        Self::Start(format!("the reference server does not start: {error}"))
    }
}
