//! The command line as a result tells it: without what may be a secret.

use std::path::Path;

use clap::CommandFactory;

use crate::cli::Cli;

const REDACTED: &str = "redacted";

/// The words of this program's command line.
pub(crate) fn words() -> Vec<String> {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    without_secrets(words)
}

/// The words without the values of flags whose variable's value is hidden from `--help`: those may be
/// secrets. Of the program's path its name stays.
fn without_secrets(mut words: impl Iterator<Item = String>) -> Vec<String> {
    let program = words.next().unwrap_or_default();
    let name = Path::new(&program).file_name();
    let mut shown = vec![name.unwrap_or_default().to_string_lossy().into_owned()];
    let command = Cli::command();
    let secret = |flag: &str| {
        let mut arguments = command.get_arguments();
        arguments.any(|known| known.get_long() == Some(flag) && known.is_hide_env_values_set())
    };
    while let Some(word) = words.next() {
        let flag = word.strip_prefix("--").unwrap_or_default();
        match flag.split_once('=') {
            Some((flag, _)) if secret(flag) => shown.push(format!("--{flag}={REDACTED}")),
            None if secret(flag) => {
                shown.push(word);
                shown.extend(words.next().map(|_| REDACTED.to_owned()));
            }
            _ => shown.push(word),
        }
    }
    shown
}
