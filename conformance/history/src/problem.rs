//! A history as conditions on cells and effects on them.

use crate::hash::FastMap;
use crate::names::{ABSENT, CellId, LedgerId, LifeId, Place, THERE, TableId};

pub(crate) type OpId = u32;

/// What an operation's answer says of one cell at the point where the operation takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    Is(LifeId),
    Present,
    Absent,
    /// Absent, or this already: what a create needs.
    Free(LifeId),
    /// What cannot be.
    Never,
}

impl Want {
    pub(crate) fn holds(self, life: LifeId) -> bool {
        match self {
            Self::Is(wanted) => life == wanted,
            Self::Present => life != ABSENT,
            Self::Absent => life == ABSENT,
            Self::Free(own) => life == ABSENT || life == own,
            Self::Never => false,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Atom {
    pub(crate) op: OpId,
    pub(crate) cell: CellId,
    pub(crate) want: Want,
    /// One of several of which one has to hold; else all have to.
    pub(crate) is_alternative: bool,
}

/// What an answer says of all versions in some ranges.
#[derive(Clone, Debug)]
pub(crate) struct Scan {
    pub(crate) op: OpId,
    pub(crate) ledger: LedgerId,
    /// First and last versions; apart, and in order.
    pub(crate) ranges: Vec<(i64, i64)>,
    pub(crate) expect: Expect,
}

#[derive(Clone, Debug)]
pub(crate) enum Expect {
    /// Exactly these are present, sorted by version.
    Exactly(Vec<(i64, CellId, LifeId)>),
    /// So many are present.
    Count(u32),
}

impl Scan {
    pub(crate) fn covers(&self, version: i64) -> bool {
        let covers = |&(first, last): &(i64, i64)| first <= version && version <= last;
        self.ranges.iter().any(covers)
    }

    /// What it expects of a version that it covers; none if it only counts.
    pub(crate) fn expects(&self, version: i64) -> Option<LifeId> {
        match &self.expect {
            Expect::Exactly(listed) => Some(
                listed
                    .binary_search_by_key(&version, |(version, _, _)| *version)
                    .map_or(ABSENT, |at| listed[at].2),
            ),
            Expect::Count(_) => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Put(CellId, LifeId),
    /// Removes what a ledger holds from a first to a last version.
    Wipe(LedgerId, i64, i64),
    /// Removes a table and all its versions.
    WipeTable(TableId),
}

/// The end of an operation that may take effect at any time.
pub(crate) const NEVER: u64 = u64::MAX;

#[derive(Clone, Debug)]
pub(crate) struct Op {
    pub(crate) start: u64,
    /// [`NEVER`] if it may take effect at any later time, or not at all.
    pub(crate) end: u64,
    pub(crate) atoms: (u32, u32),
    pub(crate) scans: (u32, u32),
    pub(crate) effects: (u32, u32),
    /// Which operation of the history it is; none for what stands for an open beginning.
    pub(crate) source: Option<u32>,
    pub(crate) has_alternatives: bool,
}

impl Op {
    pub(crate) fn is_firm(&self) -> bool {
        self.end != NEVER
    }

    pub(crate) fn changes(&self) -> bool {
        self.effects.0 != self.effects.1
    }
}

#[derive(Default)]
pub(crate) struct Problem {
    pub(crate) ops: Vec<Op>,
    pub(crate) atoms: Vec<Atom>,
    pub(crate) scans: Vec<Scan>,
    pub(crate) effects: Vec<(OpId, Effect)>,
    pub(crate) initial: Vec<(CellId, LifeId)>,
    pub(crate) places: Vec<Place>,
    /// The cells of each ledger by their versions.
    pub(crate) versions: Vec<Vec<(i64, CellId)>>,
    pub(crate) life_count: usize,
    pub(crate) ledger_table: Vec<TableId>,
    pub(crate) table_cell: Vec<Option<CellId>>,
    pub(crate) table_ledgers: Vec<Vec<LedgerId>>,
}

impl Problem {
    /// Numbers cells and lives anew, so that there are no more than this part of a history speaks
    /// of.
    pub(crate) fn renumber(&mut self) {
        let mut numbers = Numbers {
            old: &self.places,
            cells: FastMap::default(),
            lives: FastMap::default(),
            places: Vec::new(),
        };
        for atom in &mut self.atoms {
            atom.cell = numbers.cell(atom.cell);
            atom.want = match atom.want {
                Want::Is(life) => Want::Is(numbers.life(life)),
                Want::Free(life) => Want::Free(numbers.life(life)),
                want => want,
            };
        }
        for scan in &mut self.scans {
            if let Expect::Exactly(listed) = &mut scan.expect {
                for (_, cell, life) in listed {
                    *cell = numbers.cell(*cell);
                    *life = numbers.life(*life);
                }
            }
        }
        for (_, effect) in &mut self.effects {
            if let Effect::Put(cell, life) = effect {
                *cell = numbers.cell(*cell);
                *life = numbers.life(*life);
            }
        }
        for (cell, life) in &mut self.initial {
            *cell = numbers.cell(*cell);
            *life = numbers.life(*life);
        }
        for cell in &mut self.table_cell {
            *cell = cell.and_then(|cell| numbers.cells.get(&cell).copied());
        }
        self.life_count = numbers.lives.len() + THERE as usize + 1;
        self.places = numbers.places;
    }

    pub(crate) fn op(&self, op: OpId) -> &Op {
        &self.ops[op as usize]
    }

    pub(crate) fn atoms_of(&self, op: OpId) -> &[Atom] {
        let (from, to) = self.op(op).atoms;
        &self.atoms[from as usize..to as usize]
    }

    pub(crate) fn scans_of(&self, op: OpId) -> &[Scan] {
        let (from, to) = self.op(op).scans;
        &self.scans[from as usize..to as usize]
    }

    pub(crate) fn effects_of(&self, op: OpId) -> &[(OpId, Effect)] {
        let (from, to) = self.op(op).effects;
        &self.effects[from as usize..to as usize]
    }

    /// How many versions a scan counts; 0 if it lists them.
    pub(crate) fn count(&self, scan: u32) -> u32 {
        match self.scans[scan as usize].expect {
            Expect::Count(count) => count,
            Expect::Exactly(_) => 0,
        }
    }

    /// The cells that a scan covers.
    pub(crate) fn covered<'p>(&'p self, scan: &'p Scan) -> impl Iterator<Item = CellId> + 'p {
        let versions = &self.versions[scan.ledger as usize];
        scan.ranges.iter().flat_map(move |&(first, last)| {
            let from = versions.partition_point(|(version, _)| *version < first);
            let rest = versions[from..].iter();
            rest.take_while(move |(version, _)| *version <= last)
                .map(|(_, cell)| *cell)
        })
    }

    /// Puts the cells of each ledger in order.
    pub(crate) fn index(&mut self) {
        self.versions = vec![Vec::new(); self.ledger_table.len()];
        for (cell, place) in (0u32..).zip(&self.places) {
            if let Place::Version(ledger, version) = place {
                self.versions[*ledger as usize].push((*version, cell));
            }
        }
        for versions in &mut self.versions {
            versions.sort_unstable();
        }
    }

    pub(crate) fn covers(&self, effect: Effect, cell: CellId) -> bool {
        match (effect, self.places[cell as usize]) {
            (Effect::Put(own, _), _) => own == cell,
            (Effect::Wipe(own, first, last), Place::Version(ledger, version)) => {
                own == ledger && first <= version && version <= last
            }
            (Effect::WipeTable(own), Place::Version(ledger, _)) => {
                self.ledger_table[ledger as usize] == own
            }
            (Effect::WipeTable(own), Place::Table(table)) => own == table,
            (Effect::Wipe(..), Place::Table(_)) => false,
        }
    }
}

struct Numbers<'p> {
    old: &'p [Place],
    cells: FastMap<CellId, CellId>,
    lives: FastMap<LifeId, LifeId>,
    places: Vec<Place>,
}

impl Numbers<'_> {
    fn cell(&mut self, cell: CellId) -> CellId {
        let next = self.places.len() as CellId;
        let number = *self.cells.entry(cell).or_insert(next);
        if number == next {
            self.places.push(self.old[cell as usize]);
        }
        number
    }

    fn life(&mut self, life: LifeId) -> LifeId {
        if life <= THERE {
            return life;
        }
        let next = self.lives.len() as LifeId + THERE + 1;
        *self.lives.entry(life).or_insert(next)
    }
}
