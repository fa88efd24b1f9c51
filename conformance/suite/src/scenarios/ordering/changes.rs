//! Paging while items come and go: what was there before the first page and stays, appears.

use crate::calls;
use crate::log::Deviation;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};
use crate::steps::{Listing, Walk};

/// After how many pages something is still added; adding without end would page without end.
const CHANGES: usize = 6;

scenarios! {
    /// Paging through tables while some are declared and some removed loses none that stays.
    "ordering/tables-come-and-go-while-paging" => tables_come_and_go {
        tier: Basic,
        checks: ["PAGE-2", "PAGE-5", "ORD-6", "ORD-7"],
        needs: [],
    }
    /// Paging through namespaces while some are created and some dropped loses none that stays.
    "ordering/namespaces-come-and-go-while-paging" => namespaces_come_and_go {
        tier: Basic,
        checks: ["PAGE-2", "PAGE-5"],
        needs: [],
    }
    /// Paging through versions while some are created and some deleted loses none that stays.
    "ordering/versions-come-and-go-while-paging" => versions_come_and_go {
        tier: Versions,
        checks: ["PAGE-2", "PAGE-5", "ORD-6", "ORD-7"],
        needs: ["CreateTableVersion", "ListTableVersions", "BatchDeleteTableVersions"],
    }
}

/// The names that are there before the first page, with room before, between and after them.
fn names() -> Vec<String> {
    ["g", "c", "k", "e", "o", "i", "m", "s", "q", "u"]
        .map(str::to_owned)
        .to_vec()
}

/// Names to be added after a page: one before all others, one between them, one after them.
fn more(page: usize) -> [String; 3] {
    [format!("a{page}"), format!("j{page}"), format!("z{page}")]
}

/// Judges that all these items came.
fn all_came(s: &Stage, walk: &Walk, label: &str, items: &[String]) {
    let missing = walk.missing(items);
    let came = match missing.is_empty() {
        true => Ok(()),
        false => Err(Deviation::new(
            "what was there before the first page and stays is on one of the pages",
            format!(
                "{} of {} items are on none of the {} pages: {}",
                missing.len(),
                items.len(),
                walk.pages.len(),
                missing.join(", ")
            ),
            walk.exchanges.iter().take(6).cloned(),
        )),
    };
    s.judge("PAGE-5", label, "all that stays appears", came);
}

async fn tables_come_and_go(s: Stage) -> Flow {
    let adding = s.namespace("adding").await?;
    let removing = s.namespace("removing").await?;
    for name in names() {
        s.table_in(&adding, &name).await?;
        s.table_in(&removing, &name).await?;
    }
    let mut walk = Listing::tables(&s, &adding).walk(Some(2));
    while walk.next(&s).await? {
        if walk.pages.len() <= CHANGES {
            for name in more(walk.pages.len()) {
                s.table_in(&adding, &name).await?;
            }
        }
    }
    walk.goes_on(&s, &names())?;
    all_came(
        &s,
        &walk,
        "pages of tables while tables are declared",
        &names(),
    );
    let mut walk = Listing::tables(&s, &removing).walk(Some(2));
    while walk.next(&s).await? {
        for name in last_page(&walk) {
            let call = calls::deregister(&removing.child(&name));
            s.ask(&format!("deregister table {name}"), call)
                .await
                .set_up()?;
        }
    }
    all_came(
        &s,
        &walk,
        "pages of tables while those shown are removed",
        &names(),
    );
    s.judge_history("the history", &["ORD-6", "ORD-7"]).await;
    Ok(())
}

async fn namespaces_come_and_go(s: Stage) -> Flow {
    let adding = s.namespace("adding").await?;
    let removing = s.namespace("removing").await?;
    for name in names() {
        s.namespace_in(&adding, &name).await?;
        s.namespace_in(&removing, &name).await?;
    }
    let mut walk = Listing::namespaces(&adding).walk(Some(2));
    while walk.next(&s).await? {
        if walk.pages.len() <= CHANGES {
            for name in more(walk.pages.len()) {
                s.namespace_in(&adding, &name).await?;
            }
        }
    }
    walk.goes_on(&s, &names())?;
    all_came(
        &s,
        &walk,
        "pages of namespaces while namespaces are created",
        &names(),
    );
    let mut walk = Listing::namespaces(&removing).walk(Some(2));
    while walk.next(&s).await? {
        for name in last_page(&walk) {
            let call = calls::drop_namespace(&removing.child(&name));
            s.ask(&format!("drop namespace {name}"), call)
                .await
                .set_up()?;
        }
    }
    all_came(
        &s,
        &walk,
        "pages of namespaces while those shown are dropped",
        &names(),
    );
    Ok(())
}

async fn versions_come_and_go(s: Stage) -> Flow {
    let numbers: Vec<String> = (1..=10).map(|version| version.to_string()).collect();
    let adding = s.table("adding").await?;
    let removing = s.table("removing").await?;
    s.versions(&adding, 10).await?;
    s.versions(&removing, 10).await?;
    let mut walk = Listing::descending(&adding).walk(Some(2));
    let mut latest = 10;
    while walk.next(&s).await? {
        if walk.pages.len() <= CHANGES {
            latest += 1;
            create(&s, &adding, latest).await?;
        }
    }
    walk.goes_on(&s, &numbers)?;
    all_came(
        &s,
        &walk,
        "descending pages while versions are created",
        &numbers,
    );
    let mut walk = Listing::versions(&removing).walk(Some(2));
    while walk.next(&s).await? {
        let shown: Vec<i64> = last_page(&walk)
            .iter()
            .filter_map(|item| item.parse().ok())
            .collect();
        let ranges: Vec<(i64, i64)> = shown.into_iter().map(|one| (one, one + 1)).collect();
        let call = calls::delete_versions(&removing, &ranges);
        s.ask("delete the versions on the page", call)
            .await
            .set_up()?;
    }
    all_came(
        &s,
        &walk,
        "pages of versions while those shown are deleted",
        &numbers,
    );
    s.judge_history("the history", &["ORD-6", "ORD-7"]).await;
    Ok(())
}

async fn create(s: &Stage, table: &Table, version: i64) -> Flow {
    let manifest = s.manifest(table, &format!("m{version}")).await?;
    let call = calls::create_version(table, version, &manifest);
    s.ask(&format!("create version {version}"), call)
        .await
        .set_up()?;
    Ok(())
}

/// The items of the page that was just read.
fn last_page(walk: &Walk) -> Vec<String> {
    walk.pages.last().cloned().unwrap_or_default()
}
