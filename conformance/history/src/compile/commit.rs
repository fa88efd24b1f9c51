//! What a commit needs and does: its operations see those before them.

use std::collections::HashMap;

use super::{Compiler, apart};
use crate::names::{CellId, LifeId, Place, THERE, TableId};
use crate::operation::Change;
use crate::problem::{Effect, Want};

impl<'a> Compiler<'_, 'a, '_> {
    pub(super) fn commit(&mut self, changes: &'a [Change]) {
        let mut tables: HashMap<TableId, bool> = HashMap::new();
        let mut cells: HashMap<CellId, LifeId> = HashMap::new();
        let mut wiped: Vec<Effect> = Vec::new();
        let mut needs_table = |compiler: &mut Self, table: TableId| match tables.get(&table) {
            Some(true) => {}
            Some(false) => compiler.table_is(table, Want::Never),
            None => {
                tables.insert(table, true);
                compiler.table_is(table, Want::Present);
            }
        };
        let mut gone: HashMap<TableId, bool> = HashMap::new();
        for change in changes {
            match change {
                Change::CreateVersion(put) => {
                    let (ledger, cell, life) = self.put(put);
                    let table = self.names.ledger_table[ledger as usize];
                    match gone.get(&table) {
                        Some(true) => self.table_is(table, Want::Never),
                        Some(false) => {}
                        None => needs_table(self, table),
                    }
                    if self.is_unjudged(ledger) {
                        continue;
                    }
                    let place = Place::Version(ledger, put.entry.version);
                    match cells.get(&cell) {
                        Some(other) if *other != life => self.atom(cell, Want::Never),
                        Some(_) => continue,
                        None if wiped.iter().any(|wipe| wipes(*wipe, place, table)) => {}
                        None => self.atom(cell, Want::Free(life)),
                    }
                    cells.insert(cell, life);
                    self.effect(Effect::Put(cell, life));
                }
                Change::DeleteVersions { ledger, ranges } => {
                    let ledger = self.names.ledger(ledger);
                    let table = self.names.ledger_table[ledger as usize];
                    match gone.get(&table) {
                        Some(true) => self.table_is(table, Want::Never),
                        Some(false) => {}
                        None => needs_table(self, table),
                    }
                    if self.is_unjudged(ledger) {
                        continue;
                    }
                    for (first, last) in apart(ranges) {
                        let wipe = Effect::Wipe(ledger, first, last);
                        let places = &self.names.cell_place;
                        cells.retain(|cell, _| !wipes(wipe, places[*cell as usize], table));
                        wiped.push(wipe);
                        self.effect(wipe);
                    }
                }
                Change::DeclareTable(table) => {
                    let table = self.names.table(table);
                    match gone.insert(table, false) {
                        Some(true) => {}
                        Some(false) => self.table_is(table, Want::Never),
                        None => self.table_is(table, Want::Absent),
                    }
                    if let Some(cell) = self.names.table_info[table as usize].cell {
                        self.effect(Effect::Put(cell, THERE));
                    }
                }
                Change::DeregisterTable(table) => {
                    let table = self.names.table(table);
                    match gone.insert(table, true) {
                        Some(true) => self.table_is(table, Want::Never),
                        Some(false) => {}
                        None => needs_table(self, table),
                    }
                    let wipe = Effect::WipeTable(table);
                    let (places, ledgers) = (&self.names.cell_place, &self.names.ledger_table);
                    cells.retain(|cell, _| match places[*cell as usize] {
                        Place::Version(ledger, _) => ledgers[ledger as usize] != table,
                        Place::Table(_) => true,
                    });
                    wiped.push(wipe);
                    self.effect(wipe);
                }
            }
        }
    }
}

fn wipes(wipe: Effect, place: Place, table: TableId) -> bool {
    match (wipe, place) {
        (Effect::Wipe(own, first, last), Place::Version(ledger, version)) => {
            own == ledger && first <= version && version <= last
        }
        (Effect::WipeTable(own), Place::Version(..)) => own == table,
        _ => false,
    }
}
