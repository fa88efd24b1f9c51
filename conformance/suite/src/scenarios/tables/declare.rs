//! Declaring tables.

use std::sync::Arc;

use serde_json::json;

use crate::calls;
use crate::log::Deviation;
use crate::outcome::{Outcome, Refusal};
use crate::requirement::Level;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Namespace, Stage};
use crate::steps::{Faults, Object};

/// How many tables are declared and removed, one after the other.
const WRITES: usize = 40;

scenarios! {
    /// A table that was declared is described and listed at once, and its siblings are as before.
    "tables/declared-table-is-there" => declared_table_is_there {
        tier: Basic,
        checks: ["TBL-1", "TBL-15", "REST-11"],
        needs: [],
    }
    /// A table that was declared has no versions, and none of another table.
    "tables/declared-table-has-no-versions" => declared_table_has_no_versions {
        tier: Versions,
        checks: ["TBL-1", "REST-11"],
        needs: ["CreateTableVersion", "ListTableVersions"],
    }
    /// A table that exists is not declared again, and stays as it was.
    "tables/existing-one-is-not-declared-again" => not_declared_again {
        tier: Basic,
        checks: ["TBL-2"],
        needs: [],
    }
    /// Below a namespace that does not exist no table is declared.
    "tables/missing-namespace-is-refused" => missing_namespace_is_refused {
        tier: Basic,
        checks: ["TBL-3", "TBL-9", "NS-4"],
        needs: [],
    }
    /// A table has the properties it was declared with, and not those of another.
    "tables/properties-come-back" => properties_come_back {
        tier: Basic,
        checks: ["TBL-16", "REST-11"],
        needs: [],
    }
    /// A table that is declared at a location is there, if the server takes the location.
    "tables/given-location-is-used" => given_location_is_used {
        tier: Basic,
        checks: ["TBL-18"],
        needs: [],
    }
    /// Each of many declares and deregisters that is answered 200 is done.
    "tables/acknowledged-writes-are-done" => acknowledged_writes_are_done {
        tier: Basic,
        checks: ["REST-15"],
        needs: [],
    }
}

async fn declared_table_is_there(s: Stage) -> Flow {
    let home = s.home().await?;
    let other = s.namespace("other").await?;
    let table = Object::Table(home.child("t"));
    s.gone("TBL-1", "a table, before", &table).await?;
    s.will_make(&table);
    let declared = s.ask("declare the table", table.make()).await;
    let declared = declared.ok("TBL-1")?;
    s.there("TBL-1", "the table", &table).await?;
    let described = s.ask("describe it", table.describe()).await.set_up()?;
    let [first, second] = [&declared, &described].map(|reply| reply.body["location"].as_str());
    let held = match (first, second) {
        (Some(first), Some(second))
            if first.trim_end_matches('/') != second.trim_end_matches('/') =>
        {
            Err(Deviation::new(
                "describe answers the location that declare answered",
                "describe answers another location than declare",
                [declared.exchange, described.exchange],
            ))
        }
        (_, None) => Err(Deviation::new(
            "describe answers the table's location",
            "it answers none",
            [described.exchange],
        )),
        _ => Ok(()),
    };
    s.judge("TBL-15", "its location", "the same from both", held);
    let elsewhere = Object::Table(other.child("t"));
    s.gone("REST-11", "a table of that name elsewhere", &elsewhere)
        .await
}

async fn declared_table_has_no_versions(s: Stage) -> Flow {
    let namespace = s.namespace("n").await?;
    let longer = s.table("tt").await?;
    let elsewhere = s.table_in(&namespace, "t").await?;
    s.versions(&longer, 1).await?;
    s.versions(&elsewhere, 2).await?;
    let table = s.table("t").await?;
    let versions = |entries: usize| match entries {
        0 => Ok(()),
        entries => Err(format!("{entries} versions")),
    };
    let entries = s.all_entries(&table).await?;
    let held = versions(entries.len())
        .map_err(|actual| Deviation::new("a table that was declared has no versions", actual, []));
    s.judge("TBL-1", "its versions", "none", held);
    let mut held = Ok(());
    for (other, count) in [(&longer, 1), (&elsewhere, 2)] {
        let entries = s.all_entries(other).await?;
        if entries.len() != count {
            held = Err(Deviation::new(
                format!("a table of a like name still has {count}"),
                format!("it has {}", entries.len()),
                [],
            ));
        }
    }
    s.judge(
        "REST-11",
        "versions of tables of a like name",
        "as before",
        held,
    );
    Ok(())
}

async fn not_declared_again(s: Stage) -> Flow {
    let table = Object::Table(s.home().await?.child("t"));
    s.will_make(&table);
    let call = table
        .make()
        .field("properties", json!({ "owner": "first" }));
    s.ask("declare a table", call).await.set_up()?;
    let before = s.ask("describe it", table.describe()).await.set_up()?;
    let call = table
        .make()
        .field("properties", json!({ "owner": "second" }));
    for label in ["declare it again", "declare it once more"] {
        let answer = s.ask(label, call.clone()).await;
        answer.refused("TBL-2", Refusal::TABLE_EXISTS)?;
    }
    let after = s.ask("describe it", table.describe()).await.set_up()?;
    let mut held = Ok(());
    for field in ["location", "properties"] {
        if before.body[field] != after.body[field] {
            held = Err(Deviation::new(
                "the first declaration is unchanged",
                format!("its {field} has become {}", after.body[field]),
                [Arc::clone(&before.exchange), Arc::clone(&after.exchange)],
            ));
        }
    }
    s.judge("TBL-2", "the first declaration", "unchanged", held);
    s.there("TBL-2", "the table", &table).await
}

async fn missing_namespace_is_refused(s: Stage) -> Flow {
    let missing = Namespace::at(s.home().await?.child("missing"));
    let table = Object::Table(missing.child("t"));
    let label = "describe a table below a namespace that does not exist";
    s.ask(label, table.describe())
        .await
        .refused("TBL-9", Refusal::NO_TABLE_OR_NAMESPACE)?;
    s.will_make(&table);
    let label = "declare a table there";
    let answer = s.ask(label, table.make()).await;
    answer.answered()?;
    let (outcome, exchange) = (answer.outcome(), answer.exchange());
    let held = match outcome {
        Outcome::Refused(404, Some(1)) => Ok(()),
        Outcome::Ok => Err("it is declared".to_owned()),
        outcome => Err(format!("{outcome}, and not 404 with code 1")),
    };
    let held = held.map_err(|actual| {
        let expected = format!("{label}: {}", Refusal::NO_NAMESPACE.expected());
        Deviation::new(expected, actual, [exchange])
    });
    s.judge("TBL-3", label, "not found: namespace", held);
    let namespace = Object::Namespace(missing.id.clone());
    s.gone("NS-4", "the namespace afterwards", &namespace)
        .await?;
    if outcome != Outcome::Ok {
        s.made(&namespace).await?;
        s.gone("TBL-9", "the table, once the namespace is there", &table)
            .await?;
    }
    Ok(())
}

async fn properties_come_back(s: Stage) -> Flow {
    let home = s.home().await?;
    let [a, b, c] = ["a", "ab", "b"].map(|name| Object::Table(home.child(name)));
    s.properties_come_back("TBL-16", [&a, &b, &c]).await
}

async fn given_location_is_used(s: Stage) -> Flow {
    let first = Object::Table(s.home().await?.child("t"));
    let declared = s.made(&first).await?;
    let beside = declared.body["location"].as_str().unwrap_or_default();
    let beside = format!("{}_beside", beside.trim_end_matches('/'));
    let second = Object::Table(s.home().await?.child("u"));
    s.will_make(&second);
    let call = second.make().field("location", json!(beside));
    let answer = s.ask("declare a table at a location", call).await;
    let Some(answered) = answer.open_weighing("TBL-18", Level::Should)? else {
        s.judge("TBL-18", "its location", "the one given, if taken", Ok(()));
        return Ok(());
    };
    let described = s.ask("describe it", second.describe()).await.set_up()?;
    let held = match described.body["location"].as_str() {
        Some(location) if location.trim_end_matches('/') == beside => Ok(()),
        _ => Err(Deviation::new(
            "the table is at the location that the declare gave",
            "it is somewhere else",
            [answered.exchange, described.exchange],
        )),
    };
    s.judge("TBL-18", "its location", "the one given, if taken", held);
    Ok(())
}

async fn acknowledged_writes_are_done(s: Stage) -> Flow {
    let home = s.home().await?;
    let mut faults = Faults::new("40 tables declared, and every second deregistered");
    for at in 0..WRITES {
        let table = Object::Table(home.child(&format!("t{at}")));
        s.will_make(&table);
        let made = s.ask("declare a table", table.make()).await.set_up()?;
        let (there, described) = s.finds(&table).await?;
        if !there {
            let what = "a table that was declared is not there";
            faults.broken("REST-15", what, table.name(), [made.exchange, described]);
            continue;
        }
        if at % 2 == 1 {
            let call = calls::deregister(table.id());
            let removed = s.ask("deregister a table", call).await.set_up()?;
            let (there, described) = s.finds(&table).await?;
            if there {
                let what = "a table that was deregistered is there";
                faults.broken("REST-15", what, table.name(), [removed.exchange, described]);
            }
        }
    }
    let listing = Object::Table(home.child("t0")).listing(&s);
    let walk = listing.pages(&s, None).await?;
    let mut expected: Vec<String> = (0..WRITES).step_by(2).map(|at| format!("t{at}")).collect();
    let mut listed: Vec<String> = walk.items().into_iter().map(str::to_owned).collect();
    expected.sort();
    listed.sort();
    if expected != listed {
        let at = format!("{} listed of {}", listed.len(), expected.len());
        let shown = walk.exchanges.iter().take(2).cloned();
        faults.broken(
            "REST-15",
            "the list holds others than those left",
            at,
            shown,
        );
    }
    faults.end(&s, &["REST-15"], "each is there, or gone, as answered");
    Ok(())
}
