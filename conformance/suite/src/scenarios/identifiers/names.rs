//! Names of any characters.

use std::sync::Arc;

use crate::exchange::Exchange;
use crate::log::Observation;
use crate::outcome::Outcome;
use crate::scenario::{Flow, Stop, scenarios};
use crate::stage::{Namespace, Stage};
use crate::steps::{End, Faults, Listing, Object};

/// Names that URLs, paths, databases, patterns or programs read in a way of their own. The first of two is
/// removed and the second stays.
///
/// A server that takes one for a pattern, a path or a part of SQL must not harm anybody else: each is such that
/// it would find nothing more than what the scenario has made. `x' OR '1'='1` would empty its catalogue.
const NAMES: [[&str; 2]; 23] = [
    ["a b", "a+b"],
    ["a%b", "a%20b"],
    ["a%2Fb", "a%252Fb"],
    ["a/b", "a//b"],
    ["/lance-conformance-a", "a#b"],
    ["a?b", "a&b=c"],
    ["a=b", "a;b"],
    ["a,b", "a:b"],
    ["a|b", "a\\b"],
    ["it's", "it''s"],
    ["or' AND '1'='1", "or"],
    ["then'; --", "then"],
    ["say \"so\"", "like"],
    ["like%", "like_"],
    ["a_b", "a*b"],
    ["[a]b", "{id}"],
    ["<b>", "~a"],
    ["-a", ".a"],
    ["a.", "a..b"],
    ["null", "version"],
    ["a\tb", "über"],
    ["表", "שלום"],
    ["🦀", "a\u{200d}b"],
];

scenarios! {
    /// A namespace of any name is there by that name and no other, or its name is refused.
    "identifiers/odd-names-of-namespaces" => odd_names_of_namespaces {
        tier: Basic,
        checks: ["REST-11", "REST-14", "REST-15", "LIST-1"],
        needs: [],
    }
    /// A table of any name is there by that name and no other, or its name is refused.
    "identifiers/odd-names-of-tables" => odd_names_of_tables {
        tier: Basic,
        checks: ["REST-11", "REST-14", "REST-15", "LIST-1"],
        needs: [],
    }
    /// A namespace of any name lists what is inside it, and nothing else.
    "identifiers/odd-names-list-their-own" => odd_names_list_their_own {
        tier: Basic,
        checks: ["REST-11", "REST-14"],
        needs: [],
    }
    /// Names of 255 bytes are kept to the last byte, or refused.
    "identifiers/long-names" => long_names {
        tier: Basic,
        checks: ["REST-11", "REST-14", "REST-15", "LIST-1"],
        needs: [],
    }
}

/// The names, two by two, that hold no delimiter of the run's.
fn names(s: &Stage) -> Vec<String> {
    let delimiter = s.session().target().delimiter();
    let has_none = |pair: &[&str; 2]| pair.iter().all(|name| !name.contains(delimiter));
    let names = NAMES.into_iter().filter(has_none).flatten();
    names.map(str::to_owned).collect()
}

async fn odd_names_of_namespaces(s: Stage) -> Flow {
    let home = s.home().await?;
    let names = names(&s).into_iter();
    let objects: Vec<Object> = names
        .map(|name| Object::Namespace(home.child(&name)))
        .collect();
    live(&s, "namespaces of odd names", &objects).await
}

async fn odd_names_of_tables(s: Stage) -> Flow {
    let home = s.home().await?;
    let names = names(&s).into_iter();
    let objects: Vec<Object> = names.map(|name| Object::Table(home.child(&name))).collect();
    live(&s, "tables of odd names", &objects).await
}

async fn long_names(s: Stage) -> Flow {
    let (first, second) = (s.namespace("first").await?, s.namespace("second").await?);
    let long = "n".repeat(254);
    let wide = "é".repeat(127);
    let names = [
        format!("{long}a"),
        format!("{long}b"),
        long,
        format!("{wide}a"),
        wide,
    ];
    let namespaces = names
        .clone()
        .map(|name| Object::Namespace(first.child(&name)));
    live(&s, "namespaces of 255 bytes", &namespaces).await?;
    let tables = names.map(|name| Object::Table(second.child(&name)));
    live(&s, "tables of 255 bytes", &tables).await
}

/// Makes an object whose name a server may refuse; answers the exchange if it was made.
async fn tried(s: &Stage, object: &Object, faults: &mut Faults) -> Flow<Option<Arc<Exchange>>> {
    let made = s.try_to_make(object).await;
    match Outcome::of(&made) {
        Outcome::Ok => Ok(Some(made)),
        outcome if outcome.is_unknown() || outcome.is_throttled() => Err(Stop::Inconclusive(
            format!("make {}: {outcome}", object.label()),
        )),
        Outcome::Failed(_) => {
            let what = "a name is answered with a server error";
            faults.doubtful("REST-14", what, quoted(object), [made]);
            Ok(None)
        }
        Outcome::Refused(409, _) => {
            let what = "a name that nobody gave is said to exist";
            faults.doubtful("REST-11", what, quoted(object), [made]);
            Ok(None)
        }
        _ => Ok(None),
    }
}

/// An object that was made.
struct Made<'a> {
    object: &'a Object,
    answer: Arc<Exchange>,
    /// Whether it is removed, while others stay.
    goes: bool,
}

/// Judges objects of one parent from their making to their end: each that is made is there by its
/// own name, apart from all others, and stays when another goes. Every second one goes.
async fn live(s: &Stage, label: &str, objects: &[Object]) -> Flow {
    let mut faults = Faults::new(label);
    let mut made: Vec<Made<'_>> = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        let Some(answer) = tried(s, object, &mut faults).await? else {
            continue;
        };
        let (there, described) = look(s, object, &mut faults).await?;
        if there == Some(false) {
            let what = "one that was made is not there by its name";
            let at = quoted(object);
            faults.broken("REST-15", what, at, [Arc::clone(&answer), described]);
        }
        made.push(Made {
            object,
            answer,
            goes: at % 2 == 0,
        });
    }
    let refused = objects.len() - made.len();
    s.observe(Observation {
        requirement: "REST-14",
        choice: format!("{label}: {refused} of {} are refused", objects.len()),
    });
    listed(s, &made, &mut faults).await?;
    apart(&made, &mut faults);
    for (at, Made { object, .. }) in made.iter().enumerate().filter(|(_, made)| made.goes) {
        let removed = s.exchange(object.remove()).await;
        let (there, described) = look(s, object, &mut faults).await?;
        if Outcome::of(&removed) == Outcome::Ok && there == Some(true) {
            let what = "one that was removed is still there";
            let at = quoted(object);
            faults.broken("REST-15", what, at, [Arc::clone(&removed), described]);
        }
        let Some(next) = made.get(at + 1).filter(|next| !next.goes) else {
            continue;
        };
        let (there, described) = look(s, next.object, &mut faults).await?;
        if there == Some(false) {
            let what = "another one went with it";
            let at = format!("{} with {}", quoted(next.object), quoted(object));
            faults.broken("REST-11", what, at, [removed, described]);
        }
    }
    for Made { object, .. } in made.iter().filter(|made| !made.goes) {
        let (there, described) = look(s, object, &mut faults).await?;
        if there == Some(false) {
            let what = "one went with others";
            faults.broken("REST-11", what, quoted(object), [described]);
        }
    }
    let held = "each there by its own name, and no other, or refused";
    faults.end(s, &["REST-11", "REST-14", "REST-15", "LIST-1"], held);
    Ok(())
}

/// Whether describe finds it; none if the answer does not tell.
async fn look(
    s: &Stage,
    object: &Object,
    faults: &mut Faults,
) -> Flow<(Option<bool>, Arc<Exchange>)> {
    let exchange = s.exchange(object.describe()).await;
    let there = match Outcome::of(&exchange) {
        Outcome::Ok => Some(true),
        Outcome::Refused(404, _) => Some(false),
        outcome if outcome.is_unknown() || outcome.is_throttled() => {
            return Err(Stop::Inconclusive(format!(
                "describe {}: {outcome}",
                object.label()
            )));
        }
        outcome => {
            let what = "one that was made cannot be described";
            let at = format!("{}: {outcome}", quoted(object));
            faults.doubtful("REST-14", what, at, [Arc::clone(&exchange)]);
            None
        }
    };
    Ok((there, exchange))
}

/// A name as findings show it, a long one by its beginning.
fn quoted(object: &Object) -> String {
    let name = object.name();
    match name.chars().count() {
        ..=40 => format!("{name:?}"),
        count => {
            let beginning: String = name.chars().take(20).collect();
            format!("{beginning:?}… of {count} characters")
        }
    }
}

/// Letter case and outer spaces, which a server may fold.
fn folded(name: &str) -> String {
    name.trim().to_lowercase()
}

/// Whether there is an object of this name as well, beside the one whose name is like it.
async fn is_there(s: &Stage, object: &Object, name: &str) -> bool {
    let described = s.exchange(object.renamed(name).describe()).await;
    Outcome::of(&described) == Outcome::Ok
}

async fn listed(s: &Stage, made: &[Made<'_>], faults: &mut Faults) -> Flow {
    let Some(first) = made.first() else {
        return Ok(());
    };
    let walk = first.object.listing(s).pages(s, None).await?;
    let shown = || walk.exchanges.iter().take(2).cloned();
    if let Some(End::Refused(outcome)) = walk.end {
        let what = "their list is refused";
        faults.doubtful("REST-14", what, outcome.to_string(), shown());
        return Ok(());
    }
    let items = walk.items();
    let is_anothers = |item: &str| made.iter().any(|made| made.object.name() == item);
    for Made { object, .. } in made {
        let name = object.name();
        if items.contains(&name) {
            continue;
        }
        let at = quoted(object);
        match items.iter().find(|item| folded(item) == folded(name)) {
            // Where both are names of the one object, either can be listed.
            Some(item) if !is_anothers(item) && is_there(s, object, item).await => {}
            Some(_) => faults.doubtful("LIST-1", "a name is listed altered", at, shown()),
            None => faults.broken("LIST-1", "one that was made is not listed", at, shown()),
        }
    }
    let strange = items.iter().find(|item| {
        let known = |made: &Made<'_>| folded(made.object.name()) == folded(item);
        !made.iter().any(known)
    });
    if let Some(strange) = strange {
        let what = "a name is listed that nobody gave";
        faults.doubtful("LIST-1", what, format!("{strange:?}"), shown());
    }
    Ok(())
}

/// Tables of two names are not at one location.
fn apart(made: &[Made<'_>], faults: &mut Faults) {
    let location = |exchange: &Exchange| {
        let body = exchange.json()?;
        Some(
            body.get("location")?
                .as_str()?
                .trim_end_matches('/')
                .to_owned(),
        )
    };
    for (at, one) in made.iter().enumerate() {
        let Some(place) = location(&one.answer) else {
            continue;
        };
        let mut others = made[at + 1..].iter();
        if let Some(other) = others.find(|other| location(&other.answer).as_ref() == Some(&place)) {
            let what = "two are at one location";
            let names = format!("{} and {}", quoted(one.object), quoted(other.object));
            let shown = [&one.answer, &other.answer].map(Arc::clone);
            faults.broken("REST-11", what, names, shown);
        }
    }
}

async fn odd_names_list_their_own(s: Stage) -> Flow {
    let home = s.home().await?;
    let mut faults = Faults::new("namespaces of odd names, each with a table and a namespace");
    let mut parents = Vec::new();
    for (at, name) in names(&s).into_iter().enumerate() {
        let parent = Object::Namespace(home.child(&name));
        if tried(&s, &parent, &mut faults).await?.is_none() {
            continue;
        }
        let id = Namespace::at(parent.id().to_vec());
        let inside = [
            Object::Table(id.child(&format!("t{at}"))),
            Object::Namespace(id.child(&format!("n{at}"))),
        ];
        let mut whole = true;
        for object in &inside {
            whole &= tried(&s, object, &mut faults).await?.is_some();
        }
        if whole {
            parents.push((id, at));
        }
    }
    for (parent, at) in &parents {
        for (listing, own) in [
            (Listing::tables(&s, parent), format!("t{at}")),
            (Listing::namespaces(parent), format!("n{at}")),
        ] {
            let walk = listing.pages(&s, None).await?;
            let shown = walk.exchanges.iter().take(2).cloned();
            let name = parent.id.last().map(String::as_str).unwrap_or_default();
            match (walk.end, walk.items().as_slice()) {
                (Some(End::Refused(outcome @ Outcome::Failed(_))), _) => {
                    let what = "the list of a namespace is a server error";
                    faults.doubtful("REST-14", what, format!("{name:?}: {outcome}"), shown);
                }
                (Some(End::Refused(outcome)), _) => {
                    let what = "the list of a namespace is refused";
                    faults.doubtful("REST-14", what, format!("{name:?}: {outcome}"), shown);
                }
                (_, items) => {
                    if let Some(strange) = items.iter().find(|item| **item != own) {
                        let what = "a namespace lists what is inside another";
                        faults.broken("REST-11", what, format!("{name:?}: {strange}"), shown);
                    } else if items.is_empty() {
                        let what = "a namespace does not list what is inside it";
                        faults.broken("REST-11", what, format!("{name:?}"), shown);
                    }
                }
            }
        }
    }
    let held = "each lists its own, or its name is refused";
    faults.end(&s, &["REST-11", "REST-14"], held);
    Ok(())
}
