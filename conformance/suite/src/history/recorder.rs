//! Every call of a stage, from its beginning.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::call::Call;
use crate::entry::Manifest;
use crate::exchange::Exchange;
use crate::race;
use crate::staging::Staging;

/// The calls of a stage, in the order of their beginnings.
pub(crate) struct Recorder {
    epoch: Instant,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    /// How many calls were forgotten: the number of the first that is kept.
    forgotten: usize,
    calls: Vec<Recorded>,
    storage: Storage,
}

/// What the stage knows of the files behind the entries.
#[derive(Clone, Default)]
pub(crate) struct Storage {
    /// Each manifest, by its path.
    pub(super) manifests: BTreeMap<String, Manifest>,
    /// Where the files of each table are.
    pub(super) tables: BTreeMap<Vec<String>, Staging>,
}

/// One call.
#[derive(Clone)]
pub(crate) enum Recorded {
    /// It is on its way, or was given up.
    Begun {
        call: Arc<Call>,
        client: u32,
        started: Instant,
    },
    /// It came to an end: with an answer, or without.
    Ended(Arc<Exchange>),
}

impl Recorder {
    pub(crate) fn new() -> Self {
        Self {
            epoch: Instant::now(),
            kept: Mutex::default(),
        }
    }

    /// A call is about to be sent; answers its number.
    pub(crate) fn begins(&self, call: &Arc<Call>) -> usize {
        let mut kept = self.kept();
        kept.calls.push(Recorded::Begun {
            call: Arc::clone(call),
            client: race::client(),
            started: Instant::now(),
        });
        kept.forgotten + kept.calls.len() - 1
    }

    /// The call of this number has come to an end.
    pub(crate) fn ended(&self, number: usize, exchange: &Arc<Exchange>) {
        let mut kept = self.kept();
        let place = number.checked_sub(kept.forgotten);
        if let Some(recorded) = place.and_then(|place| kept.calls.get_mut(place)) {
            *recorded = Recorded::Ended(Arc::clone(exchange));
        }
    }

    /// A manifest was staged.
    pub(crate) fn staged(&self, manifest: &Manifest) {
        let mut kept = self.kept();
        let path = manifest.path.clone();
        kept.storage.manifests.insert(path, manifest.clone());
    }

    /// A table was declared.
    pub(crate) fn declared(&self, id: &[String], staging: &Staging) {
        let mut kept = self.kept();
        kept.storage.tables.insert(id.to_vec(), staging.clone());
    }

    /// The calls so far.
    pub(super) fn calls(&self) -> Vec<Recorded> {
        self.kept().calls.clone()
    }

    pub(super) fn storage(&self) -> Storage {
        self.kept().storage.clone()
    }

    /// Nanoseconds since the stage began.
    pub(super) fn time(&self, at: Instant) -> u64 {
        let since = at.saturating_duration_since(self.epoch);
        u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
    }

    /// Forgets all calls so far.
    pub(super) fn forget(&self) {
        let mut kept = self.kept();
        kept.forgotten += kept.calls.len();
        kept.calls = Vec::new();
        kept.storage = Storage::default();
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
