//! A part of a run that was divided: a shard, or what one process of a test target played.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::plan::Plan;
use crate::session::random_seed;

/// One of several parts of a plan that are played apart, as `2/4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    /// Which, from 1.
    pub number: u16,
    /// Of how many.
    pub of: u16,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "{text:?} does not say which shard of how many, as in 1/4: the first is 1, and the last \
                 4/4"
            )
        };
        let (number, of) = text.split_once('/').ok_or_else(wrong)?;
        let parsed = |text: &str| text.parse::<u16>().map_err(|_| wrong());
        let (number, of) = (parsed(number)?, parsed(of)?);
        match 1 <= number && number <= of {
            true => Ok(Self { number, of }),
            false => Err(wrong()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl Serialize for Shard {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Shard {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Shard {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Shard".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[0-9]+/[0-9]+$" })
    }
}

/// What a run must be told that plays only a part of what was asked for.
#[derive(Clone, Debug)]
pub struct Part {
    /// Which shard it is; none if a test target was asked for some of its tests.
    pub shard: Option<Shard>,
    /// All that was asked for.
    pub whole: Plan,
    /// How the server came about, where it was started for this part alone: its URL then says nothing of
    /// which server it is.
    pub started_by: Option<String>,
}

impl Part {
    /// The name of a run of this part.
    pub(crate) fn run_name(shard: Option<Shard>, seed: u64) -> String {
        match shard {
            Some(Shard { number, of }) => format!("{seed:x}s{number}of{of}"),
            None => format!("{seed:x}p{:x}", random_seed()),
        }
    }

    /// The part in words, of a plan of so many scenarios.
    pub(crate) fn words(shard: Option<Shard>, scenarios: usize, whole: usize) -> String {
        match shard {
            Some(Shard { number, of }) => format!("shard {number} of {of}"),
            None => format!("{scenarios} of {whole} scenarios"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_a_number_of_how_many() {
        assert_eq!("2/4".parse(), Ok(Shard { number: 2, of: 4 }));
        assert_eq!("4/4".parse::<Shard>().unwrap().to_string(), "4/4");
        for wrong in ["0/4", "5/4", "1", "1/", "/4", "1/4/2", "-1/4", "1/0"] {
            let error = wrong.parse::<Shard>().unwrap_err();
            assert!(error.contains(wrong) && error.contains("1/4"), "{error}");
        }
    }
}
