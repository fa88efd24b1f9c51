//! Changes, which are batches and commits: what is asked for, and what it does.

use serde_json::Value;

use crate::call::Call;
use crate::calls;
use crate::entry::Manifest;
use crate::log::Deviation;
use crate::scenario::Flow;
use crate::stage::{Stage, Table};
use crate::steps::Effect;

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

    /// One operation by itself: `CreateTableVersion`, `DeclareTable`, `DeregisterTable`, or
    /// `BatchDeleteTableVersions` of one version.
    #[must_use]
    pub fn single() -> Self {
        Self::of(Kind::Single)
    }

    /// Another one of the same kind, without entries or operations yet.
    #[must_use]
    pub fn alike(&self) -> Self {
        Self::of(self.kind)
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
    pub fn deregister(self, table: &Table) -> Self {
        self.deregister_named(&table.id)
    }

    /// Deregisters the table of this identifier.
    #[must_use]
    pub fn deregister_named(mut self, id: &[String]) -> Self {
        self.parts.push(calls::commit_deregister(id));
        self.effects.push(Effect::Deregistered(id.to_vec()));
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
            (Kind::Single, [Effect::Deregistered(id)]) => calls::deregister(id),
            (Kind::Single, [Effect::Deleted { table, version }]) => {
                calls::delete_versions(table, &[(*version, *version + 1)])
            }
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

impl Stage {
    /// A batch that creates this version of each table, from a manifest of its own.
    ///
    /// # Errors
    ///
    /// [`crate::scenario::Stop::Inconclusive`] if a manifest cannot be staged.
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
    /// [`crate::scenario::Stop::Inconclusive`] if a version cannot be read.
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
}
