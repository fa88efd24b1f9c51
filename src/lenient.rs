//! How generated models read lists and maps: `null` in place of one, or of a map's value, is no
//! reason to lose an answer.

use std::collections::HashMap;

use serde::{Deserialize, Deserializer};

type Sparse<V> = HashMap<String, Option<V>>;

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
    let sparse: Option<Sparse<V>> = Option::deserialize(deserializer)?;
    Ok(sparse.map(|sparse| {
        sparse
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?)))
            .collect()
    }))
}
