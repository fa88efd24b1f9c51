//! Listings and the way through their pages, the same for every kind of listing.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use crate::answer::Answer;
use crate::call::Call;
use crate::calls;
use crate::exchange::Exchange;
use crate::log::{Deviation, Observation};
use crate::outcome::Outcome;
use crate::requirement::Level;
use crate::scenario::{Flow, Stop};
use crate::stage::{Namespace, Stage, Table};

/// How many pages in a row may bring nothing new before a listing counts as endless.
const BARREN: usize = 50;

/// A listing of the protocol.
#[derive(Clone)]
pub struct Listing {
    /// What the transcript calls its items, such as `namespaces`.
    pub label: String,
    call: Call,
    field: Field,
    /// Whether others may change it.
    pub(super) shared: bool,
}

#[derive(Clone)]
enum Field {
    /// An array of names; where one begins with the prefix, it is left out.
    Names(&'static str, Option<String>),
    /// An object; its keys are the items.
    Keys(&'static str),
    /// An array of version entries; their numbers, as they stand in the JSON, are the items.
    Versions,
}

impl Listing {
    fn new(label: &str, call: Call, field: Field) -> Self {
        Self {
            label: label.to_owned(),
            call,
            field,
            shared: false,
        }
    }

    /// The children of a namespace.
    #[must_use]
    pub fn namespaces(parent: &Namespace) -> Self {
        let call = Call::new("ListNamespaces").id(&parent.id);
        Self::new("namespaces", call, Field::Names("namespaces", None))
    }

    /// The tables of a namespace, by their names, however the server calls them.
    #[must_use]
    pub fn tables(s: &Stage, parent: &Namespace) -> Self {
        let delimiter = s.session().target().delimiter();
        let prefix = format!("{}{delimiter}", parent.id.join(delimiter));
        let call = Call::new("ListTables").id(&parent.id);
        Self::new("tables", call, Field::Names("tables", Some(prefix)))
    }

    /// All tables of the server, by their full identifiers. Others may add and remove some.
    #[must_use]
    pub fn all_tables() -> Self {
        let call = Call::new("ListAllTables");
        let mut listing = Self::new(
            "tables of all namespaces",
            call,
            Field::Names("tables", None),
        );
        listing.shared = true;
        listing
    }

    /// The versions of a table, in the server's order.
    #[must_use]
    pub fn versions(table: &Table) -> Self {
        let label = format!("versions of {}", table.label);
        Self::new(&label, calls::list_versions(table), Field::Versions)
    }

    /// The versions of a table, the latest first.
    #[must_use]
    pub fn descending(table: &Table) -> Self {
        let label = format!("versions of {}, descending", table.label);
        let call = calls::list_versions(table).query("descending", true);
        Self::new(&label, call, Field::Versions)
    }

    /// The tags of a table.
    #[must_use]
    pub fn tags(table: &Table) -> Self {
        let call = Call::new("ListTableTags").id(&table.id);
        Self::new(
            &format!("tags of {}", table.label),
            call,
            Field::Keys("tags"),
        )
    }

    /// The branches of a table.
    #[must_use]
    pub fn branches(table: &Table) -> Self {
        let label = format!("branches of {}", table.label);
        let call = Call::new("ListTableBranches").id(&table.id);
        Self::new(&label, call, Field::Keys("branches"))
    }

    /// The items of an answer, in its order.
    #[must_use]
    pub fn items(&self, body: &Value) -> Vec<String> {
        let array = |field: &str| {
            body.get(field)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
        };
        match &self.field {
            Field::Names(field, prefix) => array(field)
                .filter_map(Value::as_str)
                .map(|name| {
                    let bare = prefix.as_ref().and_then(|prefix| name.strip_prefix(prefix));
                    bare.unwrap_or(name).to_owned()
                })
                .collect(),
            Field::Keys(field) => body
                .get(field)
                .and_then(Value::as_object)
                .into_iter()
                .flat_map(|items| items.keys().cloned())
                .collect(),
            Field::Versions => array("versions")
                .filter_map(|entry| Some(entry.get("version")?.to_string()))
                .collect(),
        }
    }

    fn call(&self, limit: Option<usize>) -> Call {
        match limit {
            Some(limit) => self.call.clone().query("limit", limit),
            None => self.call.clone(),
        }
    }

    /// The request for the first page, without a limit.
    #[must_use]
    pub fn request(&self) -> Call {
        self.call.clone()
    }

    /// The same listing, asked with one query parameter more.
    #[must_use]
    pub fn asking(mut self, name: &'static str, value: impl ToString) -> Self {
        self.call = self.call.query(name, value);
        self
    }

    /// Asks for the first page alone.
    pub async fn first_page(&self, s: &Stage, limit: Option<usize>) -> Answer {
        s.ask(&format!("list the {}", self.label), self.call(limit))
            .await
    }

    /// Begins to page through the listing.
    #[must_use]
    pub fn walk(&self, limit: Option<usize>) -> Walk {
        Walk {
            listing: self.clone(),
            limit,
            pages: Vec::new(),
            exchanges: Vec::new(),
            tokens: BTreeSet::new(),
            seen: BTreeSet::new(),
            barren: 0,
            end: None,
        }
    }

    /// Pages through the whole listing.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if a page is not answered.
    pub async fn pages(&self, s: &Stage, limit: Option<usize>) -> Flow<Walk> {
        let mut walk = self.walk(limit);
        while walk.next(s).await? {}
        Ok(walk)
    }

    /// Asks with limits and page tokens that no client should send: whatever the server does with
    /// them is observed, but it must not fail (requirement PAGE-6).
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if an answer does not come.
    pub async fn odd_requests(&self, s: &Stage) -> Flow {
        const LIMITS: [(&str, &str); 7] = [
            ("0", "0"),
            ("-1", "-1"),
            ("2^31", "2147483648"),
            ("2^63-1", "9223372036854775807"),
            ("2^64", "18446744073709551616"),
            ("1.5", "1.5"),
            ("many", "many"),
        ];
        let long = "x".repeat(2000);
        let tokens = [
            ("forged", "forged"),
            ("control", "\u{0}\n"),
            ("long", &long),
        ];
        let limits = LIMITS.map(|(label, value)| (format!("limit {label}"), "limit", value));
        let tokens = tokens.map(|(label, value)| (format!("{label} token"), "page_token", value));
        let mut choices = Vec::new();
        let mut failed = Vec::new();
        for (label, name, value) in limits.into_iter().chain(tokens) {
            let call = self.call.clone().query(name, value).odd();
            let exchange = s.exchange(call).await;
            let outcome = Outcome::of(&exchange);
            if passing(outcome) {
                return Err(Stop::Inconclusive(format!(
                    "list the {} with {label}: {outcome}",
                    self.label
                )));
            }
            choices.push(format!("{label} {outcome}"));
            if let Outcome::Failed(_) = outcome {
                failed.push((format!("{label}: {outcome}"), exchange));
            }
        }
        s.observe(Observation {
            requirement: "PAGE-6",
            choice: format!("{}: {}", self.label, choices.join(", ")),
        });
        let label = format!("odd limits and tokens for the {}", self.label);
        if failed.is_empty() {
            s.line(format!("{label}: no server error"));
            return Ok(());
        }
        let (what, exchanges): (Vec<String>, Vec<Arc<Exchange>>) = failed.into_iter().unzip();
        s.line(format!("{label}: {}", what.join(", ")));
        // What is open is whether to take them or to refuse: a server error is neither.
        s.violated(
            "PAGE-6",
            Level::Must,
            Deviation::new(
                "an odd limit or token is taken or refused, and never a server error",
                format!("{}: {}", self.label, what.join(", ")),
                exchanges,
            ),
        );
        Ok(())
    }
}

/// An answer that says nothing of the server's listings (requirement REST-13).
fn passing(outcome: Outcome) -> bool {
    outcome.is_unknown() || matches!(outcome, Outcome::Refused(429, _))
}

/// How the pages of a listing end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With a page that carries no token.
    NoToken,
    /// Never: tokens go on coming, and nothing new with them.
    Endless,
    /// With a page that is not given.
    Refused(Outcome),
}

/// A way through the pages of a listing, from the first to the last.
pub struct Walk {
    listing: Listing,
    pub(super) limit: Option<usize>,
    /// The items of each page so far, in the order of the answer.
    pub pages: Vec<Vec<String>>,
    /// Their exchanges, and that of the page that was not given.
    pub exchanges: Vec<Arc<Exchange>>,
    tokens: BTreeSet<String>,
    pub(crate) seen: BTreeSet<String>,
    barren: usize,
    /// How the listing ended, if it did.
    pub end: Option<End>,
}

impl Walk {
    /// Asks for the next page; answers whether there is another one after it.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if no answer came.
    pub async fn next(&mut self, s: &Stage) -> Flow<bool> {
        if self.end.is_some() {
            return Ok(false);
        }
        let mut call = self.listing.call(self.limit);
        let before = self.exchanges.last().and_then(|exchange| token(exchange));
        if let Some(token) = &before {
            call = call.query("page_token", token);
        }
        let exchange = s.exchange(call).await;
        let outcome = Outcome::of(&exchange);
        self.exchanges.push(Arc::clone(&exchange));
        if passing(outcome) {
            return Err(Stop::Inconclusive(format!(
                "list the {}, page {}: {outcome}",
                self.listing.label,
                self.exchanges.len()
            )));
        }
        if outcome != Outcome::Ok {
            self.end = Some(End::Refused(outcome));
            return Ok(false);
        }
        let items = self.listing.items(&exchange.json().unwrap_or_default());
        let known = self.seen.len();
        self.seen.extend(items.iter().cloned());
        let barren = self.seen.len() == known;
        self.barren = if barren { self.barren + 1 } else { 0 };
        let token = token(&exchange);
        self.pages.push(items);
        match token {
            None => self.end = Some(End::NoToken),
            Some(token) => {
                // A token may come again as long as it leads on.
                let again = !self.tokens.insert(token);
                if (again && barren) || self.barren == BARREN {
                    self.end = Some(End::Endless);
                }
            }
        }
        Ok(self.end.is_none())
    }

    /// Every item that came, page by page.
    #[must_use]
    pub fn items(&self) -> Vec<&str> {
        self.pages.iter().flatten().map(String::as_str).collect()
    }

    /// Those of these items that are on no page.
    #[must_use]
    pub fn missing<'a>(&self, expected: &'a [String]) -> Vec<&'a str> {
        let missing = expected.iter().filter(|item| !self.seen.contains(*item));
        missing.map(String::as_str).collect()
    }

    /// What findings call it.
    pub(super) fn label(&self) -> String {
        match self.limit {
            Some(limit) => format!("{} with limit {limit}", self.listing.label),
            None => self.listing.label.clone(),
        }
    }
}

fn token(exchange: &Exchange) -> Option<String> {
    let body = exchange.json()?;
    let token = body.get("page_token")?.as_str()?;
    (!token.is_empty()).then(|| token.to_owned())
}
