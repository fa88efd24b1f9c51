//! The values of a declaration that are more than text.

use std::fmt;

use http::HeaderName;
use schemars::JsonSchema;
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};

use crate::expectation::Fails;
use crate::names::Characters;
use crate::target::Target;

/// The name of an environment variable that holds a secret.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Env {
    /// The variable's name.
    pub env: String,
}

/// The value of a header: a text, or the name of an environment variable that holds it.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(untagged)]
pub enum HeaderText {
    /// The text itself.
    Text(String),
    /// The name of the variable.
    Env(Env),
}

/// The name of a header, in lower case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HeaderKey(String);

/// A URL that a server can be at.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerUrl(String);

impl Env {
    /// What the variable holds; none if it is not set or is no text.
    #[must_use]
    pub fn value(&self) -> Option<String> {
        std::env::var(&self.env).ok()
    }
}

impl HeaderKey {
    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl ServerUrl {
    /// The URL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A password is not shown.
impl fmt::Debug for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Target::new(&self.0).map_or_else(|_| String::new(), |url| url.display_url()))
    }
}

impl<'de> Deserialize<'de> for Env {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_any(TextOrEnv)? {
            HeaderText::Env(env) => Ok(env),
            // The text is a secret, and is not repeated.
            HeaderText::Text(_) => Err(de::Error::custom(
                "a secret does not belong into a file: put it into an environment variable and name \
                 that, as in { env = \"MY_TOKEN\" }",
            )),
        }
    }
}

impl<'de> Deserialize<'de> for HeaderText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextOrEnv)
    }
}

struct TextOrEnv;

impl<'de> Visitor<'de> for TextOrEnv {
    type Value = HeaderText;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, or the name of an environment variable as in { env = \"MY_TOKEN\" }")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<HeaderText, E> {
        Ok(HeaderText::Text(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<HeaderText, A::Error> {
        let mut name = None;
        while let Some(key) = map.next_key::<String>()? {
            if key != "env" {
                return Err(de::Error::unknown_field(&key, &["env"]));
            }
            name = Some(map.next_value::<String>()?);
        }
        let env = name.ok_or_else(|| de::Error::missing_field("env"))?;
        Ok(HeaderText::Env(Env { env }))
    }
}

impl TryFrom<String> for HeaderKey {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let name: HeaderName = text
            .parse()
            .map_err(|_| format!("{text:?} cannot be the name of a header"))?;
        Ok(Self(name.as_str().to_owned()))
    }
}

impl TryFrom<String> for ServerUrl {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match Target::new(&text) {
            Ok(_) => Ok(Self(text)),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Reads what a text is turned into, so that an error is one of the place where it stands.
macro_rules! read_from_text {
    ($($type:ty),+) => {$(
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                Self::try_from(text).map_err(de::Error::custom)
            }
        }
    )+};
}
read_from_text!(HeaderKey, ServerUrl, Characters, Fails);

impl TryFrom<String> for Characters {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse().map_err(|error| format!("{error}"))
    }
}

impl TryFrom<String> for Fails {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}
