//! Pages of a listing.
//!
//! A page token holds the key of the last item that was answered, and the next page begins after
//! that key. Items that come or go meanwhile move nothing, so none that stays is lost or repeated
//! (PAGE-4, PAGE-5).

use std::fmt::Write;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Error;

/// How many items a page holds at most, and where the request sets no limit.
///
/// A page has an end even where none is asked for, so that one request cannot hold the database
/// for the time that a million items take.
pub const MAX_PAGE: usize = 1000;

/// The part of a listing that was asked for.
#[derive(Debug, Clone)]
pub(crate) struct Paging {
    limit: usize,
    token: Option<String>,
}

impl Paging {
    /// Refuses a limit below 1: an answer without items and with a token would never end.
    pub(crate) fn new(limit: Option<i64>, token: Option<String>) -> Result<Self, Error> {
        let limit = match limit {
            None => MAX_PAGE,
            Some(limit) if limit < 1 => {
                return Err(Error::invalid(format!(
                    "limit is {limit} and must be 1 or more"
                )));
            }
            Some(limit) => usize::try_from(limit).map_or(MAX_PAGE, |limit| limit.min(MAX_PAGE)),
        };
        // An empty token ends a listing; sent back, it asks for the first page.
        Ok(Self {
            limit,
            token: token.filter(|token| !token.is_empty()),
        })
    }

    /// The key to begin after, if any.
    pub(crate) fn after<K: DeserializeOwned>(&self) -> Result<Option<K>, Error> {
        self.token.as_deref().map(decode).transpose()
    }

    /// How many rows to read: one more than fits tells whether there is a next page.
    pub(crate) fn rows(&self) -> usize {
        self.limit + 1
    }

    /// Makes a page of [`rows`](Self::rows) rows.
    pub(crate) fn cut<T, K: Serialize>(
        &self,
        mut items: Vec<T>,
        key: impl Fn(&T) -> K,
    ) -> Result<Page<T>, Error> {
        let more = items.len() > self.limit;
        items.truncate(self.limit);
        let next = match items.last() {
            Some(last) if more => Some(encode(&key(last))?),
            _ => None,
        };
        Ok(Page { items, next })
    }
}

/// Some items, and the token of the next page if there is one.
#[derive(Debug)]
pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    pub(crate) next: Option<String>,
}

impl<T> Page<T> {
    /// The same page with each item changed, or left out where `change` gives nothing.
    pub(crate) fn filter_map<U>(self, change: impl FnMut(T) -> Option<U>) -> Page<U> {
        Page {
            items: self.items.into_iter().filter_map(change).collect(),
            next: self.next,
        }
    }
}

/// Hexadecimal JSON: any key fits, and the text needs no encoding in a URL.
fn encode<K: Serialize>(key: &K) -> Result<String, Error> {
    let json = serde_json::to_vec(key).map_err(Error::internal)?;
    let mut token = String::with_capacity(json.len() * 2);
    for byte in json {
        write!(token, "{byte:02x}").map_err(Error::internal)?;
    }
    Ok(token)
}

fn decode<K: DeserializeOwned>(token: &str) -> Result<K, Error> {
    let forged = || Error::invalid(format!("page token {token:?} is none of this listing's"));
    let digits: Option<Vec<u32>> = token.chars().map(|digit| digit.to_digit(16)).collect();
    let digits = digits.ok_or_else(forged)?;
    let (pairs, rest) = digits.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(forged());
    }
    let json: Option<Vec<u8>> = pairs
        .iter()
        .map(|[high, low]| u8::try_from(high * 16 + low).ok())
        .collect();
    serde_json::from_slice(&json.ok_or_else(forged)?).map_err(|_| forged())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_gives_back_its_key() {
        for key in ["a", "a$b", "é\u{0}\"", "\u{10ffff}"] {
            assert_eq!(decode::<String>(&encode(&key).unwrap()).unwrap(), key);
        }
        assert_eq!(
            decode::<i64>(&encode(&i64::MAX).unwrap()).unwrap(),
            i64::MAX
        );
    }

    /// PAGE-6.
    #[test]
    fn a_forged_token_is_an_error() {
        let of_text = encode(&"7").unwrap();
        for token in ["x", "7", "zz", "é", "00", "ff", "2261", of_text.as_str()] {
            assert!(decode::<i64>(token).is_err(), "{token:?}");
        }
    }

    /// PAGE-1, PAGE-2, PAGE-3.
    #[test]
    fn a_token_comes_only_with_a_page_that_was_cut() {
        let paging = Paging::new(Some(2), None).unwrap();
        assert_eq!(paging.rows(), 3);
        let page = paging.cut(vec![1, 2, 3], |item| *item).unwrap();
        assert_eq!(page.items, [1, 2]);
        assert_eq!(decode::<i64>(&page.next.unwrap()).unwrap(), 2);
        assert!(paging.cut(vec![1, 2], |item| *item).unwrap().next.is_none());
        assert!(
            paging
                .cut(Vec::<i64>::new(), |item| *item)
                .unwrap()
                .next
                .is_none()
        );
    }

    #[test]
    fn a_limit_below_one_is_refused_and_a_huge_one_is_lowered() {
        assert!(Paging::new(Some(0), None).is_err());
        assert!(Paging::new(Some(-1), None).is_err());
        assert_eq!(
            Paging::new(Some(i64::MAX), None).unwrap().rows(),
            MAX_PAGE + 1
        );
        assert_eq!(Paging::new(None, Some(String::new())).unwrap().token, None);
    }
}
