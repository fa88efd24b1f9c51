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
    deserializer.deserialize_option(Sparse(PhantomData))
}

/// Reads a map straight into its place: by way of one with optional values it takes twice as long.
struct Sparse<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for Sparse<V> {
    type Value = Option<HashMap<String, V>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut map = HashMap::with_capacity(entries.size_hint().unwrap_or_default().min(1024));
        while let Some((key, value)) = entries.next_entry::<String, Option<V>>()? {
            if let Some(value) = value {
                map.insert(key, value);
            }
        }
        Ok(Some(map))
    }
}
