//! Version entries: what a create sends and what a server stores.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// A staging manifest and what a create says of it. Every field is the manifest's own, so that a
/// stored entry tells whose it is.
#[derive(Clone, Debug)]
pub struct Manifest {
    pub(crate) label: String,
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) e_tag: String,
    pub(crate) metadata: BTreeMap<String, String>,
    pub(crate) naming_scheme: Option<&'static str>,
}

impl Manifest {
    /// The naming scheme to ask for: `V1` or `V2`.
    #[must_use]
    pub fn named(mut self, scheme: &'static str) -> Self {
        self.naming_scheme = Some(scheme);
        self
    }

    /// Other metadata, in place of what tells manifests apart.
    #[must_use]
    pub fn with_metadata(mut self, metadata: impl IntoIterator<Item = (String, String)>) -> Self {
        self.metadata = metadata.into_iter().collect();
        self
    }

    /// Another path, in place of the one where the file is.
    #[must_use]
    pub fn at(mut self, path: &str) -> Self {
        path.clone_into(&mut self.path);
        self
    }

    /// The fields that a create of this version sends.
    #[must_use]
    pub fn request(&self, version: i64) -> Map<String, Value> {
        let mut fields = Map::new();
        fields.insert("version".to_owned(), json!(version));
        fields.insert("manifest_path".to_owned(), json!(self.path));
        fields.insert("manifest_size".to_owned(), json!(self.bytes.len()));
        fields.insert("e_tag".to_owned(), json!(self.e_tag));
        fields.insert("metadata".to_owned(), json!(self.metadata));
        if let Some(scheme) = self.naming_scheme {
            fields.insert("naming_scheme".to_owned(), json!(scheme));
        }
        fields
    }
}

/// A version's entry as a server answers it.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The version's number.
    pub version: i64,
    /// Where its manifest is.
    pub manifest_path: String,
    /// The manifest's size in bytes, if the server says.
    pub manifest_size: Option<i64>,
    /// The manifest's ETag, if the server says.
    pub e_tag: Option<String>,
    /// The metadata, if the server says.
    pub metadata: Option<BTreeMap<String, String>>,
    /// When the version was created, in milliseconds since 1970, if the server says.
    pub timestamp_millis: Option<i64>,
}

impl Entry {
    /// Reads a `TableVersion`; none if a field is missing or of another type.
    #[must_use]
    pub fn read(value: &Value) -> Option<Self> {
        let optional = |name: &str| value.get(name).filter(|field| !field.is_null());
        let metadata = match optional("metadata") {
            None => None,
            Some(metadata) => Some(serde_json::from_value(metadata.clone()).ok()?),
        };
        Some(Self {
            version: value.get("version")?.as_i64()?,
            manifest_path: value.get("manifest_path")?.as_str()?.to_owned(),
            manifest_size: optional("manifest_size").and_then(Value::as_i64),
            e_tag: optional("e_tag").and_then(|e_tag| Some(e_tag.as_str()?.to_owned())),
            metadata,
            timestamp_millis: optional("timestamp_millis").and_then(Value::as_i64),
        })
    }

    /// Where two answers about one version disagree. A field that one of them leaves out is no
    /// disagreement.
    #[must_use]
    pub fn disagreements(&self, other: &Self) -> Vec<String> {
        fn differ<T: PartialEq + std::fmt::Debug>(
            name: &str,
            one: Option<&T>,
            other: Option<&T>,
        ) -> Option<String> {
            match (one, other) {
                (Some(one), Some(other)) if one != other => Some(format!(
                    "{name} is {one:?} in one and {other:?} in the other"
                )),
                _ => None,
            }
        }
        [
            differ("version", Some(&self.version), Some(&other.version)),
            differ(
                "manifest_path",
                Some(&self.manifest_path),
                Some(&other.manifest_path),
            ),
            differ(
                "manifest_size",
                self.manifest_size.as_ref(),
                other.manifest_size.as_ref(),
            ),
            differ("e_tag", self.e_tag.as_ref(), other.e_tag.as_ref()),
            differ("metadata", self.metadata.as_ref(), other.metadata.as_ref()),
            differ(
                "timestamp_millis",
                self.timestamp_millis.as_ref(),
                other.timestamp_millis.as_ref(),
            ),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// Whether the entry tells of another manifest than this one, by its bytes or by what the
    /// metadata of every manifest says.
    #[must_use]
    pub fn is_anothers(&self, manifest: &Manifest, bytes: Option<&[u8]>) -> bool {
        let other_writer = manifest.metadata.iter().any(|(key, value)| {
            let stored = self.metadata.as_ref().and_then(|stored| stored.get(key));
            stored.is_some_and(|stored| stored != value)
        });
        other_writer || bytes.is_some_and(|bytes| bytes != manifest.bytes)
    }

    /// Which of these manifests the entry tells of, by any field that is one manifest's own.
    ///
    /// The manifest at a path that the server moved it to is told by its bytes, if they can be
    /// read.
    #[must_use]
    pub fn whose(&self, manifests: &[Manifest], bytes: Option<&[u8]>) -> Vec<usize> {
        let mut owners: Vec<usize> = manifests
            .iter()
            .enumerate()
            .filter(|(_, manifest)| {
                let size = i64::try_from(manifest.bytes.len()).ok();
                let alone = |count: usize| count == 1;
                self.manifest_path == manifest.path
                    || bytes == Some(&manifest.bytes)
                    || self.e_tag.as_ref() == Some(&manifest.e_tag)
                    || self.metadata.as_ref() == Some(&manifest.metadata)
                    || (self.manifest_size == size
                        && alone(
                            manifests
                                .iter()
                                .filter(|other| other.bytes.len() == manifest.bytes.len())
                                .count(),
                        ))
            })
            .map(|(index, _)| index)
            .collect();
        owners.dedup();
        owners
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(label: &str, size: usize) -> Manifest {
        Manifest {
            label: label.to_owned(),
            path: format!("t/_versions/{label}"),
            bytes: vec![b'x'; size],
            e_tag: format!("etag-{label}"),
            metadata: BTreeMap::from([("writer".to_owned(), label.to_owned())]),
            naming_scheme: None,
        }
    }

    fn entry(value: &Value) -> Entry {
        Entry::read(value).unwrap()
    }

    #[test]
    fn an_entry_tells_its_owner_by_any_field() {
        let manifests = [manifest("a", 10), manifest("b", 11)];
        let moved = |more: Value| {
            let mut value = json!({ "version": 1, "manifest_path": "t/_versions/1.manifest" });
            let fields = value.as_object_mut().unwrap();
            fields.extend(more.as_object().unwrap().clone());
            entry(&value)
        };
        assert_eq!(
            moved(json!({})).whose(&manifests, None),
            Vec::<usize>::new()
        );
        assert_eq!(moved(json!({})).whose(&manifests, Some(&[b'x'; 11])), [1]);
        assert_eq!(
            moved(json!({ "manifest_size": 10 })).whose(&manifests, None),
            [0]
        );
        assert_eq!(
            moved(json!({ "metadata": { "writer": "b" } })).whose(&manifests, None),
            [1]
        );
        let mixed = moved(json!({ "manifest_size": 10, "e_tag": "etag-b" }));
        assert_eq!(mixed.whose(&manifests, None), [0, 1]);
    }

    #[test]
    fn an_entry_that_tells_nothing_is_nobody_elses() {
        let a = manifest("a", 10);
        let moved = json!({ "version": 1, "manifest_path": "t/_versions/1.manifest" });
        assert!(!entry(&moved).is_anothers(&a, None));
        assert!(!entry(&moved).is_anothers(&a, Some(&[b'x'; 10])));
        assert!(entry(&moved).is_anothers(&a, Some(&[b'x'; 11])));
        let mut of_b = moved;
        of_b["metadata"] = json!({ "writer": "b" });
        assert!(entry(&of_b).is_anothers(&a, None));
    }

    #[test]
    fn a_field_left_out_is_no_disagreement() {
        let whole = entry(&json!({
            "version": 1, "manifest_path": "p", "manifest_size": 5, "e_tag": "e", "metadata": {},
        }));
        let short = entry(&json!({ "version": 1, "manifest_path": "p", "metadata": null }));
        assert_eq!(whole.disagreements(&short), Vec::<String>::new());
        let other = entry(&json!({ "version": 1, "manifest_path": "q", "manifest_size": 6 }));
        assert_eq!(whole.disagreements(&other).len(), 2);
    }
}
