//! `CountTableRows`.

use serde_json::json;

use crate::calls::data;
use crate::outcome::Refusal;
use crate::rows::Row;
use crate::scenario::{Flow, scenarios};
use crate::stage::Stage;

scenarios! {
    /// A count is of the rows that match its predicate, or of all.
    "data/count-is-of-what-matches" => count_is_of_what_matches {
        tier: Data,
        checks: ["DATA-5"],
        needs: ["CreateTable", "CountTableRows", "InsertIntoTable", "DeleteFromTable"],
    }
    /// A count with a version is of the rows that were there then.
    "data/count-of-a-version" => count_of_a_version {
        tier: Data,
        checks: ["DATA-11"],
        needs: ["CreateTable", "CountTableRows", "InsertIntoTable"],
    }
}

async fn count_is_of_what_matches(s: Stage) -> Flow {
    let t = s.table_of("t", &Row::all(0..10)).await?;
    let count = |predicate: &str| data::count(&t).field("predicate", json!(predicate));
    s.counts("DATA-5", "count all of 10 rows", data::count(&t), 10, [])
        .await?;
    for (predicate, matching) in [("id < 3", 3), ("id = 7", 1), ("id > 100", 0), ("true", 10)] {
        let label = format!("count the rows where {predicate}");
        s.counts("DATA-5", &label, count(predicate), matching, [])
            .await?;
    }
    let inserted = s
        .ask("insert 5 rows", data::insert(&t, &Row::all(10..15)))
        .await;
    let inserted = inserted.ok("DATA-5")?.exchange;
    s.counts(
        "DATA-5",
        "count all of 15 rows",
        data::count(&t),
        15,
        [inserted],
    )
    .await?;
    let deleted = s.ask("delete 4 rows", data::delete(&t, "id < 4")).await;
    let deleted = deleted.ok("DATA-5")?.exchange;
    s.counts(
        "DATA-5",
        "count all of 11 rows",
        data::count(&t),
        11,
        [deleted],
    )
    .await?;
    let answer = s
        .ask("count by a column that is not there", count("colour = 1"))
        .await;
    answer.not_done("DATA-5", &[Refusal::INVALID, Refusal::NO_COLUMN])?;
    Ok(())
}

async fn count_of_a_version(s: Stage) -> Flow {
    let t = s.no_table("t").await?;
    let create = data::create(&t.id, &Row::all(0..4));
    let created = s.ask("create t", create).await.set_up()?;
    let first = s.version_of(&t, &created).await?;
    let inserted = s
        .ask("insert 3 rows", data::insert(&t, &Row::all(4..7)))
        .await;
    let inserted = inserted.set_up()?;
    let second = s.version_of(&t, &inserted).await?;
    let count = |version: i64| data::count(&t).field("version", json!(version));
    for (label, version, rows) in [
        ("count the version of the create", first, 4),
        ("count the version of the insert", second, 7),
    ] {
        let because = [created.exchange.clone(), inserted.exchange.clone()];
        s.counts("DATA-11", label, count(version), rows, because)
            .await?;
    }
    let answer = s
        .ask("count a version that is not there", count(second + 1000))
        .await;
    answer.not_done("DATA-11", &[Refusal::NO_VERSION])?;
    Ok(())
}
