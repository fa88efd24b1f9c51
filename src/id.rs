//! Identifiers on the path: how parts are joined, what is refused, how a segment is encoded.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What joins the parts of an identifier unless the client was built with another delimiter.
pub(crate) const DEFAULT_DELIMITER: &str = "$";

/// Everything but the unreserved characters of RFC 3986 and the default delimiter. More than a
/// path needs: `\` would separate segments, and servers in the wild read `+` and `;` in their own
/// ways.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'$');

/// A path segment, percent-encoded.
pub(crate) fn encode(segment: &str) -> String {
    Cow::from(utf8_percent_encode(segment, ENCODED)).into_owned()
}

/// Joins the parts of an identifier into a path segment. No part at all is the root namespace,
/// which the delimiter alone names.
///
/// Refused, with a sentence, is whatever would be read back as another identifier.
pub(crate) fn join(parts: &[String], delimiter: &str) -> Result<String, String> {
    if parts.is_empty() {
        check_segment("the root namespace", delimiter)
            .map_err(|reason| format!("{reason}; build the client with another delimiter"))?;
        return Ok(delimiter.to_owned());
    }
    if parts.iter().any(String::is_empty) {
        return Err(format!("a part of the identifier {parts:?} is empty"));
    }
    let joined = parts.join(delimiter);
    let ambiguous = match delimiter.as_bytes() {
        [byte] => parts.iter().any(|part| part.as_bytes().contains(byte)),
        // With a delimiter of several characters, parts that merely end or begin like one are
        // ambiguous too: `a$` and `b`, joined by `$$`, read as `a` and `$b`.
        _ => !joined.split(delimiter).eq(parts.iter()),
    };
    if ambiguous {
        return Err(format!(
            "the identifier {parts:?} joined by {delimiter:?} reads as another one; build the \
             client with a delimiter that no part contains"
        ));
    }
    check_segment("the identifier", &joined)?;
    Ok(joined)
}

/// Refuses a segment that would leave its place on the path, here or behind a proxy that decodes
/// once more than it should.
pub(crate) fn check_segment(what: &str, segment: &str) -> Result<(), String> {
    let mut decoded = Cow::Borrowed(segment);
    loop {
        match decoded.as_ref() {
            "" => return Err(format!("{what} is empty")),
            "." | ".." => {
                return Err(format!(
                    "{what} {segment:?} means another place on the path"
                ));
            }
            plain if !plain.contains('%') => return Ok(()),
            _ => {}
        }
        let again = percent_decode_str(&decoded)
            .decode_utf8_lossy()
            .into_owned();
        if again == decoded {
            return Ok(());
        }
        decoded = Cow::Owned(again);
    }
}
