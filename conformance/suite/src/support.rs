//! Which operations a server has: each is asked once, with a valid request.

mod data;

use std::sync::Arc;

use serde_json::json;

use crate::call::Call;
use crate::calls;
use crate::exchange::Exchange;
use crate::log::Deviation;
use crate::outcome::Outcome;
use crate::scenario::{Flow, Scenario, Stop, Tier};
use crate::stage::{Stage, Table};
use crate::steps::transaction_ids;

pub(crate) use data::is_data;

/// Probing is no scenario of the plan; it plays on a stage all the same.
pub(crate) const PROBE: Scenario = Scenario {
    id: "probe",
    title: "Each operation is asked once, with a valid request.",
    tier: Tier::Basic,
    requirements: &[],
    needs: &[],
    given: &[],
    steps: |_| Box::pin(async { Ok(()) }),
};

/// How often a server error is asked again before it counts as the server's way to say no.
const ATTEMPTS: usize = 3;

/// Whether a server has an operation.
#[derive(Clone, Debug)]
pub(crate) enum Support {
    /// It carried out a valid request.
    Yes,
    /// It did not.
    No(Unsupported),
}

/// How a server says that it lacks an operation.
#[derive(Clone, Debug)]
pub(crate) struct Unsupported {
    pub(crate) operation: String,
    /// What it answered.
    pub(crate) answer: String,
    /// Set where it was not said as 406 with code 0 (requirement REST-12).
    pub(crate) wrongly: Option<Deviation>,
}

/// The operation without which another cannot be asked for: versions must be made before they
/// are read.
pub(crate) fn prerequisite(operation: &str) -> Option<&'static str> {
    match operation {
        "DescribeTableVersion"
        | "BatchDeleteTableVersions"
        | "CreateTableBranch"
        | "CreateTableTag" => Some("CreateTableVersion"),
        "GetTableTagVersion" | "UpdateTableTag" | "DeleteTableTag" => Some("CreateTableTag"),
        "DeleteTableBranch" => Some("CreateTableBranch"),
        "AlterTransaction" => Some("DescribeTransaction"),
        "CreateTable" => None,
        "RefreshMaterializedView" => Some("CreateMaterializedView"),
        _ if is_data(operation) => Some("CreateTable"),
        _ => None,
    }
}

/// Asks a server for an operation.
pub(crate) async fn probe(stage: &Stage, operation: &str) -> Flow<Support> {
    let mut exchange = ask(stage, operation, 0).await?;
    for attempt in 1..ATTEMPTS {
        if !matches!(Outcome::of(&exchange), Outcome::Failed(500)) {
            break;
        }
        exchange = ask(stage, operation, attempt).await?;
    }
    let outcome = Outcome::of(&exchange);
    let said = |text: &str| {
        let expected = format!("{operation}, if the server lacks it: 406 with code 0");
        let actual = format!("{operation}: {text}");
        Some(Deviation::new(expected, actual, [Arc::clone(&exchange)]))
    };
    let (answer, wrongly) = match outcome {
        Outcome::Ok => return Ok(Support::Yes),
        Outcome::Lost | Outcome::Refused(429, _) | Outcome::Failed(502..=504) => {
            return Err(Stop::Inconclusive(format!(
                "whether the server has {operation} cannot be told: {outcome}"
            )));
        }
        // What it does not find, it has looked for. Whether it should have found the version that
        // was just created is a scenario's question.
        Outcome::Refused(404, Some(11)) if operation == "DescribeTableVersion" => {
            return Ok(Support::Yes);
        }
        // So has one that says of a made-up transaction that there is none.
        Outcome::Refused(404, Some(10)) if operation == "DescribeTransaction" => {
            return Ok(Support::Yes);
        }
        Outcome::Refused(406, Some(0)) => ("406 with code 0".to_owned(), None),
        Outcome::Refused(status @ (404..=406), None) => {
            let text = format!("{status} without a code");
            (text.clone(), said(&text))
        }
        Outcome::Refused(status, Some(0)) => {
            let text = format!("{status} with code 0");
            (text.clone(), said(&text))
        }
        // The manifests of the suite are no tables that could be opened.
        Outcome::Failed(status) if opens_the_table(operation) => {
            let text = format!("failed for a table without data: {status}");
            (text, None)
        }
        Outcome::Failed(status) => {
            let text = match exchange.code() {
                Some(code) => format!("{status} with code {code}"),
                None => format!("{status} without a code"),
            };
            (text.clone(), said(&text))
        }
        // Not there although it was made a moment ago: the operation exists, and scenarios judge
        // what it says.
        Outcome::Refused(404, Some(1 | 4)) if operation == "TableExists" => {
            return Ok(Support::Yes);
        }
        // Refused in earnest: the server has the operation, but not for a table like the suite's
        // (requirement TBL-8 leaves open what a table that was only declared can do).
        Outcome::Refused(status, code) if needs_data(operation) => {
            let code = code.map_or_else(|| "no code".to_owned(), |code| format!("code {code}"));
            let text = format!("refused for a table without data: {status} with {code}");
            (text, None)
        }
        // No excuse: a valid request is refused, which the scenarios judge.
        Outcome::Refused(..) => return Ok(Support::Yes),
    };
    Ok(Support::No(Unsupported {
        operation: operation.to_owned(),
        answer,
        wrongly,
    }))
}

/// Whether a server may refuse this of a table that was only declared.
fn needs_data(operation: &str) -> bool {
    matches!(
        operation,
        "CreateTableVersion"
            | "CreateTableTag"
            | "CreateTableBranch"
            | "ListTableTags"
            | "ListTableBranches"
            | "RegisterTable"
            | "DescribeTransaction"
            | "AlterTransaction"
    )
}

/// Whether a server may have to read a version's manifest for this.
fn opens_the_table(operation: &str) -> bool {
    matches!(operation, "CreateTableTag" | "CreateTableBranch")
}

async fn ask(stage: &Stage, operation: &str, attempt: usize) -> Flow<Arc<Exchange>> {
    let name = format!("{}{attempt}", operation.to_lowercase());
    let call = match operation {
        "ListAllTables" => Call::new(operation).query("limit", 1),
        "NamespaceExists" => calls::namespace_exists(&stage.home().await?.id),
        "BatchCommitTables" => {
            let id = stage.unmade_table(&name).await?;
            calls::commit(&[calls::commit_declare(&id)])
        }
        "DescribeTransaction" | "AlterTransaction" => {
            let table = stage.table(&name).await?;
            return ask_of_a_transaction(stage, operation, &table).await;
        }
        _ if is_data(operation) => data::ask(stage, operation, &name).await?,
        _ => {
            let table = stage.table(&name).await?;
            match operation {
                "CreateTableVersion" => {
                    let manifest = stage.manifest(&table, "m1").await?;
                    calls::create_version(&table, 1, &manifest)
                }
                "BatchCreateTableVersions" => {
                    let manifest = stage.manifest(&table, "m1").await?;
                    calls::batch_create(&[calls::batch_entry(&table.id, 1, &manifest)])
                }
                "DescribeTableVersion" => {
                    stage.versions(&table, 1).await?;
                    calls::describe_version(&table, Some(1))
                }
                "BatchDeleteTableVersions" => {
                    stage.versions(&table, 2).await?;
                    calls::delete_versions(&table, &[(1, 2)])
                }
                "CreateTableBranch" => {
                    made_up_version(stage, &table, attempt).await?;
                    calls::create_branch(&table, "probe")
                }
                "CreateTableTag" => {
                    made_up_version(stage, &table, attempt).await?;
                    calls::create_tag(&table, "probe", 1)
                }
                "GetTableTagVersion" | "UpdateTableTag" | "DeleteTableTag" => {
                    stage.versions(&table, 1).await?;
                    let tag = calls::create_tag(&table, "probe", 1);
                    stage.ask("create a tag", tag).await.set_up()?;
                    match operation {
                        "GetTableTagVersion" => calls::tag_version(&table, "probe"),
                        "UpdateTableTag" => calls::update_tag(&table, "probe", 1),
                        _ => calls::delete_tag(&table, "probe"),
                    }
                }
                "DeleteTableBranch" => {
                    stage.versions(&table, 1).await?;
                    let branch = calls::create_branch(&table, "probe");
                    stage.ask("create a branch", branch).await.set_up()?;
                    calls::delete_branch(&table, "probe")
                }
                "RenameTable" => calls::rename(&table.id, &format!("{}renamed", table.name())),
                "RegisterTable" => {
                    let location = stage.vacated(&table.id).await?;
                    let id = stage.unmade_table(&format!("{name}registered")).await?;
                    let answer = stage.register(operation, &location, calls::register(&id, ""));
                    return Ok(answer.await.exchange());
                }
                _ => Call::new(operation).id(&table.id),
            }
        }
    };
    Ok(stage.ask(operation, call).await.exchange())
}

/// Asks for a transaction that the declare of this table named, or where it named none, for a
/// made-up one: as one part, and below the table's identifier.
async fn ask_of_a_transaction(
    stage: &Stage,
    operation: &str,
    table: &Table,
) -> Flow<Arc<Exchange>> {
    let call = |id: &[String]| match operation {
        "AlterTransaction" => {
            let action = json!({ "setPropertyAction": { "key": "probe", "value": "1" } });
            calls::alter_transaction(id, &[action])
        }
        _ => calls::describe_transaction(id),
    };
    if let Some(id) = stage.transaction().await? {
        return Ok(stage.exchange(call(&id)).await);
    }
    let [alone, below] = transaction_ids(&table.id, "probe");
    let exchange = stage.exchange(call(&alone)).await;
    match Outcome::of(&exchange) {
        Outcome::Refused(400 | 404, Some(code)) if code != 10 => {
            Ok(stage.exchange(call(&below)).await)
        }
        _ => Ok(exchange),
    }
}

/// Gives a table a version. A server that opens the manifest, which is none in truth, may fail on
/// it: it is asked again about a table without versions.
async fn made_up_version(stage: &Stage, table: &Table, attempt: usize) -> Flow {
    if attempt == 0 {
        stage.versions(table, 1).await?;
    }
    Ok(())
}
