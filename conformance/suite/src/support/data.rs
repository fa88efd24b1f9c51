//! Which data operations a server has: each is asked about a table with rows.

use serde_json::json;

use crate::call::Call;
use crate::calls::data;
use crate::rows::Row;
use crate::scenario::Flow;
use crate::stage::Stage;

/// Whether the operation is about rows.
pub(crate) fn is_data(operation: &str) -> bool {
    matches!(
        operation,
        "AlterTableAddColumns"
            | "AlterTableAlterColumns"
            | "AlterTableBackfillColumns"
            | "AlterTableDropColumns"
            | "AnalyzeTableQueryPlan"
            | "CountTableRows"
            | "CreateMaterializedView"
            | "CreateTable"
            | "CreateTableIndex"
            | "CreateTableScalarIndex"
            | "DeleteFromTable"
            | "DescribeTableIndexStats"
            | "DropTableIndex"
            | "ExplainTableQueryPlan"
            | "GetTableStats"
            | "InsertIntoTable"
            | "ListTableIndices"
            | "MergeInsertIntoTable"
            | "QueryTable"
            | "RefreshMaterializedView"
            | "RestoreTable"
            | "UpdateFieldMetadata"
            | "UpdateTable"
            | "UpdateTableSchemaMetadata"
    )
}

/// A valid request for the operation.
pub(super) async fn ask(stage: &Stage, operation: &str, name: &str) -> Flow<Call> {
    let rows = Row::all(1..=3);
    let id = stage.unmade_table(name).await?;
    match operation {
        "CreateTable" => return Ok(data::create(&id, &rows)),
        "CreateMaterializedView" => return Ok(data::view(&id)),
        "RefreshMaterializedView" => {
            stage.ask("create a view", data::view(&id)).await.set_up()?;
            return Ok(Call::new(operation).id(&id));
        }
        _ => {}
    }
    let table = stage.table_of(name, &rows).await?;
    let nearest = data::nearest(&table, &rows[0], 1);
    Ok(match operation {
        "AlterTableAddColumns" => data::add_column(&table, "twice", "id * 2"),
        "AlterTableAlterColumns" => data::rename_column(&table, "name", "label"),
        "AlterTableDropColumns" => data::drop_columns(&table, &["name"]),
        "AlterTableBackfillColumns" => data::on(operation, &table, json!({ "column": "name" })),
        "AnalyzeTableQueryPlan" => nearest.of("AnalyzeTableQueryPlan"),
        "CreateTableIndex" => data::scalar_index(&table, "id", "probe").of("CreateTableIndex"),
        "CreateTableScalarIndex" => data::scalar_index(&table, "id", "probe"),
        "DeleteFromTable" => data::delete(&table, "id = 1"),
        // That it says which index is missing shows that it looked for it.
        "DescribeTableIndexStats" => data::index_stats(&table, "probe"),
        "DropTableIndex" => data::drop_index(&table, "probe"),
        "ExplainTableQueryPlan" => data::explain(nearest),
        "InsertIntoTable" => data::insert(&table, &Row::all([4])),
        "MergeInsertIntoTable" => {
            data::merge(&table, &Row::all([4])).query("when_not_matched_insert_all", true)
        }
        "QueryTable" => nearest,
        "RestoreTable" => data::restore(&table, 1),
        "UpdateTable" => data::update(&table, &[("name", "'probe'")]),
        "UpdateFieldMetadata" => {
            let updates = json!([{ "path": "id", "metadata": { "unit": "none" } }]);
            data::on(operation, &table, json!({ "updates": updates }))
        }
        "UpdateTableSchemaMetadata" => Call::new(operation)
            .id(&table.id)
            .json(json!({ "probe": "yes" })),
        _ => data::on(operation, &table, json!({})),
    })
}
