//! The verdict on a history.

use crate::compile::{Mode, compile};
use crate::core;
use crate::names::{Names, Place};
use crate::operation::{History, Ledger, Operation, Outcome};
use crate::problem::Problem;
use crate::search::{Found, mend, search};
use crate::violation::{Subject, Violation};

/// What is known of a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There is an order that explains every answer: the operations by their place in the history,
    /// without those of unknown outcome that need not have happened.
    Consistent {
        /// That order.
        order: Vec<usize>,
    },
    /// There is none, and this part shows it.
    Violation(Box<Violation>),
    /// The search was given up without having found an order or a proof that there is none.
    Inconclusive {
        /// What it did not get past, in words.
        why: String,
    },
}

/// Steps beyond the straight way that are spent on a whole history, for each operation and at least.
const BUDGET_PER_OPERATION: u64 = 2;
const BUDGET: u64 = 200_000;

/// Decides whether there is an order, consistent with real time, in which every operation takes
/// effect at one point and every answer is explained.
#[must_use]
pub fn check(history: &History) -> Verdict {
    let mut names = Names::new(history);
    let all = 0..history.operations.len() as u32;
    let all = all.map(|operation| (operation, Mode::Firm));
    let problem = compile(&mut names, history, all, None);
    let budget = BUDGET + BUDGET_PER_OPERATION * problem.ops.len() as u64;
    let (stuck, is_proven) = match decide(&problem, budget) {
        Found::Order(order) => {
            let source = |op: u32| problem.op(op).source;
            let order = order.into_iter().filter_map(source);
            let order = order.map(|operation| operation as usize).collect();
            return Verdict::Consistent { order };
        }
        Found::None(stuck) => (stuck, true),
        Found::GivenUp(stuck) => (stuck, false),
    };
    match core::find(&mut names, history, &problem, &stuck, is_proven) {
        Some(core) => Verdict::Violation(Box::new(violation(&names, history, &core))),
        None => {
            let at = problem.op(stuck.op).source;
            let why = at.map_or_else(String::new, |at| {
                crate::words::told(&history.operations[at as usize], &[])
            });
            Verdict::Inconclusive {
                why: format!("no order was found in which {why}, and no proof that there is none"),
            }
        }
    }
}

/// A search that mends what it gets wrong, and if that leads nowhere, a complete one.
fn decide(problem: &Problem, budget: u64) -> Found {
    let mended = match mend(problem, budget) {
        Found::Order(order) => return Found::Order(order),
        Found::None(stuck) | Found::GivenUp(stuck) => stuck,
    };
    match search(problem, budget) {
        Found::GivenUp(stuck) if stuck.now < mended.now => Found::GivenUp(mended),
        found => found,
    }
}

fn violation(names: &Names<'_>, history: &History, core: &core::Core) -> Violation {
    let (tables, ledgers) = names.spelt();
    let subject = |cell: &u32| match names.cell_place[*cell as usize] {
        Place::Table(table) => Subject::Table(tables[table as usize].to_owned()),
        Place::Version(ledger, version) => {
            let (table, branch) = ledgers[ledger as usize];
            let ledger = Ledger {
                table: table.to_owned(),
                branch: branch.map(str::to_owned),
            };
            Subject::Version(ledger, version)
        }
    };
    let places = core.firm.iter().chain(&core.begun);
    let mut places: Vec<usize> = places.map(|at| *at as usize).collect();
    places.sort_by_key(|at| (history.operations[*at].start, *at));
    let operations: Vec<Operation> = places
        .iter()
        .map(|at| history.operations[*at].clone())
        .collect();
    let others = core.others.iter().map(|at| Operation {
        outcome: Outcome::Unknown,
        ..history.operations[*at as usize].clone()
    });
    let mut part = operations.clone();
    part.extend(others);
    Violation {
        places,
        operations,
        subjects: core.cells.iter().map(subject).collect(),
        others: core.others.len(),
        history: History {
            initial: history.initial.clone(),
            operations: part,
        },
    }
}
