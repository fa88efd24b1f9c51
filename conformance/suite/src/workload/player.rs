//! The player: turns the steps of a plan into calls, by what each client has seen so far.

use std::sync::Arc;

use tokio::sync::Barrier;

use super::action::Workload;
use super::plan::{Doomed, Step, Version};
use super::tables::Tables;
use crate::call::Call;
use crate::calls;
use crate::entry::Entry;
use crate::exchange::Exchange;
use crate::outcome::Outcome;
use crate::pages::Pages;
use crate::race::race;
use crate::scenario::{Flow, Stop};
use crate::stage::{Stage, Table};

/// After how many conflicts in a row a client reads the latest version.
const CONFLICTS: usize = 2;
/// How many pages a client reads of a list.
const PAGES: usize = 6;

/// Plays a workload, by a plan that comes from the scenario's seed, and then reads all that there is.
/// The scenario judges the history.
///
/// # Errors
///
/// [`Stop::Inconclusive`] if the tables cannot be declared, a manifest cannot be staged, or nothing
/// that the clients wanted to change was carried out.
pub async fn play(s: &Stage, workload: &Workload) -> Flow {
    let plan = Arc::new(workload.plan(s.random_number()));
    let tables = Arc::new(Tables::declare(s, workload).await?);
    let phases = Arc::new(Barrier::new(workload.clients));
    let clients = race(workload.clients, |number| {
        let (plan, phases) = (Arc::clone(&plan), Arc::clone(&phases));
        let mut client = Client::new(s, &tables, workload, number);
        async move {
            let mut ended = Ok(());
            for phase in &plan.phases {
                // A client that has given up holds up nobody.
                phases.wait().await;
                for step in &phase[number] {
                    if ended.is_err() || client.s.is_over() {
                        break;
                    }
                    ended = client.take(step).await;
                }
            }
            ended.map(|()| client.done)
        }
    });
    let mut done = 0;
    for client in clients.await {
        done += client?;
    }
    tables.read_all(s).await;
    if done == 0 && !s.is_over() {
        let reason = "nothing that the clients wanted to change was carried out";
        return Err(Stop::Inconclusive(reason.to_owned()));
    }
    Ok(())
}

/// A client, and what it has seen.
struct Client {
    s: Stage,
    tables: Arc<Tables>,
    number: usize,
    views: Vec<View>,
    sibling_is_there: bool,
    namespace_is_there: bool,
    /// How many of its changes were carried out.
    done: usize,
}

/// What a client has seen of a place.
#[derive(Clone, Copy, Default)]
struct View {
    /// How many tables were there before the one it has seen.
    before: usize,
    /// The latest version, as far as the client knows.
    latest: i64,
    /// How many creates in a row were in conflict.
    conflicts: usize,
}

impl Client {
    fn new(s: &Stage, tables: &Arc<Tables>, workload: &Workload, number: usize) -> Self {
        Self {
            s: s.clone(),
            tables: Arc::clone(tables),
            number,
            views: vec![View::default(); workload.tables],
            sibling_is_there: false,
            namespace_is_there: false,
            done: 0,
        }
    }

    async fn take(&mut self, step: &Step) -> Flow {
        match step {
            Step::Create { table, version } => self.create(*table, *version).await?,
            Step::Batch { tables } => self.together(tables, false).await?,
            Step::Commit { tables } => self.together(tables, true).await?,
            Step::Delete { table, doomed } => self.delete(*table, *doomed).await,
            Step::Describe { table, version } => self.describe(*table, *version).await,
            Step::List { table } => {
                let at = self.look(*table);
                let list = self.s.exchange(calls::list_versions(&at)).await;
                if let Some(entries) = entries(&list) {
                    self.saw_latest(*table, entries);
                }
            }
            Step::PageDown { table, limit } => {
                let at = self.look(*table);
                if let Some(first) = walk_down(&self.s, &at, Some(*limit)).await {
                    self.saw_latest(*table, first);
                }
            }
            Step::LookForTable { table, exists } => {
                let at = self.look(*table);
                let call = match exists {
                    true => calls::table_exists(&at.id),
                    false => calls::describe_table(&at.id),
                };
                self.s.exchange(call).await;
            }
            Step::Replace { table } => {
                if let Some(old) = self.tables.claim(*table) {
                    self.change(calls::deregister(&old.id)).await;
                    self.tables.replace(&self.s, *table).await;
                }
            }
            sibling => self.at_sibling(sibling).await?,
        }
        Ok(())
    }

    /// Sends a call that changes something.
    async fn change(&mut self, call: Call) -> Arc<Exchange> {
        let exchange = self.s.exchange(call).await;
        self.done += usize::from(Outcome::of(&exchange) == Outcome::Ok);
        exchange
    }

    /// The table at a place. Of one that the client has not seen yet it knows no version.
    fn look(&mut self, place: usize) -> Arc<Table> {
        let (before, table) = self.tables.at(place);
        if self.views[place].before != before {
            self.views[place] = View {
                before,
                ..View::default()
            };
        }
        table
    }

    async fn create(&mut self, place: usize, version: Version) -> Flow {
        let table = self.look(place);
        if self.views[place].conflicts >= CONFLICTS {
            self.describe(place, None).await;
        }
        let number = version.number(self.views[place].latest);
        let label = format!("client {}, version {number}", self.number);
        let manifest = self.s.manifest(&table, &label).await?;
        let call = calls::create_version(&table, number, &manifest);
        let created = self.change(call).await;
        let view = &mut self.views[place];
        match (Outcome::of(&created), version) {
            (Outcome::Ok, _) => {
                view.latest = view.latest.max(number);
                view.conflicts = 0;
            }
            // Somebody else's, most likely; or the server takes no version that does not follow
            // the latest, which the client finds out when it reads that.
            (Outcome::Refused(409, _), Version::Above(1)) => {
                view.latest = number;
                view.conflicts += 1;
            }
            _ => {}
        }
        Ok(())
    }

    /// Creates the next version of each of these in one batch or commit. If that fails, the client
    /// reads the latest of each: it cannot know which of them was in the way.
    async fn together(&mut self, places: &[usize], commit: bool) -> Flow {
        let mut parts = Vec::new();
        for &place in places {
            let table = self.look(place);
            let number = Version::Above(1).number(self.views[place].latest);
            let label = format!("client {}, version {number} of several", self.number);
            let manifest = self.s.manifest(&table, &label).await?;
            parts.push(match commit {
                true => calls::commit_create(&table.id, number, &manifest),
                false => calls::batch_entry(&table.id, number, &manifest),
            });
        }
        let call = match commit {
            true => calls::commit(&parts),
            false => calls::batch_create(&parts),
        };
        let answer = self.change(call).await;
        let outcome = Outcome::of(&answer);
        for &place in places {
            match outcome {
                Outcome::Ok => self.views[place].latest += 1,
                _ => self.describe(place, None).await,
            }
        }
        Ok(())
    }

    async fn delete(&mut self, place: usize, doomed: Doomed) {
        let table = self.look(place);
        let latest = self.views[place].latest;
        let (start, end) = match doomed {
            Doomed::AllBut(some) => (1, latest - some + 1),
            Doomed::Below(below) => (latest - below, latest - below + 1),
        };
        if start < 1 || end <= start {
            return self.describe(place, None).await;
        }
        let call = calls::delete_versions(&table, &[(start, end)]);
        let deleted = self.change(call).await;
        if Outcome::of(&deleted) == Outcome::Ok && end > latest {
            self.views[place].latest = latest - 1;
        }
    }

    /// Describes a version, or the latest, which the client then knows.
    async fn describe(&mut self, place: usize, version: Option<Version>) {
        let table = self.look(place);
        let number = version.map(|version| version.number(self.views[place].latest));
        let call = calls::describe_version(&table, number);
        let described = self.s.exchange(call).await;
        if number.is_some() {
            return;
        }
        match Outcome::of(&described) {
            Outcome::Ok => self.saw_latest(place, entry(&described).into_iter().collect()),
            Outcome::Refused(404, Some(11)) => self.saw_latest(place, Vec::new()),
            _ => {}
        }
    }

    /// These entries are there, and no later one.
    fn saw_latest(&mut self, place: usize, entries: Vec<Entry>) {
        let latest = entries.iter().map(|entry| entry.version).max();
        let view = &mut self.views[place];
        view.latest = latest.unwrap_or_default();
        view.conflicts = 0;
    }

    async fn at_sibling(&mut self, step: &Step) -> Flow {
        let tables = Arc::clone(&self.tables);
        match step {
            Step::TurnSibling => {
                let sibling = &tables.siblings[self.number];
                if self.sibling_is_there {
                    let dropped = self.change(calls::drop_table(&sibling.table)).await;
                    self.sibling_is_there = !gone(&dropped);
                } else {
                    self.s.session().made_table(&sibling.table);
                    let declared = self.change(calls::declare(&sibling.table)).await;
                    let outcome = Outcome::of(&declared);
                    if outcome == Outcome::Ok {
                        let body = declared.json().unwrap_or_default();
                        sibling.set_declared(self.s.declared(sibling.table.clone(), &body));
                    }
                    // In conflict with nobody but a declare whose answer was lost.
                    self.sibling_is_there = outcome == Outcome::Ok || outcome.is_conflict();
                }
            }
            Step::CreateOnSibling { sibling, version } => {
                let sibling = &tables.siblings[*sibling];
                let Some(table) = sibling.declared() else {
                    self.s.exchange(calls::describe_table(&sibling.table)).await;
                    return Ok(());
                };
                let label = format!("client {}, version {version} of a sibling", self.number);
                let manifest = self.s.manifest(&table, &label).await?;
                self.change(calls::create_version(&table, *version, &manifest))
                    .await;
            }
            Step::ListSibling { sibling } => {
                if let Some(table) = tables.siblings[*sibling].declared() {
                    walk_down(&self.s, &table, None).await;
                }
            }
            Step::TurnNamespace => {
                let namespace = &tables.siblings[self.number].namespace;
                if self.namespace_is_there {
                    let dropped = self.s.exchange(calls::drop_namespace(namespace)).await;
                    self.namespace_is_there = !gone(&dropped);
                } else {
                    self.s.session().made_namespace(namespace);
                    let created = self.s.exchange(calls::create_namespace(namespace)).await;
                    self.namespace_is_there = Outcome::of(&created) == Outcome::Ok;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

impl Version {
    /// The version that is meant by a client that has seen this one as the latest.
    fn number(self, latest: i64) -> i64 {
        match self {
            Self::Above(above) => latest + above,
            Self::Below(below) => (latest - below).max(1),
        }
    }
}

/// Lists a table's versions from the latest down, some pages of them, or all if there is no limit.
/// Answers the first page's entries; none if there is no such page.
pub(super) async fn walk_down(
    s: &Stage,
    table: &Table,
    limit: Option<usize>,
) -> Option<Vec<Entry>> {
    let mut call = calls::list_versions(table).query("descending", true);
    if let Some(limit) = limit {
        call = call.query("limit", limit);
    }
    let mut pages = Pages::of(call);
    let mut page = s.exchange(pages.first()).await;
    let first = entries(&page);
    let mut read = 1;
    while limit.is_none() || read < PAGES {
        match pages.after(&page) {
            Ok(Some(call)) => page = s.exchange(call).await,
            Ok(None) | Err(_) => break,
        }
        read += 1;
    }
    first
}

/// Whether what was to be dropped is not there any more.
fn gone(dropped: &Exchange) -> bool {
    matches!(
        Outcome::of(dropped),
        Outcome::Ok | Outcome::Refused(404, _) | Outcome::Refused(400, Some(1))
    )
}

/// The entry that a describe answered.
fn entry(exchange: &Exchange) -> Option<Entry> {
    Entry::read(exchange.json()?.get("version")?)
}

/// The entries that a list answered; none if it was refused.
fn entries(exchange: &Exchange) -> Option<Vec<Entry>> {
    let body = exchange.json()?;
    let items = body.get("versions")?.as_array()?;
    Some(items.iter().filter_map(Entry::read).collect())
}
