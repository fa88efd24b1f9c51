//! Identifiers of namespaces and tables.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The delimiter where the request names none (REST-3).
pub(crate) const DEFAULT_DELIMITER: &str = "$";

/// How many parts an identifier has at most.
///
/// SQLite removes a namespace with what is in it level by level, and not through any number of them.
pub const MAX_PARTS: usize = 100;

/// One part of an identifier: any text but the empty one, `.` and `..`.
///
/// The two dot names are refused since URL normalisation, in clients and on the way, takes them
/// for directories, so that a request would act on another object (REST-11).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String")]
pub(crate) struct Part(String);

impl Part {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<Part> for String {
    fn from(part: Part) -> Self {
        part.0
    }
}

impl TryFrom<String> for Part {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        match text.as_str() {
            "" => Err(Error::invalid("an identifier has an empty part")),
            "." | ".." => Err(Error::invalid(format!(
                "{text:?} cannot be part of an identifier"
            ))),
            _ => Ok(Self(text)),
        }
    }
}

/// The identifier of a namespace; without parts it is the root.
///
/// Parts stay apart from the request to the database, so that no name, whatever characters it
/// has, is the same as two names joined.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "Vec<Part>")]
pub(crate) struct Identifier(Vec<Part>);

impl Identifier {
    /// Reads the identifier of a decoded path segment (REST-3, REST-4).
    pub(crate) fn parse(text: &str, delimiter: &str) -> Result<Self, Error> {
        if delimiter.is_empty() {
            return Err(Error::invalid("the delimiter is empty"));
        }
        if text == delimiter {
            return Ok(Self(Vec::new()));
        }
        let parts = text
            .split(delimiter)
            .map(|part| Part::try_from(part.to_owned()));
        Self::try_from(parts.collect::<Result<Vec<_>, _>>()?)
    }

    /// Whether these are its parts.
    pub(crate) fn is(&self, parts: &[String]) -> bool {
        self.0.iter().map(Part::as_str).eq(parts)
    }

    pub(crate) fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The parts as JSON: what the database knows a namespace by.
    pub(crate) fn path(&self) -> Result<String, Error> {
        serde_json::to_string(self).map_err(Error::internal)
    }

    /// Reads back what [`path`](Self::path) gave.
    pub(crate) fn from_path(path: &str) -> Result<Self, Error> {
        serde_json::from_str(path).map_err(Error::internal)
    }

    /// The parent and the last part, or nothing for the root.
    pub(crate) fn split_last(&self) -> Option<(Self, &Part)> {
        let (last, parents) = self.0.split_last()?;
        Some((Self(parents.to_vec()), last))
    }

    /// The parts joined, or nothing where the joined text would name another object, as it does
    /// when a part contains the delimiter.
    pub(crate) fn join(&self, delimiter: &str) -> Option<String> {
        let parts: Vec<&str> = self.0.iter().map(Part::as_str).collect();
        let joined = if self.is_root() {
            delimiter.to_owned()
        } else {
            parts.join(delimiter)
        };
        let read_back = Self::parse(&joined, delimiter);
        read_back.is_ok_and(|id| id == *self).then_some(joined)
    }
}

impl TryFrom<Vec<Part>> for Identifier {
    type Error = Error;

    fn try_from(parts: Vec<Part>) -> Result<Self, Error> {
        if parts.len() > MAX_PARTS {
            let count = parts.len();
            let message = format!("an identifier has {count} parts, more than {MAX_PARTS}");
            return Err(Error::invalid(message));
        }
        Ok(Self(parts))
    }
}

impl fmt::Display for Identifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_root() {
            return f.write_str("root");
        }
        for (at, part) in self.0.iter().enumerate() {
            let delimiter = if at == 0 { "" } else { DEFAULT_DELIMITER };
            write!(f, "{delimiter}{}", part.0)?;
        }
        Ok(())
    }
}

/// The identifier of a table: a name in a namespace.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Identifier")]
pub(crate) struct TableId {
    pub(crate) namespace: Identifier,
    pub(crate) name: Part,
}

impl TableId {
    /// The identifier as the protocol's list of parts.
    pub(crate) fn identifier(&self) -> Identifier {
        let mut parts = self.namespace.0.clone();
        parts.push(self.name.clone());
        Identifier(parts)
    }
}

impl TryFrom<Identifier> for TableId {
    type Error = Error;

    fn try_from(id: Identifier) -> Result<Self, Error> {
        let (namespace, name) = id
            .split_last()
            .ok_or_else(|| Error::invalid("the root is a namespace and cannot name a table"))?;
        Ok(Self {
            namespace,
            name: name.clone(),
        })
    }
}

impl fmt::Display for TableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.identifier().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str, delimiter: &str) -> Vec<String> {
        let id = Identifier::parse(text, delimiter).unwrap();
        id.0.into_iter().map(|part| part.0).collect()
    }

    /// REST-3, REST-4.
    #[test]
    fn a_delimiter_of_any_length_splits_and_alone_is_the_root() {
        assert_eq!(parts("a$b", "$"), ["a", "b"]);
        assert_eq!(parts("a$b", "."), ["a$b"]);
        assert_eq!(parts("a::b::c", "::"), ["a", "b", "c"]);
        for delimiter in ["$", ".", "/", "%", "|", "::", "é"] {
            assert!(parts(delimiter, delimiter).is_empty());
        }
    }

    #[test]
    fn empty_parts_dot_names_and_an_empty_delimiter_are_refused() {
        for text in ["", "a$", "$a", "a$$b", "$$", ".", "..", "a$..", ".$a"] {
            assert!(Identifier::parse(text, "$").is_err(), "{text:?}");
        }
        assert!(Identifier::parse("a", "").is_err());
        assert!(serde_json::from_str::<Identifier>(r#"["a",""]"#).is_err());
        assert!(serde_json::from_str::<Identifier>(r#"["..","a"]"#).is_err());
    }

    /// REST-11.
    #[test]
    fn names_that_look_alike_have_paths_of_their_own() {
        let texts = [
            "a$b", "a\"b", "a,b", "a\u{0}b", "a/b", "é", "e\u{301}", "[]",
        ];
        let mut paths: Vec<String> = texts
            .iter()
            .map(|text| Identifier::parse(text, "\u{1}").unwrap().path().unwrap())
            .collect();
        paths.push(Identifier::parse("a$b", "$").unwrap().path().unwrap());
        for path in &paths {
            assert_eq!(&Identifier::from_path(path).unwrap().path().unwrap(), path);
        }
        let count = paths.len();
        paths.sort();
        paths.dedup();
        assert_eq!(paths.len(), count);
    }

    #[test]
    fn a_part_with_the_delimiter_in_it_cannot_be_joined() {
        let id = Identifier::parse("a$b.c", ".").unwrap();
        assert_eq!(id.join("."), Some("a$b.c".to_owned()));
        assert_eq!(id.join("$"), None);
        let edge = Identifier::parse("a:$:b", "$").unwrap();
        assert_eq!(edge.join("::"), None);
    }

    #[test]
    fn the_root_names_no_table() {
        assert!(serde_json::from_str::<TableId>("[]").is_err());
        let id: TableId = serde_json::from_str(r#"["prod","users"]"#).unwrap();
        assert_eq!(id.to_string(), "prod$users");
        assert_eq!(id.namespace.to_string(), "prod");
    }
}
