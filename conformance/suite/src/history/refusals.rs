//! What refusals claim, where a server could not honestly say so otherwise.

use std::collections::BTreeMap;

use lance_namespace_history::operation::{Call, Change, Operation, Outcome as Told, Refusal};

use super::request::table_of;
use super::translate::Draft;

/// What is known of the writes to a table, up to some time.
#[derive(Default)]
struct Writes {
    /// Of each write that may have happened: when it began and ended.
    spans: Vec<(u64, u64)>,
    /// When the first version had been created for sure.
    first_version: Option<u64>,
    /// When it may first have been removed.
    removed: Option<u64>,
}

/// Settles what each refusal claims.
pub(super) fn claim(drafts: &mut [Draft]) {
    let mut tables: BTreeMap<String, Writes> = BTreeMap::new();
    for draft in drafts.iter() {
        note(&mut tables, draft);
    }
    for writes in tables.values_mut() {
        writes.spans.sort_unstable();
    }
    for draft in drafts {
        let Some((status, code)) = draft.refused else {
            continue;
        };
        let Operation {
            start, end, call, ..
        } = &draft.operation;
        let had_version = |table: &str| {
            let first = tables.get(table).and_then(|writes| writes.first_version);
            first.is_some_and(|first| first <= *start)
        };
        let names_table = matches!(code, Some(1 | 4));
        let refusal = match (status, call) {
            (
                404,
                Call::DescribeVersion { .. }
                | Call::TableExists(_)
                | Call::DescribeTable(_)
                | Call::DropTable(_)
                | Call::DeregisterTable(_),
            ) => Refusal::Missing,
            (404, Call::CreateVersion(put)) if names_table && had_version(&put.ledger.table) => {
                Refusal::Missing
            }
            (404, Call::ListVersions { ledger, .. } | Call::DeleteVersions { ledger, .. })
                if names_table && had_version(&ledger.table) =>
            {
                Refusal::Missing
            }
            (404, Call::BatchCreate(puts))
                if names_table && puts.iter().all(|put| had_version(&put.ledger.table)) =>
            {
                Refusal::Missing
            }
            (409, Call::DeclareTable(table)) if code == Some(5) => match tables.get(table) {
                Some(writes) if writes.leave_alone(*start, *end) => Refusal::Exists,
                _ => Refusal::Other,
            },
            _ => Refusal::Other,
        };
        draft.operation.outcome = Told::Refused(refusal);
    }
}

impl Writes {
    /// Whether nobody else wrote at that time, and nothing was removed before.
    fn leave_alone(&self, start: u64, end: u64) -> bool {
        let others = self.spans.iter().take_while(|(began, _)| *began <= end);
        let others = others.filter(|span| **span != (start, end));
        self.removed.is_none_or(|removed| removed > end)
            && others.into_iter().all(|(_, ended)| *ended < start)
    }
}

fn note(tables: &mut BTreeMap<String, Writes>, draft: &Draft) {
    let Operation {
        start,
        end,
        call,
        outcome,
        ..
    } = &draft.operation;
    if !call.changes() {
        return;
    }
    let end = match outcome {
        Told::Unknown => u64::MAX,
        _ => *end,
    };
    let is_done = matches!(outcome, Told::Ok(_));
    let may_be_done = !matches!(outcome, Told::Refused(_));
    let mut touch = |table: &str, creates: bool, removes: bool| {
        let writes = tables.entry(table.to_owned()).or_default();
        writes.spans.push((*start, end));
        if creates && is_done {
            writes.first_version = Some(writes.first_version.map_or(end, |first| first.min(end)));
        }
        if removes && may_be_done {
            writes.removed = Some(writes.removed.map_or(*start, |first| first.min(*start)));
        }
    };
    match call {
        Call::CreateVersion(put) => touch(&put.ledger.table, true, false),
        Call::DeleteVersions { ledger, .. } => touch(&ledger.table, false, false),
        Call::DeclareTable(table) => touch(table, false, false),
        Call::DropTable(table) | Call::DeregisterTable(table) => touch(table, false, true),
        Call::BatchCreate(puts) => {
            for put in puts {
                touch(&put.ledger.table, true, false);
            }
        }
        Call::BatchCommit(changes) => {
            for change in changes {
                let creates = matches!(change, Change::CreateVersion(_));
                let removes = matches!(change, Change::DeregisterTable(_));
                touch(table_of(change), creates, removes);
            }
        }
        _ => {}
    }
}
