//! The stage that a scenario plays on: its namespace, its tables, its requests and its log.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use lance_namespace_history::operation::History;
use serde_json::Value;
use tokio::sync::{OnceCell, watch};

use crate::answer::Answer;
use crate::call::Call;
use crate::entry::{Entry, Manifest};
use crate::exchange::Exchange;
use crate::history::{Recorder, Recording};
use crate::log::{Deviation, Finding, Log, Observation};
use crate::names::{self, Made};
pub use crate::namespace::Namespace;
use crate::outcome::Outcome;
use crate::proxy::Fault;
use crate::requirement::{Level, catalogue};
use crate::scenario::{Flow, Given, Scenario, Stop};
use crate::session::Session;
use crate::staging::Staging;
use crate::support::PROBE;
use crate::target::Target;
use crate::{calls, sdk, validity};

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

    // --- what it plays on ---

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

    // --- asking ---

    /// Sends a call and waits for its answer, which the transcript calls `label`.
    pub async fn ask(&self, label: &str, call: Call) -> Answer {
        let exchange = self.exchange(call).await;
        Answer::new(self.clone(), label.to_owned(), exchange)
    }

    /// Sends a call and waits for its answer, which no line of the transcript is about. What the
    /// protocol says of every answer is checked all the same.
    pub async fn exchange(&self, call: Call) -> Arc<Exchange> {
        self.ends_if_not_allowed(&call).await;
        let call = Arc::new(call);
        // Histories are about what operations do.
        if call.is_astray() {
            return Arc::new(self.session().send(call).await);
        }
        let recorded = self.0.recorder.begins(&call);
        let exchange = Arc::new(self.session().send(Arc::clone(&call)).await);
        self.0.recorder.ended(recorded, &exchange);
        self.check(&exchange);
        exchange
    }

    /// Sends a call once over a connection that breaks in this way, and waits for what comes back;
    /// the transcript calls it `label`.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if the connection cannot be broken in this way.
    pub async fn ask_through(&self, label: &str, fault: Fault, call: Call) -> Flow<Answer> {
        let exchange = self.exchange_through(fault, call).await?;
        Ok(Answer::new(self.clone(), label.to_owned(), exchange))
    }

    /// Sends a call once over a connection that breaks in this way, and waits for what comes back,
    /// which no line of the transcript is about.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if the connection cannot be broken in this way.
    pub async fn exchange_through(&self, fault: Fault, call: Call) -> Flow<Arc<Exchange>> {
        self.ends_if_not_allowed(&call).await;
        let call = Arc::new(call);
        let recorded = self.0.recorder.begins(&call);
        let exchange = Arc::new(self.session().send_through(fault, call).await?);
        self.0.recorder.ended(recorded, &exchange);
        // Another answer is not the server's.
        if fault.passes_the_answer() {
            self.check(&exchange);
        }
        Ok(exchange)
    }

    /// Ends the scenario before a call that the server is declared not to allow: this never comes
    /// back then.
    async fn ends_if_not_allowed(&self, call: &Call) {
        // Whether a server has an operation is asked all the same: it says so itself.
        if self.0.scenario.id == PROBE.id {
            return;
        }
        let target = self.target();
        let (delimiter, parent) = (target.delimiter(), target.parent().len());
        let lacks = target.names().lacks(call, delimiter, parent);
        let lacks = lacks.or_else(|| self.lacks_its_own(call));
        if let Some(lacks) = lacks {
            self.0.lacks.send_replace(Some(lacks));
            std::future::pending::<()>().await;
        }
    }

    /// What a call would need for a namespace of the scenario's own, where it has none: to ask for what
    /// others have there too, or to make there what does not bear its name.
    fn lacks_its_own(&self, call: &Call) -> Option<Given> {
        let place = self.place();
        if !place.is_shared() {
            return None;
        }
        let id = call.id.as_deref().unwrap_or_default();
        let of_namespace = call.operation.path.contains("/namespace/") && id == place.id;
        let of_all = call.operation.id == "ListAllTables";
        let asks = of_namespace || of_all;
        let made = names::made(call, self.target().delimiter());
        let beside = |made: &Made| !place.holds(made.id());
        (asks || made.iter().any(beside)).then_some(Given::Depth)
    }

    /// Waits until a step needs what the server is declared not to allow.
    pub(crate) async fn lacks(&self) -> Given {
        let mut lacks = self.0.lacks.subscribe();
        // The stage itself can send as long as this waits.
        let lacks = lacks.wait_for(Option::is_some).await;
        match lacks.ok().and_then(|lacks| *lacks) {
            Some(lacks) => lacks,
            None => std::future::pending().await,
        }
    }

    /// Checks what the protocol says of every answer.
    fn check(&self, exchange: &Arc<Exchange>) {
        lock(&self.0.log).answers.came(exchange);
        let deviations = validity::deviations(exchange);
        if deviations.is_empty() {
            sdk::check(exchange);
        }
        for (requirement, level, deviation) in deviations {
            self.find(requirement, level, deviation);
        }
    }

    /// Creates a version of a table.
    pub async fn create_version(&self, table: &Table, version: i64, manifest: &Manifest) -> Answer {
        let label = format!(
            "create version {version} of {} with {}",
            table.label, manifest.label
        );
        let call = calls::create_version(table, version, manifest);
        self.ask(&label, call).await
    }

    /// Describes a version of a table, or its latest.
    pub async fn describe_version(&self, table: &Table, version: Option<i64>) -> Answer {
        let label = match version {
            Some(version) => format!("describe version {version} of {}", table.label),
            None => format!("describe the latest version of {}", table.label),
        };
        self.ask(&label, calls::describe_version(table, version))
            .await
    }

    /// The entry of a version as it is now, by describe; none if there is no such version. Writes
    /// no line.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if the answer is neither an entry nor a 404.
    pub async fn entry(&self, table: &Table, version: i64) -> Flow<Option<Entry>> {
        let exchange = self
            .exchange(calls::describe_version(table, Some(version)))
            .await;
        match Outcome::of(&exchange) {
            Outcome::Ok => {
                let entry = exchange
                    .json()
                    .and_then(|body| Entry::read(body.get("version")?));
                Ok(entry)
            }
            Outcome::Refused(404, _) => Ok(None),
            outcome => Err(Stop::Inconclusive(format!(
                "describe version {version} of {}: {outcome}",
                table.label
            ))),
        }
    }

    /// Every entry of a table as it is now, page by page, in the order of the answers. Writes no
    /// line.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if a page is not answered, or the pages do not end.
    pub async fn all_entries(&self, table: &Table) -> Flow<Vec<Entry>> {
        let mut entries = Vec::new();
        let mut token: Option<String> = None;
        let mut seen = BTreeSet::new();
        loop {
            let mut call = calls::list_versions(table);
            if let Some(token) = &token {
                call = call.query("page_token", token);
            }
            let label = format!("list the versions of {}", table.label);
            let reply = self.ask(&label, call).await.set_up()?;
            entries.extend(reply.entries());
            match reply.page_token() {
                None => return Ok(entries),
                Some(next) if !seen.insert(next.clone()) => {
                    return Err(Stop::Inconclusive(format!(
                        "{label}: the page token {next:?} came twice"
                    )));
                }
                next => token = next,
            }
        }
    }

    /// Whether a table exists, by its exists operation. Writes no line.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if the answer is neither 200 nor 404.
    pub async fn table_exists(&self, id: &[String]) -> Flow<bool> {
        let exchange = self.exchange(calls::table_exists(id)).await;
        match Outcome::of(&exchange) {
            Outcome::Ok => Ok(true),
            Outcome::Refused(404, _) => Ok(false),
            outcome => Err(Stop::Inconclusive(format!("table exists: {outcome}"))),
        }
    }

    // --- writing down ---

    /// Writes a line of the transcript.
    pub fn line(&self, line: String) {
        lock(&self.0.log).lines.push(line);
    }

    /// Judges something against a requirement, at the requirement's own level, and writes one line
    /// about it: `label: held` if it holds, else `label: ` and what there was instead. Answers
    /// whether it held.
    pub fn judge(
        &self,
        requirement: &'static str,
        label: &str,
        held: &str,
        result: Result<(), Deviation>,
    ) -> bool {
        self.judge_at(requirement, level_of(requirement), label, held, result)
    }

    /// As [`judge`](Self::judge), at another level than the requirement's own.
    pub fn judge_at(
        &self,
        requirement: &'static str,
        level: Level,
        label: &str,
        held: &str,
        result: Result<(), Deviation>,
    ) -> bool {
        self.cite(requirement);
        match result {
            Ok(()) => {
                self.line(format!("{label}: {held}"));
                true
            }
            Err(deviation) => {
                self.line(format!("{label}: {}", deviation.actual));
                self.find(requirement, level, deviation);
                false
            }
        }
    }

    /// Records that a requirement was checked.
    ///
    /// # Panics
    ///
    /// If the scenario does not declare the requirement, which is a fault of the suite.
    pub fn cite(&self, requirement: &'static str) {
        assert!(
            self.0.scenario.requirements.contains(&requirement),
            "{} checks {requirement} without declaring it",
            self.0.scenario.id
        );
        lock(&self.0.log).cited.insert(requirement);
    }

    /// Records that a requirement was checked by this answer.
    ///
    /// # Panics
    ///
    /// As [`cite`](Self::cite).
    pub fn cite_for(&self, requirement: &'static str, exchange: &Exchange) {
        self.cite(requirement);
        lock(&self.0.log).answers.judged(exchange, requirement);
    }

    /// Records that a requirement is broken, at the requirement's own level.
    ///
    /// # Panics
    ///
    /// If the catalogue has no such requirement, which is a fault of the suite.
    pub fn violates(&self, requirement: &'static str, deviation: Deviation) {
        self.find(requirement, level_of(requirement), deviation);
    }

    /// Records that a requirement is broken, at another level than its own: where a row of the
    /// catalogue asks for one thing as a must and for another as a should.
    pub fn violated(&self, requirement: &'static str, level: Level, deviation: Deviation) {
        self.find(requirement, level, deviation);
    }

    /// Records that what a requirement only recommends is not done.
    pub fn warn(&self, requirement: &'static str, deviation: Deviation) {
        self.find(requirement, Level::Should, deviation);
    }

    /// As [`violated`](Self::violated), with a picture (SVG) of what happened when.
    pub(crate) fn violated_in_time(
        &self,
        requirement: &'static str,
        level: Level,
        deviation: Deviation,
        timeline: String,
    ) {
        let finding = Finding::new(requirement, level, deviation);
        lock(&self.0.log).find(Finding {
            timeline: Some(timeline),
            ..finding
        });
    }

    fn find(&self, requirement: &'static str, level: Level, deviation: Deviation) {
        lock(&self.0.log).find(Finding::new(requirement, level, deviation));
    }

    /// Records a choice that the specification leaves to the server.
    pub fn observe(&self, observation: Observation) {
        self.cite(observation.requirement);
        lock(&self.0.log).observe(observation);
    }

    // --- what was recorded ---

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

fn level_of(requirement: &str) -> Level {
    catalogue()
        .get(requirement)
        .unwrap_or_else(|| panic!("the catalogue has no requirement {requirement}"))
        .level
}

/// A panic elsewhere leaves what was written down so far as it is.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
