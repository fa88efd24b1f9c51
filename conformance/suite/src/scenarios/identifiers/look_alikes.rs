//! Names that some part of a server may take for another.

use std::sync::Arc;

use crate::call::Call;
use crate::calls;
use crate::exchange::Exchange;
use crate::log::Observation;
use crate::outcome::Outcome;
use crate::scenario::{Flow, Stop, scenarios};
use crate::stage::{Namespace, Stage};
use crate::steps::{Faults, Listing, Object};

/// A name that is there, and one that is not and must not be taken for it. What is taken for a pattern or for SQL
/// finds the first, and nothing of anybody else.
const PAIRS: [(&str, &str); 20] = [
    ("it's", "it''s"),
    ("it", "it' AND '1'='1"),
    ("zz", "zz') AND ('1'='1"),
    ("quote", "quote' --"),
    ("ab", "a%"),
    ("ac", "a_"),
    ("ad", "ad%"),
    ("ae", "a*"),
    ("af", "a?"),
    ("ag", "[a-z]g"),
    ("ah", "^ah"),
    ("ai", "ai/"),
    ("a j", "a+j"),
    ("a k", "a%20k"),
    ("a/l", "a%2Fl"),
    ("am", "am\\"),
    ("a\\n", "a\\\\n"),
    ("ao", "ao\u{0}"),
    ("ap", "ap;x"),
    ("aq", "aq#"),
];

/// Names that a server may hold for one or for two.
const SPELLINGS: [(&str, &str, &str); 7] = [
    ("letter case", "name", "NAME"),
    ("normal forms", "caf\u{e9}", "cafe\u{301}"),
    ("a space before", "left", " left"),
    ("a space after", "right", "right "),
    ("leading zeros", "1", "01"),
    ("wide letters", "wide", "ｗｉｄｅ"),
    ("a joiner", "join", "jo\u{200d}in"),
];

scenarios! {
    /// A name that is not there is not taken for one that is like it, nor for a pattern or a filter.
    "identifiers/look-alike-is-not-taken-for-another" => look_alikes {
        tier: Basic,
        checks: ["REST-11", "REST-14"],
        needs: [],
    }
    /// Two spellings are two names or one: what is inside one is never mixed up with the other.
    "identifiers/spellings-are-one-name-or-two" => spellings {
        tier: Basic,
        checks: ["REST-11", "REST-14"],
        needs: [],
    }
}

/// A namespace with a table and a namespace in it.
struct Filled {
    namespace: Namespace,
    objects: [Object; 3],
}

impl Filled {
    fn new(id: Vec<String>) -> Self {
        let namespace = Namespace::at(id);
        let objects = [
            Object::Namespace(namespace.id.clone()),
            Object::Table(namespace.child("t")),
            Object::Namespace(namespace.child("inner")),
        ];
        Self { namespace, objects }
    }

    /// Makes all of it; answers whether the server takes the names.
    async fn made(&self, s: &Stage) -> Flow<bool> {
        for object in &self.objects {
            let made = s.try_to_make(object).await;
            let outcome = Outcome::of(&made);
            if outcome.is_unknown() || outcome.is_throttled() {
                return Err(Stop::Inconclusive(format!(
                    "make {}: {outcome}",
                    object.label()
                )));
            }
            if outcome != Outcome::Ok {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The first of it that is not there any more.
    async fn lost(&self, s: &Stage) -> Flow<Option<(String, Arc<Exchange>)>> {
        for object in &self.objects {
            let (there, exchange) = s.finds(object).await?;
            if !there {
                return Ok(Some((object.label(), exchange)));
            }
        }
        Ok(None)
    }
}

async fn look_alikes(s: Stage) -> Flow {
    let home = s.home().await?;
    let delimiter = s.session().target().delimiter().to_owned();
    let mut faults = Faults::new("a name that is not there, like one that is");
    for (there, missing) in PAIRS {
        if there.contains(&delimiter) || missing.contains(&delimiter) {
            continue;
        }
        let filled = Filled::new(home.child(there));
        if !filled.made(&s).await? {
            s.observe(Observation {
                requirement: "REST-14",
                choice: format!("the name {there:?} is refused"),
            });
            continue;
        }
        let at = format!("{missing:?} for {there:?}");
        let missing = Namespace::at(home.child(missing));
        for call in reads(&missing) {
            let exchange = s.exchange(call.odd()).await;
            let body = exchange.json().unwrap_or_default();
            let shows = |field: &str| {
                body[field]
                    .as_array()
                    .is_some_and(|items| !items.is_empty())
            };
            match Outcome::of(&exchange) {
                Outcome::Ok if shows("tables") || shows("namespaces") => {
                    let what = "a list shows what is inside another";
                    faults.broken("REST-11", what, at.as_str(), [exchange]);
                }
                // A list of nothing, of a namespace that is not there: requirement LIST-3.
                Outcome::Ok if body.get("tables").or(body.get("namespaces")).is_some() => {}
                Outcome::Ok => {
                    let what = "it is described";
                    faults.broken("REST-11", what, at.as_str(), [exchange]);
                }
                Outcome::Failed(500) => {
                    let what = "it is answered with a server error";
                    faults.doubtful("REST-14", what, at.as_str(), [exchange]);
                }
                _ => {}
            }
        }
        for call in removals(&missing) {
            let exchange = s.exchange(call.odd()).await;
            if let Some((lost, seen)) = filled.lost(&s).await? {
                let at = format!("{at}: {lost} is gone");
                faults.broken(
                    "REST-11",
                    "its removal removes another",
                    at,
                    [exchange, seen],
                );
                break;
            }
        }
    }
    faults.end(&s, &["REST-11", "REST-14"], "is not taken for it");
    Ok(())
}

fn reads(missing: &Namespace) -> [Call; 5] {
    [
        calls::describe_namespace(&missing.id),
        Listing::namespaces(missing).request(),
        calls::list_tables(&missing.id),
        calls::describe_table(&missing.child("t")),
        calls::describe_namespace(&missing.child("inner")),
    ]
}

fn removals(missing: &Namespace) -> [Call; 3] {
    [
        calls::deregister(&missing.child("t")),
        calls::drop_namespace(&missing.child("inner")),
        calls::drop_namespace(&missing.id),
    ]
}

async fn spellings(s: Stage) -> Flow {
    let home = s.home().await?;
    let mut faults = Faults::new("a name in two spellings");
    for (label, one, other) in SPELLINGS {
        let first = Filled::new(home.child(one));
        if !first.made(&s).await? {
            continue;
        }
        let second = Object::Namespace(home.child(other));
        let made = s.try_to_make(&second).await;
        let second = Namespace::at(second.id().to_vec());
        let choice = match Outcome::of(&made) {
            Outcome::Ok => {
                two(&s, label, &first, &second, &made, &mut faults).await?;
                "two names"
            }
            Outcome::Refused(409, _) => {
                let described = s.exchange(calls::describe_namespace(&second.id)).await;
                if Outcome::of(&described) != Outcome::Ok {
                    let what = "it is said to exist and not found";
                    faults.doubtful("REST-11", what, label, [made, described]);
                }
                "one name"
            }
            Outcome::Failed(500) => {
                let what = "it is answered with a server error";
                faults.doubtful("REST-14", what, label, [made]);
                "a server error"
            }
            _ => "the second is refused",
        };
        s.observe(Observation {
            requirement: "REST-14",
            choice: format!("{label}: {choice}"),
        });
    }
    faults.end(
        &s,
        &["REST-11", "REST-14"],
        "two names, or one in all operations",
    );
    Ok(())
}

/// Judges two namespaces that the server holds for two: what is inside the one is not inside the
/// other, and stays when that goes.
async fn two(
    s: &Stage,
    label: &str,
    first: &Filled,
    second: &Namespace,
    made: &Arc<Exchange>,
    faults: &mut Faults,
) -> Flow {
    let walk = Listing::tables(s, second).pages(s, None).await?;
    if !walk.items().is_empty() {
        let what = "a new namespace holds what is inside the other";
        let shown = walk.exchanges.iter().take(1).cloned();
        faults.broken(
            "REST-11",
            what,
            label,
            [Arc::clone(made)].into_iter().chain(shown),
        );
        return Ok(());
    }
    let table = Object::Table(second.child("u"));
    s.will_make(&table);
    let declared = s.exchange(table.make()).await;
    let mixed = Object::Table(first.namespace.child("u"));
    let (found, seen) = s.finds(&mixed).await?;
    if found {
        let what = "a table declared in one is in the other";
        faults.broken("REST-11", what, label, [declared, seen]);
    }
    for call in [
        calls::deregister(table.id()),
        calls::deregister(&second.child("t")),
        calls::drop_namespace(&second.id),
    ] {
        let removed = s.exchange(call).await;
        if let Some((lost, seen)) = first.lost(s).await? {
            let at = format!("{label}: {lost} is gone");
            faults.broken(
                "REST-11",
                "a removal in one removes in the other",
                at,
                [removed, seen],
            );
            return Ok(());
        }
    }
    Ok(())
}
