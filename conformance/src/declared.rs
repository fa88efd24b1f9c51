//! What the declaration of a server, `conformance.toml`, adds to flags and environment variables.

use std::path::Path;

use lance_namespace_suite::declaration::{self, Declaration, DeclarationError, Env, HeaderText};
use lance_namespace_suite::expectation::Expectations;
use lance_namespace_suite::scenario::Tier;

use crate::connection::{ConnectError, Connection};

/// Where a server is, and what is declared of it.
pub(crate) struct Declared {
    /// Where it is, with what the declaration says where flags and environment say nothing.
    pub(crate) connection: Connection,
    /// The tiers that it claims.
    pub(crate) tiers: Vec<Tier>,
    /// What is known to fail.
    pub(crate) expectations: Expectations,
}

impl Connection {
    /// Reads the declaration, and says on stderr where it is unless it was named.
    pub(crate) fn declared(&self) -> Result<Declared, ConnectError> {
        let (declaration, entries) = match &self.config {
            Some(file) => Declaration::read(file)?,
            None if Path::new(declaration::FILE).is_file() => {
                let file = declaration::FILE;
                eprintln!("the server as ./{file} declares it; flags and environment win over it");
                Declaration::read(Path::new(file))?
            }
            None => Default::default(),
        };
        let mut connection = self.clone();
        connection.fill(&declaration)?;
        let tiers = declaration.server.tiers;
        Ok(Declared {
            connection,
            expectations: Expectations::new(entries, tiers.clone()),
            tiers,
        })
    }

    /// Takes what is not said from a declaration.
    fn fill(&mut self, declaration: &Declaration) -> Result<(), ConnectError> {
        let server = &declaration.server;
        if self.server_urls.is_empty() {
            let urls = server.url.iter().chain(&server.replicas);
            self.server_urls = urls.map(|url| url.as_str().to_owned()).collect();
        }
        fill(&mut self.server_cmd, server.command.as_ref());
        fill(&mut self.start_timeout, server.start_timeout.as_ref());
        let credentials = &declaration.credentials;
        for (given, declared) in [
            (&mut self.api_key, &credentials.api_key),
            (&mut self.bearer_token, &credentials.bearer_token),
        ] {
            if let (None, Some(declared)) = (given.as_ref(), declared) {
                *given = Some(held(declared)?);
            }
        }
        for (name, text) in &declaration.headers {
            let mut given = self
                .headers
                .iter()
                .filter_map(|header| header.split_once(':'));
            if !given.any(|(given, _)| given.trim().eq_ignore_ascii_case(name.as_str())) {
                let header = format!("{}: {}", name.as_str(), text_of(text)?);
                self.headers.push(header);
            }
        }
        if self.bad_credentials.is_empty() {
            for (name, text) in &credentials.bad {
                let header = format!("{}: {}", name.as_str(), text_of(text)?);
                self.bad_credentials.push(header);
            }
        }
        if self.delimiter.is_none() {
            self.delimiter = declaration.delimiter().map(str::to_owned);
        }
        self.parent = declaration.parent().map(<[String]>::to_vec);
        self.names = declaration.names();
        self.storage = declaration.storage();
        Ok(())
    }
}

fn fill<T: Clone>(given: &mut Option<T>, declared: Option<&T>) {
    if given.is_none() {
        *given = declared.cloned();
    }
}

fn text_of(text: &HeaderText) -> Result<String, ConnectError> {
    match text {
        HeaderText::Text(text) => Ok(text.clone()),
        HeaderText::Env(env) => held(env),
    }
}

fn held(variable: &Env) -> Result<String, ConnectError> {
    let name = &variable.env;
    variable.value().ok_or_else(|| {
        ConnectError::Usage(format!(
            "the declaration names the environment variable {name}, which is not set; set it, or \
             give the credential by a flag"
        ))
    })
}

impl From<DeclarationError> for ConnectError {
    fn from(error: DeclarationError) -> Self {
        Self::Usage(error.to_string())
    }
}
