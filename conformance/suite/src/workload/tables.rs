//! The tables that a workload's clients meet on, and those that come and go beside them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::action::Workload;
use super::player::walk_down;
use crate::calls;
use crate::outcome::Outcome;
use crate::scenario::Flow;
use crate::stage::{Namespace, Stage, Table};

/// What a workload is played on.
pub(super) struct Tables {
    places: Vec<Place>,
    pub(super) siblings: Vec<Sibling>,
}

/// Where a table is. Its table is deregistered and another declared in its place, under a name of
/// its own: whether a name that is declared again has its old versions is left open (TBL-10).
struct Place {
    namespace: Namespace,
    name: String,
    held: Mutex<Held>,
}

/// The tables that were at a place, the last of which is there now.
struct Held {
    tables: Vec<Arc<Table>>,
    /// Whether a client is about to replace that one.
    claimed: bool,
}

/// A name for a table, and one for a namespace, that come and go.
pub(super) struct Sibling {
    pub(super) table: Vec<String>,
    pub(super) namespace: Vec<String>,
    /// The table as it was declared last.
    declared: Mutex<Option<Arc<Table>>>,
}

impl Tables {
    /// Declares the tables of a workload. The names of siblings begin like those of tables, so that
    /// who mistakes the beginning of a name for the name shows it.
    pub(super) async fn declare(s: &Stage, workload: &Workload) -> Flow<Self> {
        let home = s.home().await?;
        let mut namespaces = vec![home.clone()];
        for number in 1..workload.namespaces {
            namespaces.push(s.namespace(&format!("other{number}")).await?);
        }
        let mut places = Vec::new();
        for number in 0..workload.tables {
            let namespace = namespaces[number % namespaces.len()].clone();
            let name = format!("t1{number}");
            let table = s.table_in(&namespace, &name).await?;
            places.push(Place {
                namespace,
                name,
                held: Mutex::new(Held {
                    tables: vec![Arc::new(table)],
                    claimed: false,
                }),
            });
        }
        let names = ["t1", "t", "t10_", "t100"].into_iter().map(str::to_owned);
        let names = names.chain((4..).map(|number| format!("s{number}")));
        let siblings = names.take(workload.siblings).map(|name| Sibling {
            table: home.child(&name),
            namespace: home.child(&format!("{name}_namespace")),
            declared: Mutex::default(),
        });
        Ok(Self {
            places,
            siblings: siblings.collect(),
        })
    }

    /// The table that is at a place now, and how many were there before it.
    pub(super) fn at(&self, place: usize) -> (usize, Arc<Table>) {
        let held = lock(&self.places[place].held);
        let last = held.tables.len() - 1;
        (last, Arc::clone(&held.tables[last]))
    }

    /// The table at a place, to be deregistered: nobody else gets it. None if somebody has it
    /// already.
    pub(super) fn claim(&self, place: usize) -> Option<Arc<Table>> {
        let mut held = lock(&self.places[place].held);
        if std::mem::replace(&mut held.claimed, true) {
            return None;
        }
        held.tables.last().cloned()
    }

    /// Declares another table at a place whose table was claimed. Until then, clients go on with the
    /// one that is gone.
    pub(super) async fn replace(&self, s: &Stage, place: usize) {
        let (before, _) = self.at(place);
        let Place {
            namespace,
            name,
            held,
        } = &self.places[place];
        let id = namespace.child(&format!("{name}_{}", before + 1));
        s.session().made_table(&id);
        let declared = s.exchange(calls::declare(&id)).await;
        if Outcome::of(&declared) == Outcome::Ok {
            let table = s.declared(id, &declared.json().unwrap_or_default());
            let mut held = lock(held);
            held.tables.push(Arc::new(table));
            held.claimed = false;
        }
    }

    /// Reads all there is, when the clients have ended: what was acknowledged and is lost shows now.
    pub(super) async fn read_all(&self, s: &Stage) {
        for place in &self.places {
            let tables = lock(&place.held).tables.clone();
            for table in tables {
                s.exchange(calls::describe_table(&table.id)).await;
                s.exchange(calls::describe_version(&table, None)).await;
                walk_down(s, &table, None).await;
            }
        }
        for sibling in &self.siblings {
            s.exchange(calls::describe_table(&sibling.table)).await;
            if let Some(table) = sibling.declared() {
                walk_down(s, &table, None).await;
            }
        }
    }
}

impl Sibling {
    /// The table as it was declared last; none if it never was.
    pub(super) fn declared(&self) -> Option<Arc<Table>> {
        lock(&self.declared).clone()
    }

    /// It was declared.
    pub(super) fn set_declared(&self, table: Table) {
        *lock(&self.declared) = Some(Arc::new(table));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
