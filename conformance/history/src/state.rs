//! What the cells hold at a point of an order, and what the pending operations make of it.

use std::collections::BTreeMap;

use crate::bag::Bag;
use crate::hash::mix;
use crate::names::{ABSENT, CellId, LedgerId, LifeId, Place};
use crate::problem::{Atom, Effect, Expect, OpId, Problem, Want};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Ahead,
    Pending,
    Done,
}

enum Undo {
    Cell(CellId, LifeId),
    Done(OpId),
    Invoked(OpId),
    /// Invoked and done at once, without ever having been pending.
    Passed(OpId),
}

/// The state of the server that an order leads to, the operations that are pending, and which of
/// their conditions do not hold now. Everything can be taken back.
pub(crate) struct State<'p> {
    pub(crate) problem: &'p Problem,
    value: Vec<LifeId>,
    present: Vec<BTreeMap<i64, CellId>>,
    phase: Vec<Phase>,
    /// How many conditions of an operation do not hold.
    bad: Vec<u32>,
    /// How many of its alternatives hold.
    hits: Vec<u32>,
    /// How many cells are not as a scan says; or how many are present, if it counts.
    scan_value: Vec<u32>,
    watch: Vec<Bag>,
    watch_place: Vec<u32>,
    scans: Vec<Bag>,
    scan_place: Vec<u32>,
    putters: Vec<Bag>,
    wipers: Vec<Bag>,
    table_wipers: Vec<Bag>,
    effect_place: Vec<u32>,
    firm_writers: Bag,
    open_writers: Bag,
    writer_place: Vec<u32>,
    ready: Vec<OpId>,
    trail: Vec<Undo>,
    /// The operation that last changed a cell.
    pub(crate) writer: Vec<OpId>,
    value_hash: u64,
    done_hash: u64,
}

/// The writer of a cell that nobody has written.
pub(crate) const NOBODY: OpId = OpId::MAX;

impl<'p> State<'p> {
    pub(crate) fn new(problem: &'p Problem) -> Self {
        let (ops, cells) = (problem.ops.len(), problem.places.len());
        let ledgers = problem.ledger_table.len();
        let bags = |count: usize| std::iter::repeat_with(Bag::default).take(count).collect();
        let mut state = Self {
            problem,
            value: vec![ABSENT; cells],
            present: vec![BTreeMap::new(); ledgers],
            phase: vec![Phase::Ahead; ops],
            bad: vec![0; ops],
            hits: vec![0; ops],
            scan_value: vec![0; problem.scans.len()],
            watch: bags(cells),
            watch_place: vec![0; problem.atoms.len()],
            scans: bags(ledgers),
            scan_place: vec![0; problem.scans.len()],
            putters: bags(cells),
            wipers: bags(ledgers),
            table_wipers: bags(problem.table_cell.len()),
            effect_place: vec![0; problem.effects.len()],
            firm_writers: Bag::default(),
            open_writers: Bag::default(),
            writer_place: vec![0; ops],
            ready: Vec::new(),
            trail: Vec::with_capacity(ops * 2),
            writer: vec![NOBODY; cells],
            value_hash: 0,
            done_hash: 0,
        };
        for &(cell, life) in &problem.initial {
            state.change(cell, life);
        }
        state
    }

    pub(crate) fn value(&self, cell: CellId) -> LifeId {
        self.value[cell as usize]
    }

    pub(crate) fn phase(&self, op: OpId) -> Phase {
        self.phase[op as usize]
    }

    pub(crate) fn is_pending(&self, op: OpId) -> bool {
        self.phase(op) == Phase::Pending
    }

    /// Whether an operation could take effect now.
    pub(crate) fn is_ready(&self, op: OpId) -> bool {
        self.bad[op as usize] == 0
            && (!self.problem.op(op).has_alternatives || self.hits[op as usize] > 0)
    }

    pub(crate) fn alternatives_that_hold(&self, op: OpId) -> u32 {
        self.hits[op as usize]
    }

    pub(crate) fn present(&self, ledger: LedgerId) -> &BTreeMap<i64, CellId> {
        &self.present[ledger as usize]
    }

    /// The atoms of pending operations that speak of a cell.
    pub(crate) fn watchers(&self, cell: CellId) -> &[u32] {
        &self.watch[cell as usize].members
    }

    /// The scans of pending operations over a ledger.
    pub(crate) fn scans(&self, ledger: LedgerId) -> &[u32] {
        &self.scans[ledger as usize].members
    }

    /// The effects of pending operations that put something into a cell.
    pub(crate) fn putters(&self, cell: CellId) -> &[u32] {
        &self.putters[cell as usize].members
    }

    /// The effects of pending operations that would remove what a cell holds.
    pub(crate) fn wipers(&self, cell: CellId) -> impl Iterator<Item = u32> + '_ {
        let (ledger, table) = match self.problem.places[cell as usize] {
            Place::Version(ledger, _) => (Some(ledger), self.problem.ledger_table[ledger as usize]),
            Place::Table(table) => (None, table),
        };
        let ranges = ledger.map(|ledger| &self.wipers[ledger as usize].members);
        let tables = &self.table_wipers[table as usize].members;
        ranges
            .into_iter()
            .flatten()
            .filter(move |&&effect| self.covers(effect, cell))
            .chain(tables)
            .copied()
    }

    fn covers(&self, effect: u32, cell: CellId) -> bool {
        self.problem
            .covers(self.problem.effects[effect as usize].1, cell)
    }

    /// The pending operations that change something and that were answered.
    pub(crate) fn firm_writers(&self) -> &[OpId] {
        &self.firm_writers.members
    }

    /// The pending operations that change something and that may never happen.
    pub(crate) fn open_writers(&self) -> &[OpId] {
        &self.open_writers.members
    }

    pub(crate) fn scan_value(&self, scan: u32) -> u32 {
        self.scan_value[scan as usize]
    }

    /// Whether a scan's answer is true now.
    pub(crate) fn scan_holds(&self, scan: u32) -> bool {
        self.holds_with(scan, self.scan_value[scan as usize])
    }

    fn holds_with(&self, scan: u32, value: u32) -> bool {
        match self.problem.scans[scan as usize].expect {
            Expect::Exactly(_) => value == 0,
            Expect::Count(count) => value == count,
        }
    }

    /// Numbers that stand for what the cells hold and which operations are done.
    pub(crate) fn signature(&self) -> (u64, u64) {
        (self.value_hash, self.done_hash)
    }

    pub(crate) fn mark(&self) -> usize {
        self.trail.len()
    }

    /// The operations that took effect, in order.
    pub(crate) fn order(&self) -> Vec<OpId> {
        let done = |undo: &Undo| match undo {
            Undo::Done(op) | Undo::Passed(op) => Some(*op),
            Undo::Cell(..) | Undo::Invoked(_) => None,
        };
        self.trail.iter().filter_map(done).collect()
    }

    /// An operation begins. If it only reads and its answer is true now, it is done: nothing is
    /// lost by that, since it changes nothing.
    pub(crate) fn invoke(&mut self, op: OpId) {
        let problem = self.problem;
        let (mut bad, mut hits) = (0, 0);
        for atom in problem.atoms_of(op) {
            let holds = atom.want.holds(self.value(atom.cell));
            if atom.is_alternative {
                hits += u32::from(holds);
            } else {
                bad += u32::from(!holds);
            }
        }
        let (from, to) = problem.op(op).scans;
        for scan in from..to {
            let value = self.scan_now(scan);
            self.scan_value[scan as usize] = value;
            bad += u32::from(!self.holds_with(scan, value));
        }
        self.bad[op as usize] = bad;
        self.hits[op as usize] = hits;
        if !problem.op(op).changes() && self.is_ready(op) {
            self.phase[op as usize] = Phase::Done;
            self.done_hash ^= op_hash(op);
            self.trail.push(Undo::Passed(op));
            return;
        }
        self.enlist(op);
        self.trail.push(Undo::Invoked(op));
    }

    fn scan_now(&self, scan: u32) -> u32 {
        let scan = &self.problem.scans[scan as usize];
        let present = &self.present[scan.ledger as usize];
        let present = |&(first, last): &(i64, i64)| present.range(first..=last);
        let cells = scan.ranges.iter().flat_map(present);
        let Expect::Exactly(listed) = &scan.expect else {
            return cells.count() as u32;
        };
        // Those that should be there and are not, or with another entry; and those that should not.
        let mut wrong = 0;
        let mut found = 0;
        for (version, cell) in cells {
            match scan.expects(*version) {
                Some(ABSENT) | None => wrong += 1,
                Some(life) => {
                    found += 1;
                    wrong += u32::from(life != self.value(*cell));
                }
            }
        }
        wrong + (listed.len() as u32 - found)
    }

    fn enlist(&mut self, op: OpId) {
        self.phase[op as usize] = Phase::Pending;
        let problem = self.problem;
        let of = problem.op(op);
        for atom in of.atoms.0..of.atoms.1 {
            let cell = problem.atoms[atom as usize].cell;
            self.watch[cell as usize].put(atom, &mut self.watch_place);
        }
        for scan in of.scans.0..of.scans.1 {
            let ledger = problem.scans[scan as usize].ledger;
            self.scans[ledger as usize].put(scan, &mut self.scan_place);
        }
        for effect in of.effects.0..of.effects.1 {
            let bag = match problem.effects[effect as usize].1 {
                Effect::Put(cell, _) => &mut self.putters[cell as usize],
                Effect::Wipe(ledger, ..) => &mut self.wipers[ledger as usize],
                Effect::WipeTable(table) => &mut self.table_wipers[table as usize],
            };
            bag.put(effect, &mut self.effect_place);
        }
        if of.changes() {
            let bag = if of.is_firm() {
                &mut self.firm_writers
            } else {
                &mut self.open_writers
            };
            bag.put(op, &mut self.writer_place);
        }
    }

    fn dismiss(&mut self, op: OpId) {
        let problem = self.problem;
        let of = problem.op(op);
        for atom in of.atoms.0..of.atoms.1 {
            let cell = problem.atoms[atom as usize].cell;
            self.watch[cell as usize].take(atom, &mut self.watch_place);
        }
        for scan in of.scans.0..of.scans.1 {
            let ledger = problem.scans[scan as usize].ledger;
            self.scans[ledger as usize].take(scan, &mut self.scan_place);
        }
        for effect in of.effects.0..of.effects.1 {
            let bag = match problem.effects[effect as usize].1 {
                Effect::Put(cell, _) => &mut self.putters[cell as usize],
                Effect::Wipe(ledger, ..) => &mut self.wipers[ledger as usize],
                Effect::WipeTable(table) => &mut self.table_wipers[table as usize],
            };
            bag.take(effect, &mut self.effect_place);
        }
        if of.changes() {
            let bag = if of.is_firm() {
                &mut self.firm_writers
            } else {
                &mut self.open_writers
            };
            bag.take(op, &mut self.writer_place);
        }
    }

    /// A pending operation whose conditions hold takes effect, and then each pending one that only
    /// reads and whose answer has become true.
    pub(crate) fn apply(&mut self, op: OpId) {
        self.finish(op);
        let problem = self.problem;
        for &(_, effect) in problem.effects_of(op) {
            match effect {
                Effect::Put(cell, life) => self.write(op, cell, life),
                Effect::Wipe(ledger, first, last) => self.wipe(op, ledger, first, last),
                Effect::WipeTable(table) => {
                    if let Some(cell) = problem.table_cell[table as usize] {
                        self.write(op, cell, ABSENT);
                    }
                    for &ledger in &problem.table_ledgers[table as usize] {
                        self.wipe(op, ledger, 0, i64::MAX);
                    }
                }
            }
        }
        let mut ready = std::mem::take(&mut self.ready);
        for op in ready.drain(..) {
            if self.is_pending(op) && self.is_ready(op) {
                self.finish(op);
            }
        }
        self.ready = ready;
    }

    fn finish(&mut self, op: OpId) {
        self.dismiss(op);
        self.phase[op as usize] = Phase::Done;
        self.done_hash ^= op_hash(op);
        self.trail.push(Undo::Done(op));
    }

    fn wipe(&mut self, op: OpId, ledger: LedgerId, first: i64, last: i64) {
        let cells = self.present[ledger as usize].range(first..=last);
        let cells: Vec<CellId> = cells.map(|(_, cell)| *cell).collect();
        for cell in cells {
            self.write(op, cell, ABSENT);
        }
    }

    fn write(&mut self, op: OpId, cell: CellId, life: LifeId) {
        let before = self.value(cell);
        if before != life {
            self.trail.push(Undo::Cell(cell, before));
            self.writer[cell as usize] = op;
            self.change(cell, life);
        }
    }

    fn change(&mut self, cell: CellId, life: LifeId) {
        let problem = self.problem;
        let before = std::mem::replace(&mut self.value[cell as usize], life);
        self.value_hash ^= cell_hash(cell, before) ^ cell_hash(cell, life);
        for &atom in &self.watch[cell as usize].members {
            let Atom {
                op,
                want,
                is_alternative,
                ..
            } = problem.atoms[atom as usize];
            let (held, holds) = (want.holds(before), want.holds(life));
            if held == holds {
                continue;
            }
            if is_alternative {
                let hits = &mut self.hits[op as usize];
                *hits = if holds { *hits + 1 } else { *hits - 1 };
            } else {
                let bad = &mut self.bad[op as usize];
                *bad = if holds { *bad - 1 } else { *bad + 1 };
            }
            if holds && !problem.op(op).changes() && self.is_ready(op) {
                self.ready.push(op);
            }
        }
        let Place::Version(ledger, version) = problem.places[cell as usize] else {
            return;
        };
        if life == ABSENT {
            self.present[ledger as usize].remove(&version);
        } else {
            self.present[ledger as usize].insert(version, cell);
        }
        for &id in &self.scans[ledger as usize].members {
            let scan = &problem.scans[id as usize];
            if !scan.covers(version) {
                continue;
            }
            let was = self.scan_value[id as usize];
            let counts = |life: LifeId| match scan.expects(version) {
                Some(expected) => u32::from(life != expected),
                None => u32::from(life != ABSENT),
            };
            let is = was + counts(life) - counts(before);
            self.scan_value[id as usize] = is;
            let (held, holds) = (self.holds_with(id, was), self.holds_with(id, is));
            if held == holds {
                continue;
            }
            let bad = &mut self.bad[scan.op as usize];
            *bad = if holds { *bad - 1 } else { *bad + 1 };
            if holds && !problem.op(scan.op).changes() && self.is_ready(scan.op) {
                self.ready.push(scan.op);
            }
        }
    }

    /// Takes everything back that happened since a mark.
    pub(crate) fn undo(&mut self, mark: usize) {
        while self.trail.len() > mark {
            match self.trail.pop() {
                Some(Undo::Cell(cell, before)) => self.change(cell, before),
                Some(Undo::Done(op)) => {
                    self.done_hash ^= op_hash(op);
                    self.revive(op);
                }
                Some(Undo::Invoked(op)) => {
                    self.dismiss(op);
                    self.phase[op as usize] = Phase::Ahead;
                }
                Some(Undo::Passed(op)) => {
                    self.done_hash ^= op_hash(op);
                    self.phase[op as usize] = Phase::Ahead;
                }
                None => return,
            }
        }
        self.ready.clear();
    }

    /// Makes an operation pending again. What the cells hold is as when it was done, but for its
    /// own effects, which are taken back already.
    fn revive(&mut self, op: OpId) {
        self.enlist(op);
        let problem = self.problem;
        let (mut bad, mut hits) = (0, 0);
        for atom in problem.atoms_of(op) {
            let holds = atom.want.holds(self.value(atom.cell));
            if atom.is_alternative {
                hits += u32::from(holds);
            } else {
                bad += u32::from(!holds);
            }
        }
        let (from, to) = problem.op(op).scans;
        for scan in from..to {
            let value = self.scan_now(scan);
            self.scan_value[scan as usize] = value;
            bad += u32::from(!self.holds_with(scan, value));
        }
        self.bad[op as usize] = bad;
        self.hits[op as usize] = hits;
    }

    /// The cells that an operation counts, if it counts them wrongly now.
    pub(crate) fn miscounted(&self, op: OpId) -> Vec<(CellId, Want)> {
        let mut cells = Vec::new();
        let (from, to) = self.problem.op(op).scans;
        for id in from..to {
            let scan = &self.problem.scans[id as usize];
            if self.scan_holds(id) || !matches!(scan.expect, Expect::Count(_)) {
                continue;
            }
            let too_many = self.scan_value(id) > self.problem.count(id);
            for cell in self.problem.covered(scan) {
                if (self.value(cell) != ABSENT) == too_many {
                    cells.push((
                        cell,
                        if too_many {
                            Want::Absent
                        } else {
                            Want::Present
                        },
                    ));
                }
            }
        }
        cells
    }

    /// What of an operation does not hold now: cells, each with what is wanted of it.
    pub(crate) fn unmet(&self, op: OpId) -> Vec<(CellId, Want)> {
        let problem = self.problem;
        let atoms = problem.atoms_of(op).iter();
        let no_alternative = self.hits[op as usize] == 0;
        let mut unmet: Vec<(CellId, Want)> = atoms
            .filter(|atom| !atom.want.holds(self.value(atom.cell)))
            .filter(|atom| !atom.is_alternative || no_alternative)
            .map(|atom| (atom.cell, atom.want))
            .collect();
        for scan in problem.scans_of(op) {
            let Expect::Exactly(listed) = &scan.expect else {
                continue;
            };
            for &(_, cell, life) in listed {
                if self.value(cell) != life {
                    unmet.push((cell, Want::Is(life)));
                }
            }
            for &(first, last) in &scan.ranges {
                for (version, cell) in self.present[scan.ledger as usize].range(first..=last) {
                    if scan.expects(*version) == Some(ABSENT) {
                        unmet.push((*cell, Want::Absent));
                    }
                }
            }
        }
        unmet
    }
}

fn op_hash(op: OpId) -> u64 {
    mix(u64::from(op) ^ 0x5bf0_3635_0000_0000)
}

fn cell_hash(cell: CellId, life: LifeId) -> u64 {
    mix((u64::from(cell) << 32) ^ u64::from(life))
}
