//! The pages of a listing, one after the other: who reads only the first reads a part.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::call::Call;
use crate::exchange::Exchange;
use crate::scenario::{Flow, Stop};

/// Where somebody is in a listing.
#[derive(Clone, Debug)]
pub(crate) struct Pages {
    first: Call,
    tokens: BTreeSet<String>,
}

/// A token that has come before: it would go round for ever.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the page token {0:?} came twice")]
pub(crate) struct TokenAgain(String);

/// The token that asks for the next page; none at the end of a listing (requirement PAGE-3).
pub(crate) fn page_token(body: &Value) -> Option<&str> {
    let token = body.get("page_token")?.as_str()?;
    (!token.is_empty()).then_some(token)
}

impl Pages {
    /// A listing whose first page this request asks for.
    pub(crate) fn of(first: Call) -> Self {
        Self {
            first,
            tokens: BTreeSet::new(),
        }
    }

    /// The request for the first page.
    pub(crate) fn first(&self) -> Call {
        self.first.clone()
    }

    /// The request for what follows the page of this answer; none at the end of the listing.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if the pages do not end.
    pub(crate) fn next(&mut self, label: &str, page: &Exchange) -> Flow<Option<Call>> {
        self.after(page)
            .map_err(|again| Stop::Inconclusive(format!("{label}: {again}")))
    }

    /// The same, for who only reads on as long as there are new pages.
    pub(crate) fn after(&mut self, page: &Exchange) -> Result<Option<Call>, TokenAgain> {
        let body = page.json().unwrap_or_default();
        let Some(token) = page_token(&body) else {
            return Ok(None);
        };
        match self.tokens.insert(token.to_owned()) {
            true => Ok(Some(self.first().query("page_token", token))),
            false => Err(TokenAgain(token.to_owned())),
        }
    }
}
