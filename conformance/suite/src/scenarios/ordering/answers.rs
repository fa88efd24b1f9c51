//! The order of the answers to many entries or operations in one request.

use std::sync::Arc;

use serde_json::Value;

use crate::answer::Reply;
use crate::calls;
use crate::entry::{Entry, Manifest};
use crate::log::Deviation;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};

/// How many tables a batch has.
const TABLES: usize = 5;

/// How many versions each of them has before the first batch: neither the order of the names nor
/// that of the numbers is the order of a request.
const BEFORE: [i64; TABLES] = [2, 4, 0, 3, 1];

/// The orders in which the tables stand in the requests.
const ORDERS: [[usize; TABLES]; 4] = [
    [4, 3, 2, 1, 0],
    [2, 0, 4, 1, 3],
    [1, 4, 0, 3, 2],
    [3, 1, 2, 4, 0],
];

scenarios! {
    /// BatchCreateTableVersions answers the versions in the order of the entries.
    "ordering/batch-answers-in-order" => batch_answers_in_order {
        tier: Batch,
        checks: ["ORD-5"],
        needs: ["BatchCreateTableVersions", "CreateTableVersion"],
    }
    /// BatchCommitTables answers the results in the order of the operations.
    "ordering/commit-answers-in-order" => commit_answers_in_order {
        tier: Batch,
        checks: ["ORD-5"],
        needs: ["BatchCommitTables", "CreateTableVersion"],
    }
}

async fn batch_answers_in_order(s: Stage) -> Flow {
    let mut tables = Vec::new();
    for (name, before) in ["a", "b", "c", "d", "e"].into_iter().zip(BEFORE) {
        let table = s.table(name).await?;
        s.versions(&table, before).await?;
        tables.push((table, before));
    }
    for order in ORDERS {
        let mut entries = Vec::new();
        let mut sent = Vec::new();
        for place in order {
            let (table, latest) = &mut tables[place];
            *latest += 1;
            let manifest = s
                .manifest(table, &format!("{} {latest}", table.label))
                .await?;
            entries.push(calls::batch_entry(&table.id, *latest, &manifest));
            sent.push((*latest, manifest));
        }
        let names = order.map(|place| tables[place].0.label.as_str());
        let label = format!("batch of the tables {}", names.join(", "));
        let reply = s
            .ask(&label, calls::batch_create(&entries))
            .await
            .set_up()?;
        let answered: Vec<Option<Entry>> = reply.entries().into_iter().map(Some).collect();
        s.judge(
            "ORD-5",
            &label,
            "answered in this order",
            as_sent(&sent, &answered, &reply),
        );
    }
    Ok(())
}

/// Whether the entries answered are those of the versions sent, in the same order.
fn as_sent(
    sent: &[(i64, Manifest)],
    answered: &[Option<Entry>],
    reply: &Reply,
) -> Result<(), Deviation> {
    let manifests: Vec<Manifest> = sent.iter().map(|(_, manifest)| manifest.clone()).collect();
    let fits = |place: usize, entry: &Option<Entry>| {
        entry.as_ref().is_some_and(|entry| {
            let owners = entry.whose(&manifests, None);
            entry.version == sent[place].0 && (owners.is_empty() || owners.contains(&place))
        })
    };
    let all = answered.len() == sent.len()
        && answered
            .iter()
            .enumerate()
            .all(|(place, entry)| fits(place, entry));
    if all {
        return Ok(());
    }
    let sent: Vec<String> = sent
        .iter()
        .map(|(version, _)| version.to_string())
        .collect();
    let came: Vec<String> = answered
        .iter()
        .map(|entry| match entry {
            Some(entry) => match entry.whose(&manifests, None).as_slice() {
                [owner] => format!("{} (entry {})", entry.version, owner + 1),
                _ => entry.version.to_string(),
            },
            None => "none".to_owned(),
        })
        .collect();
    Err(Deviation::new(
        format!(
            "the versions of the entries, in their order: {}",
            sent.join(", ")
        ),
        came.join(", "),
        [Arc::clone(&reply.exchange)],
    ))
}

/// An operation of a commit and how its result is told from others.
struct Operation {
    name: &'static str,
    request: Value,
    kind: &'static str,
    /// Whether a result of this kind is that of the operation, as far as it tells.
    own: Box<dyn Fn(&Value) -> bool + Send + Sync>,
}

async fn commit_answers_in_order(s: Stage) -> Flow {
    for (label, backwards) in [
        ("a commit of 8 operations", false),
        ("the same, backwards", true),
    ] {
        let mut operations = operations(&s, if backwards { "y" } else { "x" }).await?;
        if backwards {
            operations.reverse();
        }
        let requests: Vec<Value> = operations.iter().map(|one| one.request.clone()).collect();
        let reply = s.ask(label, calls::commit(&requests)).await.set_up()?;
        let results = reply.body["results"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let answered: Vec<&str> = results
            .iter()
            .map(|result| whose(&operations, result))
            .collect();
        let asked: Vec<&str> = operations.iter().map(|one| one.name).collect();
        let in_order = results.len() == operations.len()
            && operations
                .iter()
                .zip(&results)
                .all(|(one, result)| one.is_answered_by(result));
        let held = match in_order {
            true => Ok(()),
            false => Err(Deviation::new(
                format!(
                    "the results in the order of the operations: {}",
                    asked.join(", ")
                ),
                answered.join(", "),
                [reply.exchange],
            )),
        };
        s.judge("ORD-5", label, "answered in its order", held);
    }
    Ok(())
}

impl Operation {
    fn is_answered_by(&self, result: &Value) -> bool {
        let answer = result.get(self.kind).filter(|answer| !answer.is_null());
        answer.is_some_and(|answer| (self.own)(answer))
    }
}

/// The first operation that this may be the result of.
fn whose(operations: &[Operation], result: &Value) -> &'static str {
    let own = operations.iter().find(|one| one.is_answered_by(result));
    own.map_or("none of them", |one| one.name)
}

/// Two operations of each kind, mixed, each on a table of its own.
async fn operations(s: &Stage, prefix: &str) -> Flow<Vec<Operation>> {
    let create = async |name: &'static str, table: &str, latest: i64| -> Flow<Operation> {
        let table = table_with(s, &format!("{prefix}{table}"), latest).await?;
        let version = latest + 1;
        let manifest = s.manifest(&table, name).await?;
        Ok(Operation {
            name,
            request: calls::commit_create(&table.id, version, &manifest),
            kind: "create_table_version",
            own: Box::new(move |answer| answer["version"]["version"].as_i64() == Some(version)),
        })
    };
    let delete = async |name: &'static str, table: &str, count: i64| -> Flow<Operation> {
        let table = table_with(s, &format!("{prefix}{table}"), 4).await?;
        Ok(Operation {
            name,
            request: calls::commit_delete(&table.id, &[(1, 1 + count)]),
            kind: "delete_table_versions",
            own: Box::new(move |answer| {
                let deleted = answer["deleted_count"].as_i64();
                deleted.is_none_or(|deleted| deleted == count)
            }),
        })
    };
    let declare = async |name: &'static str, table: &str| -> Flow<Operation> {
        let id = s.unmade_table(&format!("{prefix}{table}")).await?;
        Ok(Operation {
            name,
            request: calls::commit_declare(&id),
            kind: "declare_table",
            // A location need not hold the table's name.
            own: Box::new(|_| true),
        })
    };
    let deregister = async |name: &'static str, table: &str| -> Flow<Operation> {
        let id = s.table(&format!("{prefix}{table}")).await?.id;
        Ok(Operation {
            name,
            request: calls::commit_deregister(&id),
            kind: "deregister_table",
            own: Box::new(move |answer| {
                let answered = answer["id"].as_array();
                answered.is_none_or(|parts| {
                    parts
                        .iter()
                        .map(Value::as_str)
                        .eq(id.iter().map(|part| Some(part.as_str())))
                })
            }),
        })
    };
    Ok(vec![
        create("create version 3 of g", "g", 2).await?,
        declare("declare e", "e").await?,
        delete("delete 1 version of c", "c", 1).await?,
        deregister("deregister h", "h").await?,
        create("create version 2 of d", "d", 1).await?,
        delete("delete 2 versions of b", "b", 2).await?,
        deregister("deregister a", "a").await?,
        declare("declare f", "f").await?,
    ])
}

async fn table_with(s: &Stage, name: &str, versions: i64) -> Flow<Table> {
    let table = s.table(name).await?;
    s.versions(&table, versions).await?;
    Ok(table)
}
