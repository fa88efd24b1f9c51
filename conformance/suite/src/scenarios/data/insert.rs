//! `InsertIntoTable`.

use arrow_schema::DataType;
use serde_json::json;

use crate::call::Call;
use crate::calls::data;
use crate::log::Deviation;
use crate::outcome::Refusal;
use crate::rows::{Frame, Row, STREAM};
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};

scenarios! {
    /// An insert adds its rows to those that are there, and each is read as soon as it is answered.
    "data/insert-appends" => insert_appends {
        tier: Data,
        checks: ["DATA-3"],
        needs: ["CreateTable", "QueryTable", "InsertIntoTable"],
    }
    /// An insert that overwrites leaves its own rows and no others.
    "data/insert-overwrites" => insert_overwrites {
        tier: Data,
        checks: ["DATA-3"],
        needs: ["CreateTable", "QueryTable", "InsertIntoTable"],
    }
    /// Rows that do not fit the table are refused, and none is written.
    "data/rows-of-another-schema-are-refused" => rows_of_another_schema_are_refused {
        tier: Data,
        checks: ["DATA-9"],
        needs: ["CreateTable", "QueryTable", "InsertIntoTable"],
    }
    /// A body that is no Arrow stream is refused, and nothing is written.
    "data/broken-stream-is-refused" => broken_stream_is_refused {
        tier: Data,
        checks: ["DATA-8"],
        needs: ["CreateTable", "QueryTable", "InsertIntoTable", "MergeInsertIntoTable"],
    }
}

async fn insert_appends(s: Stage) -> Flow {
    let mut rows = Row::all(1..=3);
    let t = s.table_of("t", &rows).await?;
    let modes: [(Option<&str>, &str, i64); 4] = [
        (None, "insert 5 rows", 10),
        (Some("append"), "insert 5 rows, mode append", 20),
        (Some("Append"), "insert 5 rows, mode Append", 30),
        (Some("APPEND"), "insert 5 rows, mode APPEND", 40),
    ];
    for (mode, said, first) in modes {
        let more = Row::all(first..first + 5);
        let mut call = data::insert(&t, &more);
        if let Some(mode) = mode {
            call = call.query("mode", mode);
        }
        let reply = s.ask(said, call).await.ok("DATA-3")?;
        let told = reply.body["num_inserted_rows"].as_u64();
        if let Some(count) = told.filter(|count| *count != 5) {
            s.violates(
                "DATA-3",
                Deviation::new(
                    "num_inserted_rows: 5, as many as were sent",
                    format!("num_inserted_rows: {count}"),
                    [reply.exchange.clone()],
                ),
            );
        }
        rows.extend(more);
        s.holds("DATA-3", "old and new", &t, &rows, [reply.exchange])
            .await?;
    }
    Ok(())
}

async fn insert_overwrites(s: Stage) -> Flow {
    let t = s.table_of("t", &Row::all(1..=5)).await?;
    for (mode, said, first) in [
        ("overwrite", "insert 3 rows, mode overwrite", 4),
        ("Overwrite", "insert 3 rows, mode Overwrite", 20),
    ] {
        let rows = Row::all(first..first + 3);
        let call = data::insert(&t, &rows).query("mode", mode);
        let exchange = s.ask(said, call).await.ok("DATA-3")?.exchange;
        s.holds("DATA-3", "the new ones", &t, &rows, [exchange])
            .await?;
    }
    Ok(())
}

async fn rows_of_another_schema_are_refused(s: Stage) -> Flow {
    let rows = Row::all(1..=3);
    let t = s.table_of("t", &rows).await?;
    let columns = |kinds: &[(&str, DataType)]| {
        let columns = kinds.iter();
        columns
            .map(|(name, kind)| ((*name).to_owned(), kind.clone()))
            .collect::<Vec<_>>()
    };
    let unknown = Frame {
        columns: columns(&[("id", DataType::Int64), ("colour", DataType::Utf8)]),
        rows: vec![vec![json!(7), json!("red")]],
    };
    let mut mistyped = Frame::of(&Row::all([8]));
    mistyped.columns[0].1 = DataType::Utf8;
    mistyped.rows[0][0] = json!("eight");
    for (said, frame) in [
        ("insert rows with an unknown column", unknown),
        ("insert rows whose ids are texts", mistyped),
    ] {
        let call = data::carrying("InsertIntoTable", &t.id, &frame);
        refused(&s, "DATA-9", &t, said, call, &rows).await?;
    }
    Ok(())
}

async fn broken_stream_is_refused(s: Stage) -> Flow {
    let rows = Row::all(1..=3);
    let t = s.table_of("t", &rows).await?;
    let ghost = s.no_table("ghost").await?;
    let whole = Frame::of(&Row::all(100..200)).stream().unwrap_or_default();
    let bodies = [
        // It begins with a small length: many servers reserve as much memory as it says.
        (
            "noise",
            bytes::Bytes::from_static(b"\x10\0\0\0sixteen letters, and no message"),
        ),
        ("half a stream", whole.slice(..whole.len() / 2)),
    ];
    for (what, body) in bodies {
        let into = |operation: &str, table: &Table| {
            let call = Call::new(operation).id(&table.id);
            call.raw(STREAM, body.clone()).odd()
        };
        let call = into("InsertIntoTable", &t);
        refused(&s, "DATA-8", &t, &format!("insert {what}"), call, &rows).await?;
        let call = into("MergeInsertIntoTable", &t)
            .query("on", "id")
            .query("when_not_matched_insert_all", true);
        refused(&s, "DATA-8", &t, &format!("merge {what}"), call, &rows).await?;
        let call = into("CreateTable", &ghost);
        let label = format!("create a table of {what}");
        let answer = s.ask(&label, call).await;
        let exchange = answer.exchange();
        answer.not_done("DATA-8", &[Refusal::INVALID])?;
        let held = match s.table_exists(&ghost.id).await? {
            false => Ok(()),
            true => Err(Deviation::new(
                "no table is there after a refused create",
                "TableExists says that it is",
                [exchange],
            )),
        };
        s.judge("DATA-8", "the table", "not there", held);
    }
    Ok(())
}

/// A write of rows that must be refused and leave the table as it is.
async fn refused(
    s: &Stage,
    requirement: &'static str,
    t: &Table,
    said: &str,
    call: Call,
    rows: &[Row],
) -> Flow {
    let answer = s.ask(said, call).await;
    let exchange = answer.exchange();
    answer.not_done(requirement, &[Refusal::MISFIT])?;
    s.holds(requirement, "unchanged", t, rows, [exchange])
        .await?;
    Ok(())
}
