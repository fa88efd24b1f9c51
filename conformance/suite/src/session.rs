//! A run against one server: its namespace, its requests, and what it leaves behind.

mod open;

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use serde_json::Value;
use tokio::sync::OnceCell;

use crate::call::Call;
use crate::calls;
use crate::cleanup::{self, Leftovers};
use crate::entry::Entry;
use crate::exchange::Exchange;
use crate::names::Layout;
use crate::namespace::Namespace;
use crate::outcome::Outcome;
use crate::proxy::Fault;
use crate::scenario::{Flow, Scenario, Stop};
use crate::stage::{Stage, Table};
use crate::support::{self, PROBE, Support, Unsupported};
use crate::target::Target;
use crate::timing::{Timing, Timings};
use crate::wire::{ClientError, Wire};
pub use open::OpenError;

/// What the names of all runs' namespaces begin with.
pub(crate) const PREFIX: &str = "lance_conformance_";

/// A run against one server. Everything that it makes lies below one namespace of its own, or bears its
/// name where the server allows no such namespace.
pub struct Session {
    wire: Wire,
    seed: u64,
    run: String,
    layout: Layout,
    made: Arc<Mutex<Made>>,
    /// The same run at the other replicas of the service.
    replicas: Vec<Arc<Self>>,
    support: Mutex<BTreeMap<&'static str, Arc<OnceCell<Support>>>>,
    timings: Timings,
    probe: OnceCell<Stage>,
    canary: OnceCell<Canary>,
    out_of_reach: OnceLock<String>,
    scan_vector: OnceCell<Value>,
}

/// A table that no scenario names: it must be as it was when all of them have ended.
#[derive(Debug)]
pub(crate) struct Canary {
    pub(crate) table: Table,
    /// Its versions; none if the server has no versions.
    pub(crate) entries: Vec<Entry>,
}

/// What scenarios made, or asked for, so that it can be removed even if no listing shows it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Made {
    pub(crate) namespaces: BTreeSet<Vec<String>>,
    pub(crate) tables: BTreeSet<Vec<String>>,
}

impl Made {
    /// Takes out what is in a place, and the place.
    fn take_in(&mut self, place: &Namespace) -> Self {
        Self {
            namespaces: place.take(&mut self.namespaces),
            tables: place.take(&mut self.tables),
        }
    }

    fn put_back(&mut self, taken: Self) {
        self.namespaces.extend(taken.namespaces);
        self.tables.extend(taken.tables);
    }
}

impl Session {
    pub(crate) fn over(target: Target, seed: u64, run: String) -> Result<Self, OpenError> {
        let name = format!("{PREFIX}{run}");
        let layout = target.names().layout(target.parent(), &name)?;
        let replicas: Vec<Target> = target.replicas().collect();
        let mut session = Self::with(Wire::new(target)?, seed, run, layout);
        for replica in replicas {
            let replica = Self {
                made: Arc::clone(&session.made),
                ..session.beside(replica)?
            };
            session.replicas.push(Arc::new(replica));
        }
        Ok(session)
    }

    /// The same run on another server, of whose namespaces and tables this one knows nothing.
    pub(crate) fn beside(&self, target: Target) -> Result<Self, ClientError> {
        let wire = self.wire.beside(target)?;
        let (run, layout) = (self.run.clone(), self.layout.clone());
        Ok(Self::with(wire, self.seed, run, layout))
    }

    fn with(wire: Wire, seed: u64, run: String, layout: Layout) -> Self {
        Self {
            wire,
            seed,
            run,
            layout,
            made: Arc::default(),
            replicas: Vec::new(),
            support: Mutex::default(),
            timings: Timings::default(),
            scan_vector: OnceCell::new(),
            probe: OnceCell::new(),
            canary: OnceCell::new(),
            out_of_reach: OnceLock::new(),
        }
    }

    /// The same run at the other replicas of the service.
    pub(crate) fn replicas(&self) -> &[Arc<Self>] {
        &self.replicas
    }

    /// Makes the run's namespace, and the ones that it lies in, on a server that is new.
    pub(crate) async fn settle(&self) -> Result<(), String> {
        let homes = self.layout.homes.as_slice();
        let own = self.namespace().unwrap_or(homes);
        for depth in 1..=own.len().max(homes.len()) {
            // One of the two goes on where the other ends.
            let id = homes.get(..depth).unwrap_or_else(|| &own[..depth]);
            let exchange = self.send(calls::create_namespace(id)).await;
            let outcome = Outcome::of(&exchange);
            if outcome != Outcome::Ok {
                return Err(format!("{}: {outcome}", id.join(self.target().delimiter())));
            }
        }
        Ok(())
    }

    /// Makes the canary, if that is not done yet. Where it cannot be made there is none.
    pub(crate) async fn set_canary(self: &Arc<Self>) {
        let made = self.canary.get_or_try_init(async || {
            let stage = self.backstage().await;
            let table = stage.table("canary").await?;
            let mut entries = Vec::new();
            if self.lacks(&["CreateTableVersion"]).await?.is_empty() {
                stage.versions(&table, 1).await?;
                entries = stage.stored(&table).await?;
            }
            Ok::<_, Stop>(Canary { table, entries })
        });
        // The scenario that looks for the canary says that there is none.
        let _ = made.await;
    }

    pub(crate) fn canary(&self) -> Option<&Canary> {
        self.canary.get()
    }

    /// A stage for what belongs to no scenario.
    pub(crate) async fn backstage(self: &Arc<Self>) -> &Stage {
        static PROBING: Scenario = PROBE;
        self.probe
            .get_or_init(async || Stage::new(Arc::clone(self), &PROBING, 0, None))
            .await
    }

    /// Removes what an earlier run left on the server.
    ///
    /// # Errors
    ///
    /// If the HTTP client cannot be set up, or nothing answers.
    pub async fn clean_up_after(target: Target, run: &str) -> Result<Leftovers, OpenError> {
        let session = Self::over(target, 0, run.to_owned())?;
        let call = match session.namespace() {
            Some(namespace) => {
                session.made_namespace(namespace);
                Call::new("NamespaceExists").id(namespace)
            }
            None => calls::list_tables(&session.layout.homes),
        };
        let exchange = session.send(call).await;
        if let Err(reason) = exchange.answer {
            return Err(OpenError::Unreachable {
                url: session.target().display_url(),
                reason,
            });
        }
        let made = lock(&session.made).clone();
        Ok(cleanup::sweep(&session, &session.layout.whole(), made).await)
    }

    /// Removes everything that the run made; answers what is left.
    pub async fn clean_up(&self) -> Leftovers {
        let made = lock(&self.made).clone();
        let place = self.namespace().map(|own| Namespace::at(own.to_vec()));
        let place = place.unwrap_or_else(|| self.layout.whole());
        cleanup::sweep(self, &place, made).await
    }

    /// Removes everything that was made in a place, and the place. What cannot be removed is tried again
    /// when the run is cleaned up.
    pub(crate) async fn remove(&self, place: &Namespace) {
        let made = lock(&self.made).take_in(place);
        let leftovers = cleanup::sweep(self, place, made.clone()).await;
        if !leftovers.left.is_empty() {
            lock(&self.made).put_back(made);
        }
    }

    /// The run's name, which stands in its namespace's name.
    #[must_use]
    pub fn run(&self) -> &str {
        &self.run
    }

    /// The seed that names, bytes and orders come from.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The run's own namespace, in parts; none where the server allows none.
    #[must_use]
    pub fn namespace(&self) -> Option<&[String]> {
        self.layout.run.as_deref()
    }

    /// Where a scenario of this name makes its tables and namespaces.
    pub(crate) fn home(&self, name: &str) -> Namespace {
        self.layout.place(name, self.target().names())
    }

    /// Where everything of the run lies that has its name.
    pub(crate) fn whole(&self) -> Namespace {
        self.layout.whole()
    }

    /// The server under test.
    #[must_use]
    pub fn target(&self) -> &Target {
        self.wire.target()
    }

    /// How many requests have been sent so far.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.wire.requests()
    }

    /// Why staging manifests are not real files; none if they are.
    #[must_use]
    pub fn manifests_out_of_reach(&self) -> Option<&str> {
        self.out_of_reach.get().map(String::as_str)
    }

    pub(crate) fn staging_out_of_reach(&self, reason: &str) {
        self.out_of_reach.get_or_init(|| reason.to_owned());
    }

    /// The field `vector` of a query for no vector, once it is known.
    pub(crate) fn scan_vector(&self) -> &OnceCell<Value> {
        &self.scan_vector
    }

    pub(crate) async fn send(&self, call: impl Borrow<Call>) -> Exchange {
        let exchange = self.wire.send(call.borrow()).await;
        self.timings.record(&exchange);
        self.target().watched(&exchange);
        exchange
    }

    /// How long the answers to each operation have taken so far.
    #[must_use]
    pub fn timings(&self) -> Vec<Timing> {
        self.timings.all()
    }

    pub(crate) async fn send_through(
        &self,
        fault: Fault,
        call: impl Borrow<Call>,
    ) -> Flow<Exchange> {
        let sent = self.wire.send_through(fault, call.borrow()).await;
        if let Ok(exchange) = &sent {
            self.target().watched(exchange);
        }
        sent.map_err(|error| Stop::Inconclusive(error.to_string()))
    }

    pub(crate) fn made_namespace(&self, id: &[String]) {
        lock(&self.made).namespaces.insert(id.to_vec());
    }

    pub(crate) fn made_table(&self, id: &[String]) {
        lock(&self.made).tables.insert(id.to_vec());
    }

    /// Which of these operations the server lacks; each is asked once in a run.
    pub(crate) async fn lacks(
        self: &Arc<Self>,
        operations: &[&'static str],
    ) -> Flow<Vec<Unsupported>> {
        let mut lacking: BTreeMap<&str, Unsupported> = BTreeMap::new();
        for &operation in operations {
            // What cannot even be set up for is lacking for the same reason.
            let chain = std::iter::successors(Some(operation), |operation| {
                support::prerequisite(operation)
            });
            let chain: Vec<&'static str> = chain.collect();
            for operation in chain.into_iter().rev() {
                if let Support::No(unsupported) = self.support(operation).await? {
                    lacking.insert(operation, unsupported);
                    break;
                }
            }
        }
        Ok(lacking.into_values().collect())
    }

    async fn support(self: &Arc<Self>, operation: &'static str) -> Flow<Support> {
        let cell = {
            let mut support = lock(&self.support);
            Arc::clone(support.entry(operation).or_default())
        };
        let support =
            cell.get_or_try_init(async || support::probe(self.backstage().await, operation).await);
        support.await.cloned()
    }
}

/// A seed for a run that was given none, small enough to be typed again.
#[must_use]
pub fn random_seed() -> u64 {
    RandomState::new().hash_one(std::process::id()) & 0xffff_ffff
}

/// A panic elsewhere leaves what was noted so far as it is.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
