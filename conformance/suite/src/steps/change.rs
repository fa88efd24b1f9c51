//! Changes, which are batches and commits, and what a reader sees of them.

use std::sync::Arc;

use futures::{StreamExt, TryStreamExt, stream};
use serde_json::Value;

use crate::calls;
use crate::entry::{Entry, Manifest};
use crate::log::Deviation;
use crate::outcome::Outcome;
use crate::scenario::{Flow, Stop};
use crate::stage::{Stage, Table};
use crate::wire::{Call, Exchange};

/// How many reads are under way at a time.
const READS: usize = 8;

/// Something to be done whole or not at all: a batch, a commit, or a single operation.
#[derive(Clone, Debug)]
pub struct Change {
    kind: Kind,
    parts: Vec<Value>,
    effects: Vec<Effect>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Batch,
    Commit,
    Single,
}

/// What a reader can see of a change.
#[derive(Clone, Debug)]
pub enum Effect {
    /// This version is there.
    Created {
        /// The version's table.
        table: Table,
        /// The version's number.
        version: i64,
        /// The manifest that the create sends.
        manifest: Manifest,
    },
    /// This version is gone.
    Deleted {
        /// The version's table.
        table: Table,
        /// The version's number.
        version: i64,
    },
    /// The table of this identifier is there.
    Declared(Vec<String>),
    /// The table of this identifier is gone.
    Deregistered(Vec<String>),
}

/// Where a reader looks for an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// In the answer about the version or table itself.
    Describe,
    /// In the listing of its siblings.
    List,
}

impl Look {
    /// Both of them.
    pub const BOTH: [Self; 2] = [Self::Describe, Self::List];
}

/// An effect that a reader looked for.
#[derive(Clone, Debug)]
pub(crate) struct Sight {
    /// The effect, by its place in the change.
    pub(crate) effect: usize,
    pub(crate) seen: bool,
    pub(crate) exchange: Arc<Exchange>,
}

/// What a reader asks for: a table or a namespace, and a version if it is about one.
type Place = (Vec<String>, Option<i64>);

impl Change {
    /// `BatchCreateTableVersions`, without entries yet.
    #[must_use]
    pub fn batch() -> Self {
        Self::of(Kind::Batch)
    }

    /// `BatchCommitTables`, without operations yet.
    #[must_use]
    pub fn commit() -> Self {
        Self::of(Kind::Commit)
    }

    /// One operation by itself: `CreateTableVersion` or `DeclareTable`.
    #[must_use]
    pub fn single() -> Self {
        Self::of(Kind::Single)
    }

    fn of(kind: Kind) -> Self {
        Self {
            kind,
            parts: Vec::new(),
            effects: Vec::new(),
        }
    }

    /// Creates a version.
    #[must_use]
    pub fn create(mut self, table: &Table, version: i64, manifest: &Manifest) -> Self {
        self.parts.push(match self.kind {
            Kind::Commit => calls::commit_create(&table.id, version, manifest),
            Kind::Batch | Kind::Single => calls::batch_entry(&table.id, version, manifest),
        });
        self.effects.push(Effect::Created {
            table: table.clone(),
            version,
            manifest: manifest.clone(),
        });
        self
    }

    /// Declares the table of this identifier.
    #[must_use]
    pub fn declare(mut self, id: &[String]) -> Self {
        self.parts.push(calls::commit_declare(id));
        self.effects.push(Effect::Declared(id.to_vec()));
        self
    }

    /// Deletes one version of a table.
    #[must_use]
    pub fn delete(mut self, table: &Table, version: i64) -> Self {
        let range = [(version, version + 1)];
        self.parts.push(calls::commit_delete(&table.id, &range));
        self.effects.push(Effect::Deleted {
            table: table.clone(),
            version,
        });
        self
    }

    /// Deregisters a table.
    #[must_use]
    pub fn deregister(mut self, table: &Table) -> Self {
        self.parts.push(calls::commit_deregister(&table.id));
        self.effects.push(Effect::Deregistered(table.id.clone()));
        self
    }

    /// With an entry or operation more, at this place, which no reader looks for.
    #[must_use]
    pub fn with(mut self, place: usize, part: Value) -> Self {
        self.parts.insert(place, part);
        self
    }

    /// With an effect more that readers look for.
    #[must_use]
    pub fn showing(mut self, effect: Effect) -> Self {
        self.effects.push(effect);
        self
    }

    /// With all entries or operations in the opposite order.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        self.parts.reverse();
        self.effects.reverse();
        self
    }

    /// The request.
    #[must_use]
    pub fn call(&self) -> Call {
        match (self.kind, self.effects.as_slice()) {
            (Kind::Batch, _) => calls::batch_create(&self.parts),
            (Kind::Commit, _) => calls::commit(&self.parts),
            (Kind::Single, [Effect::Declared(id)]) => calls::declare(id),
            (
                Kind::Single,
                [
                    Effect::Created {
                        table,
                        version,
                        manifest,
                    },
                ],
            ) => calls::create_version(table, *version, manifest),
            (Kind::Single, effects) => {
                unreachable!("a single operation with the effects {effects:?}")
            }
        }
    }

    /// Its entries or operations, as they are sent.
    #[must_use]
    pub fn parts(&self) -> &[Value] {
        &self.parts
    }

    /// What a reader can see of it.
    #[must_use]
    pub fn effects(&self) -> &[Effect] {
        &self.effects
    }

    /// What the transcript calls it.
    pub(crate) fn name(&self) -> &'static str {
        match self.kind {
            Kind::Batch => "the batch",
            Kind::Commit => "the commit",
            Kind::Single => "the operation",
        }
    }
}

impl Effect {
    fn created(&self) -> Option<(&Table, i64, Manifest)> {
        match self {
            Self::Created {
                table,
                version,
                manifest,
            } => Some((table, *version, manifest.clone())),
            _ => None,
        }
    }

    fn place(&self, look: Look) -> Place {
        match (self, look) {
            (Self::Created { table, version, .. } | Self::Deleted { table, version }, look) => {
                match look {
                    Look::Describe => (table.id.clone(), Some(*version)),
                    Look::List => (table.id.clone(), None),
                }
            }
            (Self::Declared(id) | Self::Deregistered(id), Look::Describe) => (id.clone(), None),
            // No version, since no namespace has the identifier of a table.
            (Self::Declared(id) | Self::Deregistered(id), Look::List) => {
                (parent(id).to_vec(), None)
            }
        }
    }

    /// The request that looks for it.
    pub(crate) fn call(&self, look: Look) -> Call {
        match (self, look) {
            (Self::Created { table, version, .. } | Self::Deleted { table, version }, look) => {
                match look {
                    Look::Describe => calls::describe_version(table, Some(*version)),
                    Look::List => calls::list_versions(table),
                }
            }
            (Self::Declared(id) | Self::Deregistered(id), Look::Describe) => {
                calls::describe_table(id)
            }
            (Self::Declared(id) | Self::Deregistered(id), Look::List) => {
                calls::list_tables(parent(id))
            }
        }
    }

    /// Whether the answer shows it; none if the answer tells nothing, such as a page of a listing
    /// that is not the last.
    pub(crate) fn seen_in(&self, look: Look, exchange: &Exchange, delimiter: &str) -> Option<bool> {
        let there = match (Outcome::of(exchange), look) {
            (Outcome::Ok, Look::Describe) => true,
            (Outcome::Ok, Look::List) => {
                let body = exchange.json()?;
                let more = body["page_token"].as_str().is_some_and(|t| !t.is_empty());
                self.listed(&body, delimiter)
                    .then_some(true)
                    .or((!more).then_some(false))?
            }
            (Outcome::Refused(404, _), _) => false,
            _ => return None,
        };
        let gone = matches!(self, Self::Deleted { .. } | Self::Deregistered(_));
        Some(there != gone)
    }

    fn listed(&self, body: &Value, delimiter: &str) -> bool {
        let items = |field: &str| body[field].as_array().into_iter().flatten();
        match self {
            Self::Created { version, .. } | Self::Deleted { version, .. } => items("versions")
                .filter_map(Entry::read)
                .any(|entry| entry.version == *version),
            // Names may come as full identifiers.
            Self::Declared(id) | Self::Deregistered(id) => items("tables")
                .filter_map(Value::as_str)
                .filter_map(|name| name.rsplit(delimiter).next())
                .any(|name| id.last().is_some_and(|last| last == name)),
        }
    }

    pub(crate) fn describe(&self) -> String {
        let name = |id: &[String]| id.last().cloned().unwrap_or_default();
        match self {
            Self::Created { table, version, .. } => {
                format!("version {version} of {}", table.label)
            }
            Self::Deleted { table, version } => {
                format!("the deletion of version {version} of {}", table.label)
            }
            Self::Declared(id) => format!("the declaration of {}", name(id)),
            Self::Deregistered(id) => format!("the deregistration of {}", name(id)),
        }
    }
}

fn parent(id: &[String]) -> &[String] {
    &id[..id.len().saturating_sub(1)]
}

impl Stage {
    /// A batch that creates this version of each table, from a manifest of its own.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if a manifest cannot be staged.
    pub async fn batch_of(&self, tables: &[Table], version: i64) -> Flow<Change> {
        let mut batch = Change::batch();
        for table in tables {
            let manifest = self.manifest(table, &format!("manifest {version}")).await?;
            batch = batch.create(table, version, &manifest);
        }
        Ok(batch)
    }

    /// Judges that each version that a change created is that of the manifest sent for it.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if a version cannot be read.
    pub async fn stored_as_sent(&self, requirement: &'static str, change: &Change) -> Flow {
        let created = change.effects().iter().filter_map(Effect::created);
        let created: Vec<(&Table, i64, Manifest)> = created.collect();
        let manifests: Vec<Manifest> = created.iter().map(|(_, _, m)| m.clone()).collect();
        let mut held = Ok(());
        for (at, (table, version, _)) in created.iter().enumerate() {
            let Some(entry) = self.entry(table, *version).await? else {
                // That it is missing has been judged before.
                continue;
            };
            let owners = table.owners(&entry, &manifests).await;
            if !owners.is_empty() && owners != [at] {
                let owners: Vec<String> = owners
                    .iter()
                    .map(|&owner| {
                        format!("version {} of {}", created[owner].1, created[owner].0.label)
                    })
                    .collect();
                let exchange = self.exchange(calls::describe_version(table, Some(*version)));
                held = Err(Deviation::new(
                    format!("version {version} of {} has its own manifest", table.label),
                    format!("it has the manifest of {}", owners.join(" and of ")),
                    [exchange.await],
                ));
                break;
            }
        }
        self.judge(
            requirement,
            "its entries",
            "each from its own manifest",
            held,
        );
        Ok(())
    }

    /// Looks once for every effect of a change. Writes no line.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if an answer tells nothing.
    pub(crate) async fn look(&self, change: &Change, look: Look) -> Flow<Vec<Sight>> {
        // Many effects are in one listing.
        let mut places: Vec<(Place, Vec<usize>)> = Vec::new();
        for (at, effect) in change.effects().iter().enumerate() {
            let place = effect.place(look);
            match places.iter_mut().find(|(other, _)| *other == place) {
                Some((_, effects)) => effects.push(at),
                None => places.push((place, vec![at])),
            }
        }
        let looking: Vec<_> = places
            .iter()
            .map(|(_, at)| self.see(change, at, look))
            .collect();
        let sights: Vec<Vec<Sight>> = stream::iter(looking).buffered(READS).try_collect().await?;
        Ok(sights.into_iter().flatten().collect())
    }

    /// Looks for effects that are all in one place.
    async fn see(&self, change: &Change, effects: &[usize], look: Look) -> Flow<Vec<Sight>> {
        let Some(&first) = effects.first() else {
            return Ok(Vec::new());
        };
        let exchange = self.exchange(change.effects()[first].call(look)).await;
        let delimiter = self.session().target().delimiter();
        let sights = effects.iter().map(|&at| {
            let effect = &change.effects()[at];
            match effect.seen_in(look, &exchange, delimiter) {
                Some(seen) => Ok(Sight {
                    effect: at,
                    seen,
                    exchange: Arc::clone(&exchange),
                }),
                None => Err(Stop::Inconclusive(format!(
                    "whether {} is there cannot be told: {}",
                    effect.describe(),
                    Outcome::of(&exchange)
                ))),
            }
        });
        sights.collect()
    }
}
