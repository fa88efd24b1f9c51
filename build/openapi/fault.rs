//! What stops the build: where in the document, and what to do about it.

use std::fmt;

/// A construct that the generation cannot take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// JSON pointer of the construct in openapi.yml.
    pub(crate) pointer: String,
    /// What is wrong there and what to do.
    pub(crate) message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "openapi.yml#{}: {}", self.pointer, self.message)
    }
}

impl std::error::Error for Fault {}

/// A place in the document, from which faults and deeper places are made.
#[derive(Debug, Clone)]
pub(crate) struct Place(String);

impl Place {
    /// The document itself.
    pub(crate) fn root() -> Self {
        Self(String::new())
    }

    /// The place one key deeper.
    pub(crate) fn at(&self, key: impl fmt::Display) -> Self {
        let key = key.to_string().replace('~', "~0").replace('/', "~1");
        Self(format!("{}/{key}", self.0))
    }

    /// A fault at this place.
    pub(crate) fn fault(&self, message: impl Into<String>) -> Fault {
        Fault {
            pointer: self.0.clone(),
            message: message.into(),
        }
    }
}
