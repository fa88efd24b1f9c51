//! A command that starts a server, as it is given.

use std::path::Path;
use std::time::Duration;

/// Stands in a command for the port to listen on.
const PORT: &str = "{port}";

/// Stands in a command for the folder where the server keeps everything.
const DIR: &str = "{dir}";

/// What stands in the names of flags whose values are secrets.
const SECRET: [&str; 6] = ["credential", "key", "passw", "secret", "token", "auth"];

/// A command that starts a server: a program and its arguments, in which `{port}` stands for the
/// port of loopback to listen on and `{dir}` for the folder where the server keeps everything.
///
/// No shell reads it. What it starts is a process group of its own, which ends as a whole.
#[derive(Clone, Debug)]
pub struct ServerCommand {
    words: Vec<String>,
    patience: Duration,
    kills: usize,
}

/// Why a command cannot start a server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// There is a quote without its end.
    #[error(
        "the server command cannot be split into words: a quote or a backslash has nothing to close it"
    )]
    Quote,
    /// There is no word in it.
    #[error(
        "the server command is empty; give one such as 'my-server --port {{port}} --data {{dir}}'"
    )]
    Empty,
    /// It says nothing of a port.
    #[error(
        "the server command {program:?} does not say {{port}}, where the server has to listen on \
         loopback; give one such as 'my-server --port {{port}} --data {{dir}}'"
    )]
    NoPort {
        /// Its first word; the others may be secrets.
        program: String,
    },
    /// This operating system has no process groups.
    #[error(
        "servers can be started and killed on Linux and macOS only; start the server yourself and \
         name its URL"
    )]
    System,
}

impl ServerCommand {
    /// Reads a command; words are split as a POSIX shell does it, and nothing else that a shell
    /// knows is done.
    ///
    /// # Errors
    ///
    /// If it cannot be split, is empty or has no `{port}`, or this system cannot start servers.
    pub fn parse(command: &str) -> Result<Self, CommandError> {
        let words = shlex::split(command).ok_or(CommandError::Quote)?;
        Self::of_words(words)
    }

    /// A command that is split into words already.
    ///
    /// # Errors
    ///
    /// If it is empty or has no `{port}`, or this system cannot start servers.
    pub fn of_words(words: Vec<String>) -> Result<Self, CommandError> {
        if words.is_empty() {
            return Err(CommandError::Empty);
        }
        if !words.iter().any(|word| word.contains(PORT)) {
            return Err(CommandError::NoPort {
                program: words[0].clone(),
            });
        }
        if !cfg!(unix) {
            return Err(CommandError::System);
        }
        Ok(Self {
            words,
            patience: Duration::from_secs(30),
            kills: 3,
        })
    }

    /// How long a server that was started may take until it answers; 30 seconds if nobody says.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// How often each scenario that kills a server does so; three times if nobody says.
    #[must_use]
    pub fn with_kills(mut self, kills: usize) -> Self {
        self.kills = kills;
        self
    }

    /// How often each scenario that kills a server does so.
    #[must_use]
    pub fn kills(&self) -> usize {
        self.kills
    }

    pub(crate) fn patience(&self) -> Duration {
        self.patience
    }

    /// The words that may be secrets: the values of what is named after one.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &str> {
        let named = |name: &str| {
            let name = name.to_lowercase();
            SECRET.iter().any(|word| name.contains(word))
        };
        let within = self.words.iter().filter_map(move |word| {
            let (name, value) = word.split_once('=')?;
            named(name).then_some(value)
        });
        let after = self.words.windows(2).filter_map(move |words| {
            let flag = words[0].starts_with('-') && !words[0].contains('=');
            (flag && named(&words[0])).then_some(words[1].as_str())
        });
        within.chain(after)
    }

    /// The program and its arguments for a server on this port and folder.
    pub(crate) fn words(&self, port: u16, dir: &Path) -> Vec<String> {
        let (port, dir) = (port.to_string(), dir.to_string_lossy());
        let words = self.words.iter();
        words
            .map(|word| word.replace(PORT, &port).replace(DIR, &dir))
            .collect()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_a_shell_does_it_and_filled_in() {
        let command =
            ServerCommand::parse("serve 'a b' --listen 127.0.0.1:{port} --db={dir}/c.db").unwrap();
        let words = command.words(80, Path::new("/tmp/x y"));
        assert_eq!(
            words,
            [
                "serve",
                "a b",
                "--listen",
                "127.0.0.1:80",
                "--db=/tmp/x y/c.db"
            ]
        );
    }

    #[test]
    fn a_command_that_cannot_start_a_server_is_refused() {
        for (command, says) in [
            ("serve 'a {port}", "close"),
            ("", "empty"),
            ("  ", "empty"),
            ("serve --dir {dir}", "{port}"),
        ] {
            let error = ServerCommand::parse(command).unwrap_err().to_string();
            assert!(error.contains(says), "{command}: {error}");
        }
    }
}
