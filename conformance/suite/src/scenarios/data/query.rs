//! `QueryTable` without a vector.

use serde_json::{Value, json};

use crate::calls::data;
use crate::log::Deviation;
use crate::outcome::{Outcome, Refusal};
use crate::rows::{Frame, Row};
use crate::scenario::{Flow, scenarios};
use crate::stage::Stage;
use crate::steps::{compared, listed};

scenarios! {
    /// A query answers the rows that its filter matches, as an Arrow file.
    "data/query-answers-what-matches" => query_answers_what_matches {
        tier: Data,
        checks: ["DATA-6"],
        needs: ["CreateTable", "QueryTable"],
    }
    /// A query answers the columns that it asks for, under the names that it asks for.
    "data/query-answers-the-columns-asked-for" => query_answers_the_columns_asked_for {
        tier: Data,
        checks: ["DATA-6"],
        needs: ["CreateTable", "QueryTable"],
    }
    /// A query answers no more rows than it asks for, and skips as many as it says.
    "data/query-is-cut-and-skips" => query_is_cut_and_skips {
        tier: Data,
        checks: ["DATA-6"],
        needs: ["CreateTable", "QueryTable"],
    }
    /// A query that asks for row ids gets one for each row.
    "data/rows-have-ids-of-their-own" => rows_have_ids_of_their_own {
        tier: Data,
        checks: ["DATA-6"],
        needs: ["CreateTable", "QueryTable"],
    }
    /// A query with a version answers the rows that were there then.
    "data/query-of-a-version" => query_of_a_version {
        tier: Data,
        checks: ["DATA-11"],
        needs: ["CreateTable", "QueryTable", "InsertIntoTable", "DeleteFromTable"],
    }
}

async fn query_answers_what_matches(s: Stage) -> Flow {
    let rows = Row::all(0..10);
    let t = s.table_of("t", &rows).await?;
    s.holds("DATA-6", "all", &t, &rows, []).await?;
    let scan = s.scan(&t).await?;
    let filtered = |filter: &str| scan.clone().field("filter", json!(filter));
    for (filter, matching) in [
        ("id < 3", &rows[..3]),
        ("id = 7", &rows[7..8]),
        ("id >= 8", &rows[8..]),
        ("name = 'row 4'", &rows[4..5]),
        ("true", &rows[..]),
        ("id > 100", &[]),
    ] {
        let held = format!("those where {filter}");
        s.answers("DATA-6", &held, &t, filtered(filter), matching, [])
            .await?;
    }
    for (filter, said) in [
        ("colour = 1", "query by a column that is not there"),
        ("id <<< (", "query by what is no expression"),
    ] {
        let answer = s.ask(said, filtered(filter)).await;
        answer.not_done("DATA-6", &[Refusal::INVALID, Refusal::NO_COLUMN])?;
    }
    // How to ask for no vector: the structure requires the field and calls it nullable.
    let null = data::query(&t, &Value::Null, data::ALL);
    let answer = s.ask("query with a null vector", null).await;
    answer.answered()?;
    match answer.outcome() {
        Outcome::Ok => {
            let reply = answer.set_up()?;
            let label = "query with a null vector";
            let frame = s.framed("DATA-6", label, &reply)?;
            if let Err(deviation) = compared(&frame, &rows, [reply.exchange]) {
                s.violates("DATA-6", deviation);
            }
        }
        outcome => s.warn(
            "DATA-6",
            Deviation::new(
                "a query whose vector is null, which the structure allows: 200",
                outcome.to_string(),
                [answer.exchange()],
            ),
        ),
    }
    Ok(())
}

async fn query_answers_the_columns_asked_for(s: Stage) -> Flow {
    let t = s.table_of("t", &Row::all(1..=3)).await?;
    let scan = s.scan(&t).await?;
    let asked = |columns: Value| scan.clone().field("columns", columns);
    let forms: [(&str, Value, &[&str]); 3] = [
        ("query id", json!({ "column_names": ["id"] }), &["id"]),
        (
            "query name and id",
            json!({ "column_names": ["name", "id"] }),
            &["name", "id"],
        ),
        (
            "query id as number",
            json!({ "column_aliases": { "number": "id" } }),
            &["number"],
        ),
    ];
    for (label, columns, expected) in forms {
        let (frame, exchange) = s.rows("DATA-6", label, asked(columns)).await?;
        let mut names = frame.names();
        // What a search adds of its own is nobody's to ask for.
        names.retain(|name| !name.starts_with('_'));
        names.sort_unstable();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        let values = frame.column(expected[0]).unwrap_or_default();
        let held = match names == expected && values.len() == 3 {
            true => Ok(()),
            false => Err(Deviation::new(
                format!("the columns {} of 3 rows", expected.join(" and ")),
                format!("{frame}"),
                [exchange],
            )),
        };
        s.judge("DATA-6", label, "those columns", held);
    }
    let missing = asked(json!({ "column_names": ["colour"] }));
    let answer = s.ask("query a column that is not there", missing).await;
    answer.not_done("DATA-6", &[Refusal::INVALID, Refusal::NO_COLUMN])?;
    Ok(())
}

async fn query_is_cut_and_skips(s: Stage) -> Flow {
    let t = s.table_of("t", &Row::all(0..10)).await?;
    let scan = s.scan(&t).await?;
    for (label, call, count) in [
        ("query 4 of 10 rows", scan.clone().field("k", json!(4)), 4),
        (
            "query all but 3 of 10 rows",
            scan.clone().field("offset", json!(3)),
            7,
        ),
        (
            "query what follows 10 rows",
            scan.clone().field("offset", json!(10)),
            0,
        ),
    ] {
        let (frame, exchange) = s.rows("DATA-6", label, call).await?;
        let held = distinct(&frame, count).map_err(|actual| {
            Deviation::new(format!("{count} of the ids 0 to 9"), actual, [exchange])
        });
        s.judge("DATA-6", label, "as many", held);
    }
    Ok(())
}

/// Whether a frame has so many rows, all of them others and of the ids 0 to 9.
fn distinct(frame: &Frame, count: usize) -> Result<(), String> {
    let mut ids = frame.ids();
    ids.sort_unstable();
    ids.dedup();
    ids.retain(|id| (0..10).contains(id));
    match ids.len() == count && frame.rows.len() == count {
        true => Ok(()),
        false => Err(format!("the ids {}", listed(&frame.ids()))),
    }
}

async fn rows_have_ids_of_their_own(s: Stage) -> Flow {
    let t = s.table_of("t", &Row::all(0..10)).await?;
    let scan = s.scan(&t).await?.field("with_row_id", json!(true));
    let (frame, exchange) = s.rows("DATA-6", "query with row ids", scan).await?;
    let mut row_ids: Vec<String> = frame
        .column("_rowid")
        .unwrap_or_default()
        .into_iter()
        .filter(|value| !value.is_null())
        .map(Value::to_string)
        .collect();
    row_ids.sort_unstable();
    row_ids.dedup();
    let held = match row_ids.len() {
        10 => Ok(()),
        count => Err(Deviation::new(
            "10 rows, each with another value in the column _rowid",
            format!("{count} values in: {frame}"),
            [exchange],
        )),
    };
    s.judge("DATA-6", "query with row ids", "one each", held);
    Ok(())
}

async fn query_of_a_version(s: Stage) -> Flow {
    let t = s.no_table("t").await?;
    let writes = [
        (
            "those of the create",
            data::create(&t.id, &Row::all(0..4)),
            0..4,
        ),
        (
            "those of the insert",
            data::insert(&t, &Row::all(4..7)),
            0..7,
        ),
        ("those of the delete", data::delete(&t, "id < 5"), 5..7),
    ];
    let mut versions = Vec::new();
    for (held, call, ids) in writes {
        let reply = s.ask("write to t", call).await.set_up()?;
        versions.push((held, s.version_of(&t, &reply).await?, reply.exchange, ids));
    }
    let scan = s.scan(&t).await?;
    for (held, version, because, ids) in versions {
        let query = scan.clone().field("version", json!(version));
        s.answers("DATA-11", held, &t, query, &Row::all(ids), [because])
            .await?;
    }
    let missing = scan.field("version", json!(100_000));
    let answer = s.ask("query a version that is not there", missing).await;
    answer.not_done("DATA-11", &[Refusal::NO_VERSION])?;
    Ok(())
}
