//! Exchanges as reports show them: without secrets, and as a curl command.

use std::collections::BTreeMap;

use http::HeaderMap;
use serde_json::Value;

use crate::call::{Body, Caller};
use crate::exchange::{Exchange, Received};
use crate::result::{ExchangeResult, RequestResult, ResponseResult};
use crate::rows::{self, Frame};
use crate::target::Target;

/// The longest body that a report shows whole, in bytes.
const LONGEST_BODY: usize = 4096;

impl Exchange {
    /// The exchange as a report shows it.
    pub(crate) fn report(&self, target: &Target) -> ExchangeResult {
        let (response, error) = match &self.answer {
            Ok(answer) => (Some(self.response(answer, target)), None),
            Err(error) => (None, Some(target.without_secrets(error))),
        };
        ExchangeResult {
            operation: self.operation.id.clone(),
            request: RequestResult {
                method: self.method.to_string(),
                url: target.without_secrets(&self.url),
                body: match &self.sent {
                    Body::None => None,
                    Body::Json(body) => Some(shown_json(body.clone(), target)),
                    Body::Raw(content_type, body) => {
                        let text = arrow(Some(content_type), body);
                        Some(text.unwrap_or_else(|| shown_text(body, target)).into())
                    }
                },
            },
            curl: target.without_secrets(&self.curl(target)),
            response,
            error,
            fault: self.fault.map(|fault| fault.to_string()),
            put_off: (self.put_off > 0).then_some(self.put_off),
        }
    }

    fn response(&self, answer: &Received, target: &Target) -> ResponseResult {
        let body = match self.json() {
            Some(body) => Some(shown_json(body, target)),
            None if answer.body.is_empty() => None,
            None => {
                let text = arrow(self.content_type(), &answer.body);
                Some(
                    text.unwrap_or_else(|| shown_text(&answer.body, target))
                        .into(),
                )
            }
        };
        ResponseResult {
            status: answer.status,
            headers: shown_headers(&answer.headers, target),
            body,
        }
    }

    /// A command that sends the request again. Headers that the user gave stand as names of
    /// shell variables, since their values may be secrets.
    #[must_use]
    pub fn curl(&self, target: &Target) -> String {
        let mut command = format!("curl -i -X {} {}", self.method, quoted(&self.url));
        for name in target.headers_of(&self.caller).keys() {
            let variable = name.as_str().to_uppercase().replace('-', "_");
            let of = match self.caller {
                Caller::Known | Caller::Nobody => "",
                _ if target.bad_credentials().contains_key(name) => "BAD_",
                _ => "",
            };
            command.push_str(&format!(" -H \"{name}: ${of}{variable}\""));
        }
        let (content_type, body) = match &self.sent {
            Body::Raw(content_type, body) if *content_type == rows::STREAM => {
                let what = arrow(Some(content_type), body)
                    .unwrap_or_else(|| "bytes that are no Arrow stream".to_owned());
                command.push_str(&format!(
                    " -H 'content-type: {content_type}' --data-binary @rows.arrow  # {what}"
                ));
                return command;
            }
            Body::None => return command,
            Body::Json(body) => {
                let mut body = body.clone();
                redact(&mut body);
                ("application/json", body.to_string())
            }
            Body::Raw(content_type, body) => {
                (*content_type, String::from_utf8_lossy(body).into_owned())
            }
        };
        command.push_str(&format!(" -H 'content-type: {content_type}'"));
        if body.len() > LONGEST_BODY {
            command.push_str(" --data-binary @body  # the body is too long to show");
        } else {
            command.push_str(&format!(" --data-binary {}", quoted(&body)));
        }
        command
    }

    /// A short line: where it was asked, what came of it, and how long that took.
    pub(crate) fn line(&self) -> String {
        let took = self.ended.saturating_duration_since(self.started);
        let came = match (self.status(), self.code()) {
            (Some(status), Some(code)) => format!("{status} code {code}"),
            (Some(status), None) => status.to_string(),
            (None, _) => "no answer".to_owned(),
        };
        let (method, millis) = (&self.method, took.as_secs_f64() * 1e3);
        format!("{came} in {millis:.1} ms  {method} {}", self.url)
    }

    /// One line: what was asked and what came of it, without secrets.
    pub(crate) fn summary(&self, target: &Target) -> String {
        let raw = |content_type: Option<&str>, body: &[u8]| {
            arrow(content_type, body).unwrap_or_else(|| shown_text(body, target))
        };
        let sent = match &self.sent {
            Body::None => String::new(),
            Body::Json(body) => format!(" {}", shown_json(body.clone(), target)),
            Body::Raw(content_type, body) => format!(" {}", raw(Some(content_type), body)),
        };
        let came = match &self.answer {
            Ok(answer) => {
                let body = match self.json() {
                    Some(body) => shown_json(body, target).to_string(),
                    None => raw(self.content_type(), &answer.body),
                };
                format!("{} {body}", answer.status)
            }
            Err(error) => format!("no answer: {}", target.without_secrets(error)),
        };
        let way = match self.fault {
            None => String::new(),
            Some(fault) => format!("\n  {fault}"),
        };
        format!(
            "{} {}{}{way}\n  -> {}",
            self.method,
            target.without_secrets(&self.url),
            clipped(&sent),
            clipped(&came)
        )
    }
}

/// The rows of an Arrow body, in words; none if it is none.
fn arrow(content_type: Option<&str>, body: &[u8]) -> Option<String> {
    let kind = match content_type? {
        rows::STREAM => "stream",
        rows::FILE => "file",
        _ => return None,
    };
    let frame = Frame::read(body).ok()?;
    Some(format!("Arrow {kind}, {frame}"))
}

fn clipped(text: &str) -> String {
    const LONGEST: usize = 600;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn shown_headers(headers: &HeaderMap, target: &Target) -> BTreeMap<String, String> {
    let mut shown: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in headers {
        if matches!(name.as_str(), "set-cookie" | "authorization") {
            continue;
        }
        let value = target.without_secrets(&String::from_utf8_lossy(value.as_bytes()));
        let same = shown.entry(name.to_string()).or_default();
        if !same.is_empty() {
            same.push_str(", ");
        }
        same.push_str(&value);
    }
    shown
}

/// A JSON body without secrets: those of requests, and the credentials that a server vends.
fn shown_json(mut body: Value, target: &Target) -> Value {
    redact(&mut body);
    without_secrets(&mut body, target);
    let text = body.to_string();
    if text.len() > LONGEST_BODY {
        return Value::String(format!("{}… ({} bytes)", clipped(&text), text.len()));
    }
    body
}

fn redact(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::Object(options) if name == "storage_options" => {
                        for option in options.values_mut() {
                            *option = Value::String("redacted".to_owned());
                        }
                    }
                    Value::String(secret) if matches!(name.as_str(), "api_key" | "auth_token") => {
                        "redacted".clone_into(secret);
                    }
                    _ => redact(field),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(redact),
        _ => {}
    }
}

/// Takes out what a server repeats of the secrets that requests carry.
fn without_secrets(value: &mut Value, target: &Target) {
    match value {
        Value::String(text) => *text = target.without_secrets(text),
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| without_secrets(item, target)),
        Value::Object(fields) => {
            for field in fields.values_mut() {
                without_secrets(field, target);
            }
        }
        _ => {}
    }
}

/// Text without secrets. It is cut after that: half a secret would not be known again.
fn shown_text(body: &[u8], target: &Target) -> String {
    clipped(&target.without_secrets(&String::from_utf8_lossy(body)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn vended_credentials_are_not_shown() {
        let body = json!({ "results": [{ "declare_table": {
            "location": "s3://b/t", "storage_options": { "secret": "hunter2" },
        } }], "identity": { "api_key": "hunter2" } });
        let target = Target::new("http://host").unwrap();
        let shown = shown_json(body, &target).to_string();
        assert!(
            !shown.contains("hunter2") && shown.contains("s3://b/t"),
            "{shown}"
        );
    }

    #[test]
    fn a_secret_is_taken_out_before_the_text_is_cut() {
        let secret = "a-secret-key-of-the-run";
        let target = Target::new("http://host")
            .unwrap()
            .with_header("x-api-key", secret)
            .unwrap();
        let text = format!("{}{secret}", "x".repeat(590));
        assert!(!shown_text(text.as_bytes(), &target).contains("a-secret"));
    }

    #[test]
    fn a_quote_in_a_body_ends_no_shell_word() {
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
