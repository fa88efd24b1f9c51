//! The order of a table's versions in its listing.

use std::sync::Arc;

use crate::calls;
use crate::exchange::Exchange;
use crate::log::{Deviation, Observation};
use crate::outcome::Outcome;
use crate::requirement::Level;
use crate::scenario::{Flow, Stop, scenarios};
use crate::stage::Stage;
use crate::steps::{End, Listing, Paging, Walk, descending};

/// Enough that the order by text differs from that by number twice: at 10 and at 100.
const VERSIONS: i64 = 101;

/// Numbers that do not fit into 32 bits, or into a float of 64 bits, and one whose text comes
/// before that of a smaller one.
const LARGE: [i64; 9] = [
    (1 << 31) - 1,
    1 << 31,
    (1 << 32) + 1,
    10_000_000_000,
    (1 << 53) - 1,
    (1 << 53) + 1,
    (1 << 53) + 3,
    i64::MAX - 1,
    i64::MAX,
];

scenarios! {
    /// The listing, descending, is in the order of the numbers.
    "ordering/descending-is-by-number" => descending_is_by_number {
        tier: Versions,
        checks: ["ORD-1"],
        needs: ["CreateTableVersion", "ListTableVersions"],
    }
    /// Numbers up to 2^63-1, where the server takes them, are listed unrounded and in order.
    "ordering/large-numbers-keep-their-order" => large_numbers_keep_their_order {
        tier: Versions,
        checks: ["ORD-1", "VER-6"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
    /// The listing, descending, is in order across its pages, and holds each version once.
    "ordering/descending-across-pages" => descending_across_pages {
        tier: Versions,
        checks: ["ORD-2", "PAGE-1", "PAGE-2", "PAGE-3", "PAGE-4"],
        needs: ["CreateTableVersion", "ListTableVersions"],
    }
    /// The first of the listing, descending, is the version that was created last.
    "ordering/first-descending-is-the-latest" => first_descending_is_the_latest {
        tier: Versions,
        checks: ["ORD-3"],
        needs: ["CreateTableVersion", "ListTableVersions"],
    }
    /// The order without `descending` is the server's, but the listing holds each version once.
    "ordering/order-without-descending" => order_without_descending {
        tier: Versions,
        checks: ["ORD-4", "PAGE-2", "PAGE-3", "PAGE-4"],
        needs: ["CreateTableVersion", "ListTableVersions"],
    }
}

/// The numbers from 1 up to this one, as items of a listing.
fn numbers(last: i64) -> Vec<String> {
    (1..=last).map(|version| version.to_string()).collect()
}

/// Whether what came is strictly descending by number.
fn in_order(
    items: &[&str],
    exchanges: impl IntoIterator<Item = Arc<Exchange>>,
) -> Result<(), Deviation> {
    descending(items).map_err(|fault| {
        let expected = "with descending=true, versions come strictly descending by number";
        Deviation::new(expected, fault, exchanges.into_iter().take(4))
    })
}

/// Whether what came on all pages is strictly descending by number.
fn pages_in_order(walk: &Walk) -> Result<(), Deviation> {
    if let Some(End::Refused(outcome)) = walk.end {
        return Err(Deviation::new(
            "the listing, descending, is given",
            format!("page {} is answered {outcome}", walk.exchanges.len()),
            walk.exchanges.last().cloned(),
        ));
    }
    in_order(&walk.items(), walk.exchanges.iter().cloned())
}

async fn descending_is_by_number(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, VERSIONS).await?;
    let listing = Listing::descending(&table);
    // The server may give less than all at once; what it gives is in order.
    let page = listing.first_page(&s, None).await.ok("ORD-1")?;
    let items = listing.items(&page.body);
    let items: Vec<&str> = items.iter().map(String::as_str).collect();
    let held = in_order(&items, [page.exchange]);
    s.judge("ORD-1", "versions 1 to 101, descending", "by number", held);
    Ok(())
}

async fn large_numbers_keep_their_order(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 1).await?;
    let mut taken = numbers(1);
    for version in LARGE {
        let manifest = s.manifest(&table, &format!("m{version}")).await?;
        let call = calls::create_version(&table, version, &manifest);
        let exchange = s.exchange(call).await;
        match Outcome::of(&exchange) {
            Outcome::Ok => taken.push(version.to_string()),
            Outcome::Refused(..) => {}
            outcome if outcome.is_unknown() => {
                let reason = format!("create version {version}: {outcome}");
                return Err(Stop::Inconclusive(reason));
            }
            outcome => {
                let what = format!("create version {version} after a gap: {outcome}");
                let expected = "a version after a gap is taken or refused, never a server error";
                let deviation = Deviation::new(expected, what, [exchange]);
                s.violated("VER-6", Level::Must, deviation);
            }
        }
    }
    s.observe(Observation {
        requirement: "VER-6",
        choice: match taken.len() - 1 {
            0 => "versions after a gap are refused".to_owned(),
            count if count == LARGE.len() => "versions after a gap are taken".to_owned(),
            count => format!("of {} versions after a gap, {count} are taken", LARGE.len()),
        },
    });
    s.line("versions after gaps, up to 2^63-1: taken or refused".to_owned());
    let walk = Listing::descending(&table).pages(&s, None).await?;
    let label = "what was taken, descending";
    s.judge("ORD-1", label, "by number", pages_in_order(&walk));
    let listed = walk.items();
    let mut changed = listed
        .iter()
        .find(|item| !taken.iter().any(|one| one == *item))
        .copied();
    // A list may be cut (PAGE-2): what it does not hold is asked for by its number.
    for missing in walk.missing(&taken) {
        let number = missing.parse().unwrap_or_default();
        let there = s.entry(&table, number).await?;
        if there.is_none_or(|entry| entry.version != number) {
            changed = changed.or(Some(missing));
        }
    }
    let unrounded = changed.map_or(Ok(()), |changed| {
        let expected = format!("what was taken is there: {}", taken.join(", "));
        let actual = format!("{changed} differs; listed are {}", listed.join(", "));
        Err(Deviation::new(
            expected,
            actual,
            walk.exchanges.iter().cloned(),
        ))
    });
    s.judge("ORD-1", "numbers of what was taken", "unrounded", unrounded);
    Ok(())
}

async fn descending_across_pages(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, VERSIONS).await?;
    let newest_first = numbers(VERSIONS).into_iter().rev().collect();
    let mut paging = Paging::new(Listing::descending(&table), newest_first);
    for (label, limit) in [
        ("with limit 1", 1),
        ("with limit 5", 5),
        ("with limit N-1", 100),
        ("with limit N", 101),
        ("with limit N+1", 102),
    ] {
        let walk = paging.judge(&s, label, Some(limit)).await?;
        let label = format!("order over the pages {label}");
        s.judge(
            "ORD-2",
            &label,
            "descending by number",
            pages_in_order(&walk),
        );
    }
    Ok(())
}

async fn first_descending_is_the_latest(s: Stage) -> Flow {
    let table = s.table("t").await?;
    let listing = Listing::descending(&table);
    for version in 1..=12 {
        let manifest = s.manifest(&table, &format!("m{version}")).await?;
        let label = format!("create version {version}");
        let call = calls::create_version(&table, version, &manifest);
        let created = s.ask(&label, call).await.set_up()?;
        let page = listing.first_page(&s, Some(1)).await.ok("ORD-3")?;
        let first = listing.items(&page.body).into_iter().next();
        let latest = match first.as_deref() == Some(version.to_string().as_str()) {
            true => Ok(()),
            false => Err(Deviation::new(
                format!("with descending=true and limit=1 comes the latest version, {version}"),
                format!("{} comes", first.as_deref().unwrap_or("nothing")),
                [created.exchange, page.exchange],
            )),
        };
        let label = format!("first after the create of version {version}");
        s.judge("ORD-3", &label, &format!("version {version}"), latest);
    }
    Ok(())
}

async fn order_without_descending(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 12).await?;
    let listing = Listing::versions(&table);
    let walk = Paging::new(listing, numbers(12))
        .judge(&s, "without a limit", None)
        .await?;
    let items = walk.items();
    let reversed: Vec<&str> = items.iter().rev().copied().collect();
    let order = if descending(&reversed).is_ok() {
        "ascending"
    } else if descending(&items).is_ok() {
        "descending"
    } else {
        "neither ascending nor descending"
    };
    s.observe(Observation {
        requirement: "ORD-4",
        choice: format!("without descending, versions come {order} by number"),
    });
    Ok(())
}
