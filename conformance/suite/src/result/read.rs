//! Reading a result that was written before.

use serde_json::Value;

use crate::result::{RunResult, SCHEMA};

/// Why a result cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It is not JSON.
    #[error("it is not JSON: {0}")]
    Json(#[source] serde_json::Error),
    /// It is no result.
    #[error("it is not the result of a run: it has no number in `schema`")]
    NoSchema,
    /// It was written by another release of the suite.
    #[error(
        "its schema is {found}, and this release reads schema {SCHEMA}: run the suite again, or read it \
         with the release that wrote it"
    )]
    Schema {
        /// The schema that it says it has.
        found: u64,
    },
    /// It does not have the structure of its schema.
    #[error("it does not have the structure of schema {SCHEMA}: {0}")]
    Structure(#[source] serde_json::Error),
}

impl RunResult {
    /// Reads a result. Whether it is complete and unaltered is not looked at.
    ///
    /// # Errors
    ///
    /// If it is no result of this [`SCHEMA`].
    pub fn read(text: &str) -> Result<Self, ReadError> {
        Self::of_value(value(text)?)
    }

    pub(super) fn of_value(value: Value) -> Result<Self, ReadError> {
        serde_json::from_value(value).map_err(ReadError::Structure)
    }
}

/// A result as JSON, of this schema by what it says.
pub(super) fn value(text: &str) -> Result<Value, ReadError> {
    let value: Value = serde_json::from_str(text).map_err(ReadError::Json)?;
    match value["schema"].as_u64() {
        Some(found) if found == u64::from(SCHEMA) => Ok(value),
        Some(found) => Err(ReadError::Schema { found }),
        None => Err(ReadError::NoSchema),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_result_of_this_schema_says_so() {
        for (text, says) in [
            ("{", "not JSON"),
            ("[]", "not the result of a run"),
            (r#"{"schema": 2}"#, "its schema is 2"),
            (r#"{"schema": 3}"#, "missing field `suite`"),
        ] {
            let error = RunResult::read(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
