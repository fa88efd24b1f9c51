//! Listings and their pages, the same for every kind of listing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use crate::calls;
use crate::log::{Deviation, Observation};
use crate::outcome::Outcome;
use crate::requirement::Level;
use crate::scenario::{Flow, Stop};
use crate::stage::{Namespace, Stage, Table};
use crate::wire::{Call, Exchange};

/// How many pages in a row may bring nothing new before a listing counts as endless.
const BARREN: usize = 50;

/// How often the pages of a listing that others change are asked for until it keeps still.
const ATTEMPTS: usize = 8;

/// How many of these attempts must show a fault while the listing kept still.
const PROOFS: usize = 3;

/// A listing of the protocol.
#[derive(Clone)]
pub struct Listing {
    /// What the transcript calls its items, such as `namespaces`.
    pub label: String,
    call: Call,
    field: Field,
    shared: bool,
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
        let mut listing = Self::new("all tables", call, Field::Names("tables", None));
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
    limit: Option<usize>,
    /// The items of each page so far, in the order of the answer.
    pub pages: Vec<Vec<String>>,
    /// Their exchanges, and that of the page that was not given.
    pub exchanges: Vec<Arc<Exchange>>,
    tokens: BTreeSet<String>,
    seen: BTreeSet<String>,
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
        let mut call = self.listing.call.clone();
        if let Some(limit) = self.limit {
            call = call.query("limit", limit);
        }
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

    /// Judges, for pages between which something happened, that the first one led to a second.
    ///
    /// # Errors
    ///
    /// [`Stop::Violated`] if it did not although it does not hold all of these items.
    pub fn goes_on(&self, s: &Stage, expected: &[String]) -> Flow {
        s.cite("PAGE-2");
        let missing = self.missing(expected).len();
        if self.pages.len() > 1 || missing == 0 {
            return Ok(());
        }
        let cut = faults(&self.listing.label, self, expected);
        for fault in cut {
            s.line(format!("{}: {}", self.listing.label, fault.actual));
            s.violates(fault.requirement, fault.deviation(self));
        }
        Err(Stop::Violated)
    }
}

fn token(exchange: &Exchange) -> Option<String> {
    let body = exchange.json()?;
    let token = body.get("page_token")?.as_str()?;
    (!token.is_empty()).then(|| token.to_owned())
}

/// Judges the pages of a quiet listing, whose items are known, with one limit after the other.
/// Whatever is wrong is told once, at the first limit that shows it.
pub struct Paging {
    listing: Listing,
    /// In the order of the server, once it is known.
    items: Vec<String>,
    told: BTreeSet<&'static str>,
}

impl Paging {
    /// A listing that holds these items.
    #[must_use]
    pub fn new(listing: Listing, items: Vec<String>) -> Self {
        Self {
            listing,
            items,
            told: BTreeSet::new(),
        }
    }

    /// Judges the pages without a limit, and with the limits 1, 5, and about the number of items.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if an answer does not come.
    pub async fn judge_all(&mut self, s: &Stage) -> Flow {
        let count = self.items.len();
        self.judge(s, "without a limit", None).await?;
        self.judge(s, "with limit 1", Some(1)).await?;
        self.judge(s, "with limit 5", Some(5)).await?;
        self.judge(s, "with limit N-1", Some(count - 1)).await?;
        self.judge(s, "with limit N", Some(count)).await?;
        self.judge(s, "with limit N+1", Some(count + 1)).await?;
        Ok(())
    }

    /// Judges the pages with one limit: PAGE-1 to PAGE-4.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if an answer does not come.
    pub async fn judge(&mut self, s: &Stage, label: &str, limit: Option<usize>) -> Flow<Walk> {
        let (walk, faults) = self.walk(s, limit).await?;
        if limit.is_some() {
            s.cite("PAGE-1");
        }
        for requirement in ["PAGE-2", "PAGE-3", "PAGE-4"] {
            s.cite(requirement);
        }
        if faults.is_empty() && limit.is_none() {
            let order: BTreeMap<&str, usize> = walk
                .items()
                .into_iter()
                .enumerate()
                .map(|(place, item)| (item, place))
                .collect();
            self.items
                .sort_by_key(|item| order.get(item.as_str()).copied());
        }
        let label = format!("{} {label}", self.listing.label);
        if faults.is_empty() {
            s.line(format!("{label}: every item once, no page over the limit"));
        }
        for fault in faults {
            s.line(format!("{label}: {}", fault.actual));
            if self.told.insert(fault.requirement) {
                s.violates(fault.requirement, fault.deviation(&walk));
            }
        }
        Ok(walk)
    }

    /// Where others may change the listing, PAGE-4 speaks only of pages between which nobody did.
    async fn walk(&self, s: &Stage, limit: Option<usize>) -> Flow<(Walk, Vec<Fault>)> {
        let mut proofs = 0;
        for _ in 0..ATTEMPTS {
            let before = self.snapshot(s).await?;
            let walk = self.listing.pages(s, limit).await?;
            let faults = faults(&self.listing.label, &walk, &self.items);
            let disturbed = faults.iter().any(|fault| fault.requirement == "PAGE-4");
            if !disturbed || !self.listing.shared {
                return Ok((walk, faults));
            }
            if before == self.snapshot(s).await? {
                proofs += 1;
            }
            if proofs == PROOFS {
                return Ok((walk, faults));
            }
        }
        Err(Stop::Inconclusive(format!(
            "other clients changed the list of {} all the time, so that its pages cannot be judged",
            self.listing.label
        )))
    }

    async fn snapshot(&self, s: &Stage) -> Flow<BTreeSet<String>> {
        match self.listing.shared {
            true => Ok(self.listing.pages(s, None).await?.seen),
            false => Ok(BTreeSet::new()),
        }
    }
}

/// A rule of paging that does not hold.
struct Fault {
    requirement: &'static str,
    expected: String,
    actual: String,
    /// The pages that show it, counted from 0.
    pages: Vec<usize>,
}

impl Fault {
    fn deviation(&self, walk: &Walk) -> Deviation {
        let exchanges = self
            .pages
            .iter()
            .filter_map(|&page| walk.exchanges.get(page));
        Deviation::new(
            self.expected.as_str(),
            self.actual.as_str(),
            exchanges.cloned(),
        )
    }
}

/// What is wrong with the pages of a listing that holds these items, in this order.
fn faults(label: &str, walk: &Walk, items: &[String]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let with = match walk.limit {
        Some(limit) => format!("{label} with limit {limit}"),
        None => label.to_owned(),
    };
    let count = items.len();
    let last = walk.exchanges.len().saturating_sub(1);
    let missing = walk.missing(items);
    let over = walk.limit.and_then(|limit| {
        let page = walk.pages.iter().position(|page| page.len() > limit)?;
        Some((limit, page))
    });
    if let Some((limit, page)) = over {
        let held = walk.pages[page].len();
        faults.push(Fault {
            requirement: "PAGE-1",
            expected: format!("a page holds at most {limit} items"),
            actual: format!("{with}: page {} holds {held} items", page + 1),
            pages: vec![page],
        });
    }
    let few = |items: &[&str]| {
        let more = if items.len() > 5 { ", …" } else { "" };
        format!("{}{more}", items[..items.len().min(5)].join(", "))
    };
    let all_pages: Vec<usize> = (0..walk.exchanges.len().min(6)).collect();
    match walk.end {
        Some(End::NoToken) if missing.is_empty() => {}
        Some(End::NoToken) if walk.is_cut(items) => faults.push(Fault {
            requirement: "PAGE-2",
            expected: "a page that does not hold all the rest carries a page token".to_owned(),
            actual: format!(
                "{with}: page {} carries no token, and {} of {count} items have not come: {}",
                last + 1,
                missing.len(),
                few(&missing)
            ),
            pages: vec![last],
        }),
        Some(End::NoToken) | None => faults.push(Fault {
            requirement: "PAGE-4",
            expected: "every item is on one of the pages".to_owned(),
            actual: format!(
                "{with}: {} of {count} items are on none of the {} pages: {}",
                missing.len(),
                walk.pages.len(),
                few(&missing)
            ),
            pages: all_pages,
        }),
        Some(End::Refused(outcome)) => faults.push(Fault {
            requirement: "PAGE-4",
            expected: "each page is given, by the token of the page before".to_owned(),
            actual: format!("{with}: page {} is answered {outcome}", last + 1),
            pages: vec![last.saturating_sub(1), last],
        }),
        Some(End::Endless) if missing.is_empty() => faults.push(Fault {
            requirement: "PAGE-3",
            expected: "the listing ends with a page that carries no token".to_owned(),
            actual: format!(
                "{with}: all {count} items have come, and tokens go on coming, with nothing new \
                 ({} pages asked)",
                walk.pages.len()
            ),
            pages: vec![last.saturating_sub(1), last],
        }),
        Some(End::Endless) => faults.push(Fault {
            requirement: "PAGE-4",
            expected: "each token leads on, until every item has come".to_owned(),
            actual: format!(
                "{with}: page {} brings nothing new and carries a token again, and {} of {count} \
                 items have not come",
                last + 1,
                missing.len()
            ),
            pages: vec![last.saturating_sub(1), last],
        }),
    }
    if walk.end != Some(End::Endless)
        && let Some((item, pages)) = walk.twice(items)
    {
        let numbers: Vec<String> = pages.iter().map(|page| (page + 1).to_string()).collect();
        faults.push(Fault {
            requirement: "PAGE-4",
            expected: "every item is on one of the pages, once".to_owned(),
            actual: format!("{with}: {item} is on the pages {}", numbers.join(" and ")),
            pages,
        });
    }
    faults
}

impl Walk {
    /// Whether what is missing would have come after the last page.
    fn is_cut(&self, items: &[String]) -> bool {
        let place = |item: &String| items.iter().position(|other| other == item);
        let last = self
            .pages
            .last()
            .and_then(|page| page.iter().filter_map(place).max());
        let missing = self.missing(items);
        let after = |item: &&str| place(&(*item).to_owned()) > last;
        self.pages.len() == 1 || missing.iter().all(after)
    }

    /// The first of these items that came more than once, and its pages.
    fn twice<'a>(&self, items: &'a [String]) -> Option<(&'a str, Vec<usize>)> {
        let mut pages: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (number, page) in self.pages.iter().enumerate() {
            for item in page {
                pages.entry(item).or_default().push(number);
            }
        }
        items.iter().find_map(|item| {
            let pages = pages.get(item.as_str()).filter(|pages| pages.len() > 1)?;
            Some((item.as_str(), pages.clone()))
        })
    }
}

/// Whether these numbers are strictly descending.
///
/// # Errors
///
/// What stands where it must not, in words.
pub fn descending(numbers: &[&str]) -> Result<(), String> {
    let mut before: Option<i64> = None;
    for &text in numbers {
        let Ok(number) = text.parse() else {
            return Err(format!("{text} is no whole number of 64 bits"));
        };
        match before {
            Some(before) if before <= number => return Err(format!("{number} follows {before}")),
            _ => before = Some(number),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(limit: usize, pages: &[&[&str]], end: End) -> Walk {
        let mut walk = Listing::all_tables().walk(Some(limit));
        for page in pages {
            let items: Vec<String> = page.iter().map(|&item| item.to_owned()).collect();
            walk.seen.extend(items.iter().cloned());
            walk.pages.push(items);
        }
        walk.end = Some(end);
        walk
    }

    fn broken(limit: usize, pages: &[&[&str]], end: End) -> Vec<&'static str> {
        let items = ["a", "b", "c", "d"].map(str::to_owned);
        let faults = faults("items", &walk(limit, pages, end), &items);
        faults.iter().map(|fault| fault.requirement).collect()
    }

    #[test]
    fn honest_pages_have_no_fault() {
        let honest: [&[&[&str]]; 4] = [
            &[&["a", "b"], &["c", "d"]],
            &[&["d", "c"], &["b", "a"], &[]],
            &[&["a"], &[], &["b", "c"], &["d"]],
            &[&["a", "b"], &["another's", "c"], &["d"]],
        ];
        for pages in honest {
            assert!(broken(2, pages, End::NoToken).is_empty(), "{pages:?}");
        }
    }

    #[test]
    fn each_fault_is_told_by_its_own_requirement() {
        assert_eq!(
            broken(2, &[&["a", "b", "c", "d"]], End::NoToken),
            ["PAGE-1"]
        );
        assert_eq!(broken(2, &[&["a", "b"]], End::NoToken), ["PAGE-2"]);
        assert_eq!(broken(1, &[&["a"], &["b"]], End::NoToken), ["PAGE-2"]);
        let lost: &[&[&str]] = &[&["a"], &["c"], &["d"]];
        assert_eq!(broken(1, lost, End::NoToken), ["PAGE-4"]);
        let twice: &[&[&str]] = &[&["a", "b"], &["b", "c"], &["d"]];
        assert_eq!(broken(2, twice, End::NoToken), ["PAGE-4"]);
        let stuck: &[&[&str]] = &[&["a", "b"], &["a", "b"]];
        assert_eq!(broken(2, stuck, End::Endless), ["PAGE-4"]);
        let refused = End::Refused(Outcome::Refused(400, Some(13)));
        assert_eq!(broken(2, &[&["a", "b"]], refused), ["PAGE-4"]);
        let endless: &[&[&str]] = &[&["a", "b"], &["c", "d"], &[], &[]];
        assert_eq!(broken(2, endless, End::Endless), ["PAGE-3"]);
    }

    #[test]
    fn order_is_by_number() {
        assert_eq!(descending(&["100", "99", "10", "9"]), Ok(()));
        assert!(descending(&["99", "9", "100", "10"]).is_err());
        assert!(descending(&["2", "2"]).is_err());
        assert!(descending(&["9007199254740993.0", "1"]).is_err());
    }
}
