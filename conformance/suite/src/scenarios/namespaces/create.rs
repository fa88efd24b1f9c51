//! Creating namespaces.

use std::sync::Arc;

use crate::calls;
use crate::log::Deviation;
use crate::outcome::{Outcome, Refusal};
use crate::scenario::{Flow, scenarios};
use crate::stage::{Namespace, Stage};
use crate::steps::Object;

scenarios! {
    /// A namespace that was created is described and listed at once, at every depth.
    "namespaces/created-namespace-is-there" => created_namespace_is_there {
        tier: Basic,
        checks: ["NS-4", "REST-15"],
        needs: [],
    }
    /// NamespaceExists answers as DescribeNamespace does, without a body.
    "namespaces/exists-agrees-with-describe" => exists_agrees {
        tier: Basic,
        checks: ["NS-4", "NS-10"],
        needs: ["NamespaceExists"],
    }
    /// A namespace has the properties it was created with, and not those of another.
    "namespaces/properties-come-back" => properties_come_back {
        tier: Basic,
        checks: ["NS-8", "REST-11"],
        needs: [],
    }
    /// Below a parent that does not exist no namespace is created.
    "namespaces/missing-parent-is-refused" => missing_parent_is_refused {
        tier: Basic,
        checks: ["NS-3", "NS-4"],
        needs: [],
    }
}

async fn created_namespace_is_there(s: Stage) -> Flow {
    let home = s.home().await?;
    let mut id = home.id.clone();
    for (name, label) in [
        ("outer", "a namespace"),
        ("middle", "one inside it"),
        ("inner", "one inside that"),
    ] {
        id.push(name.to_owned());
        let namespace = Object::Namespace(id.clone());
        s.gone("NS-4", &format!("{label}, before"), &namespace)
            .await?;
        s.will_make(&namespace);
        let created = s.ask(&format!("create {label}"), namespace.make()).await;
        created.ok("REST-15")?;
        s.there("REST-15", label, &namespace).await?;
    }
    Ok(())
}

async fn exists_agrees(s: Stage) -> Flow {
    let outer = s.namespace("outer").await?;
    let inner = s.namespace_in(&outer, "inner").await?;
    let dropped = s.namespace("dropped").await?;
    let drop = calls::drop_namespace(&dropped.id);
    s.ask("drop a namespace", drop).await.set_up()?;
    let missing = Namespace::at(outer.child("missing"));
    for (label, id, there) in [
        ("a namespace", outer.id.clone(), true),
        ("one inside it", inner.id.clone(), true),
        ("one that nobody made", missing.id.clone(), false),
        ("one inside that", missing.child("inner"), false),
        ("one that was dropped", dropped.id, false),
        ("one whose name is longer", inner.child("inner"), false),
        ("one with a part of a name", outer.child("inne"), false),
    ] {
        s.agrees("NS-4", label, &Object::Namespace(id), there)
            .await?;
    }
    s.exists_has_no_body("NS-10", calls::namespace_exists(&outer.id))
        .await
}

async fn properties_come_back(s: Stage) -> Flow {
    let home = s.home().await?;
    let [a, b, c] = ["a", "ab", "b"].map(|name| Object::Namespace(home.child(name)));
    s.properties_come_back("NS-8", [&a, &b, &c]).await
}

async fn missing_parent_is_refused(s: Stage) -> Flow {
    let home = s.home().await?;
    let parent = Namespace::at(home.child("missing"));
    let child = Object::Namespace(parent.child("child"));
    s.will_make(&child);
    let label = "create a namespace below one that does not exist";
    let answer = s.ask(label, child.make()).await;
    answer.answered()?;
    let outcome = answer.outcome();
    let exchange = answer.exchange();
    let fits = matches!(outcome, Outcome::Refused(404, Some(1)));
    let held = match outcome {
        _ if fits => Ok(()),
        Outcome::Ok => Err("it is created".to_owned()),
        outcome => Err(format!("{outcome}, and not 404 with code 1")),
    };
    let held = held.map_err(|actual| {
        let expected = format!("{label}: {}", Refusal::NO_NAMESPACE.expected());
        Deviation::new(expected, actual, [Arc::clone(&exchange)])
    });
    s.judge("NS-3", label, "not found: namespace", held);
    if outcome != Outcome::Ok {
        let above = Object::Namespace(parent.id.clone());
        s.gone("NS-4", "the parent afterwards", &above).await?;
        s.made(&above).await?;
        s.gone("NS-4", "the child, once its parent is there", &child)
            .await?;
    }
    Ok(())
}
