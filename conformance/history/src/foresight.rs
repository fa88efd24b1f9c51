//! What the rest of a history tells of a choice. It decides what is tried first, never what is true.

use std::cell::OnceCell;

use crate::names::{ABSENT, CellId, LifeId, Place};
use crate::problem::{Expect, Problem, Want};

pub(crate) struct Foresight<'p> {
    problem: &'p Problem,
    /// Of each life, when the last operation begins that saw it.
    last_seen: Vec<u64>,
    /// Of each life, when the first operation ends that saw it, or made it and was answered.
    known_by: Vec<u64>,
    seen: OnceCell<Sightings>,
}

/// What answered operations say of each cell and each ledger, by when they begin.
struct Sightings {
    cells: Vec<Vec<(u64, Want)>>,
    scans: Vec<Vec<(u64, u32)>>,
}

/// How many listings are looked through for one that speaks of a version.
const LOOK_AHEAD: usize = 32;

impl<'p> Foresight<'p> {
    pub(crate) fn new(problem: &'p Problem) -> Self {
        let mut last_seen = vec![0; problem.life_count];
        let mut known_by = vec![u64::MAX; problem.life_count];
        let mut see = |life: LifeId, start: u64, end: u64| {
            let life = life as usize;
            last_seen[life] = last_seen[life].max(start);
            known_by[life] = known_by[life].min(end);
        };
        for atom in &problem.atoms {
            let op = problem.op(atom.op);
            if let Want::Is(life) = atom.want
                && op.is_firm()
            {
                see(life, op.start, op.end);
            }
        }
        for scan in &problem.scans {
            let op = problem.op(scan.op);
            if let Expect::Exactly(listed) = &scan.expect
                && op.is_firm()
            {
                for (_, _, life) in listed {
                    see(*life, op.start, op.end);
                }
            }
        }
        for (op, effect) in &problem.effects {
            let op = problem.op(*op);
            if let crate::problem::Effect::Put(_, life) = effect
                && op.is_firm()
            {
                see(*life, 0, op.end);
            }
        }
        Self {
            problem,
            last_seen,
            known_by,
            seen: OnceCell::new(),
        }
    }

    /// When the last operation begins that sees this entry; 0 if none does.
    pub(crate) fn last_seen(&self, life: LifeId) -> u64 {
        self.last_seen[life as usize]
    }

    /// When it is known for the first time that this entry came to be; the largest number if never.
    pub(crate) fn known_by(&self, life: LifeId) -> u64 {
        self.known_by[life as usize]
    }

    /// Whether something that begins after `now` needs what a cell holds to be there still.
    pub(crate) fn is_needed(&self, cell: CellId, life: LifeId, now: u64) -> bool {
        match self.problem.places[cell as usize] {
            Place::Version(..) => self.last_seen(life) > now,
            Place::Table(_) => self
                .next_sight(cell, now)
                .is_some_and(|want| want.holds(life) && !want.holds(ABSENT)),
        }
    }

    /// What the next answered operation that begins after `now` says of a cell.
    pub(crate) fn next_sight(&self, cell: CellId, now: u64) -> Option<Want> {
        let seen = self.seen.get_or_init(|| Sightings::new(self.problem));
        let of_cell = &seen.cells[cell as usize];
        let at = of_cell.partition_point(|(start, _)| *start <= now);
        let told = of_cell.get(at).copied();
        let Place::Version(ledger, version) = self.problem.places[cell as usize] else {
            return told.map(|(_, want)| want);
        };
        let scans = &seen.scans[ledger as usize];
        let at = scans.partition_point(|(start, _)| *start <= now);
        for &(start, id) in scans.iter().skip(at).take(LOOK_AHEAD) {
            if told.is_some_and(|(told, _)| told <= start) {
                break;
            }
            let scan = &self.problem.scans[id as usize];
            if scan.covers(version)
                && let Some(life) = scan.expects(version)
            {
                let want = if life == ABSENT {
                    Want::Absent
                } else {
                    Want::Is(life)
                };
                return Some(want);
            }
        }
        told.map(|(_, want)| want)
    }
}

impl Sightings {
    fn new(problem: &Problem) -> Self {
        let mut cells: Vec<Vec<(u64, Want)>> = vec![Vec::new(); problem.places.len()];
        let mut scans: Vec<Vec<(u64, u32)>> = vec![Vec::new(); problem.ledger_table.len()];
        for atom in &problem.atoms {
            let op = problem.op(atom.op);
            if op.is_firm() && !atom.is_alternative {
                cells[atom.cell as usize].push((op.start, atom.want));
            }
        }
        for (id, scan) in (0u32..).zip(&problem.scans) {
            let op = problem.op(scan.op);
            if op.is_firm() && matches!(scan.expect, Expect::Exactly(_)) {
                scans[scan.ledger as usize].push((op.start, id));
            }
        }
        for seen in &mut cells {
            seen.sort_by_key(|(start, _)| *start);
        }
        for seen in &mut scans {
            seen.sort_unstable();
        }
        Self { cells, scans }
    }
}
