//! Requests about namespaces and tables, by what they name.

use axum::body::Bytes;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::{Value, json};

use crate::interpose::{Honest, Received, json_of, ok};

/// Namespaces and tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Routes that begin with `/v1/namespace`.
    Namespace,
    /// Routes that begin with `/v1/table`.
    Table,
}

/// What a request names, and what it asks for.
#[derive(Clone, Debug)]
pub struct Named {
    /// What it is about.
    pub kind: Kind,
    /// The identifier in the route, in parts; none for the root.
    pub id: Vec<String>,
    /// What follows the identifier, without the first slash.
    pub action: String,
    delimiter: String,
}

impl Named {
    /// What this request names; none if its route names nothing.
    #[must_use]
    pub fn of(received: &Received) -> Option<Self> {
        let path = received.uri.path().strip_prefix("/v1/")?;
        let (kind, rest) = path.split_once('/')?;
        let kind = match kind {
            "namespace" => Kind::Namespace,
            "table" => Kind::Table,
            _ => return None,
        };
        let (id, action) = rest.split_once('/')?;
        // The batch operations stand where identifiers do.
        if id == "version" {
            return None;
        }
        let id = percent_decode_str(id).decode_utf8().ok()?.into_owned();
        let delimiter = received
            .query("delimiter")
            .unwrap_or_else(|| "$".to_owned());
        let id = match id == delimiter {
            true => Vec::new(),
            false => id.split(&delimiter).map(str::to_owned).collect(),
        };
        Some(Self {
            kind,
            id,
            action: action.to_owned(),
            delimiter,
        })
    }

    /// Whether it asks for this of a namespace, or of a table.
    #[must_use]
    pub fn asks(&self, kind: Kind, action: &str) -> bool {
        self.kind == kind && self.action == action
    }

    /// Whether it makes a namespace or declares a table.
    #[must_use]
    pub fn makes(&self) -> bool {
        self.asks(Kind::Namespace, "create") || self.asks(Kind::Table, "declare")
    }

    /// Whether it removes a namespace or a table.
    #[must_use]
    pub fn removes(&self) -> bool {
        matches!(self.action.as_str(), "drop" | "deregister")
    }

    /// The last part of the identifier.
    #[must_use]
    pub fn name(&self) -> &str {
        self.id.last().map(String::as_str).unwrap_or_default()
    }

    /// The parts before the last.
    #[must_use]
    pub fn parent(&self) -> &[String] {
        self.id.split_last().map_or(&[], |(_, parent)| parent)
    }

    /// The same about the namespace of this identifier, whatever it is now.
    #[must_use]
    pub fn as_namespace(&self) -> Self {
        Self {
            kind: Kind::Namespace,
            ..self.clone()
        }
    }

    /// The identifier of a sibling.
    #[must_use]
    pub fn sibling(&self, name: &str) -> Vec<String> {
        let mut id = self.parent().to_vec();
        id.push(name.to_owned());
        id
    }

    /// What the parts of its identifier are joined by.
    #[must_use]
    pub fn delimiter(&self) -> &str {
        &self.delimiter
    }

    /// The same request at the route of another object.
    #[must_use]
    pub fn routed(&self, received: &Received, id: &[String]) -> Received {
        let mut request = received.clone();
        let query = received.uri.query();
        let query = query.map_or_else(String::new, |query| format!("?{query}"));
        request.uri = self.uri(received, id, &self.action, &query);
        request
    }

    /// The same request about another object, whose identifier is in the body too if one was.
    #[must_use]
    pub fn about(&self, received: &Received, id: &[String]) -> Received {
        let mut request = self.routed(received, id);
        let mut body = received.json();
        if body.get("id").is_some() {
            body["id"] = json!(id);
            request.body = Bytes::from(body.to_string());
        }
        request
    }

    /// What the honest server answers to another request, about this kind of object.
    pub async fn ask(
        &self,
        honest: &Honest,
        received: &Received,
        id: &[String],
        action: &str,
        body: &Value,
    ) -> Response {
        let mut request = received.clone();
        let delimiter = utf8_percent_encode(&self.delimiter, NON_ALPHANUMERIC);
        let query = format!("?delimiter={delimiter}");
        request.uri = self.uri(received, id, action, &query);
        let lists = self.kind == Kind::Namespace && action.ends_with("list");
        request.method = if lists { Method::GET } else { Method::POST };
        request.body = Bytes::from(body.to_string());
        honest.answer(request).await
    }

    /// Whether an object of this kind is there.
    pub async fn there(&self, honest: &Honest, received: &Received, id: &[String]) -> bool {
        let body = json!({});
        let described = self.ask(honest, received, id, "describe", &body).await;
        described.status() == StatusCode::OK
    }

    /// What the honest server says of this table, and whether it is only declared; null if it is not there.
    pub async fn described(&self, honest: &Honest, received: &Received) -> Value {
        let mut request = received.with(&json!({}));
        let delimiter = utf8_percent_encode(&self.delimiter, NON_ALPHANUMERIC);
        let query = format!("?delimiter={delimiter}&check_declared=true");
        request.uri = self.uri(received, &self.id, "describe", &query);
        request.method = Method::POST;
        let json = HeaderValue::from_static("application/json");
        request.headers.insert(header::CONTENT_TYPE, json);
        let answer = honest.answer(request).await;
        match answer.status().is_success() {
            true => json_of(answer).await,
            false => Value::Null,
        }
    }

    /// The names that the honest server lists in a namespace: `list` for namespaces, `table/list`.
    pub async fn names(
        &self,
        honest: &Honest,
        received: &Received,
        id: &[String],
        action: &str,
    ) -> Vec<String> {
        let above = self.as_namespace();
        let answer = above.ask(honest, received, id, action, &json!({})).await;
        let body = json_of(answer).await;
        let names = ["namespaces", "tables"]
            .into_iter()
            .filter_map(|field| body[field].as_array());
        let names = names.flatten().filter_map(Value::as_str);
        names.map(str::to_owned).collect()
    }

    fn uri(
        &self,
        received: &Received,
        id: &[String],
        action: &str,
        query: &str,
    ) -> axum::http::Uri {
        let kind = match self.kind {
            Kind::Namespace => "namespace",
            Kind::Table => "table",
        };
        let joined = match id {
            [] => self.delimiter.clone(),
            id => id.join(&self.delimiter),
        };
        let joined = utf8_percent_encode(&joined, NON_ALPHANUMERIC);
        let uri = format!("/v1/{kind}/{joined}/{action}{query}").parse();
        uri.unwrap_or_else(|_| received.uri.clone())
    }
}

/// An error with this status and code.
#[must_use]
pub fn refusal(status: StatusCode, code: u32) -> Response {
    let body = json!({ "code": code, "error": "as this server sees it" });
    (status, ok(&body)).into_response()
}
