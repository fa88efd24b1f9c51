//! Removing what a run made, and nothing else.

use std::collections::BTreeSet;

use serde_json::json;

use crate::outcome::Outcome;
use crate::session::{Made, Session};
use crate::wire::Call;

/// What a run could not remove.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leftovers {
    /// The identifiers of what is left, joined, with the server's answer.
    pub left: Vec<String>,
    /// How many tables and namespaces were removed.
    pub removed: usize,
}

/// Drops the tables and namespaces below the run's namespace, those that listings show and those
/// that scenarios made, and the namespace itself.
pub(crate) async fn sweep(session: &Session, mut made: Made) -> Leftovers {
    discover(session, &mut made).await;
    let mut leftovers = Leftovers::default();
    for table in &made.tables {
        let dropped = drop_table(session, table).await;
        leftovers.count(session, "table", table, dropped);
    }
    // Children before their parents.
    let mut namespaces: Vec<&Vec<String>> = made.namespaces.iter().collect();
    namespaces.sort_by_key(|id| std::cmp::Reverse(id.len()));
    for namespace in namespaces {
        let call = Call::new("DropNamespace")
            .id(namespace)
            .json(json!({ "id": namespace }));
        let dropped = Outcome::of(&session.send(call).await);
        leftovers.count(session, "namespace", namespace, dropped);
    }
    leftovers
}

impl Leftovers {
    fn count(&mut self, session: &Session, kind: &str, id: &[String], dropped: Outcome) {
        match dropped {
            Outcome::Ok => self.removed += 1,
            // It was never made, or a scenario has removed it. Some say 400 of a namespace.
            Outcome::Refused(404, _) | Outcome::Refused(400, Some(1)) => {}
            outcome => {
                let id = id.join(session.target().delimiter());
                self.left.push(format!("{kind} {id} ({outcome})"));
            }
        }
    }
}

async fn drop_table(session: &Session, id: &[String]) -> Outcome {
    let dropped = Outcome::of(&session.send(Call::new("DropTable").id(id)).await);
    match dropped {
        Outcome::Ok | Outcome::Refused(404, Some(1 | 4)) => dropped,
        _ => {
            let call = Call::new("DeregisterTable")
                .id(id)
                .json(json!({ "id": id }));
            Outcome::of(&session.send(call).await)
        }
    }
}

/// The namespaces of scenarios where they lie beside the run's own, as a listing shows them.
pub(crate) async fn homes_beside(session: &Session) -> Vec<Vec<String>> {
    let layout = session.layout();
    if layout.prefix.is_empty() {
        return Vec::new();
    }
    let names = names(session, "ListNamespaces", "namespaces", &layout.homes).await;
    let homes = names.iter().map(|name| {
        let name = name.rsplit(session.target().delimiter()).next();
        name.unwrap_or_default()
    });
    homes
        .filter(|name| name.starts_with(&layout.prefix))
        .map(|name| child(&layout.homes, name))
        .collect()
}

/// Adds what listings show below the run's namespace.
async fn discover(session: &Session, made: &mut Made) {
    let mut open: Vec<Vec<String>> = made.namespaces.iter().cloned().collect();
    let mut seen: BTreeSet<Vec<String>> = made.namespaces.clone();
    while let Some(namespace) = open.pop() {
        for name in names(session, "ListTables", "tables", &namespace).await {
            // Names may come as full identifiers: the specification has it both ways.
            let name = name
                .rsplit(session.target().delimiter())
                .next()
                .unwrap_or(&name)
                .to_owned();
            made.tables.insert(child(&namespace, &name));
        }
        for name in names(session, "ListNamespaces", "namespaces", &namespace).await {
            let id = child(&namespace, &name);
            if seen.insert(id.clone()) {
                made.namespaces.insert(id.clone());
                open.push(id);
            }
        }
    }
}

fn child(namespace: &[String], name: &str) -> Vec<String> {
    let mut id = namespace.to_vec();
    id.push(name.to_owned());
    id
}

async fn names(session: &Session, operation: &str, field: &str, id: &[String]) -> Vec<String> {
    let mut names = Vec::new();
    let mut token: Option<String> = None;
    let mut seen = BTreeSet::new();
    loop {
        let mut call = Call::new(operation).id(id);
        if let Some(token) = &token {
            call = call.query("page_token", token);
        }
        let exchange = session.send(call).await;
        let Some(body) = exchange
            .json()
            .filter(|_| Outcome::of(&exchange) == Outcome::Ok)
        else {
            return names;
        };
        let items = body[field].as_array().into_iter().flatten();
        names.extend(items.filter_map(|name| Some(name.as_str()?.to_owned())));
        token = body["page_token"].as_str().map(str::to_owned);
        // A token that comes again would go round for ever.
        if !token
            .as_ref()
            .is_some_and(|token| !token.is_empty() && seen.insert(token.clone()))
        {
            return names;
        }
    }
}
