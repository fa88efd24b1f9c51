//! The search for an order that explains every answer.

use std::cmp::Reverse;
use std::collections::HashSet;

use crate::foresight::Foresight;
use crate::hints::Hints;
use crate::names::{ABSENT, CellId};
use crate::plan::propose;
use crate::problem::{Effect, Expect, OpId, Problem};
use crate::state::{NOBODY, Phase, State};

/// What a search finds.
pub(crate) enum Found {
    /// An order that explains every answer.
    Order(Vec<OpId>),
    /// There is none. What the search could not get past is the reason in all likelihood.
    None(Stuck),
    /// The search was given up; where it got stuck for the first time, at the latest point.
    GivenUp(Stuck),
}

/// An operation that was answered, and that could not be done by then.
pub(crate) struct Stuck {
    /// When it was answered.
    pub(crate) now: u64,
    pub(crate) op: OpId,
    /// Cells that have to do with it, those first that it speaks of.
    pub(crate) cells: Vec<CellId>,
}

struct Choice {
    event: usize,
    mark: usize,
    /// The step that was taken, and those that are left; none if they were not looked for.
    taken: OpId,
    left: Option<Vec<OpId>>,
    signature: (u64, u64),
}

/// Searches for an order of the operations of a problem; gives up after `budget` steps more than a
/// straight way needs.
///
/// The search is complete: where it finds nothing and was not given up, there is no order. It goes
/// through the starts and ends of operations in the order of time and puts every change off until
/// an operation has to be done that cannot be done without. In detail:
///
/// - An operation that only reads is done as soon as its answer is true. It changes nothing, so
///   that whatever is possible later is possible with it done.
/// - Changes take effect only when the end of an operation comes that is not done. Each order can
///   be brought to that form: take the changes between two ends as late as the later end lets them.
/// - There, each pending change that could take effect is tried as the next, the likeliest first,
///   but for one kind: an unknown create of one version whose entry no pending operation waits for.
///   In an order in which it does take effect now, take it out and put it in right before the first
///   operation that needs it. Between the two places nothing needs it and nothing changes its
///   version, since a removal would have undone it. So the order stays valid, and the search finds
///   that one.
/// - A state that was left without success, with the same operations done, is not entered again.
pub(crate) fn search(problem: &Problem, budget: u64) -> Found {
    run(problem, budget, false)
}

/// Searches for an order by mending: where it gets stuck, it goes back to one of the changes that
/// made it so, and lets another go before it. Finds orders in histories that are too long to be
/// searched, and says nothing if it finds none; gives up after `budget` steps.
pub(crate) fn mend(problem: &Problem, budget: u64) -> Found {
    run(problem, budget, true)
}

fn run(problem: &Problem, budget: u64, mends: bool) -> Found {
    let foresight = Foresight::new(problem);
    let search = Search {
        problem,
        foresight: &foresight,
        state: State::new(problem),
        events: events(problem),
        choices: Vec::new(),
        failed: HashSet::new(),
        stuck: None,
        best: 0,
        budget,
        is_lost: false,
        hints: Hints::default(),
        mends,
        repairs: mends.then_some(0),
    };
    search.run()
}

#[derive(Clone, Copy)]
enum Event {
    Start(OpId),
    End(OpId),
}

/// Starts and ends in the order of time; starts first, since what ends when another starts may
/// take effect after it.
fn events(problem: &Problem) -> Vec<Event> {
    let mut starts: Vec<(u64, OpId)> = Vec::with_capacity(problem.ops.len());
    let mut ends: Vec<(u64, OpId)> = Vec::with_capacity(problem.ops.len());
    for (id, op) in (0u32..).zip(&problem.ops) {
        starts.push((op.start, id));
        if op.is_firm() {
            ends.push((op.end, id));
        }
    }
    starts.sort_unstable();
    ends.sort_unstable();
    let mut events = Vec::with_capacity(starts.len() + ends.len());
    let mut starts = starts.into_iter().peekable();
    for (end, id) in ends {
        while let Some((_, started)) = starts.next_if(|(start, _)| *start <= end) {
            events.push(Event::Start(started));
        }
        events.push(Event::End(id));
    }
    // What starts after the last end and has none itself never matters.
    events
}

struct Search<'p, 'f> {
    problem: &'p Problem,
    foresight: &'f Foresight<'p>,
    state: State<'p>,
    events: Vec<Event>,
    choices: Vec<Choice>,
    failed: HashSet<(usize, u64, u64)>,
    stuck: Option<Stuck>,
    best: usize,
    budget: u64,
    /// Whether a dead end was met: from there on each step costs.
    is_lost: bool,
    hints: Hints,
    /// Whether it mends what it gets wrong. Then it is not complete.
    mends: bool,
    /// How often it was mended since it got further than ever; none where mending is at its end.
    repairs: Option<u32>,
}

impl Search<'_, '_> {
    fn run(mut self) -> Found {
        let mut at = 0;
        while at < self.events.len() {
            if self.is_lost {
                match self.budget.checked_sub(1) {
                    Some(left) => self.budget = left,
                    None => return self.give_up(),
                }
            }
            match self.events[at] {
                Event::Start(op) => {
                    self.state.invoke(op);
                    at += 1;
                }
                Event::End(op) if self.state.phase(op) == Phase::Done => at += 1,
                Event::End(op) => {
                    if self.step(at, op) {
                        continue;
                    }
                    if self.repairs.is_some() {
                        match self.repair(op) {
                            Some(event) => at = event,
                            // Then, from here, by trying everything.
                            None => self.repairs = None,
                        }
                        continue;
                    }
                    match self.back() {
                        Some(event) => at = event,
                        None => return self.nothing(),
                    }
                }
            }
        }
        Found::Order(self.state.order())
    }

    /// Takes the likeliest step towards an operation that ends here; false in a dead end.
    fn step(&mut self, at: usize, op: OpId) -> bool {
        let signature = self.state.signature();
        if self.is_lost && self.failed.contains(&(at, signature.0, signature.1)) {
            return false;
        }
        let now = self.problem.op(op).end;
        let proposal = propose(&self.state, self.foresight, &self.hints, op, now);
        let (taken, left) = match proposal {
            Some(step) => (step, None),
            None if self.repairs.is_some() => {
                self.note(at, op);
                return false;
            }
            None => {
                self.note(at, op);
                let mut left = self.steps();
                match left.pop() {
                    Some(step) => (step, Some(left)),
                    None => {
                        self.failed.insert((at, signature.0, signature.1));
                        return false;
                    }
                }
            }
        };
        self.choices.push(Choice {
            event: at,
            mark: self.state.mark(),
            taken,
            left,
            signature,
        });
        self.state.apply(taken);
        true
    }

    /// Goes back to the last choice that leaves something to try, and tries that.
    fn back(&mut self) -> Option<usize> {
        self.is_lost = true;
        loop {
            let mut choice = self.choices.pop()?;
            self.state.undo(choice.mark);
            self.budget = self.budget.saturating_sub(1);
            let mut left = match choice.left.take() {
                Some(left) => left,
                None => {
                    let mut steps = self.steps();
                    steps.retain(|step| *step != choice.taken);
                    steps
                }
            };
            match left.pop() {
                Some(step) => {
                    let event = choice.event;
                    choice.taken = step;
                    choice.left = Some(left);
                    self.choices.push(choice);
                    self.state.apply(step);
                    return Some(event);
                }
                None => {
                    let (values, done) = choice.signature;
                    self.failed.insert((choice.event, values, done));
                }
            }
            if self.budget == 0 {
                return Some(choice.event);
            }
        }
    }

    /// Goes back to a change that may be to blame, and remembers what is to go before it.
    fn repair(&mut self, op: OpId) -> Option<usize> {
        self.is_lost = true;
        let repairs = self.repairs.get_or_insert(0);
        *repairs += 1;
        if *repairs > REPAIRS {
            return None;
        }
        let mut swaps = Vec::new();
        self.blame(op, 0, &mut swaps);
        let (place, first, second) = swaps
            .into_iter()
            .map(|swap| (self.hints.tries(swap.1, swap.2), swap))
            .filter(|(tries, _)| *tries < TRIES)
            .min_by_key(|(tries, (place, first, _))| (*tries, Reverse(*place), *first))
            .map(|(_, swap)| swap)?;
        self.hints.add(first, second);
        let event = self.choices[place].event;
        self.state.undo(self.choices[place].mark);
        self.choices.truncate(place);
        Some(event)
    }

    /// Pairs of operations that could change places so that what is in the way of an operation is
    /// not: where the second took effect, and what to let go before it.
    fn blame(&self, op: OpId, depth: u32, swaps: &mut Vec<(usize, OpId, OpId)>) {
        let mut cells = self.state.unmet(op);
        cells.extend(self.state.miscounted(op));
        for (cell, want) in cells.into_iter().take(CELLS) {
            let mut later: Vec<OpId> = vec![op];
            let recent = self.choices.iter().enumerate().rev().take(LOOK_BACK);
            for (place, choice) in recent {
                let taken = choice.taken;
                let effects = self.problem.effects_of(taken);
                if !effects
                    .iter()
                    .any(|(_, effect)| self.problem.covers(*effect, cell))
                {
                    continue;
                }
                let Event::End(ended) = self.events[choice.event] else {
                    continue;
                };
                let then = self.problem.op(ended).end;
                for &first in &later {
                    if self.problem.op(first).start <= then {
                        swaps.push((place, first, taken));
                    }
                }
                if later.len() > TOUCHES {
                    break;
                }
                later.push(taken);
            }
            if depth < DEPTH {
                let putters = self.state.putters(cell).iter();
                for &effect in putters.take(TOUCHES) {
                    let (maker, effect) = self.problem.effects[effect as usize];
                    if let Effect::Put(_, life) = effect
                        && want.holds(life)
                        && maker != op
                    {
                        self.blame(maker, depth + 1, swaps);
                    }
                }
            }
        }
    }

    /// The changes that could take effect now, the likeliest last.
    fn steps(&self) -> Vec<OpId> {
        let open = self.state.open_writers().iter().copied();
        let open = open.filter(|op| self.state.is_ready(*op) && self.is_useful(*op));
        let firm = self.state.firm_writers().iter().copied();
        let firm = firm.filter(|op| self.state.is_ready(*op));
        let mut steps: Vec<OpId> = open.chain(firm).collect();
        // Those that end first are the likeliest; those that never do, the unlikeliest.
        steps.sort_by_key(|op| Reverse(self.problem.op(*op).end));
        steps
    }

    /// Whether trying an unknown change now can lead to anything that trying it later does not.
    fn is_useful(&self, op: OpId) -> bool {
        let problem = self.problem;
        let effects = problem.effects_of(op);
        let [(_, Effect::Put(cell, life))] = effects else {
            return effects
                .iter()
                .any(|(_, effect)| self.does_something(*effect));
        };
        let now = self.state.value(*cell);
        let watchers = self.state.watchers(*cell).iter();
        let is_awaited = watchers
            .map(|atom| &problem.atoms[*atom as usize])
            .any(|atom| atom.op != op && !atom.want.holds(now) && atom.want.holds(*life));
        let crate::names::Place::Version(ledger, version) = problem.places[*cell as usize] else {
            return is_awaited;
        };
        is_awaited
            || self.state.scans(ledger).iter().any(|id| {
                let scan = &problem.scans[*id as usize];
                scan.covers(version)
                    && match scan.expect {
                        Expect::Exactly(_) => scan.expects(version) == Some(*life),
                        Expect::Count(_) => true,
                    }
            })
    }

    fn does_something(&self, effect: Effect) -> bool {
        let has_any = |ledger: &u32, first, last| {
            let mut present = self.state.present(*ledger).range(first..=last);
            present.next().is_some()
        };
        match effect {
            Effect::Put(cell, life) => self.state.value(cell) != life,
            Effect::Wipe(ledger, first, last) => has_any(&ledger, first, last),
            Effect::WipeTable(table) => {
                let cell = self.problem.table_cell[table as usize];
                let ledgers = &self.problem.table_ledgers[table as usize];
                cell.is_some_and(|cell| self.state.value(cell) != ABSENT)
                    || ledgers.iter().any(|ledger| has_any(ledger, 0, i64::MAX))
            }
        }
    }

    /// Remembers the furthest point at which no likely step was left.
    fn note(&mut self, at: usize, op: OpId) {
        if self.stuck.is_some() && at <= self.best {
            return;
        }
        self.best = at;
        if self.mends {
            self.repairs = Some(0);
        }
        let mut cells: Vec<CellId> = Vec::new();
        let mut add = |cell: CellId| {
            if !cells.contains(&cell) && cells.len() < CELLS {
                cells.push(cell);
            }
        };
        let unmet = self.state.unmet(op);
        for (cell, _) in &unmet {
            add(*cell);
        }
        // Who wrote those, and what else they wrote; then what the operation says besides.
        for (cell, _) in &unmet {
            let writer = self.state.writer[*cell as usize];
            if writer != NOBODY {
                for (_, effect) in self.problem.effects_of(writer) {
                    if let Effect::Put(cell, _) = effect {
                        add(*cell);
                    }
                }
            }
        }
        for (_, effect) in self.problem.effects_of(op) {
            if let Effect::Put(cell, _) = effect {
                add(*cell);
            }
        }
        for atom in self.problem.atoms_of(op) {
            add(atom.cell);
        }
        self.stuck = Some(Stuck {
            now: self.problem.op(op).end,
            op,
            cells,
        });
    }

    fn nothing(self) -> Found {
        match self.stuck {
            Some(stuck) if self.mends => Found::GivenUp(stuck),
            Some(stuck) => Found::None(stuck),
            // Nothing was tried, so nothing was in the way.
            None => Found::Order(self.state.order()),
        }
    }

    fn give_up(self) -> Found {
        match self.stuck {
            Some(stuck) => Found::GivenUp(stuck),
            None => Found::Order(self.state.order()),
        }
    }
}

/// How often a search is mended at most without getting further.
const REPAIRS: u32 = 400;
/// How often one pair is let change places.
const TRIES: u32 = 8;
/// How many changes are looked back at to find those that touched a cell.
const LOOK_BACK: usize = 2_000;
/// How many changes of a cell are looked at.
const TOUCHES: usize = 6;
/// How many operations are followed that need one another.
const DEPTH: u32 = 3;

/// How many cells are named at most as having to do with a dead end.
const CELLS: usize = 64;
