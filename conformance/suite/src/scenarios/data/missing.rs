//! Operations on a table that is not there.

use std::sync::Arc;

use serde_json::json;

use crate::call::Call;
use crate::calls::data;
use crate::exchange::Exchange;
use crate::log::Deviation;
use crate::outcome::Outcome;
use crate::rows::Row;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};

scenarios! {
    /// What asks for a table that is not there is told so, and none appears.
    "data/unknown-table-is-not-found" => unknown_table_is_not_found {
        tier: Data,
        checks: ["DATA-29"],
        needs: ["CreateTable"],
    }
    /// What asks for the rows of a dropped table is told that there is none, and a new one is empty.
    "data/dropped-table-leaves-no-rows" => dropped_table_leaves_no_rows {
        tier: Data,
        checks: ["DATA-29"],
        needs: ["CreateTable", "QueryTable", "CountTableRows", "DropTable"],
    }
}

/// Every operation that is about the rows of a table.
fn operations(t: &Table) -> Vec<(&'static str, Call)> {
    let rows = Row::all([1]);
    let nearest = data::nearest(t, &rows[0], 1);
    let field = json!([{ "path": "id", "metadata": { "a": "1" } }]);
    vec![
        ("InsertIntoTable", data::insert(t, &rows)),
        (
            "MergeInsertIntoTable",
            data::merge(t, &rows).query("when_not_matched_insert_all", true),
        ),
        ("UpdateTable", data::update(t, &[("name", "'new'")])),
        ("DeleteFromTable", data::delete(t, "id = 1")),
        ("CountTableRows", data::count(t)),
        ("QueryTable", nearest.clone()),
        ("ExplainTableQueryPlan", data::explain(nearest.clone())),
        ("AnalyzeTableQueryPlan", nearest.of("AnalyzeTableQueryPlan")),
        ("GetTableStats", data::on("GetTableStats", t, json!({}))),
        ("RestoreTable", data::restore(t, 1)),
        (
            "AlterTableAddColumns",
            data::add_column(t, "twice", "id * 2"),
        ),
        (
            "AlterTableAlterColumns",
            data::rename_column(t, "name", "label"),
        ),
        ("AlterTableDropColumns", data::drop_columns(t, &["name"])),
        (
            "AlterTableBackfillColumns",
            data::on("AlterTableBackfillColumns", t, json!({ "column": "name" })),
        ),
        (
            "CreateTableScalarIndex",
            data::scalar_index(t, "id", "by_id"),
        ),
        (
            "CreateTableIndex",
            data::scalar_index(t, "id", "by_id").of("CreateTableIndex"),
        ),
        (
            "ListTableIndices",
            data::on("ListTableIndices", t, json!({})),
        ),
        (
            "UpdateTableSchemaMetadata",
            Call::new("UpdateTableSchemaMetadata")
                .id(&t.id)
                .json(json!({ "a": "1" })),
        ),
        (
            "UpdateFieldMetadata",
            data::on("UpdateFieldMetadata", t, json!({ "updates": field })),
        ),
    ]
}

async fn unknown_table_is_not_found(s: Stage) -> Flow {
    let ghost = s.no_table("ghost").await?;
    let mut others = Others::default();
    for (operation, call) in operations(&ghost) {
        if s.has(operation).await? {
            others.ask(&s, operation, call).await?;
        }
    }
    others.judge(&s, "operations on a table that is not there");
    let held = match s.table_exists(&ghost.id).await? {
        false => Ok(()),
        true => Err(Deviation::new(
            "no table appears",
            "TableExists says that it is there",
            [],
        )),
    };
    s.judge("DATA-29", "the table", "not there", held);
    Ok(())
}

async fn dropped_table_leaves_no_rows(s: Stage) -> Flow {
    let t = s.table_of("t", &Row::all(1..=3)).await?;
    s.ask("drop t", Call::new("DropTable").id(&t.id))
        .await
        .set_up()?;
    let mut others = Others::default();
    for (operation, call) in operations(&t) {
        if matches!(operation, "CountTableRows" | "QueryTable") {
            others.ask(&s, operation, call).await?;
        }
    }
    others.judge(&s, "count and query of the dropped table");
    let t = s.table_of("t", &Row::all([9])).await?;
    s.holds("DATA-29", "the new one", &t, &Row::all([9]), [])
        .await?;
    Ok(())
}

/// The answers that are not 404 with code 4.
#[derive(Default)]
struct Others {
    statuses: Vec<(String, Arc<Exchange>)>,
    codes: Vec<(String, Arc<Exchange>)>,
}

impl Others {
    async fn ask(&mut self, s: &Stage, operation: &str, call: Call) -> Flow {
        let answer = s.ask(operation, call).await;
        answer.answered()?;
        let said = (
            format!("{operation}: {}", answer.outcome()),
            answer.exchange(),
        );
        match answer.outcome() {
            Outcome::Refused(404, Some(4)) => {}
            Outcome::Refused(404, _) => self.codes.push(said),
            _ => self.statuses.push(said),
        }
        Ok(())
    }

    fn judge(self, s: &Stage, label: &str) {
        let deviation = |found: Vec<(String, Arc<Exchange>)>| {
            let (words, exchanges): (Vec<String>, Vec<Arc<Exchange>>) = found.into_iter().unzip();
            Deviation::new("404 with code 4", words.join("; "), exchanges)
        };
        if !self.codes.is_empty() {
            s.warn("DATA-29", deviation(self.codes));
        }
        let held = match self.statuses.is_empty() {
            true => Ok(()),
            false => Err(deviation(self.statuses)),
        };
        s.judge("DATA-29", label, "not found", held);
    }
}
