//! What a reader can see of a change, and where.

use std::sync::Arc;

use futures::{StreamExt, TryStreamExt, stream};
use serde_json::Value;

use crate::call::Call;
use crate::calls;
use crate::entry::{Entry, Manifest};
use crate::exchange::Exchange;
use crate::outcome::Outcome;
use crate::pages::{Pages, page_token};
use crate::scenario::{Flow, Stop};
use crate::stage::{Stage, Table};
use crate::steps::Change;

/// How many reads are under way at a time.
const READS: usize = 8;

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
pub(crate) type Place = (Vec<String>, Option<i64>);

impl Effect {
    pub(crate) fn created(&self) -> Option<(&Table, i64, Manifest)> {
        match self {
            Self::Created {
                table,
                version,
                manifest,
            } => Some((table, *version, manifest.clone())),
            _ => None,
        }
    }

    /// What it is about: a table, or one version of it.
    pub(crate) fn subject(&self) -> Place {
        self.place(Look::Describe)
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
                let last = page_token(&body).is_none();
                self.listed(&body, delimiter)
                    .then_some(true)
                    .or(last.then_some(false))?
            }
            (Outcome::Refused(404, _), _) => false,
            _ => return None,
        };
        Some(there != self.is_a_removal())
    }

    /// Whether it is seen by what is not there.
    fn is_a_removal(&self) -> bool {
        matches!(self, Self::Deleted { .. } | Self::Deregistered(_))
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
        let delimiter = self.session().target().delimiter();
        let mut pages = Pages::of(change.effects()[first].call(look));
        // What is not there was not there when the first page was asked for.
        let begun = self.exchange(pages.first()).await;
        let mut page = Arc::clone(&begun);
        let mut undecided = effects.to_vec();
        let mut sights = Vec::new();
        loop {
            undecided.retain(|&effect| {
                let of = &change.effects()[effect];
                let Some(seen) = of.seen_in(look, &page, delimiter) else {
                    return true;
                };
                let there = seen != of.is_a_removal();
                let exchange = Arc::clone(if there { &page } else { &begun });
                sights.push(Sight {
                    effect,
                    seen,
                    exchange,
                });
                false
            });
            let Some(&effect) = undecided.first() else {
                return Ok(sights);
            };
            let told = format!("whether {} is there", change.effects()[effect].describe());
            let outcome = Outcome::of(&page);
            match pages.next(&told, &page)? {
                Some(call) if outcome == Outcome::Ok => page = self.exchange(call).await,
                _ => {
                    let reason = format!("{told} cannot be told: {outcome}");
                    return Err(Stop::Inconclusive(reason));
                }
            }
        }
    }
}
