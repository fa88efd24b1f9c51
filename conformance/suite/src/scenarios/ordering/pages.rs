//! The pages of each listing, while nothing changes.

use std::collections::BTreeSet;

use crate::calls;
use crate::log::Deviation;
use crate::scenario::{Flow, Stop, scenarios};
use crate::stage::Stage;
use crate::steps::{Listing, Paging};

/// How many items each listing has.
const COUNT: usize = 15;

scenarios! {
    /// The pages of ListNamespaces hold every child once, whatever the limit.
    "ordering/pages-of-namespaces" => pages_of_namespaces {
        tier: Basic,
        checks: ["PAGE-1", "PAGE-2", "PAGE-3", "PAGE-4", "PAGE-6"],
        needs: [],
    }
    /// The pages of ListTables hold every table once, whatever the limit.
    "ordering/pages-of-tables" => pages_of_tables {
        tier: Basic,
        checks: ["PAGE-1", "PAGE-2", "PAGE-3", "PAGE-4", "PAGE-6"],
        needs: [],
    }
    /// The pages of ListAllTables hold every table once, whatever the limit.
    "ordering/pages-of-all-tables" => pages_of_all_tables {
        tier: Tables,
        checks: ["LIST-1", "PAGE-1", "PAGE-2", "PAGE-3", "PAGE-4", "PAGE-6"],
        needs: ["ListAllTables"],
    }
    /// The pages of ListTableVersions hold every version once, whatever the limit.
    "ordering/pages-of-versions" => pages_of_versions {
        tier: Versions,
        checks: ["PAGE-1", "PAGE-2", "PAGE-3", "PAGE-4", "PAGE-6"],
        needs: ["CreateTableVersion", "ListTableVersions"],
    }
    /// The pages of ListTableTags hold every tag once, whatever the limit.
    "ordering/pages-of-tags" => pages_of_tags {
        tier: Tags,
        checks: ["PAGE-1", "PAGE-2", "PAGE-3", "PAGE-4", "PAGE-6"],
        needs: ["CreateTableVersion", "CreateTableTag", "ListTableTags"],
    }
    /// The pages of ListTableBranches hold every branch once, whatever the limit.
    "ordering/pages-of-branches" => pages_of_branches {
        tier: Branches,
        checks: ["PAGE-1", "PAGE-2", "PAGE-3", "PAGE-4", "PAGE-6"],
        needs: ["CreateTableVersion", "CreateTableBranch", "ListTableBranches"],
    }
}

/// Names that do not begin alike, in an order that is not theirs.
fn names() -> Vec<String> {
    let letters = "mcxazhkbvdsgpre".chars().take(COUNT);
    letters.map(|letter| format!("{letter}_item")).collect()
}

/// Judges the pages of a listing that holds these items.
async fn judge(s: &Stage, listing: Listing, items: Vec<String>) -> Flow {
    Paging::new(listing.clone(), items).judge_all(s).await?;
    listing.odd_requests(s).await
}

async fn pages_of_namespaces(s: Stage) -> Flow {
    let home = s.home().await?;
    for name in names() {
        s.namespace(&name).await?;
    }
    judge(&s, Listing::namespaces(&home), names()).await
}

async fn pages_of_tables(s: Stage) -> Flow {
    let home = s.home().await?;
    for name in names() {
        s.table(&name).await?;
    }
    judge(&s, Listing::tables(&s, &home), names()).await
}

async fn pages_of_all_tables(s: Stage) -> Flow {
    let delimiter = s.session().target().delimiter();
    let mut ids = BTreeSet::new();
    for name in names() {
        ids.insert(s.table(&name).await?.id.join(delimiter));
    }
    let listing = Listing::all_tables();
    let whole = listing.pages(&s, None).await?;
    let count = whole.items().len();
    let listed: BTreeSet<&str> = whole.items().into_iter().collect();
    let left_out: Vec<&String> = ids
        .iter()
        .filter(|id| !listed.contains(id.as_str()))
        .collect();
    let complete = match left_out.first() {
        None => Ok(()),
        Some(first) => Err(Deviation::new(
            "ListAllTables holds every table, by its full identifier",
            format!(
                "{} of {COUNT} tables are not listed, {first} among them",
                left_out.len()
            ),
            whole.exchanges.iter().take(4).cloned(),
        )),
    };
    let mut shown: Vec<String> = Vec::new();
    for id in whole.items() {
        if ids.contains(id) && !shown.iter().any(|one| one == id) {
            shown.push(id.to_owned());
        }
    }
    let complete = s.judge("LIST-1", "all tables", "every table of this run", complete);
    if !complete && shown.is_empty() {
        return Err(Stop::Violated);
    }
    // The server may hold many tables: no limit asks for more than some hundred pages.
    let mut paging = Paging::new(listing.clone(), shown);
    for (label, limit) in [
        ("with a small limit", 1 + count / 50),
        ("with a larger limit", 5 + count / 50),
        ("with limit N-1", count.saturating_sub(1).max(1)),
        ("with limit N", count),
        ("with limit N+1", count + 1),
    ] {
        paging.judge(&s, label, Some(limit)).await?;
    }
    listing.odd_requests(&s).await
}

async fn pages_of_versions(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 15).await?;
    let numbers = (1..=COUNT).map(|version| version.to_string()).collect();
    judge(&s, Listing::versions(&table), numbers).await
}

async fn pages_of_tags(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 1).await?;
    for tag in names() {
        let call = calls::create_tag(&table, &tag, 1);
        s.ask(&format!("create tag {tag}"), call).await.set_up()?;
    }
    judge(&s, Listing::tags(&table), names()).await
}

async fn pages_of_branches(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 1).await?;
    for branch in names() {
        let call = calls::create_branch(&table, &branch);
        s.ask(&format!("create branch {branch}"), call)
            .await
            .set_up()?;
    }
    judge(&s, Listing::branches(&table), names()).await
}
