//! Which tables a history is about.

use std::collections::BTreeSet;

use lance_namespace_history::operation::{Call, Change};

use super::names::Names;
use super::request::{Scope, table_of};

/// The tables that a history is about: those that the stage declared, so that all that they hold
/// is known, without those with which something strange was done.
#[derive(Default)]
pub(super) struct Judged {
    declared: BTreeSet<String>,
    strange: Vec<Scope>,
}

impl Judged {
    /// A call was made, whatever came of it.
    pub(super) fn called(&mut self, call: &Call) {
        match call {
            Call::DeclareTable(table) => {
                self.declared.insert(table.clone());
            }
            Call::BatchCommit(changes) => {
                let declared = changes.iter().filter_map(|change| match change {
                    Change::DeclareTable(table) => Some(table.clone()),
                    _ => None,
                });
                self.declared.extend(declared);
            }
            _ => {}
        }
    }

    /// Something strange may have been done.
    pub(super) fn strange(&mut self, scopes: Vec<Scope>) {
        self.strange.extend(scopes);
    }

    /// The names of the tables that are left.
    pub(super) fn tables(self, names: &Names) -> BTreeSet<String> {
        let mut tables = self.declared;
        let strange: BTreeSet<Scope> = self.strange.into_iter().collect();
        tables.retain(|table| {
            let id = names.parts(table);
            let below = |prefix: &[String]| strange.contains(&Scope::Below(prefix.to_vec()));
            !(0..id.len()).any(|length| below(&id[..length]))
                && !strange.contains(&Scope::Table(id))
        });
        tables
    }
}

/// What a call says and does of these tables; none if that is nothing. Whether something was left
/// out is said.
pub(super) fn within(tables: &BTreeSet<String>, call: Call) -> Option<(Call, bool)> {
    let table = match &call {
        Call::CreateVersion(put) => &put.ledger.table,
        Call::DescribeVersion { ledger, .. }
        | Call::ListVersions { ledger, .. }
        | Call::DeleteVersions { ledger, .. } => &ledger.table,
        Call::DeclareTable(table)
        | Call::TableExists(table)
        | Call::DescribeTable(table)
        | Call::DropTable(table)
        | Call::DeregisterTable(table) => table,
        Call::BatchCreate(_) | Call::BatchCommit(_) => return part(tables, call),
    };
    tables.contains(table).then_some((call, false))
}

fn part(tables: &BTreeSet<String>, call: Call) -> Option<(Call, bool)> {
    let (call, before, after) = match call {
        Call::BatchCreate(mut puts) => {
            let before = puts.len();
            puts.retain(|put| tables.contains(&put.ledger.table));
            let after = puts.len();
            (Call::BatchCreate(puts), before, after)
        }
        Call::BatchCommit(mut changes) => {
            let before = changes.len();
            changes.retain(|change| tables.contains(table_of(change)));
            let after = changes.len();
            (Call::BatchCommit(changes), before, after)
        }
        call => return Some((call, false)),
    };
    (after > 0).then_some((call, after < before))
}
