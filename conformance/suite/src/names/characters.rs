//! The characters that names may be made of.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A set of characters, as a character class of a regular expression names it: `a-zA-Z0-9_-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Characters {
    text: String,
    ranges: Vec<RangeInclusive<char>>,
}

/// Why a set of characters cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CharactersError {
    /// A range ends before it begins.
    #[error("the range {0} ends before it begins")]
    Backwards(String),
    /// The suite's own names cannot be made of it.
    #[error(
        "the characters {0:?} leave out some of a-z0-9, of which the suite makes its own names; \
         a set is written as in a-zA-Z0-9_-"
    )]
    TooFew(String),
}

impl Characters {
    pub(super) fn has(&self, c: char) -> bool {
        self.ranges.iter().any(|range| range.contains(&c))
    }
}

impl FromStr for Characters {
    type Err = CharactersError;

    fn from_str(text: &str) -> Result<Self, CharactersError> {
        let letters: Vec<char> = text.chars().collect();
        let mut ranges = Vec::new();
        let mut rest = letters.as_slice();
        while let [first, others @ ..] = rest {
            rest = match others {
                ['-', last, others @ ..] => {
                    if first > last {
                        return Err(CharactersError::Backwards(format!("{first}-{last}")));
                    }
                    ranges.push(*first..=*last);
                    others
                }
                others => {
                    ranges.push(*first..=*first);
                    others
                }
            };
        }
        let characters = Self {
            text: text.to_owned(),
            ranges,
        };
        let mut own = ('a'..='z').chain('0'..='9');
        if own.any(|c| !characters.has(c)) {
            return Err(CharactersError::TooFew(text.to_owned()));
        }
        Ok(characters)
    }
}

impl fmt::Display for Characters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_characters_is_read() {
        let set: Characters = "a-zA-Z0-9._-".parse().unwrap();
        for (c, is_in) in [
            ('q', true),
            ('-', true),
            ('.', true),
            ('é', false),
            ('+', false),
        ] {
            assert_eq!(set.has(c), is_in, "{c}");
        }
        assert!("z-a0-9".parse::<Characters>().is_err());
        assert!("A-Z".parse::<Characters>().is_err());
    }
}
