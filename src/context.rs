//! `context`: headers out, headers in.

use std::collections::HashMap;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

/// What marks an entry of a context as a header.
const HEADER: &str = "header.";
/// The header of an entry without that mark, in releases of the protocol before 0.8.
const LEGACY: &str = "x-lance-ctx-";

/// Headers that say how a message travels. Set by hand they would make one message look like two.
const FRAMING: [&str; 7] = [
    "connection",
    "content-length",
    "content-type",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// A response model, whose context takes the headers of its answer.
pub(crate) trait CarriesContext {
    fn context_mut(&mut self) -> &mut Option<HashMap<String, String>>;
}

/// Adds the headers that a request's context asks for.
pub(crate) fn send(
    context: &HashMap<String, String>,
    legacy: bool,
    headers: &mut HeaderMap,
) -> Result<(), String> {
    for (key, value) in context {
        let name = match key.strip_prefix(HEADER) {
            Some(name) => name.to_owned(),
            None if legacy => format!("{LEGACY}{key}"),
            // The protocol gives other entries no way to travel over HTTP.
            None => continue,
        };
        let (name, value) = header(&name, value)
            .map_err(|reason| format!("the context entry {key:?} cannot be sent: {reason}"))?;
        headers.insert(name, value);
    }
    Ok(())
}

/// A header from text. Its value may be a secret and is never shown, not even when it is refused.
pub(crate) fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), String> {
    let parsed = HeaderName::from_bytes(name.as_bytes())
        .map_err(|_| format!("{name:?} is not the name of a header"))?;
    if FRAMING.contains(&parsed.as_str()) {
        return Err(format!("the header {parsed} belongs to the client"));
    }
    Ok((parsed, secret(value)?))
}

/// A header's value that is not shown in `Debug`.
pub(crate) fn secret(value: &str) -> Result<HeaderValue, String> {
    let mut value = HeaderValue::from_str(value)
        .map_err(|_| "its value holds characters that a header cannot".to_owned())?;
    value.set_sensitive(true);
    Ok(value)
}

/// Puts every header of an answer into a context, as `header.<name>`. A header that came several
/// times is one entry, joined by commas as HTTP reads it.
pub(crate) fn receive(headers: &HeaderMap, context: &mut HashMap<String, String>) {
    context.reserve(headers.keys_len());
    for name in headers.keys() {
        let mut values = headers.get_all(name).iter();
        let mut text = values.next().map(text_of).unwrap_or_default();
        for more in values {
            text.push_str(", ");
            text.push_str(&text_of(more));
        }
        let mut key = String::with_capacity(HEADER.len() + name.as_str().len());
        key.push_str(HEADER);
        key.push_str(name.as_str());
        context.insert(key, text);
    }
}

fn text_of(value: &HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}
