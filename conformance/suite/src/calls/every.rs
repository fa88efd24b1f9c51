//! A request of every operation, as a client would send it.

use serde_json::json;

use crate::call::Call;
use crate::calls::{self, data};
use crate::entry::Manifest;
use crate::rows::Row;
use crate::stage::Table;

/// The operations that are about an existing namespace, in an order that drops it last.
#[must_use]
pub fn on_namespace(id: &[String]) -> Vec<Call> {
    vec![
        calls::describe_namespace(id),
        calls::namespace_exists(id),
        Call::new("ListNamespaces").id(id),
        calls::list_tables(id),
        calls::drop_namespace(id),
    ]
}

/// The operations that make something of this name, but for RegisterTable, which needs a place.
#[must_use]
pub fn making(id: &[String]) -> Vec<Call> {
    vec![
        calls::create_namespace(id),
        calls::declare(id),
        data::create(id, &Row::all([1])),
        data::view(id),
    ]
}

/// The operations that are about an existing table, but for those about its rows; in an order that
/// removes it last. Tags and branches are called `x`, the new name is `name`.
#[must_use]
pub fn on_table(t: &Table, manifest: &Manifest, name: &str) -> Vec<Call> {
    vec![
        calls::describe_table(&t.id),
        calls::table_exists(&t.id),
        calls::create_version(t, 1, manifest),
        calls::list_versions(t),
        calls::describe_version(t, Some(1)),
        Call::new("ListTableTags").id(&t.id),
        calls::create_tag(t, "x", 1),
        calls::tag_version(t, "x"),
        calls::update_tag(t, "x", 1),
        calls::delete_tag(t, "x"),
        Call::new("ListTableBranches").id(&t.id),
        calls::create_branch(t, "x"),
        calls::delete_branch(t, "x"),
        calls::delete_versions(t, &[(1, 2)]),
        calls::rename(&t.id, name),
        calls::deregister(&t.id),
        calls::drop_table(&t.id),
    ]
}

/// The operations that name their tables in the body.
#[must_use]
pub fn of_many(t: &Table, manifest: &Manifest) -> Vec<Call> {
    vec![
        calls::batch_create(&[calls::batch_entry(&t.id, 1, manifest)]),
        calls::commit(&[calls::commit_create(&t.id, 1, manifest)]),
    ]
}

/// The operations that are about the rows of a table.
#[must_use]
pub fn on_rows(t: &Table) -> Vec<Call> {
    let rows = Row::all([1]);
    let nearest = data::nearest(t, &rows[0], 1);
    let field = json!([{ "path": "id", "metadata": { "a": "1" } }]);
    vec![
        data::count(t),
        nearest.clone(),
        data::explain(nearest.clone()),
        nearest.of("AnalyzeTableQueryPlan"),
        data::on("GetTableStats", t, json!({})),
        data::on("ListTableIndices", t, json!({})),
        data::insert(t, &rows),
        data::merge(t, &rows).query("when_not_matched_insert_all", true),
        data::update(t, &[("name", "'new'")]),
        data::delete(t, "id = 1"),
        data::restore(t, 1),
        data::add_column(t, "twice", "id * 2"),
        data::on("AlterTableBackfillColumns", t, json!({ "column": "name" })),
        data::scalar_index(t, "id", "by_id"),
        data::scalar_index(t, "id", "by_id_too").of("CreateTableIndex"),
        data::index_stats(t, "by_id"),
        data::drop_index(t, "by_id"),
        Call::new("UpdateTableSchemaMetadata")
            .id(&t.id)
            .json(json!({ "a": "1" })),
        data::on("UpdateFieldMetadata", t, json!({ "updates": field })),
        data::rename_column(t, "name", "label"),
        data::drop_columns(t, &["label"]),
    ]
}

/// The operations on a transaction.
#[must_use]
pub fn on_transaction(id: &[String]) -> Vec<Call> {
    let action = json!({ "setPropertyAction": { "key": "conformance.a", "value": "1" } });
    vec![
        calls::describe_transaction(id),
        calls::alter_transaction(id, &[action]),
    ]
}
