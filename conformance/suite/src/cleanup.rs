//! Removing what a run made, and nothing else.

use std::collections::BTreeSet;

use serde_json::json;

use crate::call::Call;
use crate::calls;
use crate::namespace::Namespace;
use crate::outcome::Outcome;
use crate::session::{Made, Session};

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
/// Of a place that is shared only what lies in it.
pub(crate) async fn sweep(session: &Session, place: &Namespace, mut made: Made) -> Leftovers {
    discover(session, place, &mut made).await;
    let mut leftovers = Leftovers::default();
    let apart = apart(session, &made.tables).await;
    for table in &made.tables {
        let dropped = match apart.contains(table) {
            true => drop_table(session, table).await,
            false => deregister(session, table).await,
        };
        leftovers.count(session, "table", table, dropped);
    }
    // Children before their parents.
    let mut namespaces: Vec<&Vec<String>> = made.namespaces.iter().collect();
    namespaces.sort_by_key(|id| std::cmp::Reverse(id.len()));
    for namespace in namespaces {
        let call = Call::new("DropNamespace")
            .id(namespace)
            .json(json!({ "id": namespace }));
        let mut dropped = Outcome::of(&session.send(call).await);
        if matches!(dropped, Outcome::Refused(406, _)) {
            // It may never have been made either.
            let there = Call::new("NamespaceExists").id(namespace);
            let there = Outcome::of(&session.send(there).await);
            if matches!(there, Outcome::Refused(404 | 406, _)) {
                dropped = there;
            }
        }
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
        _ => deregister(session, id).await,
    }
}

async fn deregister(session: &Session, id: &[String]) -> Outcome {
    let call = Call::new("DeregisterTable")
        .id(id)
        .json(json!({ "id": id }));
    Outcome::of(&session.send(call).await)
}

/// Those of these tables whose data can be dropped with them. Where a location is that of a whole store, or
/// holds another table, more would be gone than what the run made: a server may read an empty location so.
async fn apart<'a>(
    session: &Session,
    tables: &'a BTreeSet<Vec<String>>,
) -> BTreeSet<&'a Vec<String>> {
    let mut locations = Vec::new();
    for id in tables {
        let described = session.send(calls::describe_table(id)).await;
        let location = described
            .json()
            .filter(|_| Outcome::of(&described) == Outcome::Ok);
        let location = location.and_then(|body| Some(body["location"].as_str()?.to_owned()));
        locations.push((id, location));
    }
    let all: BTreeSet<String> = locations
        .iter()
        .filter_map(|(_, location)| Some(below(location.as_deref()?)))
        .collect();
    locations
        .into_iter()
        // A table that is not described has nothing that could be seen to be anybody else's.
        .filter(|(_, location)| !location.as_deref().is_some_and(|one| holds_more(one, &all)))
        .map(|(id, _)| id)
        .collect()
}

/// Whether a location is that of a whole store, or one of these lies inside it.
fn holds_more(location: &str, all: &BTreeSet<String>) -> bool {
    let start = below(location);
    let path = start.split_once("://").map_or(&*start, |(_, path)| path);
    let inside = all.range(start.clone()..).find(|other| **other != start);
    path == "/" || inside.is_some_and(|other| other.starts_with(&start))
}

/// What the locations inside this one begin with.
fn below(location: &str) -> String {
    format!("{}/", location.trim_end_matches('/'))
}

/// Adds what listings show below the run's namespace.
async fn discover(session: &Session, place: &Namespace, made: &mut Made) {
    if place.is_shared() {
        let tables = children(session, "ListTables", "tables", &place.id).await;
        made.tables
            .extend(tables.into_iter().filter(|id| place.holds(id)));
        let namespaces = children(session, "ListNamespaces", "namespaces", &place.id).await;
        made.namespaces
            .extend(namespaces.into_iter().filter(|id| place.holds(id)));
    }
    let mut open: Vec<Vec<String>> = made.namespaces.iter().cloned().collect();
    let mut seen: BTreeSet<Vec<String>> = made.namespaces.clone();
    while let Some(namespace) = open.pop() {
        made.tables
            .extend(children(session, "ListTables", "tables", &namespace).await);
        for id in children(session, "ListNamespaces", "namespaces", &namespace).await {
            if seen.insert(id.clone()) {
                made.namespaces.insert(id.clone());
                open.push(id);
            }
        }
    }
}

/// The identifiers of a namespace's children, as a listing shows them.
pub(crate) async fn children(
    session: &Session,
    operation: &str,
    field: &str,
    namespace: &[String],
) -> Vec<Vec<String>> {
    let names = names(session, operation, field, namespace).await;
    let children = names.iter().map(|name| {
        // Names may come as full identifiers: the specification has it both ways.
        let name = name.rsplit(session.target().delimiter()).next();
        let mut id = namespace.to_vec();
        id.push(name.unwrap_or_default().to_owned());
        id
    });
    children.collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_that_holds_more_than_its_table_is_known() {
        let tables = [
            "s3://bucket/run/a",
            "s3://bucket/run/b/",
            "/root/run/a",
            "/root/run/ab",
        ];
        let all: BTreeSet<String> = tables.into_iter().map(below).collect();
        for (location, more) in [
            ("", true),
            ("/", true),
            ("/root", true),
            ("s3://bucket", true),
            ("s3://bucket/run/", true),
            ("s3://bucket/run/b", false),
            // Its name begins another's.
            ("/root/run/a", false),
        ] {
            assert_eq!(holds_more(location, &all), more, "{location:?}");
        }
    }
}
