//! The smallest impossible part of a history that nothing explains.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};

use crate::compile::{Mode, compile};
use crate::hash::FastMap;
use crate::names::{CellId, LedgerId, Names, Place, TableId};
use crate::operation::{History, Operation, Outcome};
use crate::problem::{Effect, Problem};
use crate::search::{Found, Stuck, search};

/// Steps that are spent on one part of the history.
const BUDGET: u64 = 50_000;
/// Steps that are spent to see whether a part may be smaller.
const SMALL_BUDGET: u64 = 20_000;
/// How many smaller parts are tried.
const TRIES: usize = 3_000;
/// How many cells are looked at together before all are.
const CELLS: usize = 128;
/// How many operations are few: the last of so many are tried by themselves first.
const FEW: usize = 64;
/// How many operations are so few that each is tried by itself at once.
const ONE_BY_ONE: usize = 24;
/// How many operations are named at most that change several cells of a part.
const TIES: usize = 4;
/// How many operations a part has at most.
const OPERATIONS: usize = 200_000;

/// A part of a history that nothing explains: what some of the operations say of some cells, while
/// the other operations on those cells may have happened at any time or never.
pub(crate) struct Core {
    /// Of the history's operations, those whose answers are impossible together.
    pub(crate) firm: Vec<u32>,
    /// Those that matter only by when they began, or by doing several things at once.
    pub(crate) begun: Vec<u32>,
    /// Those that may have happened, and do not help at whatever time.
    pub(crate) others: Vec<u32>,
    pub(crate) cells: Vec<CellId>,
}

/// Which operations speak of or change a cell, or many cells of a ledger or a table.
struct Index {
    cells: Vec<Vec<u32>>,
    ledgers: Vec<Vec<Reach>>,
    tables: Vec<Vec<u32>>,
}

/// An operation that speaks of or changes ranges of versions.
type Reach = (u32, Vec<(i64, i64)>);

impl Index {
    fn new(problem: &Problem) -> Self {
        let mut cells = vec![Vec::new(); problem.places.len()];
        let mut ledgers = vec![Vec::new(); problem.ledger_table.len()];
        let mut tables = vec![Vec::new(); problem.table_cell.len()];
        let source = |op| problem.op(op).source;
        for atom in &problem.atoms {
            cells[atom.cell as usize].extend(source(atom.op));
        }
        for scan in &problem.scans {
            if let Some(source) = source(scan.op) {
                ledgers[scan.ledger as usize].push((source, scan.ranges.clone()));
            }
        }
        for (op, effect) in &problem.effects {
            let Some(source) = source(*op) else { continue };
            match effect {
                Effect::Put(cell, _) => cells[*cell as usize].push(source),
                Effect::Wipe(ledger, first, last) => {
                    ledgers[*ledger as usize].push((source, vec![(*first, *last)]));
                }
                Effect::WipeTable(table) => tables[*table as usize].push(source),
            }
        }
        Self {
            cells,
            ledgers,
            tables,
        }
    }

    fn operations(&self, names: &Names<'_>, cells: &HashSet<CellId>) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
        let mut ledgers: FastMap<LedgerId, Vec<i64>> = FastMap::default();
        let mut tables: HashSet<TableId> = HashSet::new();
        for &cell in cells {
            found.extend(self.cells[cell as usize].iter().copied());
            match names.cell_place[cell as usize] {
                Place::Version(ledger, version) => {
                    ledgers.entry(ledger).or_default().push(version);
                    tables.insert(names.ledger_table[ledger as usize]);
                }
                Place::Table(table) => {
                    tables.insert(table);
                }
            }
        }
        for (ledger, versions) in ledgers {
            for (operation, ranges) in &self.ledgers[ledger as usize] {
                let covers =
                    |version: &i64| ranges.iter().any(|r| r.0 <= *version && *version <= r.1);
                if versions.iter().any(covers) {
                    found.insert(*operation);
                }
            }
        }
        for table in tables {
            found.extend(self.tables[table as usize].iter().copied());
        }
        found
    }
}

/// Finds the smallest part that nothing explains, given where a search got stuck; none if no part
/// that was looked at proves anything.
///
/// `is_proven` says that the whole is known to be impossible.
pub(crate) fn find<'a>(
    names: &mut Names<'a>,
    history: &'a History,
    whole: &Problem,
    stuck: &Stuck,
    is_proven: bool,
) -> Option<Core> {
    let mut finder = Finder {
        index: Index::new(whole),
        names,
        history,
        now: stuck.now,
        tries: TRIES,
    };
    let mut parts: Vec<Vec<CellId>> = stuck.cells.iter().map(|cell| vec![*cell]).collect();
    parts.extend(prefixes(&stuck.cells, 2));
    let around = finder.around(whole, &stuck.cells);
    parts.extend(prefixes(&around, stuck.cells.len() + 1));
    for cells in parts {
        let part = finder.part(Some(cells.into_iter().collect()));
        if part.firm.len() <= OPERATIONS && finder.is_impossible(&part, &part.firm, BUDGET) {
            return Some(finder.smallest(part));
        }
    }
    let part = finder.part(None);
    let is_impossible = is_proven
        || (part.firm.len() <= OPERATIONS && finder.is_impossible(&part, &part.firm, BUDGET));
    is_impossible.then(|| finder.smallest(part))
}

/// The first cells, more and more of them.
fn prefixes(cells: &[CellId], from: usize) -> Vec<Vec<CellId>> {
    let mut prefixes = Vec::new();
    let mut size = from;
    while size < cells.len() * 2 {
        prefixes.push(cells[..size.min(cells.len())].to_vec());
        size *= 2;
    }
    prefixes
}

struct Finder<'n, 'a> {
    index: Index,
    names: &'n mut Names<'a>,
    history: &'a History,
    now: u64,
    tries: usize,
}

/// A part of the history: some cells, and the operations that have to do with them.
struct Part {
    /// None for all.
    cells: Option<HashSet<CellId>>,
    /// What had been answered by then; the last answer last.
    firm: Vec<u32>,
    /// What may change anything, in the order of the history.
    writers: Vec<u32>,
    /// Which of them may have begun at any time.
    anytime: HashSet<u32>,
}

impl Finder<'_, '_> {
    fn part(&self, cells: Option<HashSet<CellId>>) -> Part {
        let mut about: Vec<u32> = match &cells {
            Some(cells) => self
                .index
                .operations(self.names, cells)
                .into_iter()
                .collect(),
            None => (0..self.history.operations.len() as u32).collect(),
        };
        about.retain(|at| self.operation(*at).start <= self.now);
        let is_answered = |at: &&u32| {
            let operation = self.operation(**at);
            operation.outcome != Outcome::Unknown && operation.end <= self.now
        };
        let mut firm: Vec<u32> = about.iter().filter(is_answered).copied().collect();
        firm.sort_by_key(|at| self.operation(*at).end);
        about.retain(|at| self.operation(*at).call.changes());
        Part {
            cells,
            firm,
            writers: about,
            anytime: HashSet::new(),
        }
    }

    fn operation(&self, at: u32) -> &Operation {
        &self.history.operations[at as usize]
    }

    fn problem(&mut self, part: &Part, firm: &[u32]) -> Problem {
        let mut selected: Vec<(u32, Mode)> = firm.iter().map(|at| (*at, Mode::Firm)).collect();
        let firm: HashSet<u32> = firm.iter().copied().collect();
        let open = part.writers.iter().filter(|at| !firm.contains(at));
        selected.extend(open.map(|at| {
            let is_anytime = part.anytime.contains(at);
            (
                *at,
                if is_anytime {
                    Mode::Anytime
                } else {
                    Mode::Open
                },
            )
        }));
        compile(self.names, self.history, selected, part.cells.as_ref())
    }

    fn is_impossible(&mut self, part: &Part, firm: &[u32], budget: u64) -> bool {
        let problem = self.problem(part, firm);
        matches!(search(&problem, budget), Found::None(_))
    }

    fn is_still_impossible(&mut self, part: &Part, firm: &[u32]) -> bool {
        if self.tries == 0 {
            return false;
        }
        self.tries -= 1;
        self.is_impossible(part, firm, SMALL_BUDGET)
    }

    /// Cells that operations about these cells speak of too, the latest operations first.
    fn around(&self, whole: &Problem, cells: &[CellId]) -> Vec<CellId> {
        let mut by_source: FastMap<u32, u32> = FastMap::default();
        for (id, op) in (0u32..).zip(&whole.ops) {
            if let Some(source) = op.source {
                by_source.insert(source, id);
            }
        }
        let mut around = cells.to_vec();
        let mut from = 0;
        while from < around.len() && around.len() < CELLS {
            let next: HashSet<CellId> = around[from..].iter().copied().collect();
            from = around.len();
            let operations = self.index.operations(self.names, &next);
            let mut operations: Vec<u32> = operations.into_iter().collect();
            operations.retain(|at| self.operation(*at).start <= self.now);
            operations.sort_by_key(|at| Reverse(self.operation(*at).end.min(self.now)));
            for operation in operations {
                let Some(op) = by_source.get(&operation) else {
                    continue;
                };
                let puts = whole.effects_of(*op).iter();
                let puts = puts.filter_map(|(_, effect)| match effect {
                    Effect::Put(cell, _) => Some(*cell),
                    Effect::Wipe(..) | Effect::WipeTable(_) => None,
                });
                let spoken = whole.atoms_of(*op).iter().map(|atom| atom.cell);
                for cell in spoken.chain(puts) {
                    if !around.contains(&cell) && around.len() < CELLS {
                        around.push(cell);
                    }
                }
            }
        }
        around
    }

    fn smallest(&mut self, mut part: Part) -> Core {
        let mut firm = self.tail(&part);
        // Who made something tells more than who saw it.
        firm.sort_by_key(|at| {
            let operation = self.operation(*at);
            let is_done = matches!(operation.outcome, Outcome::Ok(_));
            let changes = operation.call.changes();
            (changes, changes && is_done, operation.end)
        });
        self.fewer(&part, &mut firm);
        if part.cells.is_none() {
            part.cells = Some(self.cells_of(&part, &firm));
        }
        if self.drop_cells(&mut part, &firm) {
            self.fewer(&part, &mut firm);
        }
        let problem = self.problem(&part, &firm);
        let sources = problem.ops.iter().filter_map(|op| op.source);
        let open: Vec<u32> = sources.filter(|at| !firm.contains(at)).collect();
        let mut begun = self.begun(&mut part, &firm, &open);
        // Those that tie cells together are part of the reason, too.
        let ties = problem
            .ops
            .iter()
            .filter(|op| op.effects.1 - op.effects.0 > 1);
        for at in ties.filter_map(|op| op.source).take(TIES) {
            if !firm.contains(&at) && !begun.contains(&at) {
                begun.push(at);
            }
        }
        let mut cells: Vec<CellId> = part.cells.into_iter().flatten().collect();
        cells.sort_unstable();
        Core {
            others: open.into_iter().filter(|at| !begun.contains(at)).collect(),
            firm,
            begun,
            cells,
        }
    }

    /// Those of the open operations whose start is needed for the contradiction.
    fn begun(&mut self, part: &mut Part, firm: &[u32], open: &[u32]) -> Vec<u32> {
        let mut chunk = open.len();
        let mut left = open.to_vec();
        while chunk > 0 {
            for some in std::mem::take(&mut left).chunks(chunk) {
                part.anytime.extend(some);
                if !self.is_still_impossible(part, firm) {
                    for at in some {
                        part.anytime.remove(at);
                    }
                    left.extend(some);
                }
            }
            chunk /= 2;
        }
        left
    }

    /// All cells that a part speaks of.
    fn cells_of(&mut self, part: &Part, firm: &[u32]) -> HashSet<CellId> {
        let problem = self.problem(part, firm);
        let mut cells: HashSet<CellId> = problem.atoms.iter().map(|atom| atom.cell).collect();
        for (_, effect) in &problem.effects {
            if let Effect::Put(cell, _) = effect {
                cells.insert(*cell);
            }
        }
        for scan in &problem.scans {
            for (cell, place) in (0u32..).zip(&problem.places) {
                if matches!(place, Place::Version(ledger, version)
                    if *ledger == scan.ledger && scan.covers(*version))
                {
                    cells.insert(cell);
                }
            }
        }
        cells
    }

    /// The last few operations, if those are impossible by themselves.
    fn tail(&mut self, part: &Part) -> Vec<u32> {
        let mut length = FEW;
        while length < part.firm.len() {
            let tail = &part.firm[part.firm.len() - length..];
            if self.is_still_impossible(part, tail) {
                return tail.to_vec();
            }
            length *= 2;
        }
        part.firm.clone()
    }

    /// Takes operations out, many at a time and then one by one, as long as what is left stays
    /// impossible.
    fn fewer(&mut self, part: &Part, firm: &mut Vec<u32>) {
        // One by one, those that tell least go first.
        let mut chunk = if firm.len() <= ONE_BY_ONE {
            1
        } else {
            firm.len() / 2
        };
        while chunk > 0 {
            let mut at = 0;
            let mut is_less = false;
            while at < firm.len() {
                let to = (at + chunk).min(firm.len());
                let mut rest = firm[..at].to_vec();
                rest.extend_from_slice(&firm[to..]);
                if self.is_still_impossible(part, &rest) {
                    *firm = rest;
                    is_less = true;
                } else {
                    at = to;
                }
            }
            if chunk > 1 || !is_less {
                chunk /= 2;
            }
        }
    }

    /// Leaves cells out as long as what is said of the others stays impossible; whether there are
    /// fewer now.
    fn drop_cells(&mut self, part: &mut Part, firm: &[u32]) -> bool {
        let mut kept: Vec<CellId> = part.cells.iter().flatten().copied().collect();
        kept.sort_unstable();
        let before = kept.len();
        let mut chunk = before.div_ceil(2);
        while chunk > 0 {
            let mut at = 0;
            while at < kept.len() {
                let to = (at + chunk).min(kept.len());
                let mut rest = kept[..at].to_vec();
                rest.extend_from_slice(&kept[to..]);
                let whole = part.cells.replace(rest.iter().copied().collect());
                if !rest.is_empty() && self.is_still_impossible(part, firm) {
                    kept = rest;
                } else {
                    part.cells = whole;
                    at = to;
                }
            }
            chunk /= 2;
        }
        kept.len() < before
    }
}
