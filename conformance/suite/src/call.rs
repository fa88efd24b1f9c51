//! Requests as scenarios put them together: an operation, its arguments, and who asks.

use bytes::Bytes;
use http::HeaderMap;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::protocol::{self, Operation};
use crate::rows;
use crate::target::Target;

/// A body that is longer than this, in bytes, may be too long for a server to read.
const LONG: usize = 64 << 10;

/// Everything but RFC 3986's unreserved characters.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// A request to be sent: an operation and its arguments.
#[derive(Clone, Debug)]
pub struct Call {
    pub(crate) operation: &'static Operation,
    pub(crate) method: http::Method,
    path: String,
    pub(crate) id: Option<Vec<String>>,
    pub(crate) index: Option<String>,
    pub(crate) query: Vec<(&'static str, String)>,
    pub(crate) body: Body,
    pub(crate) odd: bool,
    pub(crate) caller: Caller,
}

/// Who asks, by the credentials that a request carries in its headers.
#[derive(Clone, Debug, Default)]
pub enum Caller {
    /// The one that the server knows.
    #[default]
    Known,
    /// Nobody: no credentials at all.
    Nobody,
    /// One with the credentials that the server does not know.
    Stranger,
    /// One with these credentials in the place of the known ones.
    With(HeaderMap),
}

/// The body of a request.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    None,
    Json(Value),
    Raw(&'static str, Bytes),
}

impl Call {
    /// A call of the operation of this name.
    ///
    /// # Panics
    ///
    /// If the protocol has no operation of this name, which is a fault of the suite.
    #[must_use]
    pub fn new(operation: &str) -> Self {
        let operation = protocol::operation(operation);
        let body = if operation.takes_json {
            Body::Json(Value::Object(serde_json::Map::new()))
        } else {
            Body::None
        };
        Self {
            operation,
            method: operation.method.clone(),
            path: operation.path.clone(),
            id: None,
            index: None,
            query: Vec::new(),
            body,
            odd: false,
            caller: Caller::Known,
        }
    }

    /// The identifier in the route, in parts; empty for the root namespace.
    #[must_use]
    pub fn id(mut self, id: &[String]) -> Self {
        self.id = Some(id.to_vec());
        self
    }

    /// The name of the index in the route.
    #[must_use]
    pub fn index(mut self, name: &str) -> Self {
        self.index = Some(name.to_owned());
        self
    }

    /// A query parameter.
    #[must_use]
    pub fn query(mut self, name: &'static str, value: impl ToString) -> Self {
        self.query.push((name, value.to_string()));
        self
    }

    /// A query parameter, in place of the one of this name.
    #[must_use]
    pub fn instead_of_query(mut self, name: &'static str, value: impl ToString) -> Self {
        self.query.retain(|(other, _)| *other != name);
        self.query(name, value)
    }

    /// The JSON body.
    #[must_use]
    pub fn json(mut self, body: Value) -> Self {
        self.body = Body::Json(body);
        self
    }

    /// The same request of another operation.
    ///
    /// # Panics
    ///
    /// If the protocol has no operation of this name, which is a fault of the suite.
    #[must_use]
    pub fn of(mut self, operation: &str) -> Self {
        self.operation = protocol::operation(operation);
        self.method = self.operation.method.clone();
        self.path.clone_from(&self.operation.path);
        self
    }

    /// The name of the operation.
    #[must_use]
    pub fn operation(&self) -> &'static str {
        &self.operation.id
    }

    /// The same request by another method than the operation's.
    #[must_use]
    pub fn by_method(mut self, method: http::Method) -> Self {
        self.method = method;
        self
    }

    /// The same request at another path than the operation's, with `{id}` where the identifier
    /// goes.
    #[must_use]
    pub fn at_path(mut self, path: &str) -> Self {
        path.clone_into(&mut self.path);
        self
    }

    /// Whether the operation has fields in a JSON body; `branch` is one of them, where it is about
    /// one.
    #[must_use]
    pub fn has_fields(&self) -> bool {
        // The one operation whose body is a map of the caller's own.
        self.operation.takes_json && self.operation() != "UpdateTableSchemaMetadata"
    }

    /// Whether the operation declares a JSON body.
    #[must_use]
    pub fn takes_json(&self) -> bool {
        self.operation.takes_json
    }

    /// The same JSON body as another content type.
    #[must_use]
    pub fn as_type(self, content_type: &'static str) -> Self {
        match &self.body {
            Body::Json(body) => {
                let text = body.to_string();
                self.raw(content_type, text)
            }
            Body::None | Body::Raw(..) => self,
        }
    }

    /// The fields of the JSON body without which the request is none.
    #[must_use]
    pub fn required(&self) -> &'static [String] {
        &self.operation.required
    }

    /// The same request without a body, and without a content type.
    #[must_use]
    pub fn bare(mut self) -> Self {
        self.body = Body::None;
        self
    }

    /// Whether this is no request of the operation: method or path are not its own.
    pub(crate) fn is_astray(&self) -> bool {
        self.method != self.operation.method || self.path != self.operation.path
    }

    /// Whether a server may well answer this before it has read the body.
    ///
    /// Some hang up after such an answer without a word of it (RFC 9112, section 9.3, lets them),
    /// and whatever is sent next on the connection stays unanswered.
    pub(crate) fn may_stay_unread(&self) -> bool {
        let odd_body = match &self.body {
            Body::Raw(content_type, body) => {
                body.len() > LONG || !["application/json", rows::STREAM].contains(content_type)
            }
            Body::None | Body::Json(_) => false,
        };
        self.odd || odd_body || self.is_astray() || !matches!(self.caller, Caller::Known)
    }

    /// Says that no client should send this: what refuses it may be middleware, in plain text
    /// (requirement REST-6).
    #[must_use]
    pub fn odd(mut self) -> Self {
        self.odd = true;
        self
    }

    /// Says who asks.
    #[must_use]
    pub fn by(mut self, caller: Caller) -> Self {
        self.caller = caller;
        self
    }

    /// A field of the JSON body; none takes it out.
    #[must_use]
    pub fn field(mut self, name: &str, value: impl Into<Option<Value>>) -> Self {
        if let Body::Json(Value::Object(fields)) = &mut self.body {
            match value.into() {
                Some(value) => fields.insert(name.to_owned(), value),
                None => fields.remove(name),
            };
        }
        self
    }

    /// A body that may be anything, with its content type.
    #[must_use]
    pub fn raw(mut self, content_type: &'static str, body: impl Into<Bytes>) -> Self {
        self.body = Body::Raw(content_type, body.into());
        self
    }

    /// Where the request goes, with whatever credentials stand in the server's URL if it is the
    /// known caller's.
    pub(crate) fn url(&self, target: &Target) -> String {
        let delimiter = target.delimiter();
        let mut path = self.path.trim_start_matches('/').to_owned();
        if let Some(id) = &self.id {
            let joined = if id.is_empty() {
                delimiter.to_owned()
            } else {
                id.join(delimiter)
            };
            let encoded = utf8_percent_encode(&joined, SEGMENT).to_string();
            path = path.replace("{id}", &encoded);
        }
        if let Some(index) = &self.index {
            let encoded = utf8_percent_encode(index, SEGMENT).to_string();
            path = path.replace("{index_name}", &encoded);
        }
        let mut query: Vec<(&str, &str)> = self
            .query
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        if delimiter != "$" && !self.query.iter().any(|(name, _)| *name == "delimiter") {
            query.push(("delimiter", delimiter));
        }
        let query: Vec<String> = query
            .iter()
            .map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, SEGMENT)))
            .collect();
        let base = match self.caller {
            Caller::Known => target.url().to_string(),
            // What stands in the URL is a credential, too.
            _ => target.url_without_user(),
        };
        if query.is_empty() {
            format!("{base}{path}")
        } else {
            format!("{base}{path}?{}", query.join("&"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(parts: &[&str]) -> Vec<String> {
        parts.iter().map(|&part| part.to_owned()).collect()
    }

    #[test]
    fn identifiers_stay_one_segment() {
        let target = Target::new("http://host/api").unwrap();
        let call = Call::new("DescribeTable").id(&parts(&["a/b", "c d%\\?#"]));
        assert_eq!(
            call.url(&target),
            "http://host/api/v1/table/a%2Fb%24c%20d%25%5C%3F%23/describe"
        );
    }

    #[test]
    fn the_root_is_the_delimiter_and_another_delimiter_is_said() {
        let target = Target::new("http://host").unwrap();
        let call = Call::new("ListNamespaces").id(&[]).query("limit", 5);
        assert_eq!(
            call.url(&target),
            "http://host/v1/namespace/%24/list?limit=5"
        );
        let target = target.with_delimiter("/").unwrap();
        assert_eq!(
            call.url(&target),
            "http://host/v1/namespace/%2F/list?limit=5&delimiter=%2F"
        );
    }
}
