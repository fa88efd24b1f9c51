//! What no report shows: the secrets that requests carry, however they are written.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use reqwest::Url;
use serde_json::Value;

use super::Target;
use crate::server::ServerCommand;

/// How many bytes a secret has at least.
const SHORTEST_SECRET: usize = 8;

impl Target {
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

/// The URL as it is shown.
pub(super) fn without_password(url: &str) -> String {
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
}
