//! The names of a history as small numbers: tables, ledgers, cells and lives.

use std::collections::BTreeMap;

use crate::hash::FastMap;
use crate::operation::{Call, Change, History, Ledger, Outcome, Refusal};

/// What holds nothing or one thing: a version of a ledger, or whether a table is there.
pub(crate) type CellId = u32;
/// One entry in one cell; [`ABSENT`] where there is none.
pub(crate) type LifeId = u32;
pub(crate) type LedgerId = u32;
pub(crate) type TableId = u32;

/// What a cell holds that holds nothing.
pub(crate) const ABSENT: LifeId = 0;
/// What the cell of a table holds that is there.
pub(crate) const THERE: LifeId = 1;

#[derive(Default)]
pub(crate) struct Names<'a> {
    tables: FastMap<&'a str, TableId>,
    ledgers: FastMap<(TableId, Option<&'a str>), LedgerId>,
    cells: FastMap<(LedgerId, i64), CellId>,
    lives: FastMap<(CellId, &'a str), LifeId>,
    pub(crate) table_info: Vec<TableInfo>,
    pub(crate) ledger_table: Vec<TableId>,
    pub(crate) cell_place: Vec<Place>,
    pub(crate) life_count: u32,
}

/// What a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Table(TableId),
    Version(LedgerId, i64),
}

#[derive(Clone, Default)]
pub(crate) struct TableInfo {
    /// The cell that says whether the table is there; none if no call tells or changes it.
    pub(crate) cell: Option<CellId>,
    pub(crate) ledgers: Vec<LedgerId>,
    /// How often the table may have come to be, the beginning included.
    declares: usize,
    deregisters: usize,
    /// Whether it is not told that, or whether, the table was there at the beginning.
    pub(crate) is_open_at_start: bool,
}

impl TableInfo {
    /// Whether versions of it cannot be judged: whether they survive if a table is deregistered and
    /// declared anew is open.
    pub(crate) fn is_unjudged(&self) -> bool {
        self.deregisters > 0 && self.declares > 1
    }
}

impl<'a> Names<'a> {
    /// Knows of each table what the whole history does with it; other names come as they are asked.
    pub(crate) fn new(history: &'a History) -> Self {
        let mut names = Self {
            life_count: THERE + 1,
            ..Self::default()
        };
        let mut told: BTreeMap<TableId, bool> = BTreeMap::new();
        for operation in &history.operations {
            let may_be_done = !matches!(operation.outcome, Outcome::Refused(_));
            let is_missing = operation.outcome == Outcome::Refused(Refusal::Missing);
            match &operation.call {
                Call::DeclareTable(table) => {
                    let table = names.tracked(table);
                    names.table_info[table as usize].declares += usize::from(may_be_done);
                    told.insert(table, true);
                }
                Call::TableExists(table) | Call::DescribeTable(table) | Call::DropTable(table) => {
                    names.tracked(table);
                }
                Call::DeregisterTable(table) => {
                    let table = names.tracked(table);
                    names.table_info[table as usize].deregisters += usize::from(may_be_done);
                }
                Call::BatchCommit(changes) => {
                    for change in changes {
                        match change {
                            Change::DeclareTable(table) => {
                                let table = names.tracked(table);
                                names.table_info[table as usize].declares +=
                                    usize::from(may_be_done);
                                told.insert(table, true);
                            }
                            Change::DeregisterTable(table) => {
                                let table = names.tracked(table);
                                names.table_info[table as usize].deregisters +=
                                    usize::from(may_be_done);
                            }
                            Change::CreateVersion(put) if is_missing => {
                                names.tracked(&put.ledger.table);
                            }
                            Change::DeleteVersions { ledger, .. } if is_missing => {
                                names.tracked(&ledger.table);
                            }
                            Change::CreateVersion(_) | Change::DeleteVersions { .. } => {}
                        }
                    }
                }
                Call::CreateVersion(put) if is_missing => {
                    names.tracked(&put.ledger.table);
                }
                Call::ListVersions { ledger, .. } | Call::DeleteVersions { ledger, .. }
                    if is_missing =>
                {
                    names.tracked(&ledger.table);
                }
                Call::BatchCreate(puts) if is_missing => {
                    for put in puts {
                        names.tracked(&put.ledger.table);
                    }
                }
                _ => {}
            }
        }
        for initial in &history.initial {
            let table = names.table(&initial.ledger.table);
            if told.insert(table, false) != Some(false) {
                names.table_info[table as usize].declares += 1;
            }
        }
        for (table, info) in (0u32..).zip(&mut names.table_info) {
            if info.cell.is_some() && !told.contains_key(&table) {
                info.is_open_at_start = true;
                info.declares += 1;
            }
        }
        names
    }

    pub(crate) fn table(&mut self, name: &'a str) -> TableId {
        let next = self.table_info.len() as u32;
        let id = *self.tables.entry(name).or_insert(next);
        if id == next {
            self.table_info.push(TableInfo::default());
        }
        id
    }

    fn tracked(&mut self, name: &'a str) -> TableId {
        let id = self.table(name);
        if self.table_info[id as usize].cell.is_none() {
            self.table_info[id as usize].cell = Some(self.cell_place.len() as CellId);
            self.cell_place.push(Place::Table(id));
        }
        id
    }

    pub(crate) fn ledger(&mut self, ledger: &'a Ledger) -> LedgerId {
        let table = self.table(&ledger.table);
        let next = self.ledger_table.len() as u32;
        let id = *self
            .ledgers
            .entry((table, ledger.branch.as_deref()))
            .or_insert(next);
        if id == next {
            self.ledger_table.push(table);
            self.table_info[table as usize].ledgers.push(id);
        }
        id
    }

    pub(crate) fn cell(&mut self, ledger: LedgerId, version: i64) -> CellId {
        let next = self.cell_place.len() as u32;
        let id = *self.cells.entry((ledger, version)).or_insert(next);
        if id == next {
            self.cell_place.push(Place::Version(ledger, version));
        }
        id
    }

    pub(crate) fn life(&mut self, cell: CellId, entry: &'a str) -> LifeId {
        let next = self.life_count;
        let id = *self.lives.entry((cell, entry)).or_insert(next);
        if id == next {
            self.life_count += 1;
        }
        id
    }
}

/// A ledger by the names of its table and branch.
pub(crate) type LedgerName<'a> = (&'a str, Option<&'a str>);

impl<'a> Names<'a> {
    /// The names of all tables and ledgers, by their numbers.
    pub(crate) fn spelt(&self) -> (Vec<&'a str>, Vec<LedgerName<'a>>) {
        let mut tables = vec![""; self.table_info.len()];
        for (name, id) in &self.tables {
            tables[*id as usize] = name;
        }
        let mut ledgers = vec![("", None); self.ledger_table.len()];
        for ((table, branch), id) in &self.ledgers {
            ledgers[*id as usize] = (tables[*table as usize], *branch);
        }
        (tables, ledgers)
    }
}
