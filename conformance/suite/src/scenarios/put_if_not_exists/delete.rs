//! Deleting versions by ranges.

use std::sync::Arc;

use crate::calls;
use crate::entry::Entry;
use crate::log::Deviation;
use crate::outcome::{Outcome, Refusal};
use crate::race::race;
use crate::requirement::Level;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};

scenarios! {
    /// A range is deleted from its start up to but without its end, and nothing else.
    "put-if-not-exists/delete-takes-the-range-and-no-more" => delete_takes_the_range {
        tier: Versions,
        checks: ["VER-13"],
        needs: [
            "BatchDeleteTableVersions", "CreateTableVersion", "DescribeTableVersion",
            "ListTableVersions",
        ],
    }
    /// A version in two ranges is counted once, and one that does not exist not at all.
    "put-if-not-exists/overlapping-ranges-count-once" => overlapping_ranges_count_once {
        tier: Versions,
        checks: ["VER-13"],
        needs: [
            "BatchDeleteTableVersions", "CreateTableVersion", "DescribeTableVersion",
            "ListTableVersions",
        ],
    }
    /// An end of -1 stands for all the versions that follow.
    "put-if-not-exists/open-range-takes-the-rest" => open_range_takes_the_rest {
        tier: Versions,
        checks: ["VER-13"],
        needs: [
            "BatchDeleteTableVersions", "CreateTableVersion", "DescribeTableVersion",
            "ListTableVersions",
        ],
    }
    /// Deletes of one range at once count each version once between them.
    "put-if-not-exists/deletes-at-once-count-each-version-once" => deletes_at_once_count_once {
        tier: Versions,
        checks: ["VER-13", "ORD-6", "ORD-7"],
        needs: ["BatchDeleteTableVersions", "CreateTableVersion", "ListTableVersions"],
    }
    /// Versions of a table that does not exist cannot be deleted.
    "put-if-not-exists/delete-on-an-unknown-table-is-not-found" => delete_on_an_unknown_table {
        tier: Versions,
        checks: ["VER-8"],
        needs: ["BatchDeleteTableVersions"],
    }
}

async fn delete_takes_the_range(s: Stage) -> Flow {
    let table = s.table("t").await?;
    let other = s.table("u").await?;
    s.versions(&table, 12).await?;
    s.versions(&other, 12).await?;
    let others = s.stored(&other).await?;
    delete(&s, &table, &[(3, 6)], &[3, 4, 5]).await?;
    delete(&s, &table, &[(9, 10)], &[9]).await?;
    delete(&s, &table, &[(0, 2), (11, 13)], &[1, 11, 12]).await?;
    s.unchanged("VER-13", &other, &others, []).await?;
    Ok(())
}

async fn overlapping_ranges_count_once(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 12).await?;
    delete(&s, &table, &[(2, 6), (4, 8), (4, 8)], &[2, 3, 4, 5, 6, 7]).await?;
    delete(&s, &table, &[(2, 8)], &[]).await?;
    delete(&s, &table, &[(6, 10), (100, 200)], &[8, 9]).await?;
    delete(&s, &table, &[(13, 20)], &[]).await
}

async fn open_range_takes_the_rest(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 12).await?;
    delete(&s, &table, &[(10, -1)], &[10, 11, 12]).await?;
    delete(&s, &table, &[(2, 4), (0, -1)], &[1, 2, 3, 4, 5, 6, 7, 8, 9]).await?;
    delete(&s, &table, &[(0, -1)], &[]).await
}

/// Deletes ranges, and judges the count, what is gone and what is left.
async fn delete(s: &Stage, table: &Table, ranges: &[(i64, i64)], gone: &[i64]) -> Flow {
    let before = s.stored(table).await?;
    let shown: Vec<String> = ranges
        .iter()
        .map(|(start, end)| format!("{start}..{end}"))
        .collect();
    let label = format!("delete {} of {}", shown.join(" and "), table.label);
    let deleted = s.ask(&label, calls::delete_versions(table, ranges)).await;
    let deleted = deleted.ok("VER-13")?;

    let answered = deleted.body["deleted_count"].as_i64();
    let counted = |level, actual: String| {
        let expected = format!("deleted_count is {}", gone.len());
        (
            level,
            Err(Deviation::new(
                expected,
                actual,
                [Arc::clone(&deleted.exchange)],
            )),
        )
    };
    let (level, held) = match answered {
        Some(count) if usize::try_from(count) == Ok(gone.len()) => (Level::Must, Ok(())),
        Some(count) => counted(Level::Must, format!("deleted_count is {count}")),
        // The model does not require the field.
        None => counted(Level::Should, "there is no deleted_count".to_owned()),
    };
    s.judge_at(
        "VER-13",
        level,
        "versions deleted",
        &gone.len().to_string(),
        held,
    );

    for version in gone {
        let described = s.describe_version(table, Some(*version)).await;
        described.refused("VER-13", Refusal::NO_VERSION)?;
    }
    let after = s.stored(table).await?;
    let left: Vec<Entry> = before
        .into_iter()
        .filter(|entry| !gone.contains(&entry.version))
        .collect();
    let held = match left_over(&left, &after) {
        None => Ok(()),
        Some(found) => Err(Deviation::new(
            "the versions in the ranges are gone, the others stay as they are",
            found,
            [deleted.exchange],
        )),
    };
    s.judge(
        "VER-13",
        &format!("versions of {} left", table.label),
        &numbers(&left),
        held,
    );
    Ok(())
}

/// What is wrong with what is left.
fn left_over(expected: &[Entry], after: &[Entry]) -> Option<String> {
    let (kept, now) = (numbers(expected), numbers(after));
    if kept != now {
        return Some(format!("left are {now} instead of {kept}"));
    }
    let changed = expected
        .iter()
        .zip(after)
        .find(|(before, after)| before != after);
    changed.map(|(before, _)| format!("version {} has changed", before.version))
}

fn numbers(entries: &[Entry]) -> String {
    if entries.is_empty() {
        return "none".to_owned();
    }
    let numbers: Vec<String> = entries
        .iter()
        .map(|entry| entry.version.to_string())
        .collect();
    numbers.join(", ")
}

async fn deletes_at_once_count_once(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 40).await?;
    let exchanges = race(8, |_| {
        let call = calls::delete_versions(&table, &[(3, 39)]);
        let s = s.clone();
        async move { s.exchange(call).await }
    })
    .await;
    let mut counts = Some(0);
    let mut unknown = 0;
    let mut done = false;
    for exchange in &exchanges {
        match Outcome::of(exchange) {
            Outcome::Ok => {
                done = true;
                let count = exchange
                    .json()
                    .and_then(|body| body["deleted_count"].as_i64());
                counts = counts.zip(count).map(|(sum, count)| sum + count);
            }
            outcome if outcome.is_unknown() => unknown += 1,
            _ => {}
        }
    }
    let left = numbers(&s.stored(&table).await?);
    let gone = left == "1, 2, 39, 40";
    let fault = match counts {
        _ if done && !gone => Some(format!("left are {left} instead of 1, 2, 39, 40")),
        Some(sum) if gone && (sum > 36 || (sum < 36 && unknown == 0)) => {
            Some(format!("their deleted_count adds up to {sum}"))
        }
        _ => None,
    };
    let held = match fault {
        None => Ok(()),
        Some(fault) => Err(Deviation::new(
            "the clients delete 36 versions between them",
            fault,
            exchanges.into_iter().take(4),
        )),
    };
    let label = "8 clients delete 3..39 of t at once";
    s.judge(
        "VER-13",
        label,
        "36 versions deleted, each counted once",
        held,
    );
    s.judge_history("the history", &["ORD-6", "ORD-7"]).await;
    Ok(())
}

async fn delete_on_an_unknown_table(s: Stage) -> Flow {
    let ghost = Table {
        id: s.unmade_table("ghost").await?,
        label: "ghost".to_owned(),
        ..s.table("t").await?
    };
    let deleted = s
        .ask(
            "delete 0..-1 of ghost",
            calls::delete_versions(&ghost, &[(0, -1)]),
        )
        .await;
    deleted.refused("VER-8", Refusal::NO_TABLE)
}
