//! How generated models read lists and maps: `null` in place of one, or of a map's value, is no
//! reason to lose an answer.

use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// A list; `null` is an empty one.
pub(crate) fn list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// A map; `null` is an empty one, and a value that is `null` is left out.
pub(crate) fn map<'de, D, V>(deserializer: D) -> Result<HashMap<String, V>, D::Error>
where
    D: Deserializer<'de>,
    V: Deserialize<'de>,
{
    Ok(optional_map(deserializer)?.unwrap_or_default())
}

/// A map that may be absent; a value that is `null` is left out.
pub(crate) fn optional_map<'de, D, V>(
    deserializer: D,
) -> Result<Option<HashMap<String, V>>, D::Error>
where
    D: Deserializer<'de>,
    V: Deserialize<'de>,
{
    deserializer.deserialize_option(Entries::<Option<V>, V>(PhantomData))
}

/// A map of text that may be absent; a value that is `null` is left out. What `optional_map` reads
/// too, but in one look at each value.
pub(crate) fn optional_texts<'de, D>(
    deserializer: D,
) -> Result<Option<HashMap<String, String>>, D::Error>
where
    D: Deserializer<'de>,
{
    deserializer.deserialize_option(Entries::<Text, String>(PhantomData))
}

/// Reads a map whose values are read as `R`.
struct Entries<R, V>(PhantomData<(R, V)>);

impl<'de, V, R> Visitor<'de> for Entries<R, V>
where
    R: Deserialize<'de> + Into<Option<V>>,
{
    type Value = Option<HashMap<String, V>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map or null")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut map = HashMap::new();
        while let Some((key, value)) = entries.next_entry::<String, R>()? {
            if let Some(value) = value.into() {
                map.insert(key, value);
            }
        }
        Ok(Some(map))
    }
}

/// A text or `null`.
struct Text(Option<String>);

impl From<Text> for Option<String> {
    fn from(text: Text) -> Self {
        text.0
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Texts)
    }
}

struct Texts;

impl Visitor<'_> for Texts {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or null")
    }

    fn visit_str<E>(self, text: &str) -> Result<Text, E> {
        Ok(Text(Some(text.to_owned())))
    }

    fn visit_string<E>(self, text: String) -> Result<Text, E> {
        Ok(Text(Some(text)))
    }

    fn visit_unit<E>(self) -> Result<Text, E> {
        Ok(Text(None))
    }
}
