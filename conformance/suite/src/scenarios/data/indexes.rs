//! Indexes.

use std::time::Duration;

use serde_json::{Value, json};

use crate::answer::Reply;
use crate::calls::data;
use crate::log::Deviation;
use crate::outcome::Refusal;
use crate::requirement::Level;
use crate::rows::Row;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};

/// How often, and after which pause, an index that is built in the background is looked for.
const LOOKS: usize = 100;
const PAUSE: Duration = Duration::from_millis(200);

scenarios! {
    /// An index appears with its name and column, and queries answer the same with it.
    "data/index-appears-and-changes-no-answer" => index_appears_and_changes_no_answer {
        tier: Data,
        checks: ["DATA-20"],
        needs: [
            "CreateTable",
            "QueryTable",
            "InsertIntoTable",
            "CreateTableScalarIndex",
            "ListTableIndices",
            "DescribeTableIndexStats",
        ],
    }
    /// A vector index appears, and the nearest row is found with it.
    "data/vector-index-appears" => vector_index_appears {
        tier: Data,
        checks: ["DATA-20"],
        needs: ["CreateTable", "QueryTable", "CreateTableIndex", "ListTableIndices"],
    }
    /// A dropped index is gone, and the rows stay.
    "data/dropped-index-is-gone" => dropped_index_is_gone {
        tier: Data,
        checks: ["DATA-21"],
        needs: [
            "CreateTable",
            "QueryTable",
            "CreateTableScalarIndex",
            "ListTableIndices",
            "DescribeTableIndexStats",
            "DropTableIndex",
        ],
    }
}

async fn index_appears_and_changes_no_answer(s: Stage) -> Flow {
    let mut rows = Row::all(0..60);
    let t = s.table_of("t", &rows).await?;
    let call = data::scalar_index(&t, "id", "by_id");
    let created = s.ask("create an index on id", call).await.ok("DATA-20")?;
    appears(&s, &t, "by_id", "id", &created).await?;
    let call = data::index_stats(&t, "by_id");
    let reply = s
        .ask("describe the index", call)
        .await
        .ok_as_ever("DATA-20")?;
    let rows_known =
        ["num_indexed_rows", "num_unindexed_rows"].map(|name| reply.body[name].as_u64());
    let held = match rows_known {
        [Some(indexed), Some(unindexed)] if indexed + unindexed != 60 => Err(Deviation::new(
            "60 rows, indexed or not",
            format!("{indexed} indexed and {unindexed} not"),
            [reply.exchange],
        )),
        _ => Ok(()),
    };
    s.judge("DATA-20", "rows of the index", "all", held);
    rows.extend(Row::all(60..65));
    s.ask("insert 5 rows", data::insert(&t, &rows[60..]))
        .await
        .set_up()?;
    let scan = s.scan(&t).await?;
    for (filter, matching) in [("id = 7", &rows[7..8]), ("id >= 58", &rows[58..])] {
        let query = scan.clone().field("filter", json!(filter));
        let held = format!("those where {filter}");
        s.answers("DATA-20", &held, &t, query, matching, []).await?;
    }
    let again = data::scalar_index(&t, "name", "by_id");
    let answer = s.ask("create another index of the name", again).await;
    answer.not_done("DATA-20", &[Refusal::INDEX_EXISTS])?;
    let call = data::scalar_index(&t, "colour", "by_colour");
    let answer = s.ask("create an index on no column", call).await;
    answer.not_done("DATA-20", &[Refusal::NO_COLUMN, Refusal::INVALID])?;
    Ok(())
}

async fn vector_index_appears(s: Stage) -> Flow {
    let t = s.table_of("t", &Row::all(0..300)).await?;
    let body = json!({
        "column": "vector",
        "index_type": "IVF_FLAT",
        "name": "by_vector",
        "distance_type": "l2",
        "num_partitions": 1,
    });
    let call = data::on("CreateTableIndex", &t, body);
    let created = s
        .ask("create an index on vector", call)
        .await
        .ok("DATA-20")?;
    appears(&s, &t, "by_vector", "vector", &created).await?;
    // An index may be off by a row or two, but not where the row itself is asked for.
    let call = data::nearest(&t, &Row::new(33), 1).field("bypass_vector_index", None);
    let (frame, exchange) = s.rows("DATA-20", "the nearest to row 33", call).await?;
    let held = match frame.ids() == [33] {
        true => Ok(()),
        false => Err(Deviation::new("row 33", frame.to_string(), [exchange])),
    };
    s.judge("DATA-20", "the nearest to row 33", "itself", held);
    Ok(())
}

async fn dropped_index_is_gone(s: Stage) -> Flow {
    let rows = Row::all(0..30);
    let t = s.table_of("t", &rows).await?;
    for (column, name) in [("id", "by_id"), ("name", "by_name")] {
        let label = format!("create an index on {column}");
        let call = data::scalar_index(&t, column, name);
        let created = s.ask(&label, call).await.set_up()?;
        if found(&s, &t, name).await?.is_none() {
            let reason = format!("set-up failed: {label}: it does not appear");
            return Err(crate::scenario::Stop::Inconclusive(reason));
        }
        drop(created);
    }
    let dropped = s
        .ask("drop the index on id", data::drop_index(&t, "by_id"))
        .await
        .ok("DATA-21")?;
    for (name, stays) in [("by_id", false), ("by_name", true)] {
        let (listed, exchange) = look(&s, &t, name).await?;
        let held = match listed.is_some() == stays {
            true => Ok(()),
            false => Err(Deviation::new(
                format!(
                    "the index {name} {}",
                    if stays { "stays" } else { "is gone" }
                ),
                if stays { "it is gone" } else { "it is listed" },
                [dropped.exchange.clone(), exchange],
            )),
        };
        let label = format!("index {name}");
        s.judge(
            "DATA-21",
            &label,
            if stays { "stays" } else { "gone" },
            held,
        );
    }
    s.holds("DATA-21", "unchanged", &t, &rows, []).await?;
    for (said, call) in [
        ("describe the index on id", data::index_stats(&t, "by_id")),
        ("drop the index on id again", data::drop_index(&t, "by_id")),
        (
            "drop an index that never was",
            data::drop_index(&t, "ghost"),
        ),
    ] {
        s.ask(said, call)
            .await
            .refused("DATA-21", Refusal::NO_INDEX)?;
    }
    Ok(())
}

/// Judges that an index appears, in some seconds, and is on its column.
async fn appears(s: &Stage, t: &Table, name: &str, column: &str, created: &Reply) -> Flow {
    let (level, held) = match found(s, t, name).await? {
        Some(index) if index["columns"] == json!([column]) => (Level::Must, Ok(())),
        Some(index) => {
            let expected = format!("the index {name} on {column}");
            let actual = format!("the index is on {}", index["columns"]);
            let because = [created.exchange.clone()];
            (Level::Must, Err(Deviation::new(expected, actual, because)))
        }
        // How long the building may take, nobody says.
        None => {
            let (_, exchange) = look(s, t, name).await?;
            let expected = format!("the index {name} is listed");
            let actual = format!("it is not listed after {LOOKS} looks");
            let because = [created.exchange.clone(), exchange];
            (
                Level::Should,
                Err(Deviation::new(expected, actual, because)),
            )
        }
    };
    s.judge_at("DATA-20", level, &format!("index {name}"), "listed", held);
    Ok(())
}

/// The index of this name, once it is listed.
async fn found(s: &Stage, t: &Table, name: &str) -> Flow<Option<Value>> {
    for _ in 0..LOOKS {
        let (index, _) = look(s, t, name).await?;
        if index.is_some() {
            return Ok(index);
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(None)
}

/// The index of this name, if it is listed.
async fn look(
    s: &Stage,
    t: &Table,
    name: &str,
) -> Flow<(Option<Value>, std::sync::Arc<crate::exchange::Exchange>)> {
    let call = data::on("ListTableIndices", t, json!({}));
    let reply = s.ask("list the indexes", call).await.set_up()?;
    let indexes = reply.body["indexes"].as_array().into_iter().flatten();
    let mut named = indexes.filter(|index| index["index_name"] == name);
    Ok((named.next().cloned(), reply.exchange))
}
