//! The workload of long histories.

use crate::simulate::workload::{Weights, Workload};

impl Workload {
    /// Many clients that race for the next versions of a few tables.
    pub(crate) fn large(clients: u32, operations: usize) -> Self {
        Self {
            clients,
            operations,
            tables: 8,
            spread: 3,
            is_small: false,
            retained: 0,
            weights: Weights {
                create: 40,
                describe: 25,
                latest: 10,
                list: 8,
                delete: 2,
                batch: 10,
                commit: 3,
                exists: 2,
                ..Weights::default()
            },
            unknown: 100,
            limit: 10,
            faults: 0,
        }
    }

    /// The same with deletes of old versions only, as clean-up does.
    pub(crate) fn with_clean_up(mut self) -> Self {
        self.retained = 100;
        self
    }

    /// The same without deletes.
    pub(crate) fn without_deletes(mut self) -> Self {
        self.weights.delete = 0;
        self
    }
}
