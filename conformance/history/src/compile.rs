//! From calls and answers to conditions and effects: what each answer means.

mod commit;
mod refusal;

use std::collections::HashSet;

use crate::hash::FastMap;
use crate::names::{ABSENT, CellId, LedgerId, LifeId, Names, Place, THERE, TableId};
use crate::operation::{
    Answer, Call, Entry, History, Ledger, Operation, Outcome, Page, Put, Range,
};
use crate::problem::{Atom, Effect, Expect, NEVER, Op, OpId, Problem, Scan, Want};

/// How much of an operation is taken into a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// With its answer.
    Firm,
    /// As if its outcome were unknown: what only reads is left out.
    Open,
    /// As if it were unknown also when it began.
    Anytime,
}

/// Puts the operations of a history into a problem.
///
/// With `cells`, all else is left out: each operation keeps what it says and does about them. Whatever
/// explains the whole history explains such a part of it, so that a part that nothing explains
/// proves a violation. The same holds for operations that are open, or anytime, instead of firm.
pub(crate) fn compile<'a>(
    names: &mut Names<'a>,
    history: &'a History,
    selected: impl IntoIterator<Item = (u32, Mode)>,
    cells: Option<&HashSet<CellId>>,
) -> Problem {
    let mut kept_of_ledger: FastMap<LedgerId, Vec<(i64, CellId)>> = FastMap::default();
    for &cell in cells.into_iter().flatten() {
        if let Place::Version(ledger, version) = names.cell_place[cell as usize] {
            kept_of_ledger
                .entry(ledger)
                .or_default()
                .push((version, cell));
        }
    }
    for kept in kept_of_ledger.values_mut() {
        kept.sort_unstable();
    }
    let mut compiler = Compiler {
        names,
        problem: Problem::default(),
        cells,
        kept_of_ledger,
        op: 0,
    };
    compiler.beginning(history);
    for (index, mode) in selected {
        let operation = &history.operations[index as usize];
        compiler.operation(index, operation, mode);
    }
    compiler.end()
}

struct Compiler<'n, 'a, 'c> {
    names: &'n mut Names<'a>,
    problem: Problem,
    cells: Option<&'c HashSet<CellId>>,
    kept_of_ledger: FastMap<LedgerId, Vec<(i64, CellId)>>,
    op: OpId,
}

impl<'a> Compiler<'_, 'a, '_> {
    fn end(self) -> Problem {
        let mut problem = self.problem;
        problem.places.clone_from(&self.names.cell_place);
        problem.life_count = self.names.life_count as usize;
        problem.ledger_table.clone_from(&self.names.ledger_table);
        let tables = &self.names.table_info;
        problem.table_cell = tables.iter().map(|table| table.cell).collect();
        problem.table_ledgers = tables.iter().map(|table| table.ledgers.clone()).collect();
        if self.cells.is_some() {
            problem.renumber();
        }
        problem.index();
        problem
    }

    fn beginning(&mut self, history: &'a History) {
        for initial in &history.initial {
            let table = self.names.table(&initial.ledger.table);
            if let Some(cell) = self.names.table_info[table as usize].cell
                && self.keeps(cell)
            {
                self.problem.initial.push((cell, THERE));
            }
            let ledger = self.names.ledger(&initial.ledger);
            for entry in &initial.entries {
                let cell = self.names.cell(ledger, entry.version);
                let life = self.names.life(cell, &entry.entry);
                if self.keeps(cell) && !self.is_unjudged(ledger) {
                    self.problem.initial.push((cell, life));
                }
            }
        }
        for table in 0..self.names.table_info.len() {
            let info = &self.names.table_info[table];
            if let Some(cell) = info.cell
                && info.is_open_at_start
                && self.keeps(cell)
            {
                self.begin(0, NEVER, None);
                self.atom(cell, Want::Absent);
                self.effect(Effect::Put(cell, THERE));
                self.finish();
            }
        }
    }

    fn keeps(&self, cell: CellId) -> bool {
        self.cells.is_none_or(|cells| cells.contains(&cell))
    }

    fn is_unjudged(&self, ledger: LedgerId) -> bool {
        let table = self.names.ledger_table[ledger as usize];
        self.names.table_info[table as usize].is_unjudged()
    }

    fn begin(&mut self, start: u64, end: u64, source: Option<u32>) {
        let problem = &mut self.problem;
        let (atoms, scans) = (problem.atoms.len() as u32, problem.scans.len() as u32);
        let effects = problem.effects.len() as u32;
        self.op = problem.ops.len() as OpId;
        problem.ops.push(Op {
            start,
            end,
            atoms: (atoms, atoms),
            scans: (scans, scans),
            effects: (effects, effects),
            source,
            has_alternatives: false,
        });
    }

    /// Keeps the operation that was begun, unless it says and does nothing.
    fn finish(&mut self) {
        let problem = &mut self.problem;
        let Some(op) = problem.ops.last_mut() else {
            return;
        };
        op.atoms.1 = problem.atoms.len() as u32;
        op.scans.1 = problem.scans.len() as u32;
        op.effects.1 = problem.effects.len() as u32;
        let says = op.atoms.0 != op.atoms.1 || op.scans.0 != op.scans.1;
        let matters = op.changes() || (says && op.is_firm());
        if !matters {
            let (atoms, scans) = (op.atoms.0, op.scans.0);
            problem.atoms.truncate(atoms as usize);
            problem.scans.truncate(scans as usize);
            problem.ops.pop();
        }
    }

    fn atom(&mut self, cell: CellId, want: Want) {
        if self.keeps(cell) {
            self.problem.atoms.push(Atom {
                op: self.op,
                cell,
                want,
                is_alternative: false,
            });
        }
    }

    /// One of these has to hold. If not all of their cells are kept, nothing is said.
    fn alternatives(&mut self, atoms: Vec<(CellId, Want)>) {
        if atoms.is_empty() || !atoms.iter().all(|(cell, _)| self.keeps(*cell)) {
            return;
        }
        for (cell, want) in atoms {
            self.problem.atoms.push(Atom {
                op: self.op,
                cell,
                want,
                is_alternative: true,
            });
        }
        if let Some(op) = self.problem.ops.last_mut() {
            op.has_alternatives = true;
        }
    }

    fn effect(&mut self, effect: Effect) {
        if self.touches_kept(effect) {
            self.problem.effects.push((self.op, effect));
        }
    }

    fn touches_kept(&self, effect: Effect) -> bool {
        let Some(cells) = self.cells else {
            return true;
        };
        let kept = |ledger| self.kept_of_ledger.get(&ledger).into_iter().flatten();
        match effect {
            Effect::Put(cell, _) => cells.contains(&cell),
            Effect::Wipe(ledger, first, last) => {
                kept(ledger).any(|(version, _)| first <= *version && *version <= last)
            }
            Effect::WipeTable(table) => {
                let info = &self.names.table_info[table as usize];
                info.cell.is_some_and(|cell| cells.contains(&cell))
                    || info
                        .ledgers
                        .iter()
                        .any(|ledger| kept(*ledger).next().is_some())
            }
        }
    }

    fn table_is(&mut self, table: TableId, want: Want) {
        if let Some(cell) = self.names.table_info[table as usize].cell {
            self.atom(cell, want);
        }
    }

    fn put(&mut self, put: &'a Put) -> (LedgerId, CellId, LifeId) {
        let ledger = self.names.ledger(&put.ledger);
        let cell = self.names.cell(ledger, put.entry.version);
        (ledger, cell, self.names.life(cell, &put.entry.entry))
    }

    fn operation(&mut self, index: u32, operation: &'a Operation, mode: Mode) {
        let is_firm = mode == Mode::Firm && operation.outcome != Outcome::Unknown;
        let end = if is_firm {
            operation.end.min(NEVER - 1)
        } else {
            NEVER
        };
        let start = match &operation.call {
            Call::ListVersions { page, .. } => page.since.unwrap_or(operation.start),
            _ => operation.start,
        };
        let start = if mode == Mode::Anytime { 0 } else { start };
        self.begin(start, end, Some(index));
        match &operation.outcome {
            Outcome::Refused(refusal) if is_firm => self.refused(&operation.call, *refusal),
            Outcome::Ok(answer) if is_firm => self.answered(&operation.call, Some(answer)),
            _ => self.answered(&operation.call, None),
        }
        self.finish();
    }

    /// A call that is carried out: with its answer, or without.
    fn answered(&mut self, call: &'a Call, answer: Option<&'a Answer>) {
        match call {
            Call::CreateVersion(put) => self.create(std::slice::from_ref(put)),
            Call::BatchCreate(puts) => self.create(puts),
            Call::BatchCommit(changes) => self.commit(changes),
            Call::DeleteVersions { ledger, ranges } => {
                let ledger = self.names.ledger(ledger);
                self.table_is(self.names.ledger_table[ledger as usize], Want::Present);
                if self.is_unjudged(ledger) {
                    return;
                }
                let ranges = apart(ranges);
                for &(first, last) in &ranges {
                    self.effect(Effect::Wipe(ledger, first, last));
                }
                if let Some(Answer::Deleted(Some(count))) = answer {
                    let count = u32::try_from(*count).unwrap_or(u32::MAX);
                    self.scan(ledger, ranges, Expect::Count(count));
                }
            }
            Call::DeclareTable(table) => {
                let table = self.names.table(table);
                self.table_is(table, Want::Absent);
                if let Some(cell) = self.names.table_info[table as usize].cell {
                    self.effect(Effect::Put(cell, THERE));
                }
            }
            Call::DropTable(table) | Call::DeregisterTable(table) => {
                let table = self.names.table(table);
                self.table_is(table, Want::Present);
                self.effect(Effect::WipeTable(table));
            }
            Call::TableExists(table) | Call::DescribeTable(table) => {
                let table = self.names.table(table);
                self.table_is(table, Want::Present);
            }
            Call::DescribeVersion { ledger, version } => {
                if let Some(Answer::Entry(entry)) = answer {
                    self.described(ledger, *version, entry);
                }
            }
            Call::ListVersions { ledger, page } => {
                let id = self.names.ledger(ledger);
                self.table_is(self.names.ledger_table[id as usize], Want::Present);
                if let Some(Answer::Entries { entries, more }) = answer {
                    self.listed(id, *page, entries, *more);
                }
            }
        }
    }

    fn described(&mut self, ledger: &'a Ledger, version: Option<i64>, entry: &'a Entry) {
        let ledger = self.names.ledger(ledger);
        let cell = self.names.cell(ledger, entry.version);
        let life = self.names.life(cell, &entry.entry);
        if self.is_unjudged(ledger) {
            return;
        }
        match version {
            Some(version) if version != entry.version => self.atom(cell, Want::Never),
            Some(_) => self.atom(cell, Want::Is(life)),
            None => {
                let listed = vec![(entry.version, cell, life)];
                let ranges = vec![(entry.version, i64::MAX)];
                self.scan(ledger, ranges, Expect::Exactly(listed));
            }
        }
    }

    fn listed(&mut self, ledger: LedgerId, page: Page, entries: &'a [Entry], more: bool) {
        let mut listed = Vec::with_capacity(entries.len());
        for entry in entries {
            let cell = self.names.cell(ledger, entry.version);
            listed.push((entry.version, cell, self.names.life(cell, &entry.entry)));
        }
        if self.is_unjudged(ledger) {
            return;
        }
        listed.sort_unstable();
        let is_doubled = listed.windows(2).any(|pair| pair[0].0 == pair[1].0);
        if is_doubled {
            self.atom(listed[0].1, Want::Never);
            return;
        }
        let is_whole = page.after.is_none() && !more;
        let range = if is_whole {
            Some((0, i64::MAX))
        } else if page.descending {
            // What stands after the page before; down to the last here, if more follow.
            let last = page.after.map_or(i64::MAX, |after| after.saturating_sub(1));
            match (more, listed.first()) {
                (false, _) => Some((0, last)),
                (true, Some((first, _, _))) => Some((*first, last)),
                (true, None) => None,
            }
        } else {
            None
        };
        match range {
            Some((first, last)) if listed.last().is_none_or(|(v, _, _)| *v <= last) => {
                let ranges = if first <= last {
                    vec![(first, last)]
                } else {
                    Vec::new()
                };
                self.scan(ledger, ranges, Expect::Exactly(listed));
            }
            _ => {
                for (_, cell, life) in listed {
                    self.atom(cell, Want::Is(life));
                }
            }
        }
    }

    fn scan(&mut self, ledger: LedgerId, ranges: Vec<(i64, i64)>, expect: Expect) {
        if ranges.is_empty() {
            if expect_some(&expect) {
                // More than nothing of nothing.
                let cell = self.names.cell(ledger, 0);
                self.atom(cell, Want::Never);
            }
            return;
        }
        let scan = Scan {
            op: self.op,
            ledger,
            ranges,
            expect,
        };
        if self.cells.is_none() {
            self.problem.scans.push(scan);
            return;
        }
        // A count over cells of which some are left out says nothing.
        if matches!(scan.expect, Expect::Exactly(_)) {
            let kept = self.kept_of_ledger.get(&ledger);
            for (version, cell) in kept.cloned().unwrap_or_default() {
                if scan.covers(version) {
                    let want = match scan.expects(version) {
                        Some(ABSENT) | None => Want::Absent,
                        Some(life) => Want::Is(life),
                    };
                    self.atom(cell, want);
                }
            }
        } else if self.keeps_all(ledger, &scan.ranges) {
            self.problem.scans.push(scan);
        }
    }

    /// Whether each cell in these ranges that ever had a name is kept.
    fn keeps_all(&self, ledger: LedgerId, ranges: &[(i64, i64)]) -> bool {
        let places = (0u32..).zip(&self.names.cell_place);
        places
            .filter(|(_, place)| match place {
                Place::Version(own, version) => {
                    *own == ledger && ranges.iter().any(|r| r.0 <= *version && *version <= r.1)
                }
                Place::Table(_) => false,
            })
            .all(|(cell, _)| self.keeps(cell))
    }

    fn create(&mut self, puts: &'a [Put]) {
        let mut tables = Vec::new();
        let mut created: Vec<(CellId, LifeId)> = Vec::with_capacity(puts.len());
        for put in puts {
            let (ledger, cell, life) = self.put(put);
            let table = self.names.ledger_table[ledger as usize];
            if !tables.contains(&table) {
                tables.push(table);
                self.table_is(table, Want::Present);
            }
            if self.is_unjudged(ledger) {
                continue;
            }
            match created.iter().find(|(other, _)| *other == cell) {
                Some((_, other)) if *other != life => self.atom(cell, Want::Never),
                Some(_) => {}
                None => {
                    created.push((cell, life));
                    self.atom(cell, Want::Free(life));
                    self.effect(Effect::Put(cell, life));
                }
            }
        }
    }
}

fn expect_some(expect: &Expect) -> bool {
    match expect {
        Expect::Exactly(listed) => !listed.is_empty(),
        Expect::Count(count) => *count > 0,
    }
}

/// First and last versions of ranges, in order, those that overlap made one.
fn apart(ranges: &[Range]) -> Vec<(i64, i64)> {
    let bounds = ranges
        .iter()
        .filter(|range| range.end.is_none_or(|end| end > range.start))
        .map(|range| (range.start, range.end.map_or(i64::MAX, |end| end - 1)));
    let mut bounds: Vec<(i64, i64)> = bounds.collect();
    bounds.sort_unstable();
    let mut apart: Vec<(i64, i64)> = Vec::with_capacity(bounds.len());
    for (first, last) in bounds {
        match apart.last_mut() {
            Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
            _ => apart.push((first, last)),
        }
    }
    apart
}
