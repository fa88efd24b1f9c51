//! The SDK reads every answer that fits the protocol: whatever a server may say is a test of the
//! SDK's models.

use std::collections::BTreeMap;

use lance_namespace_client::models;
use serde::de::DeserializeOwned;

use crate::exchange::Exchange;
use crate::outcome::Outcome;

/// Reads an answer that fits the protocol with the SDK's model.
///
/// # Panics
///
/// If the SDK cannot read it: that is the SDK's fault and not the server's, and what the scenario
/// says after it is worth nothing.
pub(crate) fn check(exchange: &Exchange) {
    let Ok(answer) = &exchange.answer else {
        return;
    };
    if Outcome::of(exchange) != Outcome::Ok || answer.body.is_empty() {
        return;
    }
    let operation = &exchange.operation.id;
    if let Err(error) = read(operation, &answer.body) {
        panic!("the SDK cannot read an answer of {operation} that fits the protocol: {error}");
    }
}

/// What the SDK's model says against a 2xx body that `openapi.yml` allows.
///
/// # Errors
///
/// The decoder's words, if the model cannot be read from the body.
fn read(operation: &str, body: &[u8]) -> Result<(), String> {
    match operation {
        "AlterTransaction" => as_model::<models::AlterTransactionResponse>(body),
        "AlterTableAddColumns" => as_model::<models::AlterTableAddColumnsResponse>(body),
        "AlterTableAlterColumns" => as_model::<models::AlterTableAlterColumnsResponse>(body),
        "AlterTableBackfillColumns" => as_model::<models::AlterTableBackfillColumnsResponse>(body),
        "AlterTableDropColumns" => as_model::<models::AlterTableDropColumnsResponse>(body),
        "AnalyzeTableQueryPlan" | "ExplainTableQueryPlan" => as_model::<String>(body),
        "BatchCommitTables" => as_model::<models::BatchCommitTablesResponse>(body),
        "BatchCreateTableVersions" => as_model::<models::BatchCreateTableVersionsResponse>(body),
        "BatchDeleteTableVersions" => as_model::<models::BatchDeleteTableVersionsResponse>(body),
        "CountTableRows" => as_model::<i64>(body),
        "CreateMaterializedView" => as_model::<models::CreateMaterializedViewResponse>(body),
        "CreateNamespace" => as_model::<models::CreateNamespaceResponse>(body),
        "CreateTable" => as_model::<models::CreateTableResponse>(body),
        "CreateTableBranch" => as_model::<models::CreateTableBranchResponse>(body),
        "CreateTableIndex" => as_model::<models::CreateTableIndexResponse>(body),
        "CreateTableScalarIndex" => as_model::<models::CreateTableScalarIndexResponse>(body),
        "CreateTableTag" => as_model::<models::CreateTableTagResponse>(body),
        "CreateTableVersion" => as_model::<models::CreateTableVersionResponse>(body),
        "DeclareTable" => as_model::<models::DeclareTableResponse>(body),
        "DeleteFromTable" => as_model::<models::DeleteFromTableResponse>(body),
        "DeregisterTable" => as_model::<models::DeregisterTableResponse>(body),
        "DescribeNamespace" => as_model::<models::DescribeNamespaceResponse>(body),
        "DescribeTable" => as_model::<models::DescribeTableResponse>(body),
        "DescribeTableIndexStats" => as_model::<models::DescribeTableIndexStatsResponse>(body),
        "DescribeTableVersion" => as_model::<models::DescribeTableVersionResponse>(body),
        "DescribeTransaction" => as_model::<models::DescribeTransactionResponse>(body),
        "DropNamespace" => as_model::<models::DropNamespaceResponse>(body),
        "DropTable" => as_model::<models::DropTableResponse>(body),
        "DropTableIndex" => as_model::<models::DropTableIndexResponse>(body),
        "GetTableStats" => as_model::<models::GetTableStatsResponse>(body),
        "InsertIntoTable" => as_model::<models::InsertIntoTableResponse>(body),
        "ListAllTables" | "ListTables" => as_model::<models::ListTablesResponse>(body),
        "ListNamespaces" => as_model::<models::ListNamespacesResponse>(body),
        "ListTableBranches" => as_model::<models::ListTableBranchesResponse>(body),
        "ListTableIndices" => as_model::<models::ListTableIndicesResponse>(body),
        "ListTableTags" => as_model::<models::ListTableTagsResponse>(body),
        "ListTableVersions" => as_model::<models::ListTableVersionsResponse>(body),
        "MergeInsertIntoTable" => as_model::<models::MergeInsertIntoTableResponse>(body),
        "RefreshMaterializedView" => as_model::<models::RefreshMaterializedViewResponse>(body),
        "RegisterTable" => as_model::<models::RegisterTableResponse>(body),
        "RenameTable" => as_model::<models::RenameTableResponse>(body),
        "RestoreTable" => as_model::<models::RestoreTableResponse>(body),
        "UpdateFieldMetadata" => as_model::<models::UpdateFieldMetadataResponse>(body),
        "UpdateTable" => as_model::<models::UpdateTableResponse>(body),
        "UpdateTableSchemaMetadata" => as_model::<BTreeMap<String, String>>(body),
        // Answers without a body of their own, and operations that no scenario calls.
        _ => Ok(()),
    }
}

fn as_model<T: DeserializeOwned>(body: &[u8]) -> Result<(), String> {
    serde_json::from_slice::<T>(body)
        .map(drop)
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_with_unknown_fields_and_nulls_is_read() {
        let body = br#"{"version": {"version": 9007199254740993, "manifest_path": "m",
            "metadata": null, "new": 1}, "transaction_id": null}"#;
        assert_eq!(read("CreateTableVersion", body), Ok(()));
        assert!(read("CreateTableVersion", b"[1]").is_err());
    }
}
