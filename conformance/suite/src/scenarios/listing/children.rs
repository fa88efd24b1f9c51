//! What the lists of a namespace hold.

use crate::call::Call;
use crate::calls;
use crate::log::{Deviation, Observation};
use crate::outcome::{Outcome, Refusal};
use crate::scenario::{Flow, scenarios};
use crate::stage::{Namespace, Stage};
use crate::steps::{End, Listing, Object};

/// Names that begin alike, or that patterns and prefixes take for another.
const NAMES: [&str; 6] = ["a", "ab", "a_", "a-b", "aa", "b"];

scenarios! {
    /// ListNamespaces names the direct children of its namespace, and none of another.
    "listing/namespaces-are-direct-children" => namespaces_are_direct_children {
        tier: Basic,
        checks: ["LIST-1"],
        needs: [],
    }
    /// ListTables names the tables of its namespace, and none of another.
    "listing/tables-are-those-of-the-namespace" => tables_are_those_of_the_namespace {
        tier: Basic,
        checks: ["LIST-1"],
        needs: [],
    }
    /// The lists of an empty namespace hold nothing.
    "listing/empty-namespace-lists-nothing" => empty_namespace_lists_nothing {
        tier: Basic,
        checks: ["LIST-1", "PAGE-3"],
        needs: [],
    }
    /// A namespace that does not exist is not listed.
    "listing/missing-namespace-is-not-listed" => missing_namespace_is_not_listed {
        tier: Basic,
        checks: ["LIST-1", "LIST-3"],
        needs: [],
    }
}

/// Namespaces of like names, each with a namespace and a table of one name and of its own, and
/// below the common namespace as much again.
async fn forest(s: &Stage) -> Flow<Vec<Namespace>> {
    let mut roots = Vec::new();
    for name in NAMES {
        let root = s.namespace(name).await?;
        for inside in ["x".to_owned(), format!("in_{name}")] {
            let inner = s.namespace_in(&root, &inside).await?;
            s.namespace_in(&inner, &format!("deep_{name}")).await?;
            s.table_in(&inner, &format!("deep_t_{name}")).await?;
        }
        s.table_in(&root, "t").await?;
        s.table_in(&root, &format!("t_{name}")).await?;
        roots.push(root);
    }
    Ok(roots)
}

async fn namespaces_are_direct_children(s: Stage) -> Flow {
    let roots = forest(&s).await?;
    let home = s.home().await?;
    let names = NAMES.map(str::to_owned).to_vec();
    holds(&s, "the namespaces at the top", &home, &names).await?;
    for (root, name) in roots.iter().zip(NAMES) {
        let label = format!("the namespaces in {name}");
        let expected = ["x".to_owned(), format!("in_{name}")];
        holds(&s, &label, root, &expected).await?;
    }
    Ok(())
}

/// Judges that ListNamespaces holds these names and no others, each once.
async fn holds(s: &Stage, label: &str, parent: &Namespace, expected: &[String]) -> Flow {
    let walk = Listing::namespaces(parent).pages(s, None).await?;
    let mut came = walk.items();
    came.sort_unstable();
    let mut expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    expected.sort_unstable();
    let held = match walk.end {
        Some(End::Refused(outcome)) => Err(outcome.to_string()),
        _ if came == expected => Ok(()),
        _ => Err(came.join(", ")),
    };
    let held = held.map_err(|actual| {
        let expected = format!("{label}: {}", expected.join(", "));
        Deviation::new(expected, actual, walk.exchanges.iter().take(3).cloned())
    });
    s.judge("LIST-1", label, "its direct children", held);
    Ok(())
}

async fn tables_are_those_of_the_namespace(s: Stage) -> Flow {
    let roots = forest(&s).await?;
    let delimiter = s.session().target().delimiter().to_owned();
    let mut forms = Vec::new();
    for (root, name) in roots.iter().zip(NAMES) {
        let label = format!("the tables in {name}");
        let walk = Listing::tables(&s, root).pages(&s, None).await?;
        let own = ["t".to_owned(), format!("t_{name}")];
        // Tables further below may be listed too, by their full identifiers (contradiction 6).
        let below = ["x".to_owned(), format!("in_{name}")]
            .map(|inner| format!("{inner}{delimiter}deep_t_{name}"));
        let stray = walk
            .items()
            .into_iter()
            .find(|item| !own.iter().chain(&below).any(|known| known == item))
            .map(str::to_owned);
        let twice = own
            .iter()
            .find(|item| walk.items().iter().filter(|came| *came == item).count() > 1);
        let missing = walk.missing(&own).first().map(|item| (*item).to_owned());
        let held = match (walk.end, missing, stray, twice) {
            (Some(End::Refused(outcome)), ..) => Err(outcome.to_string()),
            (_, Some(missing), ..) => Err(format!("{missing} is missing")),
            (_, _, Some(stray), _) => Err(format!("{stray} is none of them")),
            (_, _, _, Some(twice)) => Err(format!("{twice} is listed twice")),
            _ => Ok(()),
        };
        let held = held.map_err(|actual| {
            let expected = format!("{label}: {}", own.join(", "));
            Deviation::new(expected, actual, walk.exchanges.iter().take(3).cloned())
        });
        s.judge("LIST-1", &label, "its own, and none of another", held);
        let full = format!("{}{delimiter}", root.id.join(&delimiter));
        for exchange in &walk.exchanges {
            let body = exchange.json().unwrap_or_default();
            let names = body["tables"].as_array().into_iter().flatten();
            forms.extend(names.filter_map(|name| Some(name.as_str()?.starts_with(&full))));
        }
    }
    let mixed = forms.contains(&true) && forms.contains(&false);
    if !mixed {
        let form = match forms.first() {
            Some(true) => "full identifiers",
            _ => "names",
        };
        s.observe(Observation {
            requirement: "LIST-1",
            choice: format!("ListTables answers {form}"),
        });
    }
    let held = match mixed {
        false => Ok(()),
        true => Err(Deviation::new(
            "tables are listed by name or by full identifier, one of the two throughout",
            "some are names and some full identifiers",
            [s.exchange(calls::list_tables(&roots[0].id)).await],
        )),
    };
    s.judge("LIST-1", "how tables are named", "one way throughout", held);
    Ok(())
}

async fn empty_namespace_lists_nothing(s: Stage) -> Flow {
    let empty = s.namespace("n").await?;
    let like = s.namespace("nn").await?;
    s.table_in(&like, "t").await?;
    s.namespace_in(&like, "x").await?;
    s.table("n_t").await?;
    for listing in [Listing::namespaces(&empty), Listing::tables(&s, &empty)] {
        s.lists_nothing("LIST-1", &listing).await?;
        let walk = listing.pages(&s, Some(5)).await?;
        let held = match walk.end {
            Some(End::Endless) => Err(Deviation::new(
                "the listing ends",
                "tokens go on coming",
                walk.exchanges.iter().take(3).cloned(),
            )),
            _ => Ok(()),
        };
        let label = format!("the pages of {}", listing.label);
        s.judge("PAGE-3", &label, "they end", held);
    }
    Ok(())
}

async fn missing_namespace_is_not_listed(s: Stage) -> Flow {
    let home = s.home().await?;
    let like = s.namespace("missing_").await?;
    s.table_in(&like, "t").await?;
    s.namespace_in(&like, "x").await?;
    let dropped = Object::Namespace(home.child("dropped"));
    s.made(&dropped).await?;
    s.ask("drop a namespace", dropped.remove()).await.set_up()?;
    let missing = Namespace::at(home.child("missing"));
    for (label, id) in [
        ("one that nobody made", missing.id.clone()),
        ("one inside that", missing.child("x")),
        ("one that was dropped", dropped.id().to_vec()),
    ] {
        for (what, field, call) in [
            (
                "namespaces",
                "namespaces",
                Call::new("ListNamespaces").id(&id),
            ),
            ("tables", "tables", calls::list_tables(&id)),
        ] {
            let label = format!("list the {what} of {label}");
            let answer = s.ask(&label, call).await;
            answer.answered()?;
            let body = answer.exchange().json().unwrap_or_default();
            let items = body[field].as_array().map_or(0, Vec::len);
            let shown = [answer.exchange()];
            s.cite("LIST-1");
            let held = match answer.outcome() {
                Outcome::Refused(404, Some(1)) => Ok(()),
                Outcome::Ok if items > 0 => {
                    let expected = "nothing is in a namespace that does not exist";
                    let actual = format!("{label}: {items} items");
                    s.violates("LIST-1", Deviation::new(expected, actual, shown.clone()));
                    Err(format!("{items} items"))
                }
                Outcome::Ok => Err("an empty list".to_owned()),
                outcome => Err(format!("{outcome}, and not 404 with code 1")),
            };
            let held = held.map_err(|actual| {
                let expected = format!("{label}: {}", Refusal::NO_NAMESPACE.expected());
                Deviation::new(expected, actual, shown)
            });
            s.judge("LIST-3", &label, "not found: namespace", held);
        }
    }
    Ok(())
}
