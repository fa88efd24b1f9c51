//! Which error codes an operation may answer (requirement REST-8).

use crate::protocol::Operation;
use crate::support::is_data;

/// What any operation may answer: unsupported, invalid input, permission denied, unauthenticated,
/// service unavailable, internal, throttling.
const COMMON: &[i64] = &[0, 13, 15, 16, 17, 18, 21];

/// What an operation on the rows of a table may answer: it can name versions, columns and branches,
/// and find the table in a state or with a schema that does not fit.
const OF_ROWS: &[i64] = &[11, 12, 19, 20, 22];

/// Whether the operation may answer this code.
///
/// Where the error page is silent, or older than the operation, what the operation's own text and
/// arguments lead to counts as listed. A code that an operation cannot mean is none of them: a
/// listing of namespaces finds no table missing.
#[must_use]
pub(crate) fn may_answer(operation: &Operation, code: i64) -> bool {
    COMMON.contains(&code)
        || own(&operation.id).contains(&code)
        // Whatever writes may contend with another.
        || (code == 14 && !operation.reads_only())
        || (OF_ROWS.contains(&code) && is_data(&operation.id))
}

/// The codes of the operation itself. A name may be taken by a namespace or by a table, whichever
/// is to be made; what is in a namespace finds the namespace missing; what names a version, tag or
/// branch finds it missing.
fn own(operation: &str) -> &'static [i64] {
    match operation {
        "ListAllTables" => &[],
        "ListNamespaces" | "ListTables" | "DescribeNamespace" | "NamespaceExists" => &[1],
        "CreateNamespace" => &[1, 2, 5],
        "DropNamespace" => &[1, 3],
        "DeclareTable" | "CreateTable" => &[1, 2, 5],
        // What is registered may not be there.
        "RegisterTable" => &[1, 2, 4, 5],
        "CreateMaterializedView" | "RenameTable" => &[1, 2, 4, 5],
        "DescribeTable" => &[1, 4, 8, 11, 22],
        "TableExists" => &[1, 4, 11, 22],
        "DropTable" | "DeregisterTable" => &[1, 4, 19],
        "ListTableTags" | "ListTableBranches" => &[1, 4, 19],
        "GetTableTagVersion" | "DeleteTableTag" => &[1, 4, 8, 19],
        "CreateTableTag" => &[1, 4, 9, 11, 19, 22],
        "UpdateTableTag" => &[1, 4, 8, 11, 19, 22],
        "CreateTableBranch" => &[1, 4, 8, 11, 19, 22, 23],
        "DeleteTableBranch" => &[1, 4, 19, 22],
        "ListTableVersions" | "BatchDeleteTableVersions" => &[1, 4, 19, 22],
        "DescribeTableVersion" | "CreateTableVersion" | "BatchCreateTableVersions" => {
            &[1, 4, 11, 19, 22]
        }
        "BatchCommitTables" => &[1, 2, 4, 5, 11, 19, 22],
        // The identifier may lie below the table's.
        "DescribeTransaction" | "AlterTransaction" => &[1, 4, 10, 19],
        "CreateTableIndex" | "CreateTableScalarIndex" => &[1, 4, 7],
        "ListTableIndices" | "DescribeTableIndexStats" | "DropTableIndex" => &[1, 4, 6],
        _ => &[1, 4],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{operation, operations, status_of_code};

    fn codes(id: &str) -> Vec<i64> {
        let operation = operation(id);
        (0..=23)
            .filter(|code| may_answer(operation, *code))
            .collect()
    }

    #[test]
    fn a_code_tells_the_kind_of_object() {
        for (id, code) in [
            ("DescribeNamespace", 4),
            ("ListTables", 4),
            ("CreateTableTag", 23),
            ("DescribeTransaction", 11),
            ("DescribeTable", 14),
        ] {
            assert!(!codes(id).contains(&code), "{id}: {code}");
        }
        assert_eq!(codes("ListAllTables"), COMMON);
        assert_eq!(
            codes("CreateNamespace"),
            [0, 1, 2, 5, 13, 14, 15, 16, 17, 18, 21]
        );
    }

    #[test]
    fn an_operation_that_names_an_object_may_find_its_namespace_missing() {
        for (id, operation) in operations() {
            let codes = codes(id);
            assert_eq!(
                codes.contains(&1),
                operation.path.contains("{id}") || id.starts_with("Batch"),
                "{id}"
            );
            assert!(
                codes.iter().all(|code| status_of_code(*code).is_some()),
                "{id}"
            );
        }
    }
}
