//! The stage that a scenario plays on: its namespace, its tables, its requests and its log.

mod allowed;
mod asking;
mod writing;

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use lance_namespace_history::operation::History;
use serde_json::Value;
use tokio::sync::{OnceCell, watch};

use crate::calls;
use crate::entry::{Entry, Manifest};
use crate::history::{Recorder, Recording};
use crate::log::Log;
pub use crate::namespace::Namespace;
use crate::scenario::{Flow, Given, Scenario, Stop};
use crate::session::Session;
use crate::staging::Staging;
use crate::target::Target;

/// The stage that a scenario plays on, and the server that its requests go to. Clones share both.
#[derive(Clone)]
pub struct Stage(Arc<Inner>, Place);

/// A server that requests go to, and the scenario's own namespace there.
#[derive(Clone)]
struct Place {
    session: Arc<Session>,
    home: Arc<OnceCell<Namespace>>,
}

struct Inner {
    scenario: &'static Scenario,
    number: usize,
    round: Option<Round>,
    log: Mutex<Log>,
    recorder: Recorder,
    /// The first history that was found to be broken.
    broken: OnceLock<Arc<Recording>>,
    /// What a step would need that the server is declared not to allow; the scenario ends there.
    lacks: watch::Sender<Option<Given>>,
    random: Mutex<fastrand::Rng>,
}

/// A further time that a scenario is played in one run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    /// Its number, from 1.
    pub(crate) number: u32,
    /// The seed that a run would have to be given to do the same.
    pub(crate) seed: u64,
    /// When the run's time is over.
    pub(crate) until: Instant,
}

/// A table that a scenario declared.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its identifier, in parts.
    pub id: Vec<String>,
    /// What the transcript calls it.
    pub label: String,
    pub(crate) staging: Staging,
}

impl Table {
    /// The last part of the identifier.
    #[must_use]
    pub fn name(&self) -> &str {
        self.id.last().map(String::as_str).unwrap_or_default()
    }
}

impl Stage {
    pub(crate) fn new(
        session: Arc<Session>,
        scenario: &'static Scenario,
        number: usize,
        round: Option<Round>,
    ) -> Self {
        let mut hasher = DefaultHasher::new();
        let seed = round.map_or(session.seed(), |round| round.seed);
        (seed, scenario.id).hash(&mut hasher);
        let inner = Inner {
            scenario,
            number,
            round,
            log: Mutex::default(),
            recorder: Recorder::new(),
            broken: OnceLock::new(),
            lacks: watch::Sender::new(None),
            random: Mutex::new(fastrand::Rng::with_seed(hasher.finish())),
        };
        let place = Place {
            session,
            home: Arc::default(),
        };
        Self(Arc::new(inner), place)
    }

    /// The same stage with its requests going to another replica of the service; none if the run
    /// was given none.
    #[must_use]
    pub fn replica(&self) -> Option<Self> {
        let session = self.session().replicas().first()?;
        Some(self.on(Arc::clone(session)))
    }

    /// The same stage with its requests going elsewhere, where the scenario's own namespace is the
    /// same one.
    pub(crate) fn on(&self, session: Arc<Session>) -> Self {
        let home = Arc::clone(&self.1.home);
        Self(Arc::clone(&self.0), Place { session, home })
    }

    /// The same stage with its requests going to a server that has nothing of the scenario yet.
    pub(crate) fn on_new(&self, session: Arc<Session>) -> Self {
        let home = Arc::default();
        Self(Arc::clone(&self.0), Place { session, home })
    }

    /// The run that the scenario is part of.
    #[must_use]
    pub fn session(&self) -> &Arc<Session> {
        &self.1.session
    }

    /// The server under test, as the run was given it.
    #[must_use]
    pub fn target(&self) -> &Target {
        self.session().target()
    }

    /// The scenario's own namespace, made when it is first asked for.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if it cannot be made.
    pub async fn home(&self) -> Flow<Namespace> {
        let home = &self.1.home;
        let home = home.get_or_try_init(async || {
            let place = self.place();
            if !place.is_shared() {
                self.make_namespace(place.id.clone()).await?;
            }
            Ok(place)
        });
        home.await.cloned()
    }

    /// Where the scenario's own namespace is, or will be: another one in each round.
    pub(crate) fn place(&self) -> Namespace {
        Self::place_of(self.session(), self.0.number, self.0.round)
    }

    /// Where the namespace of the `number`th scenario is in this round.
    pub(crate) fn place_of(session: &Session, number: usize, round: Option<Round>) -> Namespace {
        session.home(&match round {
            None => format!("s{number:03}"),
            Some(round) => format!("s{number:03}_round{}", round.number),
        })
    }

    /// A namespace of this name inside the scenario's own.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if it cannot be made.
    pub async fn namespace(&self, name: &str) -> Flow<Namespace> {
        let home = self.home().await?;
        self.namespace_in(&home, name).await
    }

    /// A namespace of this name inside another one.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if it cannot be made.
    pub async fn namespace_in(&self, parent: &Namespace, name: &str) -> Flow<Namespace> {
        self.make_namespace(parent.child(name)).await
    }

    async fn make_namespace(&self, id: Vec<String>) -> Flow<Namespace> {
        self.session().made_namespace(&id);
        let call = calls::create_namespace(&id);
        self.ask("create a namespace", call).await.set_up()?;
        Ok(Namespace::at(id))
    }

    /// Declares a table of this name in the scenario's own namespace.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if it cannot be declared.
    pub async fn table(&self, name: &str) -> Flow<Table> {
        let home = self.home().await?;
        self.table_in(&home, name).await
    }

    /// Declares a table of this name in a namespace.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if it cannot be declared.
    pub async fn table_in(&self, namespace: &Namespace, name: &str) -> Flow<Table> {
        let id = namespace.child(name);
        let call = calls::declare(&id);
        self.session().made_table(&id);
        let label = format!("declare table {name}");
        let reply = self.ask(&label, call).await.set_up()?;
        Ok(self.declared(id, &reply.body))
    }

    /// A table that a declare with this answer made.
    #[must_use]
    pub fn declared(&self, id: Vec<String>, answer: &Value) -> Table {
        let options: Vec<(String, String)> = answer["storage_options"]
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect();
        let location = answer["location"].as_str();
        let staging = Staging::of(self.target().storage(), location, &options);
        if let Some(reason) = staging.out_of_reach() {
            self.session().staging_out_of_reach(reason);
        }
        self.0.recorder.declared(&id, &staging);
        Table {
            label: self.label_of(&id),
            id,
            staging,
        }
    }

    /// A table of this identifier that nobody has made.
    pub(crate) fn declared_nowhere(&self, id: Vec<String>) -> Table {
        Table {
            label: self.label_of(&id),
            id,
            staging: Staging::at(None, &[]),
        }
    }

    /// What the transcript calls the table of this identifier: by its name, whatever run it is.
    fn label_of(&self, id: &[String]) -> String {
        let own = self.place().within(id);
        let own = own.as_deref().unwrap_or(id);
        own.last().cloned().unwrap_or_default()
    }

    /// The identifier of a table in the scenario's namespace that nobody made yet. If the server
    /// makes it, the run's clean-up removes it.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if the scenario's namespace cannot be made.
    pub async fn unmade_table(&self, name: &str) -> Flow<Vec<String>> {
        let id = self.home().await?.child(name);
        self.session().made_table(&id);
        Ok(id)
    }

    /// Stages a manifest for a table: unique bytes at a unique path, called `label` in the
    /// transcript.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if the file cannot be written.
    pub async fn manifest(&self, table: &Table, label: &str) -> Flow<Manifest> {
        let (tag, padding) = {
            let mut random = lock(&self.0.random);
            (random.u64(..), random.usize(0..512))
        };
        let bytes = format!(
            "{} {label} {tag:016x} {}",
            self.0.scenario.id,
            "·".repeat(padding)
        );
        let bytes = bytes.into_bytes();
        let name = format!("{}.manifest-{tag:016x}", table.name());
        let staged = table.staging.put(&name, bytes.clone()).await;
        let (path, e_tag) = staged.map_err(|error| Stop::Inconclusive(error.to_string()))?;
        let manifest = Manifest {
            label: label.to_owned(),
            path,
            bytes,
            e_tag: e_tag.unwrap_or_else(|| format!("\"{tag:016x}\"")),
            metadata: BTreeMap::from([("writer".to_owned(), format!("{label}-{tag:016x}"))]),
            naming_scheme: None,
        };
        self.0.recorder.staged(&manifest);
        Ok(manifest)
    }

    /// Stages a manifest again, where a create has taken its file away: the same bytes at the same
    /// path. A file that is still there is left alone, since a committed version may name it.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if the file cannot be written.
    pub async fn stage_again(&self, table: &Table, manifest: &Manifest) -> Flow {
        let staged = table
            .staging
            .put_again(&manifest.path, manifest.bytes.clone());
        staged
            .await
            .map_err(|error| Stop::Inconclusive(error.to_string()))
    }

    /// Stages one manifest each for versions 1 to `count` and creates them, one after the other.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if one of them is not created.
    pub async fn versions(&self, table: &Table, count: i64) -> Flow<Vec<Entry>> {
        let mut entries = Vec::new();
        for version in 1..=count {
            let manifest = self.manifest(table, &format!("m{version}")).await?;
            let label = format!("create version {version} of {}", table.label);
            let call = calls::create_version(table, version, &manifest);
            let reply = self.ask(&label, call).await.set_up()?;
            entries.extend(reply.entry());
        }
        Ok(entries)
    }

    /// A number below `bound`, the same for the same seed and scenario.
    #[must_use]
    pub fn random_below(&self, bound: usize) -> usize {
        lock(&self.0.random).usize(0..bound)
    }

    /// Any number, the same for the same seed and scenario.
    #[must_use]
    pub fn random_number(&self) -> u64 {
        lock(&self.0.random).u64(..)
    }

    /// Whether the time of the round is over that the scenario is played in: a workload then comes to
    /// its end.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let until = self.0.round.map(|round| round.until);
        until.is_some_and(|until| Instant::now() >= until)
    }

    pub(crate) fn recorder(&self) -> &Recorder {
        &self.0.recorder
    }

    /// Keeps a history that was found to be broken, the first one.
    pub(crate) fn keep_recording(&self, recording: Arc<Recording>) {
        self.0.broken.get_or_init(|| recording);
    }

    /// The history that was found to be broken, or what was asked so far; none if nothing was that
    /// histories are about.
    pub(crate) async fn history(&self) -> Option<History> {
        let history = match self.0.broken.get() {
            Some(broken) => broken.history.clone(),
            None => self.recording().await.history,
        };
        (!history.operations.is_empty()).then_some(history)
    }

    pub(crate) fn into_log(self) -> Log {
        std::mem::take(&mut lock(&self.0.log))
    }
}

/// A panic elsewhere leaves what was written down so far as it is.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
