//! A request and what came of it, as results hold it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A request and what came of it, without secrets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExchangeResult {
    /// The operation, by its id in `openapi.yml`.
    pub operation: String,
    /// What was sent.
    pub request: RequestResult,
    /// A command that sends it again. Headers that were given stand there as variables of the shell.
    pub curl: String,
    /// What was answered; none if no answer came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<ResponseResult>,
    /// Why no answer came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What the suite did to the request on its way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// How many answers of 429 and 503 were waited out before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub put_off: Option<u32>,
}

/// What was sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RequestResult {
    /// The method of HTTP.
    pub method: String,
    /// The URL, without a user or a password.
    pub url: String,
    /// The body: JSON, or text, in words if it is Arrow, or cut if it is long. None if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
}

/// What was answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResponseResult {
    /// The status of HTTP.
    pub status: u16,
    /// The headers, by name in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body, as that of a request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
}
