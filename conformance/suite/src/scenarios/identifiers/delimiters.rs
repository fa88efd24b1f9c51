//! Delimiters: each joins the parts of an identifier, and alone names the root.

use serde_json::json;

use crate::call::Call;
use crate::calls;
use crate::log::{Deviation, Observation};
use crate::outcome::Outcome;
use crate::scenario::{Flow, Stop, scenarios};
use crate::stage::{Namespace, Stage};
use crate::steps::{End, Faults, Listing, Object};

/// The delimiters of the field, and one of several characters.
const DELIMITERS: [&str; 8] = ["$", ".", "#", "/", "%", "|", "::", "é"];

scenarios! {
    /// Joined by any delimiter, an identifier names the same object.
    "identifiers/any-delimiter-joins" => any_delimiter_joins {
        tier: Basic,
        checks: ["REST-3"],
        needs: [],
    }
    /// Any delimiter alone names the root namespace.
    "identifiers/delimiter-alone-is-the-root" => delimiter_alone_is_the_root {
        tier: Basic,
        checks: ["REST-4"],
        needs: [],
    }
    /// A part that holds the usual delimiter is one part where another joins.
    "identifiers/part-with-a-delimiter-is-one-part" => part_with_a_delimiter_is_one_part {
        tier: Basic,
        checks: ["REST-3", "REST-11"],
        needs: [],
    }
    /// An identifier with an empty part names no object.
    "identifiers/empty-part-names-nothing" => empty_part_names_nothing {
        tier: Basic,
        checks: ["REST-11", "REST-14"],
        needs: [],
    }
}

/// Whether what stands between client and server may refuse it in a route.
fn is_often_refused(delimiter: &str) -> bool {
    matches!(delimiter, "/" | "%" | "#" | "é")
}

/// The call for an identifier joined by this delimiter.
fn joined(call: Call, id: &[String], delimiter: &str) -> Call {
    let text = match id {
        [] => delimiter.to_owned(),
        id => id.join(delimiter),
    };
    call.id(&[text]).query("delimiter", delimiter)
}

async fn any_delimiter_joins(s: Stage) -> Flow {
    let home = s.home().await?;
    let mut faults = Faults::new("each delimiter joins the parts of namespaces and tables");
    for (at, delimiter) in DELIMITERS.into_iter().enumerate() {
        if home.id.iter().any(|part| part.contains(delimiter)) {
            continue;
        }
        let namespace = Namespace::at(home.child(&format!("n{at}")));
        let table = Object::Table(namespace.child("t"));
        let namespace = Object::Namespace(namespace.id);
        for object in [&namespace, &table] {
            s.will_make(object);
            let made = s
                .exchange(joined(object.make(), object.id(), delimiter))
                .await;
            let outcome = Outcome::of(&made);
            if outcome.is_unknown() || outcome.is_throttled() {
                return Err(Stop::Inconclusive(format!("make one: {outcome}")));
            }
            let (there, described) = s.finds(object).await?;
            let by_it = s
                .exchange(joined(object.describe(), object.id(), delimiter))
                .await;
            let found = Outcome::of(&by_it);
            if found.is_unknown() || found.is_throttled() {
                return Err(Stop::Inconclusive(format!("describe it: {found}")));
            }
            let what = match (outcome, there, found) {
                (Outcome::Ok, true, Outcome::Ok) => continue,
                (Outcome::Ok, true, _) => "what is there is not found by it",
                (Outcome::Ok, false, _) => "what was made by it is another object",
                _ => "nothing can be made by it",
            };
            let at = format!("{delimiter}, {}: {outcome}", object.label());
            let shown = [made, described, by_it];
            match is_often_refused(delimiter) {
                true => {
                    let what = "one that URLs escape does not";
                    faults.doubtful("REST-3", what, at, shown);
                }
                false => faults.broken("REST-3", what, at, shown),
            }
            break;
        }
    }
    faults.end(&s, &["REST-3"], "made by it, and found by any");
    Ok(())
}

async fn delimiter_alone_is_the_root(s: Stage) -> Flow {
    let home = s.home().await?;
    let top = match home.id.first() {
        Some(top) => top.clone(),
        None => s.namespace("top").await?.id.concat(),
    };
    let mut faults = Faults::new("each delimiter alone lists the root");
    // A dot alone is taken for a directory by URLs.
    for delimiter in DELIMITERS.into_iter().filter(|delimiter| *delimiter != ".") {
        let root = Namespace::at(vec![delimiter.to_owned()]);
        let listing = Listing::namespaces(&root).asking("delimiter", delimiter);
        let walk = listing.pages(&s, None).await?;
        let shown = walk.exchanges.iter().take(2).cloned();
        match walk.end {
            Some(End::Refused(Outcome::Refused(401 | 403, _))) => s.observe(Observation {
                requirement: "REST-4",
                choice: "listing the root is denied".to_owned(),
            }),
            Some(End::Refused(outcome)) => {
                let at = format!("{delimiter}: {outcome}");
                match is_often_refused(delimiter) {
                    true => {
                        let what = "one that URLs escape does not";
                        faults.doubtful("REST-4", what, at, shown);
                    }
                    false => faults.broken("REST-4", "the root is not listed", at, shown),
                }
            }
            _ if walk.items().contains(&top.as_str()) => {}
            _ => {
                let what = "what is listed is not the root";
                faults.broken("REST-4", what, format!("{delimiter}: no {top}"), shown);
            }
        }
    }
    faults.end(&s, &["REST-4"], "and names what is there");
    Ok(())
}

async fn part_with_a_delimiter_is_one_part(s: Stage) -> Flow {
    let home = s.home().await?;
    let namespace = s.namespace("x").await?;
    let table = s.table_in(&namespace, "y").await?;
    let namespace = Object::Namespace(namespace.id);
    let two = Object::Table(table.id);
    // Under `|`, `x$y` is one part, and names no table yet.
    let one = home.child("x$y");
    if home.id.iter().any(|part| part.contains('|')) {
        return Err(Stop::Inconclusive(
            "the run's own namespace holds the delimiter".to_owned(),
        ));
    }
    let there = [namespace, two];
    let by_bar = |call: Call| joined(call, &one, "|").field("id", json!(one));
    let describe = by_bar(calls::describe_table(&one));
    let label = "describe a table whose name is one part with a delimiter";
    let answer = s.ask(label, describe.clone()).await;
    answer.answered()?;
    let held = match answer.outcome() {
        Outcome::Ok => Err(Deviation::new(
            "one part is not two: no table of that name is there",
            "the table whose identifier is the two parts is described",
            [answer.exchange()],
        )),
        _ => Ok(()),
    };
    s.judge("REST-11", label, "not there", held);
    let label = "remove it";
    let answer = s.ask(label, by_bar(calls::deregister(&one))).await;
    answer.answered()?;
    let exchange = answer.exchange();
    s.untouched("REST-11", "the table of two parts", &there, [exchange])
        .await?;
    s.cite("REST-3");
    let made = s.ask("declare it", by_bar(calls::declare(&one))).await;
    made.answered()?;
    let outcome = made.outcome();
    s.observe(Observation {
        requirement: "REST-3",
        choice: format!("a part with the usual delimiter: {outcome}"),
    });
    if outcome == Outcome::Ok {
        let found = s.ask("describe it", describe).await.set_up()?;
        let other = s.ask("describe the other", there[1].describe()).await;
        let other = other.set_up()?;
        let held = match found.body["location"] == other.body["location"] {
            true => Err(Deviation::new(
                "the table of one part and that of two are two tables",
                "they are at one location",
                [found.exchange, other.exchange],
            )),
            false => Ok(()),
        };
        let removed = s.ask("remove it", by_bar(calls::deregister(&one))).await;
        removed.set_up()?;
        if held.is_err() {
            s.judge("REST-11", "the two tables", "apart", held);
        }
    }
    s.untouched("REST-11", "the table of two parts, at last", &there, [])
        .await
}

async fn empty_part_names_nothing(s: Stage) -> Flow {
    let namespace = s.namespace("n").await?;
    let table = s.table_in(&namespace, "t").await?;
    let home = s.home().await?;
    let delimiter = s.session().target().delimiter().to_owned();
    let there = [
        Object::Namespace(namespace.id.clone()),
        Object::Table(table.id.clone()),
    ];
    let mut faults = Faults::new("an identifier with an empty part");
    let (home, n) = (home.id.join(&delimiter), namespace.id.join(&delimiter));
    let texts = [
        format!("{n}{delimiter}{delimiter}t"),
        format!("{n}{delimiter}t{delimiter}"),
        format!("{delimiter}{n}{delimiter}t"),
    ];
    let namespaces = [
        format!("{home}{delimiter}{delimiter}n"),
        format!("{n}{delimiter}"),
        format!("{delimiter}{n}"),
    ];
    let calls = texts
        .iter()
        .flat_map(|text| [Call::new("DescribeTable").id(std::slice::from_ref(text))])
        .chain(namespaces.iter().flat_map(|text| {
            let text = std::slice::from_ref(text);
            [
                Call::new("DescribeNamespace").id(text),
                Call::new("ListTables").id(text),
            ]
        }));
    for call in calls {
        let exchange = s.exchange(call.odd()).await;
        match Outcome::of(&exchange) {
            Outcome::Ok => {
                // A listing of nothing shows no other object.
                let body = exchange.json().unwrap_or_default();
                if body["tables"]
                    .as_array()
                    .is_none_or(|items| !items.is_empty())
                {
                    let what = "it is read as if the part were not there";
                    faults.doubtful("REST-11", what, "a read", [exchange]);
                }
            }
            outcome @ Outcome::Failed(500) => {
                let what = "it is answered with a server error";
                faults.doubtful("REST-14", what, outcome.to_string(), [exchange]);
            }
            _ => {}
        }
    }
    let removals = texts
        .iter()
        .map(|text| Call::new("DeregisterTable").id(std::slice::from_ref(text)))
        .chain(
            namespaces
                .iter()
                .map(|text| Call::new("DropNamespace").id(std::slice::from_ref(text))),
        );
    for call in removals {
        s.exchange(call.odd()).await;
    }
    for object in &there {
        let (found, exchange) = s.finds(object).await?;
        if !found {
            let what = "what it is like without the part is removed by it";
            faults.doubtful("REST-11", what, object.label(), [exchange]);
        }
    }
    faults.end(&s, &["REST-11", "REST-14"], "names nothing");
    Ok(())
}
