//! What stands on the stage, read back after each refused write: a refusal changes nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::call::Call;
use crate::calls::{self, data};
use crate::exchange::Exchange;
use crate::log::Deviation;
use crate::outcome::Outcome;
use crate::scenario::{Flow, Stop};
use crate::stage::{Namespace, Stage, Table};

/// What readers see of some namespaces and tables.
pub struct Scene {
    reads: Vec<(String, Call)>,
    seen: BTreeMap<String, String>,
    changes: Vec<(String, [Arc<Exchange>; 2])>,
    /// Whether nobody looks after the next request.
    later: bool,
    /// Whether a request that nobody looked after may have changed something.
    unsure: bool,
}

impl Scene {
    /// What these namespaces hold, and what these tables are, as it is now.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if it cannot be read.
    pub async fn of(s: &Stage, namespaces: &[&Namespace], tables: &[&Table]) -> Flow<Self> {
        let mut reads = Vec::new();
        for namespace in namespaces {
            let name = namespace.id.last().map_or("the root", String::as_str);
            let id = &namespace.id;
            let list = Call::new("ListNamespaces").id(id);
            reads.push((format!("the namespaces in {name}"), list));
            reads.push((format!("the tables in {name}"), calls::list_tables(id)));
            let describe = calls::describe_namespace(id);
            reads.push((format!("namespace {name}"), describe));
        }
        for table in tables {
            let label = &table.label;
            let of = |operation| Call::new(operation).id(&table.id);
            for (what, call) in [
                (format!("table {label}"), calls::describe_table(&table.id)),
                (format!("the versions of {label}"), of("ListTableVersions")),
                (format!("the tags of {label}"), of("ListTableTags")),
                (format!("the branches of {label}"), of("ListTableBranches")),
                (format!("the number of rows of {label}"), data::count(table)),
            ] {
                if s.has_or_is_basic(call.operation()).await? {
                    reads.push((what, call));
                }
            }
        }
        let mut scene = Self {
            reads,
            seen: BTreeMap::new(),
            changes: Vec::new(),
            later: false,
            unsure: false,
        };
        scene.seen = scene.look(s).await?.0;
        Ok(scene)
    }

    /// Nothing to look at.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            reads: Vec::new(),
            seen: BTreeMap::new(),
            changes: Vec::new(),
            later: false,
            unsure: false,
        }
    }

    /// Does without a look after the next request: the one after a later request is for both.
    pub fn look_later(&mut self) {
        self.later = true;
    }

    /// Looks again, after this request. What a 4xx refused changed nothing, for sure (requirement
    /// REST-13), nor has a method that HTTP calls safe.
    pub(crate) async fn after(&mut self, s: &Stage, exchange: &Arc<Exchange>) -> Flow {
        if exchange.operation.reads_only() && !exchange.astray {
            self.later = false;
            return Ok(());
        }
        let safe = exchange.astray && exchange.method.is_safe();
        let refused = matches!(Outcome::of(exchange), Outcome::Refused(..));
        if std::mem::take(&mut self.later) {
            self.unsure |= !refused;
            return Ok(());
        }
        let (seen, reads) = self.look(s).await?;
        let sure = !std::mem::take(&mut self.unsure);
        if sure && (safe || refused) {
            let changed = self
                .seen
                .iter()
                .find(|(what, was)| seen.get(*what) != Some(*was));
            if let Some((what, was)) = changed {
                let is = seen.get(what).map_or("gone", String::as_str);
                let method = &exchange.method;
                let how = match refused {
                    true => "was refused".to_owned(),
                    false => format!("was asked for by {method}"),
                };
                let operation = exchange.operation();
                let words =
                    format!("{operation} {how}, and {what}, which was {was}, is {is} afterwards");
                if let Some(read) = reads.get(what) {
                    let shown = [Arc::clone(exchange), Arc::clone(read)];
                    self.changes.push((words, shown));
                }
            }
        }
        self.seen = seen;
        Ok(())
    }

    /// Judges that nothing changed, in one line.
    pub fn end(self, s: &Stage, requirement: &'static str) {
        let held = match self.changes.is_empty() {
            true => Ok(()),
            false => {
                let (words, exchanges): (Vec<String>, Vec<_>) = self.changes.into_iter().unzip();
                let shown = exchanges.into_iter().flatten().take(6);
                Err(Deviation::new(
                    "a request that is refused changes nothing",
                    words.join("; "),
                    shown,
                ))
            }
        };
        s.judge(requirement, "what was there", "unchanged", held);
    }

    async fn look(
        &self,
        s: &Stage,
    ) -> Flow<(BTreeMap<String, String>, BTreeMap<String, Arc<Exchange>>)> {
        let (mut seen, mut reads) = (BTreeMap::new(), BTreeMap::new());
        for (what, call) in &self.reads {
            let exchange = s.exchange(call.clone()).await;
            let outcome = Outcome::of(&exchange);
            let sight = match outcome {
                Outcome::Ok => lasting(&exchange),
                _ if outcome.is_unknown() || outcome.is_throttled() => {
                    return Err(Stop::Inconclusive(format!("{what}: {outcome}")));
                }
                outcome => outcome.to_string(),
            };
            seen.insert(what.clone(), sight);
            reads.insert(what.clone(), exchange);
        }
        Ok((seen, reads))
    }
}

/// What an answer says that stays as it is while nobody writes: no credentials, and no order.
fn lasting(exchange: &Exchange) -> String {
    let body = exchange.json().unwrap_or_default();
    let sorted = |items: Vec<String>| {
        let mut items = items;
        items.sort();
        items.join(", ")
    };
    let names = |field: &str| {
        let items = body[field].as_array().into_iter().flatten();
        sorted(items.map(ToString::to_string).collect())
    };
    let keys = |field: &str, inner: &str| {
        let items = body[field].as_object().into_iter().flatten();
        sorted(
            items
                .map(|(key, value)| format!("{key} {}", value[inner]))
                .collect(),
        )
    };
    match exchange.operation() {
        "ListNamespaces" => names("namespaces"),
        "ListTables" => names("tables"),
        "ListTableVersions" => {
            let items = body["versions"].as_array().into_iter().flatten();
            let entry = |item: &Value| format!("{} {}", item["version"], item["manifest_path"]);
            sorted(items.map(entry).collect())
        }
        "ListTableTags" => keys("tags", "version"),
        "ListTableBranches" => keys("branches", "parentVersion"),
        "CountTableRows" => body.to_string(),
        _ => json!([body["location"], body["properties"]]).to_string(),
    }
}
