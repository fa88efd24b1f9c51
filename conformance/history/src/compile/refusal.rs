//! What refusals claim.

use super::Compiler;
use crate::names::CellId;
use crate::operation::{Call, Change, Ledger, Refusal};
use crate::problem::{Expect, Want};

impl<'a> Compiler<'_, 'a, '_> {
    /// A call that was refused did nothing, and what it claims was so.
    pub(super) fn refused(&mut self, call: &'a Call, refusal: Refusal) {
        match (refusal, call) {
            (Refusal::Other, _) => {}
            (Refusal::Exists, Call::CreateVersion(put)) => {
                let (ledger, cell, _) = self.put(put);
                if !self.is_unjudged(ledger) {
                    self.atom(cell, Want::Present);
                }
            }
            (Refusal::Exists, Call::BatchCreate(puts)) => {
                let mut cells = Vec::with_capacity(puts.len());
                for put in puts {
                    let (ledger, cell, _) = self.put(put);
                    if self.is_unjudged(ledger) || cells.contains(&(cell, Want::Present)) {
                        // A version twice in one batch is a conflict of its own.
                        return;
                    }
                    cells.push((cell, Want::Present));
                }
                self.alternatives(cells);
            }
            (Refusal::Exists, Call::DeclareTable(table)) => {
                let table = self.names.table(table);
                self.table_is(table, Want::Present);
            }
            (
                Refusal::Missing,
                Call::TableExists(table)
                | Call::DescribeTable(table)
                | Call::DropTable(table)
                | Call::DeregisterTable(table),
            ) => {
                let table = self.names.table(table);
                self.table_is(table, Want::Absent);
            }
            (Refusal::Missing, Call::DescribeVersion { ledger, version }) => {
                let ledger = self.names.ledger(ledger);
                if self.is_unjudged(ledger) {
                    return;
                }
                match version {
                    // A table that is not there has no versions either.
                    Some(version) => {
                        let cell = self.names.cell(ledger, *version);
                        self.atom(cell, Want::Absent);
                    }
                    None => {
                        self.scan(ledger, vec![(0, i64::MAX)], Expect::Exactly(Vec::new()));
                    }
                }
            }
            (Refusal::Missing, Call::CreateVersion(put)) => self.no_table(&put.ledger),
            (
                Refusal::Missing,
                Call::ListVersions { ledger, .. } | Call::DeleteVersions { ledger, .. },
            ) => self.no_table(ledger),
            (Refusal::Missing, Call::BatchCreate(puts)) => {
                let tables = puts.iter().map(|put| put.ledger.table.as_str());
                self.one_table_missing(tables.collect());
            }
            (_, Call::BatchCommit(changes)) => self.refused_commit(changes, refusal),
            (Refusal::Missing, Call::DeclareTable(_))
            | (
                Refusal::Exists,
                Call::DescribeVersion { .. }
                | Call::ListVersions { .. }
                | Call::DeleteVersions { .. }
                | Call::TableExists(_)
                | Call::DescribeTable(_)
                | Call::DropTable(_)
                | Call::DeregisterTable(_),
            ) => {}
        }
    }

    fn no_table(&mut self, ledger: &'a Ledger) {
        let table = self.names.table(&ledger.table);
        self.table_is(table, Want::Absent);
    }

    fn one_table_missing(&mut self, tables: Vec<&'a str>) {
        let mut atoms: Vec<(CellId, Want)> = Vec::new();
        for table in tables {
            let table = self.names.table(table);
            if let Some(cell) = self.names.table_info[table as usize].cell
                && !atoms.contains(&(cell, Want::Absent))
            {
                atoms.push((cell, Want::Absent));
            }
        }
        self.alternatives(atoms);
    }

    /// What a refused commit claims, unless its operations change what others of them need: then
    /// too much depends on how the server goes about it.
    fn refused_commit(&mut self, changes: &'a [Change], refusal: Refusal) {
        let mut tables: Vec<&str> = Vec::new();
        let mut present: Vec<(CellId, Want)> = Vec::new();
        let mut deleted: Vec<&Ledger> = Vec::new();
        let mut is_entangled = false;
        for (at, change) in changes.iter().enumerate() {
            let others = || changes.iter().enumerate().filter(|(i, _)| *i != at);
            match change {
                Change::CreateVersion(put) => {
                    let (ledger, cell, _) = self.put(put);
                    is_entangled |= self.is_unjudged(ledger);
                    is_entangled |= present.contains(&(cell, Want::Present));
                    present.push((cell, Want::Present));
                    tables.push(&put.ledger.table);
                }
                Change::DeleteVersions { ledger, .. } => {
                    deleted.push(ledger);
                    tables.push(&ledger.table);
                }
                Change::DeclareTable(table) | Change::DeregisterTable(table) => {
                    is_entangled |= others().any(|(_, other)| table_of(other) == table);
                    if matches!(change, Change::DeregisterTable(_)) {
                        tables.push(table);
                    } else {
                        let table = self.names.table(table);
                        if let Some(cell) = self.names.table_info[table as usize].cell {
                            present.push((cell, Want::Present));
                        }
                    }
                }
            }
        }
        let creates = |ledger: &&Ledger| {
            changes.iter().any(|change| match change {
                Change::CreateVersion(put) => put.ledger == **ledger,
                _ => false,
            })
        };
        if is_entangled || deleted.iter().any(creates) {
            return;
        }
        match refusal {
            Refusal::Exists if present.is_empty() => {}
            Refusal::Exists => self.alternatives(present),
            Refusal::Missing => self.one_table_missing(tables),
            Refusal::Other => {}
        }
    }
}

fn table_of(change: &Change) -> &String {
    match change {
        Change::CreateVersion(put) => &put.ledger.table,
        Change::DeleteVersions { ledger, .. } => &ledger.table,
        Change::DeclareTable(table) | Change::DeregisterTable(table) => table,
    }
}
