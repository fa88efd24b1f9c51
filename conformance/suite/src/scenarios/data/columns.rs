//! `AlterTableAddColumns`, `AlterTableAlterColumns` and `AlterTableDropColumns`.

use serde_json::{Value, json};

use crate::calls::data;
use crate::log::Deviation;
use crate::outcome::Refusal;
use crate::rows::{Frame, Row};
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};

scenarios! {
    /// A column that is added by an expression has its value in every row.
    "data/added-column-has-its-values" => added_column_has_its_values {
        tier: Data,
        checks: ["DATA-16"],
        needs: ["CreateTable", "QueryTable", "InsertIntoTable", "AlterTableAddColumns"],
    }
    /// A renamed column has its values under the new name and is gone under the old.
    "data/renamed-column-keeps-its-values" => renamed_column_keeps_its_values {
        tier: Data,
        checks: ["DATA-17"],
        needs: ["CreateTable", "QueryTable", "AlterTableAlterColumns"],
    }
    /// A dropped column is gone, and the others keep their values.
    "data/dropped-column-is-gone" => dropped_column_is_gone {
        tier: Data,
        checks: ["DATA-18"],
        needs: ["CreateTable", "QueryTable", "AlterTableDropColumns"],
    }
    /// What alters or drops a column that is not there is refused, and changes nothing.
    "data/missing-column-is-not-found" => missing_column_is_not_found {
        tier: Data,
        checks: ["DATA-19"],
        needs: [
            "CreateTable",
            "QueryTable",
            "AlterTableAddColumns",
            "AlterTableAlterColumns",
            "AlterTableDropColumns",
        ],
    }
}

async fn added_column_has_its_values(s: Stage) -> Flow {
    let t = s.table_of("t", &Row::all(1..=3)).await?;
    let call = data::add_column(&t, "twice", "id * 2");
    s.ask("add twice, which is id * 2", call)
        .await
        .ok("DATA-16")?;
    let values = json!([[1, 2], [2, 4], [3, 6]]);
    pairs(&s, "DATA-16", &t, "twice", &values, "twice the ids").await?;
    // What is appended later has no value for it: the expression is not kept.
    let answer = s
        .ask(
            "insert a row without twice",
            data::insert(&t, &Row::all([4])),
        )
        .await;
    answer.answered()?;
    if answer.outcome() == crate::outcome::Outcome::Ok {
        let values = json!([[1, 2], [2, 4], [3, 6], [4, null]]);
        let found = ids_with(&s, "DATA-16", &t, "twice").await?;
        if found.1 != values {
            s.warn(
                "DATA-16",
                Deviation::new(
                    "the row that was appended has no value for twice",
                    found.0.to_string(),
                    [answer.exchange(), found.2],
                ),
            );
        }
    } else {
        s.warn(
            "DATA-16",
            Deviation::new(
                "rows appended later read null in the column: an insert without it is carried out",
                answer.outcome().to_string(),
                [answer.exchange()],
            ),
        );
    }
    Ok(())
}

async fn renamed_column_keeps_its_values(s: Stage) -> Flow {
    let t = s.table_of("t", &Row::all(1..=3)).await?;
    let call = data::rename_column(&t, "name", "label");
    s.ask("rename name to label", call).await.ok("DATA-17")?;
    let values = json!([[1, "row 1"], [2, "row 2"], [3, "row 3"]]);
    pairs(&s, "DATA-17", &t, "label", &values, "those of name").await?;
    let columns = ["id", "label", "vector"];
    has_columns(&s, "DATA-17", &t, &columns, "under the new name").await
}

async fn dropped_column_is_gone(s: Stage) -> Flow {
    let t = s.table_of("t", &Row::all(1..=3)).await?;
    let call = data::drop_columns(&t, &["vector"]);
    s.ask("drop vector", call).await.ok("DATA-18")?;
    has_columns(&s, "DATA-18", &t, &["id", "name"], "without vector").await?;
    let values = json!([[1, "row 1"], [2, "row 2"], [3, "row 3"]]);
    pairs(&s, "DATA-18", &t, "name", &values, "as before").await
}

async fn missing_column_is_not_found(s: Stage) -> Flow {
    let rows = Row::all(1..=3);
    let t = s.table_of("t", &rows).await?;
    for (said, call) in [
        (
            "rename a column that is not there",
            data::rename_column(&t, "colour", "hue"),
        ),
        (
            "drop a column that is not there",
            data::drop_columns(&t, &["colour"]),
        ),
        (
            "drop a column that is there and one that is not",
            data::drop_columns(&t, &["name", "colour"]),
        ),
        (
            "add a column computed of one that is not there",
            data::add_column(&t, "hue", "colour * 2"),
        ),
    ] {
        let answer = s.ask(said, call).await;
        let exchange = answer.exchange();
        answer.not_done("DATA-19", &[Refusal::NO_COLUMN, Refusal::INVALID])?;
        s.holds("DATA-19", "unchanged", &t, &rows, [exchange])
            .await?;
    }
    Ok(())
}

/// The values of `id` and of a column, in the order of ids.
async fn ids_with(
    s: &Stage,
    requirement: &'static str,
    t: &Table,
    column: &str,
) -> Flow<(Frame, Value, std::sync::Arc<crate::exchange::Exchange>)> {
    let (frame, exchange) = s.all_rows(requirement, t).await?;
    let values = frame.column(column).unwrap_or_default();
    let mut found: Vec<(i64, Value)> = frame
        .ids()
        .into_iter()
        .zip(values.into_iter().cloned())
        .collect();
    found.sort_by_key(|(id, _)| *id);
    Ok((frame, json!(found), exchange))
}

/// Judges the values of a column, beside those of `id`.
async fn pairs(
    s: &Stage,
    requirement: &'static str,
    t: &Table,
    column: &str,
    values: &Value,
    held: &str,
) -> Flow {
    let (frame, found, exchange) = ids_with(s, requirement, t, column).await?;
    let held_so = match found == *values {
        true => Ok(()),
        false => Err(Deviation::new(
            format!("id and {column}: {values}"),
            frame.to_string(),
            [exchange],
        )),
    };
    s.judge(requirement, &format!("values of {column}"), held, held_so);
    Ok(())
}

/// Judges which columns a table has.
async fn has_columns(
    s: &Stage,
    requirement: &'static str,
    t: &Table,
    columns: &[&str],
    held: &str,
) -> Flow {
    let (frame, exchange) = s.all_rows(requirement, t).await?;
    let mut names = frame.names();
    names.retain(|name| !name.starts_with('_'));
    names.sort_unstable();
    let held_so = match names == columns {
        true => Ok(()),
        false => Err(Deviation::new(
            format!("the columns {}", columns.join(", ")),
            format!("the columns {}", names.join(", ")),
            [exchange],
        )),
    };
    s.judge(
        requirement,
        &format!("columns of {}", t.label),
        held,
        held_so,
    );
    Ok(())
}
