//! Strict reading of JSON: what a field may hold is in its type, and the rest is refused.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::error::Error;

/// Reads a request body. An empty one is taken as `{}`.
pub(crate) fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Error> {
    let body = if body.trim_ascii().is_empty() {
        b"{}"
    } else {
        body
    };
    let object: Object<T> = serde_json::from_slice(body)
        .map_err(|error| Error::invalid(format!("the body cannot be read: {error}")))?;
    Ok(object.0)
}

/// A JSON object. serde's derived structs would also be read from an array of their fields.
#[derive(Debug)]
pub(crate) struct Object<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
            type Value = Object<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }

        deserializer.deserialize_map(ObjectVisitor(PhantomData))
    }
}

/// An integer of 64 bits that is not negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "i64")]
pub(crate) struct Natural(i64);

impl Natural {
    pub(crate) fn get(self) -> i64 {
        self.0
    }
}

impl TryFrom<i64> for Natural {
    type Error = String;

    fn try_from(number: i64) -> Result<Self, String> {
        if number < 0 {
            Err(format!("{number} is negative"))
        } else {
            Ok(Self(number))
        }
    }
}

/// A text that says something: a path, a location, the name of a tag or branch.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct NonEmpty(String);

impl NonEmpty {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for NonEmpty {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        if text.is_empty() {
            Err("an empty text where one is needed")
        } else {
            Ok(Self(text))
        }
    }
}

impl From<NonEmpty> for String {
    fn from(text: NonEmpty) -> Self {
        text.0
    }
}

/// A choice that requests spell in PascalCase or snake_case, in any letter case (NS-2).
pub(crate) trait Choice: Copy + 'static {
    /// Each spelling and what it stands for.
    const SPELLINGS: &'static [(&'static str, Self)];
}

/// Reads an optional [`Choice`]; for `#[serde(default, deserialize_with = ...)]`.
pub(crate) fn choice<'de, D, C>(deserializer: D) -> Result<Option<C>, D::Error>
where
    D: Deserializer<'de>,
    C: Choice,
{
    let Some(text) = Option::<String>::deserialize(deserializer)? else {
        return Ok(None);
    };
    let found = C::SPELLINGS
        .iter()
        .find(|(spelling, _)| spelling.eq_ignore_ascii_case(&text));
    match found {
        Some((_, value)) => Ok(Some(*value)),
        None => {
            let known: Vec<&str> = C::SPELLINGS.iter().map(|(spelling, _)| *spelling).collect();
            Err(D::Error::custom(format!(
                "{text:?} is none of {}",
                known.join(", ")
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    struct Entry {
        version: Natural,
        path: Option<NonEmpty>,
    }

    /// VER-9.
    #[test]
    fn wrong_types_and_arrays_in_place_of_objects_are_refused() {
        for body in [
            r#"{"version":"1"}"#,
            r#"{"version":1.0}"#,
            r#"{"version":-1}"#,
            r#"{"version":9223372036854775808}"#,
            r#"{"version":null}"#,
            r#"{"version":1,"path":""}"#,
            r#"{"version":1,"path":5}"#,
            r#"{"version":1"#,
            "[1]",
            "null",
            "",
            "{}",
        ] {
            assert!(parse::<Entry>(body.as_bytes()).is_err(), "{body}");
        }
    }

    /// REST-10, and the reading that null is absence.
    #[test]
    fn unknown_fields_are_ignored_and_null_is_absence() {
        let body = br#"{"version":9223372036854775807,"path":null,"later":[1]}"#;
        let entry: Entry = parse(body).unwrap();
        assert_eq!(entry.version.get(), i64::MAX);
        assert!(entry.path.is_none());
    }
}
