//! Which operation to let take effect next, so that one that was answered now is done.

use crate::foresight::Foresight;
use crate::hints::Hints;
use crate::names::{ABSENT, CellId, LifeId, Place};
use crate::problem::{Effect, Expect, OpId, Scan, Want};
use crate::state::State;

/// How many operations are looked at to make one proposal.
const PLANS: u32 = 500;
/// How many removals with unknown outcome are weighed before a version is created.
const REMOVALS: usize = 16;
/// How many versions are looked at to weigh a removal.
const VERSIONS: usize = 64;

/// A proposal: the first step towards an operation that must be done by `now`.
///
/// Operations that need what the step would end go before it; so do those that make its own
/// conditions true. Without removals and unknown batches these are the only orders there are. The
/// proposal is only what is tried first.
pub(crate) fn propose(
    state: &State<'_>,
    foresight: &Foresight<'_>,
    hints: &Hints,
    target: OpId,
    now: u64,
) -> Option<OpId> {
    let mut planner = Planner {
        state,
        foresight,
        hints,
        now,
        visited: Vec::new(),
        left: PLANS,
    };
    let proposal = planner.plan(target, true);
    if proposal.is_some() {
        return proposal;
    }
    planner.visited.clear();
    planner.left = PLANS;
    planner.plan(target, false)
}

struct Planner<'s, 'p> {
    state: &'s State<'p>,
    foresight: &'s Foresight<'p>,
    hints: &'s Hints,
    now: u64,
    visited: Vec<OpId>,
    /// How many operations may still be looked at.
    left: u32,
}

impl Planner<'_, '_> {
    /// A step towards an operation. If it is strict, none that leaves behind what has to go before
    /// it.
    fn plan(&mut self, op: OpId, is_strict: bool) -> Option<OpId> {
        if self.visited.contains(&op) || !self.state.is_pending(op) || self.left == 0 {
            return None;
        }
        let is_later = |first: &OpId| self.visited.contains(first) && self.state.is_pending(*first);
        if self.hints.before(op).iter().any(is_later) {
            return None;
        }
        self.left -= 1;
        self.visited.push(op);
        for before in self.must_go_before(op) {
            let mark = self.visited.len();
            match self.plan(before, true) {
                Some(step) => return Some(step),
                None if is_strict => return None,
                None => self.visited.truncate(mark),
            }
        }
        for before in self.had_better_go_before(op) {
            let mark = self.visited.len();
            match self.plan(before, is_strict) {
                Some(step) => return Some(step),
                None => self.visited.truncate(mark),
            }
        }
        if self.state.is_ready(op) {
            return Some(op);
        }
        self.enable(op, is_strict)
    }

    /// A step towards the first condition of an operation that does not hold.
    fn enable(&mut self, op: OpId, is_strict: bool) -> Option<OpId> {
        let problem = self.state.problem;
        let mut alternatives = Vec::new();
        for atom in problem.atoms_of(op) {
            if atom.want.holds(self.state.value(atom.cell)) {
                continue;
            }
            if atom.is_alternative {
                alternatives.push((atom.cell, atom.want));
            } else {
                return self.make_true(atom.cell, atom.want, is_strict);
            }
        }
        let (from, to) = problem.op(op).scans;
        for id in from..to {
            if !self.state.scan_holds(id) {
                return self.make_scan_true(op, id, is_strict);
            }
        }
        if self.state.alternatives_that_hold(op) > 0 {
            return None;
        }
        // The one that is known first is tried first.
        let mut makers: Vec<(u64, CellId, Want)> = alternatives
            .into_iter()
            .map(|(cell, want)| (self.first_known(cell), cell, want))
            .collect();
        makers.sort_by_key(|(known, ..)| *known);
        makers
            .into_iter()
            .find_map(|(_, cell, want)| self.make_true(cell, want, is_strict))
    }

    fn first_known(&self, cell: CellId) -> u64 {
        let putters = self.state.putters(cell).iter();
        putters
            .map(
                |&effect| match self.state.problem.effects[effect as usize].1 {
                    Effect::Put(_, life) => self.foresight.known_by(life),
                    _ => u64::MAX,
                },
            )
            .min()
            .unwrap_or(u64::MAX)
    }

    fn make_true(&mut self, cell: CellId, want: Want, is_strict: bool) -> Option<OpId> {
        match want {
            Want::Never => None,
            Want::Absent | Want::Free(_) => self.remove(cell, is_strict),
            Want::Is(_) | Want::Present if self.state.value(cell) != ABSENT => {
                self.remove(cell, is_strict)
            }
            Want::Is(life) => self.put(cell, Some(life), is_strict),
            Want::Present => self.put(cell, None, is_strict),
        }
    }

    fn put(&mut self, cell: CellId, wanted: Option<LifeId>, is_strict: bool) -> Option<OpId> {
        let problem = self.state.problem;
        let mut putters = Vec::new();
        for &effect in self.state.putters(cell) {
            let (op, Effect::Put(_, life)) = problem.effects[effect as usize] else {
                continue;
            };
            if wanted.is_none_or(|wanted| wanted == life) {
                let of = problem.op(op);
                let effects = of.effects.1 - of.effects.0;
                putters.push((self.foresight.known_by(life), of.end, effects, of.start, op));
            }
        }
        putters.sort_unstable();
        putters
            .into_iter()
            .find_map(|(.., op)| self.plan(op, is_strict))
    }

    fn remove(&mut self, cell: CellId, is_strict: bool) -> Option<OpId> {
        let problem = self.state.problem;
        let mut wipers = Vec::new();
        for effect in self.state.wipers(cell) {
            let op = problem.effects[effect as usize].0;
            let of = problem.op(op);
            wipers.push((self.does_damage(op), of.end, self.reach(op), op));
        }
        wipers.sort_unstable();
        wipers
            .into_iter()
            .find_map(|(.., op)| self.plan(op, is_strict))
    }

    /// How many versions an operation would remove now, as far as they are looked at.
    fn reach(&self, op: OpId) -> usize {
        let mut reach = 0;
        self.removed(op, |_, _| {
            reach += 1;
            true
        });
        reach
    }

    /// Calls for each version that an operation would remove now, while it answers true and at most
    /// [`VERSIONS`] times.
    fn removed(&self, op: OpId, mut each: impl FnMut(CellId, LifeId) -> bool) {
        let problem = self.state.problem;
        let mut left = VERSIONS;
        for &(_, effect) in problem.effects_of(op) {
            let (ledgers, first, last) = match effect {
                Effect::Put(..) => continue,
                Effect::Wipe(ledger, first, last) => (vec![ledger], first, last),
                Effect::WipeTable(table) => {
                    if let Some(cell) = problem.table_cell[table as usize]
                        && self.state.value(cell) != ABSENT
                        && !each(cell, self.state.value(cell))
                    {
                        return;
                    }
                    let ledgers = problem.table_ledgers[table as usize].clone();
                    (ledgers, 0, i64::MAX)
                }
            };
            for ledger in ledgers {
                for (_, &cell) in self.state.present(ledger).range(first..=last) {
                    if left == 0 || !each(cell, self.state.value(cell)) {
                        return;
                    }
                    left -= 1;
                }
            }
        }
    }

    /// Whether an operation would remove now what is seen later.
    fn does_damage(&self, op: OpId) -> bool {
        let mut is_damage = false;
        self.removed(op, |cell, life| {
            is_damage = self.foresight.is_needed(cell, life, self.now);
            !is_damage
        });
        is_damage
    }

    /// Whether something that an operation would remove now is seen to be gone later.
    fn is_awaited(&self, op: OpId) -> bool {
        let mut is_awaited = false;
        self.removed(op, |cell, life| {
            is_awaited = self.is_gone(cell, life);
            !is_awaited
        });
        is_awaited
    }

    /// Whether this entry is never seen again, and what is seen next of its cell is another, or
    /// none.
    fn is_gone(&self, cell: CellId, life: LifeId) -> bool {
        let is_version = matches!(self.state.problem.places[cell as usize], Place::Version(..));
        if is_version && self.foresight.last_seen(life) > self.now {
            return false;
        }
        let next = self.foresight.next_sight(cell, self.now);
        next.is_some_and(|want| want != Want::Present && !want.holds(life))
    }

    fn make_scan_true(&mut self, op: OpId, id: u32, is_strict: bool) -> Option<OpId> {
        let problem = self.state.problem;
        let scan = &problem.scans[id as usize];
        let present = |&(first, last): &(i64, i64)| {
            let cells = self.state.present(scan.ledger).range(first..=last);
            cells.map(|(version, cell)| (*version, *cell))
        };
        let want = match &scan.expect {
            Expect::Exactly(listed) => {
                let surplus = scan.ranges.iter().flat_map(present);
                let surplus = surplus
                    .filter(|(version, _)| scan.expects(*version) == Some(ABSENT))
                    .map(|(_, cell)| (cell, Want::Absent))
                    .next();
                let lacking = listed
                    .iter()
                    .find(|(_, cell, life)| self.state.value(*cell) != *life)
                    .map(|(_, cell, life)| (*cell, Want::Is(*life)));
                surplus.or(lacking)
            }
            Expect::Count(count) => {
                return if self.state.scan_value(id) < *count {
                    self.make_more(op, id, is_strict)
                } else {
                    let surplus: Vec<_> = scan.ranges.iter().flat_map(present).collect();
                    surplus
                        .into_iter()
                        .take(VERSIONS)
                        .find_map(|(_, cell)| self.remove(cell, is_strict))
                };
            }
        };
        want.and_then(|(cell, want)| self.make_true(cell, want, is_strict))
    }

    /// A step towards more versions where an operation counts them: one that is not seen later is
    /// the likeliest to have been there.
    fn make_more(&mut self, op: OpId, id: u32, is_strict: bool) -> Option<OpId> {
        let problem = self.state.problem;
        let scan = &problem.scans[id as usize];
        let mut makers = Vec::new();
        for cell in problem.covered(scan) {
            if self.state.value(cell) != ABSENT {
                continue;
            }
            for &effect in self.state.putters(cell) {
                let (maker, Effect::Put(_, life)) = problem.effects[effect as usize] else {
                    continue;
                };
                if maker != op {
                    let is_needed = self.foresight.is_needed(cell, life, self.now);
                    let stays = !self.is_gone(cell, life);
                    let known = self.foresight.known_by(life);
                    makers.push((is_needed, stays, known, problem.op(maker).end, maker));
                }
            }
        }
        makers.sort_unstable();
        makers
            .into_iter()
            .find_map(|(.., maker)| self.plan(maker, is_strict))
    }

    /// Pending answered reads that need what the operation would end.
    fn must_go_before(&self, op: OpId) -> Vec<OpId> {
        let mut before = Vec::new();
        let problem = self.state.problem;
        for &(_, effect) in problem.effects_of(op) {
            match effect {
                Effect::Put(cell, life) => self.held_by(op, cell, life, &mut before),
                Effect::Wipe(..) | Effect::WipeTable(_) => {}
            }
        }
        let mut removed = Vec::new();
        self.removed(op, |cell, _| {
            removed.push(cell);
            true
        });
        for cell in removed {
            self.held_by(op, cell, ABSENT, &mut before);
        }
        before
    }

    /// Pending answered reads that are right about a cell now, and would be wrong with this in it.
    fn held_by(&self, op: OpId, cell: CellId, life: LifeId, before: &mut Vec<OpId>) {
        let problem = self.state.problem;
        let now = self.state.value(cell);
        if now == life {
            return;
        }
        let is_read = |reader: OpId| {
            reader != op && problem.op(reader).is_firm() && !problem.op(reader).changes()
        };
        for &atom in self.state.watchers(cell) {
            let atom = &problem.atoms[atom as usize];
            if is_read(atom.op)
                && !atom.is_alternative
                && atom.want.holds(now)
                && !atom.want.holds(life)
                && !before.contains(&atom.op)
            {
                before.push(atom.op);
            }
        }
        let Place::Version(ledger, version) = problem.places[cell as usize] else {
            return;
        };
        for &id in self.state.scans(ledger) {
            let scan = &problem.scans[id as usize];
            if is_read(scan.op)
                && scan.covers(version)
                && scan.expects(version) == Some(now)
                && !before.contains(&scan.op)
            {
                before.push(scan.op);
            }
        }
    }

    /// Writes that, as far as one can see, go before the operation.
    fn had_better_go_before(&self, op: OpId) -> Vec<OpId> {
        let problem = self.state.problem;
        let mut before = Vec::new();
        for &first in self.hints.before(op) {
            if self.state.is_pending(first) {
                before.push(first);
            }
        }
        for &(_, effect) in problem.effects_of(op) {
            match effect {
                Effect::Put(cell, life) => self.removals_before(op, cell, life, &mut before),
                Effect::Wipe(..) | Effect::WipeTable(_) => {
                    self.creates_before(op, effect, &mut before);
                }
            }
        }
        before.retain(|first| !self.hints.before(*first).contains(&op));
        before
    }

    /// Removals that would take away what is seen later, or that are right only now.
    fn removals_before(&self, op: OpId, cell: CellId, life: LifeId, before: &mut Vec<OpId>) {
        let problem = self.state.problem;
        let mut weighed = 0;
        let last_seen = self.foresight.last_seen(life);
        let is_version = matches!(problem.places[cell as usize], Place::Version(..));
        for effect in self.state.wipers(cell) {
            let wiper = problem.effects[effect as usize].0;
            if wiper == op || before.contains(&wiper) {
                continue;
            }
            let of = problem.op(wiper);
            if of.is_firm() {
                if is_version && of.end < last_seen {
                    before.push(wiper);
                }
                continue;
            }
            if weighed < REMOVALS {
                weighed += 1;
                if self.state.is_ready(wiper) && self.is_awaited(wiper) && !self.does_damage(wiper)
                {
                    before.push(wiper);
                }
            }
        }
        if let Place::Version(ledger, version) = problem.places[cell as usize]
            && self.state.value(cell) == ABSENT
        {
            for &id in self.state.scans(ledger) {
                let scan = &problem.scans[id as usize];
                if scan.op != op
                    && matches!(scan.expect, Expect::Count(_))
                    && scan.covers(version)
                    && self.state.is_ready(scan.op)
                    && !before.contains(&scan.op)
                    && !self.does_damage(scan.op)
                {
                    before.push(scan.op);
                }
            }
        }
    }

    /// Answered creates of what a removal would remove, and that is seen to be gone after it.
    fn creates_before(&self, op: OpId, wipe: Effect, before: &mut Vec<OpId>) {
        let problem = self.state.problem;
        let is_count = |scan: &Scan| matches!(scan.expect, Expect::Count(_));
        if problem.scans_of(op).iter().any(is_count) {
            // The count says how many there have to be, and `make_more` which.
            return;
        }
        for &maker in self.state.firm_writers() {
            if maker == op || before.contains(&maker) {
                continue;
            }
            let is_gone = problem.effects_of(maker).iter().any(|&(_, effect)| {
                let Effect::Put(cell, life) = effect else {
                    return false;
                };
                self.state.value(cell) == ABSENT
                    && problem.covers(wipe, cell)
                    && self.is_gone(cell, life)
            });
            if is_gone {
                before.push(maker);
            }
        }
    }
}
