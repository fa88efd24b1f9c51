//! Removing what a run made, and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use futures::{StreamExt, stream};
use serde_json::json;

use crate::call::Call;
use crate::calls;
use crate::namespace::Namespace;
use crate::outcome::Outcome;
use crate::pages::Pages;
use crate::session::{Made, Session};

/// How many requests are under way at a time: a server may be far away.
const AT_A_TIME: usize = 8;

/// How many namespaces that the run does not know of are looked into: some hold themselves.
const MOST_UNKNOWN: usize = 1_000;

/// How many pages of a listing are read: some do not end.
const MOST_PAGES: usize = 10_000;

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
    let tables = made.tables.iter().map(|id| match apart.contains(id) {
        true => Remains::Table(id),
        false => Remains::Entry(id),
    });
    leftovers.remove(session, tables.collect()).await;
    let mut by_depth: BTreeMap<usize, Vec<Remains<'_>>> = BTreeMap::new();
    for id in &made.namespaces {
        let namespaces = by_depth.entry(id.len()).or_default();
        namespaces.push(Remains::Namespace(id));
    }
    // Children before their parents.
    for namespaces in by_depth.into_values().rev() {
        leftovers.remove(session, namespaces).await;
    }
    leftovers
}

/// What a run has made.
#[derive(Clone, Copy)]
enum Remains<'a> {
    /// A table that is dropped with its data.
    Table(&'a [String]),
    /// A table that is only taken out of the catalogue: its data may be another's, too.
    Entry(&'a [String]),
    Namespace(&'a [String]),
}

impl Remains<'_> {
    async fn remove(self, session: &Session) -> Outcome {
        match self {
            Self::Table(id) => drop_table(session, id).await,
            Self::Entry(id) => deregister(session, id).await,
            Self::Namespace(id) => drop_namespace(session, id).await,
        }
    }

    /// What it is, by its identifier.
    fn name(self, session: &Session) -> String {
        let (kind, id) = match self {
            Self::Table(id) | Self::Entry(id) => ("table", id),
            Self::Namespace(id) => ("namespace", id),
        };
        format!("{kind} {}", id.join(session.target().delimiter()))
    }
}

/// Waits for all of these, several at a time.
async fn several<T>(asked: Vec<impl Future<Output = T>>) -> Vec<T> {
    stream::iter(asked).buffered(AT_A_TIME).collect().await
}

/// Whether a drop was refused since nothing is there: it was never made, or a scenario has removed it.
fn is_gone(dropped: &Outcome) -> bool {
    // Some say 400 of a namespace.
    matches!(
        dropped,
        Outcome::Refused(404, _) | Outcome::Refused(400, Some(1))
    )
}

impl Leftovers {
    /// Removes each of these; and once more by itself what could not be removed among others, since
    /// nothing is to be said here of how a server does under load.
    async fn remove(&mut self, session: &Session, all: Vec<Remains<'_>>) {
        let removals = all.iter().map(|remains| remains.remove(session));
        let answers = several(removals.collect()).await;
        for (remains, mut answer) in all.into_iter().zip(answers) {
            if answer != Outcome::Ok && !is_gone(&answer) {
                answer = remains.remove(session).await;
            }
            match answer {
                Outcome::Ok => self.removed += 1,
                gone if is_gone(&gone) => {}
                outcome => {
                    let name = remains.name(session);
                    self.left.push(format!("{name} ({outcome})"));
                }
            }
        }
    }
}

async fn drop_namespace(session: &Session, id: &[String]) -> Outcome {
    let call = Call::new("DropNamespace").id(id).json(json!({ "id": id }));
    let dropped = Outcome::of(&session.send(call).await);
    if matches!(dropped, Outcome::Refused(406, _)) {
        // It may never have been made either.
        let there = Call::new("NamespaceExists").id(id);
        let there = Outcome::of(&session.send(there).await);
        if matches!(there, Outcome::Refused(404 | 406, _)) {
            return there;
        }
    }
    dropped
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
    let looks = tables.iter().map(async |id| {
        let described = session.send(calls::describe_table(id)).await;
        let location = described
            .json()
            .filter(|_| Outcome::of(&described) == Outcome::Ok);
        let location = location.and_then(|body| Some(body["location"].as_str()?.to_owned()));
        (id, location)
    });
    let locations: Vec<(&Vec<String>, Option<String>)> = several(looks.collect()).await;
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
    let most = made.namespaces.len() + MOST_UNKNOWN;
    let mut seen: BTreeSet<Vec<String>> = made.namespaces.clone();
    let mut open: Vec<Vec<String>> = made.namespaces.iter().cloned().collect();
    while !open.is_empty() {
        let looks = open.into_iter().map(async |id| {
            let tables = children(session, "ListTables", "tables", &id).await;
            let namespaces = children(session, "ListNamespaces", "namespaces", &id).await;
            (tables, namespaces)
        });
        let found = several(looks.collect()).await;
        open = Vec::new();
        for (tables, namespaces) in found {
            made.tables.extend(tables);
            for id in namespaces {
                if seen.len() < most && seen.insert(id.clone()) {
                    open.push(id);
                }
            }
        }
        made.namespaces.extend(open.iter().cloned());
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
    let mut pages = Pages::of(Call::new(operation).id(id));
    let mut call = pages.first();
    for _ in 0..MOST_PAGES {
        let page = session.send(call).await;
        if Outcome::of(&page) != Outcome::Ok {
            break;
        }
        let body = page.json().unwrap_or_default();
        let items = body[field].as_array().into_iter().flatten();
        names.extend(items.filter_map(|name| Some(name.as_str()?.to_owned())));
        match pages.after(&page) {
            Ok(Some(next)) => call = next,
            Ok(None) | Err(_) => break,
        }
    }
    names
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
