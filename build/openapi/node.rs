//! Typed access to the parsed document: every miss is a fault with its place.

use serde_json::{Map, Value};

use super::fault::{Fault, Place};

/// An object of the document, with its place.
#[derive(Clone)]
pub(crate) struct Node<'a> {
    object: &'a Map<String, Value>,
    pub(crate) place: Place,
}

impl<'a> Node<'a> {
    /// `value` as an object.
    pub(crate) fn new(value: &'a Value, place: Place) -> Result<Self, Fault> {
        match value {
            Value::Object(object) => Ok(Self { object, place }),
            other => Err(place.fault(format!("expected an object, found {other}"))),
        }
    }

    /// The value below `key`, with its place.
    pub(crate) fn get(&self, key: &str) -> Option<(&'a Value, Place)> {
        self.object
            .get(key)
            .map(|value| (value, self.place.at(key)))
    }

    /// The object below `key`.
    pub(crate) fn child(&self, key: &str) -> Result<Option<Node<'a>>, Fault> {
        self.get(key)
            .map(|(value, place)| Node::new(value, place))
            .transpose()
    }

    /// The object below `key`, which must be there.
    pub(crate) fn expect(&self, key: &str) -> Result<Node<'a>, Fault> {
        self.child(key)?
            .ok_or_else(|| self.place.fault(format!("`{key}` is missing; add it")))
    }

    /// The text below `key`.
    pub(crate) fn text(&self, key: &str) -> Result<Option<&'a str>, Fault> {
        match self.get(key) {
            None => Ok(None),
            Some((Value::String(text), _)) => Ok(Some(text)),
            Some((other, place)) => Err(place.fault(format!("expected a text, found {other}"))),
        }
    }

    /// The flag below `key`, false when absent.
    pub(crate) fn flag(&self, key: &str) -> Result<bool, Fault> {
        match self.get(key) {
            None => Ok(false),
            Some((Value::Bool(flag), _)) => Ok(*flag),
            Some((other, place)) => {
                Err(place.fault(format!("expected true or false, found {other}")))
            }
        }
    }

    /// The elements below `key`, none when absent.
    pub(crate) fn elements(&self, key: &str) -> Result<Vec<(&'a Value, Place)>, Fault> {
        match self.get(key) {
            None => Ok(Vec::new()),
            Some((Value::Array(items), place)) => Ok(items
                .iter()
                .enumerate()
                .map(|(index, item)| (item, place.at(index)))
                .collect()),
            Some((other, place)) => Err(place.fault(format!("expected a list, found {other}"))),
        }
    }

    /// The entries of this object, each an object.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&'a str, Result<Node<'a>, Fault>)> {
        let place = self.place.clone();
        self.object
            .iter()
            .map(move |(key, value)| (key.as_str(), Node::new(value, place.at(key))))
    }

    /// The keys of this object.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'a str> {
        self.object.keys().map(String::as_str)
    }

    /// Refuses every key that is neither known nor an extension (`x-...`).
    pub(crate) fn only(&self, what: &str, known: &[&str]) -> Result<(), Fault> {
        for key in self.keys() {
            if !known.contains(&key) && !key.starts_with("x-") {
                return Err(self.place.at(key).fault(format!(
                    "`{key}` is not known in {what}; teach build/openapi to convert it, or \
                     remove it from the document"
                )));
            }
        }
        Ok(())
    }
}

/// The name at the end of a local reference such as `#/components/schemas/TableVersion`.
pub(crate) fn referenced<'a>(
    reference: &'a str,
    kind: &str,
    place: &Place,
) -> Result<&'a str, Fault> {
    let prefix = format!("#/components/{kind}/");
    reference.strip_prefix(prefix.as_str()).ok_or_else(|| {
        place.fault(format!(
            "`{reference}` does not point into {prefix}; move what it names there"
        ))
    })
}
