//! Dropping namespaces.

use std::sync::Arc;

use serde_json::json;

use crate::call::Call;
use crate::calls;
use crate::exchange::Exchange;
use crate::log::{Deviation, Observation};
use crate::outcome::{Outcome, Refusal};
use crate::requirement::Level;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Namespace, Stage};
use crate::steps::{Listing, Object};

scenarios! {
    /// A namespace that was dropped is gone, and its siblings are not.
    "namespaces/dropped-namespace-is-gone" => dropped_namespace_is_gone {
        tier: Basic,
        checks: ["REST-11", "REST-15"],
        needs: [],
    }
    /// A namespace that holds a table or a namespace is not dropped, nor is what it holds.
    "namespaces/non-empty-one-is-not-dropped" => non_empty_is_not_dropped {
        tier: Basic,
        checks: ["NS-2", "NS-5", "REST-15"],
        needs: [],
    }
    /// In mode Fail, which is the usual one, dropping a namespace that does not exist is an error.
    "namespaces/missing-one-is-not-dropped" => missing_is_not_dropped {
        tier: Basic,
        checks: ["NS-2", "NS-6", "REST-11"],
        needs: [],
    }
    /// In mode Skip, dropping a namespace that does not exist succeeds, and one that does drops it.
    "namespaces/skip-of-a-missing-one-succeeds" => skip_succeeds {
        tier: Basic,
        checks: ["NS-2", "NS-6", "NS-11"],
        needs: [],
    }
    /// With behaviour Cascade all that is inside is dropped, and nothing beside it.
    "namespaces/cascade-drops-all-inside" => cascade_drops_all_inside {
        tier: Basic,
        checks: ["NS-7", "NS-11", "REST-11"],
        needs: [],
    }
}

fn drop_in(id: &[String], field: &str, value: &str) -> Call {
    calls::drop_namespace(id).field(field, json!(value))
}

/// A namespace with a table in it.
async fn with_table(s: &Stage, name: &str) -> Flow<[Object; 2]> {
    let home = s.home().await?;
    let namespace = Namespace::at(home.child(name));
    let table = Object::Table(namespace.child("t"));
    let namespace = Object::Namespace(namespace.id);
    s.made(&namespace).await?;
    s.made(&table).await?;
    Ok([namespace, table])
}

async fn dropped_namespace_is_gone(s: Stage) -> Flow {
    let home = s.home().await?;
    let namespace = Object::Namespace(home.child("n"));
    s.made(&namespace).await?;
    let mut siblings = Vec::new();
    for name in ["nn", "n_", "n-", "an", "m"] {
        siblings.extend(with_table(&s, name).await?);
    }
    let dropped = s.ask("drop a namespace", namespace.remove()).await;
    let dropped = dropped.ok("REST-15")?;
    s.gone("REST-15", "the namespace", &namespace).await?;
    s.untouched(
        "REST-11",
        "its siblings and what is inside",
        &siblings,
        [dropped.exchange],
    )
    .await?;
    let again = s.ask("create it again", namespace.make()).await;
    again.ok("REST-15")?;
    s.there("REST-15", "the namespace, created again", &namespace)
        .await?;
    let inside = Namespace::at(namespace.id().to_vec());
    s.lists_nothing("REST-15", &Listing::tables(&s, &inside))
        .await
}

async fn non_empty_is_not_dropped(s: Stage) -> Flow {
    let home = s.home().await?;
    let holds_table = with_table(&s, "holds_a_table").await?;
    let outer = Namespace::at(home.child("holds_a_namespace"));
    let inner = Object::Namespace(outer.child("inner"));
    let holds_namespace = [Object::Namespace(outer.id), inner];
    s.made(&holds_namespace[0]).await?;
    s.made(&holds_namespace[1]).await?;
    for (label, family) in [
        ("that holds a table", &holds_table),
        ("that holds a namespace", &holds_namespace),
    ] {
        let label = format!("drop a namespace {label}");
        let usual = s.ask(&label, family[0].remove()).await;
        let exchange = usual.exchange();
        usual.not_done("NS-5", &[Refusal::NOT_EMPTY])?;
        if let Outcome::Refused(..) = Outcome::of(&exchange) {
            for behavior in ["Restrict", "restrict", "RESTRICT"] {
                let call = drop_in(family[0].id(), "behavior", behavior);
                s.read_alike(&format!("{label}, {behavior}"), &exchange, call)
                    .await?;
            }
        }
        s.untouched("NS-5", "it and what is inside", family, [exchange])
            .await?;
        let emptied = s
            .ask("remove what is inside", family[1].remove())
            .await
            .set_up()?;
        drop(emptied);
        let dropped = s.ask("drop it, once it is empty", family[0].remove()).await;
        dropped.ok("REST-15")?;
        s.gone("REST-15", "the namespace", &family[0]).await?;
    }
    Ok(())
}

/// The model says 400 with code 1, the error page implies 404 (contradiction 2).
const MISSING: [Refusal; 2] = [
    Refusal::NO_NAMESPACE,
    Refusal {
        status: 400,
        codes: &[1],
        label: "not found: namespace",
    },
];

async fn missing_is_not_dropped(s: Stage) -> Flow {
    let home = s.home().await?;
    let siblings = with_table(&s, "n").await?;
    let missing = Object::Namespace(home.child("nn"));
    let usual = s
        .ask("drop a namespace that does not exist", missing.remove())
        .await;
    let exchange = usual.exchange();
    let outcome = usual.outcome();
    usual.not_done("NS-6", &MISSING)?;
    s.observe(Observation {
        requirement: "NS-6",
        choice: format!("mode Fail of a missing namespace: {}", status(&exchange)),
    });
    if let Outcome::Refused(..) = outcome {
        for mode in ["Fail", "fail", "FAIL"] {
            let call = drop_in(missing.id(), "mode", mode);
            s.read_alike(&format!("drop it in mode {mode}"), &exchange, call)
                .await?;
        }
    }
    let inside = Object::Namespace([missing.id(), &["inner".to_owned()]].concat());
    s.ask("drop one inside it", inside.remove())
        .await
        .not_done("NS-6", &MISSING)?;
    s.untouched(
        "REST-11",
        "a namespace whose name begins alike",
        &siblings,
        [exchange],
    )
    .await
}

fn status(exchange: &Exchange) -> String {
    exchange
        .status()
        .map_or_else(String::new, |s| s.to_string())
}

async fn skip_succeeds(s: Stage) -> Flow {
    let home = s.home().await?;
    let missing = Object::Namespace(home.child("missing"));
    let label = "drop a namespace that does not exist in mode Skip";
    let answer = s.ask(label, drop_in(missing.id(), "mode", "Skip")).await;
    let exchange = answer.exchange();
    answer.may_be_not_offered("NS-6", "mode Skip")?;
    answer.ok("NS-6")?;
    if exchange.status() != Some(204) {
        s.warn(
            "NS-6",
            Deviation::new(
                format!("{label}: 204"),
                status(&exchange),
                [Arc::clone(&exchange)],
            ),
        );
    }
    for mode in ["skip", "SKIP"] {
        let call = drop_in(missing.id(), "mode", mode);
        s.read_alike(&format!("drop it in mode {mode}"), &exchange, call)
            .await?;
    }
    let there = Object::Namespace(home.child("there"));
    s.made(&there).await?;
    let call = drop_in(there.id(), "mode", "Skip");
    s.ask("drop one that exists in mode Skip", call)
        .await
        .ok("NS-11")?;
    s.gone("NS-11", "the one that existed", &there).await
}

/// A tree of namespaces with a table in each.
async fn tree(s: &Stage, root: &str) -> Flow<Vec<Object>> {
    let mut objects = Vec::new();
    let mut id = s.home().await?.child(root);
    for name in ["inner", "deeper"] {
        let namespace = Namespace::at(id.clone());
        objects.push(Object::Namespace(id.clone()));
        objects.push(Object::Table(namespace.child("t")));
        id.push(name.to_owned());
    }
    for object in &objects {
        s.made(object).await?;
    }
    Ok(objects)
}

async fn cascade_drops_all_inside(s: Stage) -> Flow {
    let inside = tree(&s, "n").await?;
    let beside = [tree(&s, "nn").await?, tree(&s, "n_").await?].concat();
    let label = "drop a namespace and all that is inside";
    let call = drop_in(inside[0].id(), "behavior", "Cascade");
    let answer = s.ask(label, call).await;
    answer.answered()?;
    let (outcome, exchange) = (answer.outcome(), answer.exchange());
    answer.may_be_not_offered("NS-7", "behaviour Cascade")?;
    if outcome != Outcome::Ok {
        s.cite("NS-7");
        s.line(format!("{label}: {outcome}"));
        let expected = format!("{label}: 200, or 406 with code 0");
        let deviation = Deviation::new(expected, outcome.to_string(), [Arc::clone(&exchange)]);
        s.violated("NS-7", Level::Should, deviation);
        return s
            .untouched("NS-11", "what is inside", &inside, [exchange])
            .await;
    }
    s.judge("NS-7", label, "ok", Ok(()));
    all_gone(&s, &inside, &exchange).await?;
    s.untouched(
        "REST-11",
        "what is beside it",
        &beside,
        [Arc::clone(&exchange)],
    )
    .await?;
    // Parents before their children: what is inside must not come back with them.
    for namespace in inside.iter().step_by(2) {
        s.made(namespace).await?;
        let listed = Namespace::at(namespace.id().to_vec());
        s.lists_nothing("NS-11", &Listing::tables(&s, &listed))
            .await?;
    }
    for (at, behavior) in ["cascade", "CASCADE"].into_iter().enumerate() {
        let inside = tree(&s, &format!("m{at}")).await?;
        let call = drop_in(inside[0].id(), "behavior", behavior);
        let answer = s.ask(&format!("drop one with {behavior}"), call).await;
        let exchange = answer.exchange();
        answer.ok("NS-7")?;
        all_gone(&s, &inside, &exchange).await?;
    }
    Ok(())
}

/// Judges that none of these is found by describe.
async fn all_gone(s: &Stage, inside: &[Object], dropped: &Arc<Exchange>) -> Flow {
    let mut held = Ok(());
    for object in inside {
        let (found, exchange) = s.finds(object).await?;
        if found {
            held = Err(Deviation::new(
                "what is inside is dropped with the namespace",
                format!("{} is still described", object.label()),
                [Arc::clone(dropped), exchange],
            ));
        }
    }
    s.judge("NS-11", "what is inside", "gone", held);
    Ok(())
}
