//! Tables that were only declared, in lists and out of them.

use crate::log::Deviation;
use crate::scenario::{Flow, scenarios};
use crate::stage::Stage;
use crate::steps::{End, Listing};

scenarios! {
    /// ListTables leaves out tables that were only declared if asked to, and else names them.
    "listing/declared-tables-on-demand" => declared_tables_on_demand {
        tier: Basic,
        checks: ["LIST-2"],
        needs: [],
    }
    /// ListAllTables leaves out tables that were only declared if asked to.
    "listing/declared-tables-of-all-on-demand" => declared_tables_of_all_on_demand {
        tier: Tables,
        checks: ["LIST-2"],
        needs: ["ListAllTables"],
    }
}

/// Judges whether a listing names a table.
async fn names(s: &Stage, label: &str, listing: &Listing, table: &str, named: bool) -> Flow {
    let walk = listing.pages(s, None).await?;
    let found = walk.items().contains(&table);
    let held = match walk.end {
        Some(End::Refused(outcome)) => Err(outcome.to_string()),
        _ if found == named => Ok(()),
        _ if found => Err("it is named".to_owned()),
        _ => Err("it is not named".to_owned()),
    };
    let word = if named { "named" } else { "left out" };
    let held = held.map_err(|actual| {
        let expected = format!("{label}: a table that was only declared is {word}");
        Deviation::new(expected, actual, walk.exchanges.iter().take(2).cloned())
    });
    s.judge("LIST-2", label, word, held);
    Ok(())
}

async fn declared_tables_on_demand(s: Stage) -> Flow {
    let home = s.home().await?;
    s.table("t").await?;
    let listing = Listing::tables(&s, &home);
    names(&s, "a declared table, by default", &listing, "t", true).await?;
    let with = listing.clone().asking("include_declared", true);
    names(&s, "with include_declared=true", &with, "t", true).await?;
    let without = listing.asking("include_declared", false);
    names(&s, "with include_declared=false", &without, "t", false).await
}

async fn declared_tables_of_all_on_demand(s: Stage) -> Flow {
    let table = s.table("t").await?;
    let id = table.id.join(s.session().target().delimiter());
    // Whether it is named by default, LIST-1 asks elsewhere.
    let without = Listing::all_tables().asking("include_declared", false);
    let label = "a declared table, with include_declared=false";
    names(&s, label, &without, &id, false).await
}
