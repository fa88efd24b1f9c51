//! A request as it was sent, in the words of histories.

use std::borrow::Cow;

use lance_namespace_history::operation::{Call, Change, Entry, Ledger, Page, Put, Range};
use serde_json::Value;

use super::names::Names;
use crate::call::{self, Body};
use crate::exchange::Exchange;

/// The name of the branch that every table has.
const MAIN: &str = "main";

/// What was asked: operation, identifier, query and body.
pub(super) struct Request<'a> {
    operation: &'a str,
    id: Option<Vec<String>>,
    query: &'a [(&'static str, String)],
    body: Cow<'a, Value>,
}

/// What a request amounts to.
pub(super) enum Asked {
    /// A call that histories know; what stands for a manifest is its path. What is about other
    /// branches is left out, and whether anything was is said.
    Call(Call, bool),
    /// Something that changes neither tables nor versions on main branches.
    Harmless,
    /// Something that may change all of these, in a way that histories have no word for.
    Strange(Vec<Scope>),
}

/// What a strange request may change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scope {
    /// This table.
    Table(Vec<String>),
    /// Every table below this namespace.
    Below(Vec<String>),
}

impl<'a> Request<'a> {
    pub(super) fn of_call(call: &'a call::Call, delimiter: &str) -> Self {
        let id = call.id.as_deref();
        Self::new(&call.operation.id, id, &call.query, &call.body, delimiter)
    }

    pub(super) fn of_exchange(exchange: &'a Exchange, delimiter: &str) -> Self {
        let (operation, id) = (&exchange.operation.id, exchange.id.as_deref());
        Self::new(operation, id, &exchange.query, &exchange.sent, delimiter)
    }

    fn new(
        operation: &'a str,
        id: Option<&[String]>,
        query: &'a [(&'static str, String)],
        body: &'a Body,
        delimiter: &str,
    ) -> Self {
        let body = match body {
            Body::None => Cow::Owned(Value::Null),
            Body::Json(body) => Cow::Borrowed(body),
            Body::Raw(_, body) => Cow::Owned(serde_json::from_slice(body).unwrap_or_default()),
        };
        let other = query.iter().find(|(name, _)| *name == "delimiter");
        let id = match (id, other) {
            (Some(id), Some((_, other))) if !other.is_empty() => {
                let joined = id.join(delimiter);
                Some(joined.split(other.as_str()).map(str::to_owned).collect())
            }
            (id, _) => id.map(<[String]>::to_vec),
        };
        Self {
            operation,
            id,
            query,
            body,
        }
    }

    pub(super) fn query(&self, name: &str) -> Option<&str> {
        let mut query = self.query.iter();
        let (_, value) = query.find(|(own, _)| *own == name)?;
        Some(value)
    }

    fn field(&self, name: &str) -> Option<&Value> {
        self.body.get(name).filter(|field| !field.is_null())
    }

    /// Whether it names a version, tag or branch beside the table.
    pub(super) fn names_more(&self) -> bool {
        ["version", "tag", "branch"]
            .iter()
            .any(|name| self.field(name).is_some())
    }

    /// What it asks for.
    pub(super) fn asked(&self, names: &Names) -> Asked {
        let known = match self.operation {
            "CreateTableBranch" | "DeleteTableBranch" | "CreateTableTag" | "UpdateTableTag"
            | "DeleteTableTag" => return Asked::Harmless,
            operation if reads(operation) => {
                return self
                    .read(names)
                    .map_or(Asked::Harmless, |call| Asked::Call(call, false));
            }
            "CreateNamespace" | "DropNamespace" => return self.namespace(),
            "DeclareTable" => self
                .table()
                .map(|id| (Call::DeclareTable(names.of(&id)), false)),
            "DropTable" => self
                .table()
                .map(|id| (Call::DropTable(names.of(&id)), false)),
            "DeregisterTable" => {
                let id = self.table();
                id.map(|id| (Call::DeregisterTable(names.of(&id)), false))
            }
            "CreateTableVersion" => match self.table().and_then(|id| put(&self.body, &id, names)) {
                Some(OnMain::Yes(put)) => Some((Call::CreateVersion(put), false)),
                Some(OnMain::No) => return Asked::Harmless,
                None => None,
            },
            "BatchDeleteTableVersions" => {
                match self.table().and_then(|id| delete(&self.body, &id, names)) {
                    Some(OnMain::Yes((ledger, ranges))) => {
                        Some((Call::DeleteVersions { ledger, ranges }, false))
                    }
                    Some(OnMain::No) => return Asked::Harmless,
                    None => None,
                }
            }
            "BatchCreateTableVersions" => self.batch(names),
            "BatchCommitTables" => self.commit(names),
            _ => None,
        };
        match known {
            Some((call, is_part)) => Asked::Call(call, is_part),
            None => Asked::Strange(self.scopes()),
        }
    }

    /// The table that it names; none if route and body name different ones, or nothing.
    fn table(&self) -> Option<Vec<String>> {
        match (&self.id, self.field("id")) {
            (Some(id), None) => Some(id.clone()),
            (None, Some(body)) => identifier(body),
            (Some(id), Some(body)) => identifier(body).filter(|body| body == id),
            (None, None) => None,
        }
    }

    fn read(&self, names: &Names) -> Option<Call> {
        let table = self.table()?;
        let spelling = names.of(&table);
        Some(match self.operation {
            "TableExists" => Call::TableExists(spelling),
            "DescribeTable" => Call::DescribeTable(spelling),
            "DescribeTableVersion" if on_main(&self.body) => Call::DescribeVersion {
                ledger: Ledger::main(spelling),
                version: match self.field("version") {
                    None => None,
                    Some(version) => Some(natural(version)?),
                },
            },
            "ListTableVersions" if self.query("branch").is_none() => Call::ListVersions {
                ledger: Ledger::main(spelling),
                page: Page {
                    descending: self.query("descending") == Some("true"),
                    ..Page::default()
                },
            },
            _ => return None,
        })
    }

    /// A namespace may take with it what is below it.
    fn namespace(&self) -> Asked {
        let word = |name: &str| {
            let word = self.field(name)?.as_str()?;
            Some(word.to_ascii_lowercase())
        };
        let id = self.table().unwrap_or_default();
        match (self.operation, word("mode"), word("behavior")) {
            ("CreateNamespace", Some(mode), _) if mode == "overwrite" => {
                Asked::Strange(vec![Scope::Below(id)])
            }
            // One name may not be a namespace's and a table's; which error says so is open.
            ("CreateNamespace", ..) => Asked::Strange(vec![Scope::Table(id)]),
            (_, _, Some(behavior)) if behavior == "cascade" => {
                Asked::Strange(vec![Scope::Below(id)])
            }
            _ => Asked::Harmless,
        }
    }

    fn batch(&self, names: &Names) -> Option<(Call, bool)> {
        let entries = self.field("entries")?.as_array()?;
        let mut puts = Vec::with_capacity(entries.len());
        for entry in entries {
            let id = identifier(entry.get("id")?)?;
            if let OnMain::Yes(put) = put(entry, &id, names)? {
                puts.push(put);
            }
        }
        let is_part = puts.len() < entries.len();
        Some((Call::BatchCreate(puts), is_part))
    }

    fn commit(&self, names: &Names) -> Option<(Call, bool)> {
        let operations = self.field("operations")?.as_array()?;
        let mut changes = Vec::with_capacity(operations.len());
        for operation in operations {
            let fields = operation.as_object()?;
            let mut kinds = fields.iter().filter(|(_, field)| !field.is_null());
            let (Some((kind, body)), None) = (kinds.next(), kinds.next()) else {
                return None;
            };
            let id = identifier(body.get("id")?)?;
            let change = match kind.as_str() {
                "declare_table" => OnMain::Yes(Change::DeclareTable(names.of(&id))),
                "deregister_table" => OnMain::Yes(Change::DeregisterTable(names.of(&id))),
                "create_table_version" => put(body, &id, names)?.map(Change::CreateVersion),
                "delete_table_versions" => {
                    let changed = |(ledger, ranges)| Change::DeleteVersions { ledger, ranges };
                    delete(body, &id, names)?.map(changed)
                }
                _ => return None,
            };
            if let OnMain::Yes(change) = change {
                changes.push(change);
            }
        }
        let is_part = changes.len() < operations.len();
        // Only in the order of the request, which is a should (COM-5), do these say what is left.
        (!is_entangled(&changes)).then_some((Call::BatchCommit(changes), is_part))
    }

    /// Every table that it names, wherever.
    fn scopes(&self) -> Vec<Scope> {
        let mut scopes: Vec<Scope> = self.id.iter().cloned().map(Scope::Table).collect();
        let mut named = Vec::new();
        identifiers(&self.body, &mut named);
        scopes.extend(named.into_iter().map(Scope::Table));
        if self.operation == "RenameTable" {
            // Where it goes is said in two fields, and may be told from neither.
            scopes.push(Scope::Below(Vec::new()));
        }
        scopes
    }
}

/// Something about the main branch, or about another one.
enum OnMain<T> {
    Yes(T),
    No,
}

impl<T> OnMain<T> {
    fn map<U>(self, change: impl FnOnce(T) -> U) -> OnMain<U> {
        match self {
            Self::Yes(value) => OnMain::Yes(change(value)),
            Self::No => OnMain::No,
        }
    }
}

/// Whether an operation changes nothing. What it reads may be none of a history's matters.
fn reads(operation: &str) -> bool {
    [
        "Describe", "List", "Get", "Count", "Query", "Explain", "Analyze",
    ]
    .iter()
    .any(|verb| operation.starts_with(verb))
        || operation.ends_with("Exists")
}

fn on_main(body: &Value) -> bool {
    body.get("branch").is_none_or(Value::is_null)
}

/// None where it is not told whether it is about the main branch.
fn branch_of(body: &Value) -> Option<OnMain<()>> {
    match body.get("branch") {
        None | Some(Value::Null) => Some(OnMain::Yes(())),
        Some(Value::String(branch)) if !branch.is_empty() && branch != MAIN => Some(OnMain::No),
        Some(_) => None,
    }
}

fn put(body: &Value, id: &[String], names: &Names) -> Option<OnMain<Put>> {
    let version = natural(body.get("version")?)?;
    let path = body.get("manifest_path")?.as_str()?;
    let put = Put {
        ledger: Ledger::main(names.of(id)),
        entry: Entry {
            version,
            entry: path.to_owned(),
        },
    };
    Some(branch_of(body)?.map(|()| put))
}

fn delete(body: &Value, id: &[String], names: &Names) -> Option<OnMain<(Ledger, Vec<Range>)>> {
    let mut ranges = Vec::new();
    for range in body.get("ranges")?.as_array()? {
        let start = natural(range.get("start_version")?)?;
        let end = match range.get("end_version")?.as_i64()? {
            -1 => None,
            // What an inverted range does is open.
            end if end < start => return None,
            end => Some(end),
        };
        ranges.push(Range { start, end });
    }
    Some(branch_of(body)?.map(|()| (Ledger::main(names.of(id)), ranges)))
}

fn natural(number: &Value) -> Option<i64> {
    number.as_i64().filter(|number| *number >= 0)
}

fn identifier(value: &Value) -> Option<Vec<String>> {
    let parts = value.as_array()?.iter();
    parts.map(|part| Some(part.as_str()?.to_owned())).collect()
}

/// Every identifier in a body.
fn identifiers(value: &Value, found: &mut Vec<Vec<String>>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match (name.as_str(), identifier(field)) {
                    ("id", Some(id)) => found.push(id),
                    _ => identifiers(field, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| identifiers(item, found)),
        _ => {}
    }
}

/// Whether what is left after a commit depends on the order of its operations.
fn is_entangled(changes: &[Change]) -> bool {
    let deletes = |ledger: &Ledger, version: i64| {
        changes.iter().any(|change| match change {
            Change::DeleteVersions {
                ledger: own,
                ranges,
            } => {
                own == ledger
                    && ranges.iter().any(|range| {
                        range.start <= version && range.end.is_none_or(|end| version < end)
                    })
            }
            _ => false,
        })
    };
    changes.iter().enumerate().any(|(at, change)| match change {
        Change::CreateVersion(put) => deletes(&put.ledger, put.entry.version),
        Change::DeregisterTable(table) => changes
            .iter()
            .enumerate()
            .any(|(other, change)| other != at && table_of(change) == table),
        Change::DeclareTable(_) | Change::DeleteVersions { .. } => false,
    })
}

/// The table of one of a commit's operations.
pub(super) fn table_of(change: &Change) -> &str {
    match change {
        Change::CreateVersion(put) => &put.ledger.table,
        Change::DeleteVersions { ledger, .. } => &ledger.table,
        Change::DeclareTable(table) | Change::DeregisterTable(table) => table,
    }
}
