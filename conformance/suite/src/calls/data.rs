//! The calls of data operations.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value, json};

use crate::call::{Body, Call};
use crate::rows::{Frame, Row, STREAM};
use crate::stage::Table;

/// More rows than any scenario's table has: a query for so many wants all of them.
pub const ALL: u32 = 1000;

/// `CreateTable` with these rows.
#[must_use]
pub fn create(id: &[String], rows: &[Row]) -> Call {
    carrying("CreateTable", id, &Frame::of(rows))
}

/// `InsertIntoTable` of these rows.
#[must_use]
pub fn insert(table: &Table, rows: &[Row]) -> Call {
    carrying("InsertIntoTable", &table.id, &Frame::of(rows))
}

/// `MergeInsertIntoTable` of these rows, on the column `id`.
#[must_use]
pub fn merge(table: &Table, rows: &[Row]) -> Call {
    carrying("MergeInsertIntoTable", &table.id, &Frame::of(rows)).query("on", "id")
}

/// A call that carries an Arrow stream.
///
/// # Panics
///
/// If a column has a type that [`Frame`] cannot write, which is a fault of the suite.
#[must_use]
pub fn carrying(operation: &str, id: &[String], frame: &Frame) -> Call {
    let stream = frame
        .stream()
        .expect("scenarios send columns that can be written");
    Call::new(operation).id(id).raw(STREAM, stream)
}

/// `CountTableRows`.
#[must_use]
pub fn count(table: &Table) -> Call {
    on("CountTableRows", table, json!({}))
}

/// `QueryTable` for the `k` rows whose vectors are nearest to that of this row.
#[must_use]
pub fn nearest(table: &Table, row: &Row, k: u32) -> Call {
    let vector = json!({ "single_vector": row.vector });
    query(table, &vector, k)
        .field("vector_column", json!("vector"))
        .field("distance_type", json!("l2"))
        .field("bypass_vector_index", json!(true))
}

/// `QueryTable` with this value of the field `vector`.
#[must_use]
pub fn query(table: &Table, vector: &Value, k: u32) -> Call {
    on("QueryTable", table, json!({ "vector": vector, "k": k }))
}

/// `UpdateTable`: sets columns to the values of expressions.
#[must_use]
pub fn update(table: &Table, updates: &[(&str, &str)]) -> Call {
    let updates: Vec<[&str; 2]> = updates.iter().map(|(path, sql)| [*path, *sql]).collect();
    on("UpdateTable", table, json!({ "updates": updates }))
}

/// `DeleteFromTable`.
#[must_use]
pub fn delete(table: &Table, predicate: &str) -> Call {
    on("DeleteFromTable", table, json!({ "predicate": predicate }))
}

/// `RestoreTable`.
#[must_use]
pub fn restore(table: &Table, version: i64) -> Call {
    on("RestoreTable", table, json!({ "version": version }))
}

/// `AlterTableAddColumns`: one column, by an expression.
#[must_use]
pub fn add_column(table: &Table, name: &str, expression: &str) -> Call {
    let columns = json!([{ "name": name, "expression": expression }]);
    on(
        "AlterTableAddColumns",
        table,
        json!({ "new_columns": columns }),
    )
}

/// `AlterTableAlterColumns`: renames a column.
#[must_use]
pub fn rename_column(table: &Table, path: &str, name: &str) -> Call {
    let alterations = json!([{ "path": path, "rename": name }]);
    on(
        "AlterTableAlterColumns",
        table,
        json!({ "alterations": alterations }),
    )
}

/// `AlterTableDropColumns`.
#[must_use]
pub fn drop_columns(table: &Table, columns: &[&str]) -> Call {
    on(
        "AlterTableDropColumns",
        table,
        json!({ "columns": columns }),
    )
}

/// `CreateTableScalarIndex`, of the type BTREE.
#[must_use]
pub fn scalar_index(table: &Table, column: &str, name: &str) -> Call {
    let body = json!({ "column": column, "index_type": "BTREE", "name": name });
    on("CreateTableScalarIndex", table, body)
}

/// `DescribeTableIndexStats`.
#[must_use]
pub fn index_stats(table: &Table, index: &str) -> Call {
    on("DescribeTableIndexStats", table, json!({})).index(index)
}

/// `DropTableIndex`.
#[must_use]
pub fn drop_index(table: &Table, index: &str) -> Call {
    Call::new("DropTableIndex").id(&table.id).index(index)
}

/// `ExplainTableQueryPlan` of a query.
#[must_use]
pub fn explain(query: Call) -> Call {
    let query = query.of("ExplainTableQueryPlan");
    let body = match &query.body {
        Body::Json(body) => json!({ "id": query.id, "query": body }),
        Body::None | Body::Raw(..) => Value::Null,
    };
    query.json(body)
}

/// `CreateMaterializedView`, of a query and without data.
#[must_use]
pub fn view(id: &[String]) -> Call {
    let schema = Frame::of(&[]).stream().unwrap_or_default();
    Call::new("CreateMaterializedView").id(id).json(json!({
        "id": id,
        "kind": "query",
        "source_query": "select id, name, vector from t",
        "output_schema": BASE64_STANDARD.encode(schema),
    }))
}

/// An operation on a table with these fields, and the table's identifier, in its body.
#[must_use]
pub fn on(operation: &str, table: &Table, fields: Value) -> Call {
    let mut body = Map::from_iter([("id".to_owned(), json!(table.id))]);
    if let Value::Object(fields) = fields {
        body.extend(fields);
    }
    Call::new(operation).id(&table.id).json(Value::Object(body))
}
