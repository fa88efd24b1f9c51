//! Pages judged: none too long, none cut off, every item once.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::log::Deviation;
use crate::scenario::{Flow, Stop};
use crate::stage::Stage;
use crate::steps::{End, Listing, Walk};

/// How often the pages of a listing that others change are asked for until it keeps still.
const ATTEMPTS: usize = 12;

/// How many of these attempts must show a fault while the listing kept still.
const PROOFS: usize = 3;

/// The time between them.
const PAUSE: Duration = Duration::from_millis(100);

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
            let faults = faults(&walk, &self.items);
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
            tokio::time::sleep(PAUSE).await;
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

impl Walk {
    /// Judges, for pages between which something happened, that the first one led to a second.
    ///
    /// # Errors
    ///
    /// [`Stop::Violated`] if it did not although it does not hold all of these items.
    pub fn goes_on(&self, s: &Stage, items: &[String]) -> Flow {
        s.cite("PAGE-2");
        let cut = self.pages.len() == 1 && self.end == Some(End::NoToken);
        if !cut || self.missing(items).is_empty() {
            return Ok(());
        }
        let fault = Fault::cut(self, items);
        s.line(format!("{}: {}", self.label(), fault.actual));
        s.violates(fault.requirement, fault.deviation(self));
        Err(Stop::Violated)
    }

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

/// A rule of paging that does not hold.
struct Fault {
    requirement: &'static str,
    expected: &'static str,
    actual: String,
    /// The pages that show it, counted from 0.
    pages: Vec<usize>,
}

impl Fault {
    fn deviation(&self, walk: &Walk) -> Deviation {
        let pages = self.pages.iter();
        let exchanges = pages.filter_map(|&page| walk.exchanges.get(page));
        let actual = format!("{}: {}", walk.label(), self.actual);
        Deviation::new(self.expected, actual, exchanges.cloned())
    }

    /// A page without a token that does not hold all the rest.
    fn cut(walk: &Walk, items: &[String]) -> Self {
        let last = walk.exchanges.len().saturating_sub(1);
        Self {
            requirement: "PAGE-2",
            expected: "a page that does not hold all the rest carries a page token",
            actual: format!(
                "page {} carries no token, and {}",
                last + 1,
                lacking(walk, items, "have not come")
            ),
            pages: vec![last],
        }
    }
}

/// Which items did not come, in words.
fn lacking(walk: &Walk, items: &[String], what: &str) -> String {
    let missing = walk.missing(items);
    let few = missing[..missing.len().min(5)].join(", ");
    let more = if missing.len() > 5 { ", …" } else { "" };
    format!(
        "{} of {} items {what}: {few}{more}",
        missing.len(),
        items.len()
    )
}

/// What is wrong with the pages of a listing that holds these items, in this order.
fn faults(walk: &Walk, items: &[String]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let over = walk.limit.and_then(|limit| {
        let over = |page: &Vec<String>| page.len() > limit;
        walk.pages.iter().position(over)
    });
    if let Some(page) = over {
        faults.push(Fault {
            requirement: "PAGE-1",
            expected: "a page holds at most as many items as the limit says",
            actual: format!("page {} holds {} items", page + 1, walk.pages[page].len()),
            pages: vec![page],
        });
    }
    faults.extend(end_fault(walk, items));
    if walk.end != Some(End::Endless)
        && let Some((item, pages)) = walk.twice(items)
    {
        let numbers: Vec<String> = pages.iter().map(|page| (page + 1).to_string()).collect();
        faults.push(Fault {
            requirement: "PAGE-4",
            expected: "every item is on one of the pages, once",
            actual: format!("{item} is on the pages {}", numbers.join(" and ")),
            pages,
        });
    }
    faults
}

/// What is wrong with the way that the pages end.
fn end_fault(walk: &Walk, items: &[String]) -> Option<Fault> {
    let last = walk.exchanges.len().saturating_sub(1);
    let last_two = vec![last.saturating_sub(1), last];
    let complete = walk.missing(items).is_empty();
    Some(match walk.end {
        Some(End::NoToken) if complete => return None,
        Some(End::NoToken) if walk.is_cut(items) => Fault::cut(walk, items),
        Some(End::NoToken) | None => Fault {
            requirement: "PAGE-4",
            expected: "every item is on one of the pages, once",
            actual: lacking(walk, items, "are on no page"),
            pages: (0..walk.exchanges.len().min(6)).collect(),
        },
        Some(End::Refused(outcome)) => Fault {
            requirement: "PAGE-4",
            expected: "each page is given, by the token of the page before",
            actual: format!("page {} is answered {outcome}", last + 1),
            pages: last_two,
        },
        Some(End::Endless) if complete => Fault {
            requirement: "PAGE-3",
            expected: "the listing ends with a page that carries no token",
            actual: format!(
                "all {} items have come by page {}, and tokens go on coming",
                items.len(),
                last + 1
            ),
            pages: last_two,
        },
        Some(End::Endless) => Fault {
            requirement: "PAGE-4",
            expected: "each token leads on, until every item has come",
            actual: format!(
                "page {} brings nothing new and carries a token again, and {}",
                last + 1,
                lacking(walk, items, "have not come")
            ),
            pages: last_two,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Outcome;

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
        let faults = faults(&walk(limit, pages, end), &items);
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
}
