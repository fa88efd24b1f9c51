//! What a search has learned.

use crate::hash::FastMap;
use crate::problem::OpId;

/// What has turned out to be better: which operations go before which.
#[derive(Default)]
pub(crate) struct Hints {
    before: FastMap<OpId, Vec<OpId>>,
    tried: FastMap<(OpId, OpId), u32>,
}

impl Hints {
    pub(crate) fn add(&mut self, first: OpId, second: OpId) {
        let tries = self.tried.entry((first, second)).or_default();
        *tries += 1;
        // What did not help the last time may have been kept from helping by other hints.
        if *tries > 1 {
            self.before.remove(&first);
            self.before.remove(&second);
            for before in self.before.values_mut() {
                before.retain(|other| *other != first);
            }
        }
        if let Some(before) = self.before.get_mut(&first) {
            before.retain(|other| *other != second);
        }
        self.before.entry(second).or_default().push(first);
    }

    /// How often it was tried to let one go before the other.
    pub(crate) fn tries(&self, first: OpId, second: OpId) -> u32 {
        self.tried.get(&(first, second)).copied().unwrap_or(0)
    }

    pub(crate) fn before(&self, op: OpId) -> &[OpId] {
        self.before.get(&op).map_or(&[], Vec::as_slice)
    }
}
