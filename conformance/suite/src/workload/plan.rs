//! The generator: the steps of each client, drawn from a seed.

use super::action::{Action, Phase, Workload};
use super::spread::{Sampler, Spread};

/// How far below the latest version reads go.
const DEPTH: usize = 12;
/// The most tables in one batch.
const LARGEST_BATCH: usize = 4;
/// The highest version that siblings get.
const SIBLING_VERSIONS: i64 = 2;

/// The steps of each client, for each phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// For each phase, the steps of each client.
    pub phases: Vec<Vec<Vec<Step>>>,
}

/// A version, by what a client has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// So far above the latest: 1 is the next.
    Above(i64),
    /// So far below the latest: 0 is the latest itself. Never below version 1.
    Below(i64),
}

/// Versions to be deleted, by what a client has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Doomed {
    /// All but so many of the latest.
    AllBut(i64),
    /// The one that lies so far below the latest.
    Below(i64),
}

/// One step of a client. Tables and siblings are named by their places.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// `CreateTableVersion`.
    Create {
        /// Of which table.
        table: usize,
        /// Which version.
        version: Version,
    },
    /// `BatchCreateTableVersions` of the next version of each table.
    Batch {
        /// Which tables, in the order of the batch.
        tables: Vec<usize>,
    },
    /// `BatchCommitTables` of the next version of each table.
    Commit {
        /// Which tables, in the order of the commit.
        tables: Vec<usize>,
    },
    /// `BatchDeleteTableVersions`.
    Delete {
        /// Of which table.
        table: usize,
        /// Which versions.
        doomed: Doomed,
    },
    /// `DescribeTableVersion`, of the latest if no version is named.
    Describe {
        /// Of which table.
        table: usize,
        /// Which version.
        version: Option<Version>,
    },
    /// `ListTableVersions`, whole.
    List {
        /// Of which table.
        table: usize,
    },
    /// `ListTableVersions`, descending, page by page.
    PageDown {
        /// Of which table.
        table: usize,
        /// How many versions a page holds.
        limit: usize,
    },
    /// `TableExists` or `DescribeTable`.
    LookForTable {
        /// Which table.
        table: usize,
        /// Whether by `TableExists`.
        exists: bool,
    },
    /// `DeregisterTable`, then `DeclareTable` of another name.
    Replace {
        /// Which table.
        table: usize,
    },
    /// `DeclareTable` of the client's own sibling, or `DropTable` if it is there.
    TurnSibling,
    /// `CreateTableVersion` of a sibling.
    CreateOnSibling {
        /// Which one.
        sibling: usize,
        /// Which version.
        version: i64,
    },
    /// `ListTableVersions` of a sibling.
    ListSibling {
        /// Which one.
        sibling: usize,
    },
    /// `CreateNamespace` of the client's own, or `DropNamespace` if it is there.
    TurnNamespace,
}

impl Workload {
    /// The steps that this seed leads to: the same for the same seed.
    #[must_use]
    pub fn plan(&self, seed: u64) -> Plan {
        let mut random = fastrand::Rng::with_seed(seed);
        let phases = self.phases.iter().map(|phase| {
            let dice = Dice::new(self, phase);
            let clients = 0..self.clients;
            clients
                .map(|client| {
                    let role = phase.roles[client % phase.roles.len()];
                    let mut random = random.fork();
                    (0..phase.steps)
                        .map(|_| dice.step(draw(role, &mut random), &mut random))
                        .collect()
                })
                .collect()
        });
        Plan {
            phases: phases.collect(),
        }
    }
}

/// An action of a role, by its weight.
fn draw(role: &[(u32, Action)], random: &mut fastrand::Rng) -> Action {
    let total: u32 = role.iter().map(|(weight, _)| weight).sum();
    let mut at = random.u32(0..total.max(1));
    for (weight, action) in role {
        match at.checked_sub(*weight) {
            None => return *action,
            Some(rest) => at = rest,
        }
    }
    role[0].1
}

/// Draws where something is done.
struct Dice {
    tables: Sampler,
    versions: Sampler,
    siblings: Sampler,
}

impl Dice {
    fn new(workload: &Workload, phase: &Phase) -> Self {
        Self {
            tables: Sampler::new(phase.tables, workload.tables),
            versions: Sampler::new(phase.versions, DEPTH),
            siblings: Sampler::new(Spread::Uniform, workload.siblings),
        }
    }

    fn step(&self, action: Action, random: &mut fastrand::Rng) -> Step {
        let table = self.tables.draw(random);
        let sibling = self.siblings.draw(random);
        match action {
            Action::Create => Step::Create {
                table,
                version: Version::Above(1),
            },
            Action::CreateAgain => Step::Create {
                table,
                version: self.below(random),
            },
            Action::CreateAhead => Step::Create {
                table,
                version: Version::Above(random.i64(2..6)),
            },
            Action::Batch => Step::Batch {
                tables: self.several(random),
            },
            Action::Commit => Step::Commit {
                tables: self.several(random),
            },
            Action::DeleteOld => Step::Delete {
                table,
                doomed: Doomed::AllBut(random.i64(1..5)),
            },
            Action::DeleteOne => Step::Delete {
                table,
                doomed: Doomed::Below(random.i64(0..3)),
            },
            Action::Describe => Step::Describe {
                table,
                version: Some(match random.u8(0..8) {
                    0 => Version::Above(1),
                    _ => self.below(random),
                }),
            },
            Action::DescribeLatest => Step::Describe {
                table,
                version: None,
            },
            Action::List => Step::List { table },
            Action::PageDown => Step::PageDown {
                table,
                limit: random.usize(1..5),
            },
            Action::LookForTable => Step::LookForTable {
                table,
                exists: random.bool(),
            },
            Action::Replace => Step::Replace { table },
            Action::TurnSibling => Step::TurnSibling,
            Action::CreateOnSibling => Step::CreateOnSibling {
                sibling,
                version: random.i64(1..=SIBLING_VERSIONS),
            },
            Action::ListSibling => Step::ListSibling { sibling },
            Action::TurnNamespace => Step::TurnNamespace,
        }
    }

    fn below(&self, random: &mut fastrand::Rng) -> Version {
        let below = self.versions.draw(random);
        Version::Below(i64::try_from(below).unwrap_or_default())
    }

    /// Tables for a batch: half of them in the order of their places, half in the opposite one, so
    /// that who locks table by table meets the other half-way.
    fn several(&self, random: &mut fastrand::Rng) -> Vec<usize> {
        let mut tables = self.tables.several(random.usize(2..=LARGEST_BATCH), random);
        tables.sort_unstable();
        if random.bool() {
            tables.reverse();
        }
        tables
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    const READS: Role = &[(3, Action::Describe), (1, Action::List)];
    const WRITES: Role = &[(1, Action::Batch)];

    use crate::workload::Role;

    const WORKLOAD: Workload = Workload {
        clients: 5,
        tables: 6,
        namespaces: 2,
        siblings: 1,
        phases: &[
            Phase {
                steps: 400,
                roles: &[WRITES, READS],
                tables: Spread::Zipf(1.0),
                versions: Spread::Zipf(1.0),
            },
            Phase {
                steps: 10,
                roles: &[READS],
                tables: Spread::Uniform,
                versions: Spread::Uniform,
            },
        ],
    };

    proptest! {
        #[test]
        fn a_seed_leads_to_one_plan(seed: u64) {
            prop_assert_eq!(WORKLOAD.plan(seed), WORKLOAD.plan(seed));
            prop_assert_ne!(WORKLOAD.plan(seed), WORKLOAD.plan(seed ^ 1));
        }

        #[test]
        fn batches_name_different_tables(seed: u64) {
            for step in WORKLOAD.plan(seed).phases[0][0].iter() {
                let Step::Batch { tables } = step else {
                    return Err(TestCaseError::fail("the first client only writes"));
                };
                let mut sorted = tables.clone();
                sorted.sort_unstable();
                sorted.dedup();
                prop_assert_eq!(sorted.len(), tables.len());
                prop_assert!((2..=LARGEST_BATCH).contains(&tables.len()));
                prop_assert!(tables.iter().all(|table| *table < WORKLOAD.tables));
            }
        }
    }

    #[test]
    fn every_client_has_the_steps_of_its_role() {
        let plan = WORKLOAD.plan(1);
        assert_eq!(plan.phases.len(), 2);
        for (phase, steps) in plan.phases.iter().zip([400, 10]) {
            assert_eq!(phase.len(), WORKLOAD.clients);
            assert!(phase.iter().all(|client| client.len() == steps));
        }
        let writes =
            |client: &Vec<Step>| client.iter().any(|step| matches!(step, Step::Batch { .. }));
        let who: Vec<bool> = plan.phases[0].iter().map(writes).collect();
        assert_eq!(who, [true, false, true, false, true]);
    }

    #[test]
    fn clients_differ_and_weights_hold() {
        let plan = WORKLOAD.plan(1);
        assert_ne!(plan.phases[0][1], plan.phases[0][3]);
        let mut counts = BTreeMap::new();
        for step in &plan.phases[0][1] {
            *counts.entry(matches!(step, Step::List { .. })).or_insert(0) += 1;
        }
        assert!((70..130).contains(&counts[&true]), "{counts:?}");
    }

    #[test]
    fn batches_come_in_both_orders() {
        let plan = WORKLOAD.plan(1);
        let up = |step: &&Step| matches!(step, Step::Batch { tables } if tables.is_sorted());
        let ascending = plan.phases[0][0].iter().filter(up).count();
        assert!((150..250).contains(&ascending), "{ascending}");
    }
}
