//! Digests of a result: whether it is as it was written, and if not, where.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::result::RunResult;

/// The field of the whole's digest, and that of the parts'.
const WHOLE: &str = "digest";
const PARTS: &str = "digests";

/// How many digits of a part's digest are kept.
const SHORT: usize = 16;

impl RunResult {
    /// The same with its digests. What is changed after that counts as altered.
    #[must_use]
    pub fn sealed(mut self) -> Self {
        self.digests = parts(&self.as_read());
        self.digest = whole(&self.as_read());
        self
    }

    /// The result as who reads the file has it: with numbers that went through text.
    fn as_read(&self) -> Value {
        serde_json::from_str(&self.json()).unwrap_or_default()
    }
}

/// The digest of a result as it was read.
pub(super) fn whole(result: &Value) -> String {
    let mut rest = result.clone();
    if let Some(fields) = rest.as_object_mut() {
        fields.remove(WHOLE);
    }
    sha256(&canonical(&rest))
}

/// The digests of its parts.
pub(super) fn parts(result: &Value) -> BTreeMap<String, String> {
    let digest = |part: &Value| {
        let mut digest = sha256(&canonical(part));
        digest.truncate(SHORT);
        digest
    };
    let mut parts = BTreeMap::new();
    for (name, field) in result.as_object().into_iter().flatten() {
        match (name.as_str(), field) {
            (WHOLE | PARTS, _) => {}
            ("scenarios", Value::Array(scenarios)) => {
                for scenario in scenarios {
                    let id = scenario["id"].as_str().unwrap_or_default();
                    parts.insert(format!("scenario {id}"), digest(scenario));
                }
            }
            _ => {
                parts.insert(name.clone(), digest(field));
            }
        }
    }
    parts
}

/// JSON without spaces, with the names in each object sorted.
fn canonical(value: &Value) -> String {
    sorted(value).to_string()
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let by_name: BTreeMap<&String, &Value> = fields.iter().collect();
            let fields = by_name.into_iter();
            let sorted = fields.map(|(name, field)| (name.clone(), sorted(field)));
            Value::Object(sorted.collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        plain => plain.clone(),
    }
}

pub(super) fn sha256(text: &str) -> String {
    let mut digits = String::new();
    for byte in Sha256::digest(text) {
        // Writing to a String does not fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_digest_does_not_depend_on_the_order_of_names() {
        assert_eq!(
            canonical(&json!({ "b": [{ "d": 1, "c": "ä\n" }], "a": null })),
            r#"{"a":null,"b":[{"c":"ä\n","d":1}]}"#
        );
        assert_eq!(
            sha256("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
