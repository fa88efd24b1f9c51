//! CreateNamespace of a namespace that exists, in each mode and spelling.

use serde_json::json;

use crate::call::Call;
use crate::calls;
use crate::log::{Deviation, Observation};
use crate::outcome::Outcome;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Namespace, Stage};
use crate::steps::{Listing, Object};

scenarios! {
    /// In mode Create, which is the usual one, a namespace that exists is left as it is.
    "namespaces/existing-one-is-not-created-again" => not_created_again {
        tier: Basic,
        checks: ["NS-1", "NS-2"],
        needs: [],
    }
    /// In mode ExistOk a namespace that exists is kept, with all that is inside.
    "namespaces/exist-ok-keeps-it" => exist_ok_keeps_it {
        tier: Basic,
        checks: ["NS-1", "NS-2"],
        needs: [],
    }
    /// In mode Overwrite a namespace that exists becomes new and empty.
    "namespaces/overwrite-leaves-it-empty" => overwrite_leaves_it_empty {
        tier: Basic,
        checks: ["NS-1", "NS-2", "REST-11"],
        needs: [],
    }
}

fn in_mode(id: &[String], mode: &str) -> Call {
    calls::create_namespace(id).field("mode", json!(mode))
}

/// A namespace with a property, a table and a namespace in it.
async fn filled(s: &Stage, name: &str) -> Flow<(Namespace, [Object; 3])> {
    let home = s.home().await?;
    let namespace = Namespace::at(home.child(name));
    let outer = Object::Namespace(namespace.id.clone());
    s.will_make(&outer);
    let call = outer
        .make()
        .field("properties", json!({ "owner": "first" }));
    s.ask(&format!("create namespace {name}"), call)
        .await
        .set_up()?;
    let table = Object::Table(namespace.child("t"));
    let inner = Object::Namespace(namespace.child("inner"));
    s.made(&table).await?;
    s.made(&inner).await?;
    Ok((namespace, [outer, table, inner]))
}

async fn not_created_again(s: Stage) -> Flow {
    let (namespace, inside) = filled(&s, "n").await?;
    let usual = s
        .ask("create it again", calls::create_namespace(&namespace.id))
        .await;
    let exchange = usual.exchange();
    usual.refused("NS-1", inside[0].exists_already())?;
    if Outcome::of(&exchange).is_conflict() {
        for mode in ["Create", "create", "CREATE", "cReAtE"] {
            let label = format!("create it again in mode {mode}");
            s.read_alike(&label, &exchange, in_mode(&namespace.id, mode))
                .await?;
        }
    }
    s.untouched("NS-1", "it and what is inside", &inside, [exchange])
        .await
}

/// Asks for a mode by its usual name. Answers whether the server has it; where it says that it has
/// not, nothing more can be asked.
async fn has_mode(s: &Stage, mode: &str, call: Call) -> Flow<bool> {
    let answer = s.ask(&format!("create it in mode {mode}"), call).await;
    if matches!(answer.outcome(), Outcome::Refused(406, Some(0))) {
        s.cite("NS-1");
        s.observe(Observation {
            requirement: "NS-1",
            choice: format!("mode {mode}: not supported"),
        });
        s.warn(
            "NS-1",
            Deviation::new(
                format!("the mode {mode}, which is one of three, is carried out"),
                "406 with code 0",
                [answer.exchange()],
            ),
        );
        return Ok(false);
    }
    answer.ok("NS-1")?;
    Ok(true)
}

async fn exist_ok_keeps_it(s: Stage) -> Flow {
    let (namespace, inside) = filled(&s, "n").await?;
    let before = s.ask("describe it", inside[0].describe()).await.set_up()?;
    let call = in_mode(&namespace.id, "ExistOk").field("properties", json!({ "owner": "second" }));
    if !has_mode(&s, "ExistOk", call).await? {
        return Ok(());
    }
    let after = s.ask("describe it", inside[0].describe()).await.set_up()?;
    let held = match before.body["properties"] == after.body["properties"] {
        true => Ok(()),
        false => Err(Deviation::new(
            "the existing namespace is kept, with its properties",
            format!("its properties have become {}", after.body["properties"]),
            [before.exchange, after.exchange.clone()],
        )),
    };
    s.judge("NS-1", "its properties", "as before", held);
    for mode in ["exist_ok", "EXISTOK", "EXIST_OK", "existok", "Exist_Ok"] {
        let label = format!("create it in mode {mode}");
        let call = in_mode(&namespace.id, mode);
        s.read_alike(&label, &after.exchange, call).await?;
    }
    s.untouched("NS-1", "it and what is inside", &inside, [after.exchange])
        .await?;
    let other = Object::Namespace(s.home().await?.child("other"));
    s.will_make(&other);
    let call = in_mode(other.id(), "ExistOk");
    s.ask("create another in mode ExistOk", call)
        .await
        .ok("NS-1")?;
    s.there("NS-1", "the other one", &other).await
}

async fn overwrite_leaves_it_empty(s: Stage) -> Flow {
    let (first, inside) = filled(&s, "n").await?;
    let (_, longer) = filled(&s, "nn").await?;
    let (_, like) = filled(&s, "n_").await?;
    if !has_mode(&s, "Overwrite", in_mode(&first.id, "Overwrite")).await? {
        return Ok(());
    }
    let described = s.ask("describe it", inside[0].describe()).await;
    let described = described.ok("NS-1")?;
    let held = match described.body["properties"]["owner"].as_str() {
        Some("first") => Err(Deviation::new(
            "a new namespace takes the place of the one that was there",
            "it has a property of the one that was there",
            [described.exchange.clone()],
        )),
        _ => Ok(()),
    };
    s.judge("NS-1", "its properties", "new", held);
    is_empty(&s, "NS-1", &first, &inside).await?;
    s.untouched(
        "REST-11",
        "namespaces whose names begin alike",
        &[longer, like].concat(),
        [],
    )
    .await?;
    for (at, mode) in ["overwrite", "OVERWRITE"].into_iter().enumerate() {
        let (namespace, inside) = filled(&s, &format!("m{at}")).await?;
        let label = format!("create one in mode {mode}");
        let call = in_mode(&namespace.id, mode);
        s.read_alike(&label, &described.exchange, call).await?;
        is_empty(&s, "NS-2", &namespace, &inside).await?;
    }
    Ok(())
}

/// Judges that a namespace holds nothing, and that what was inside is gone.
async fn is_empty(
    s: &Stage,
    requirement: &'static str,
    namespace: &Namespace,
    inside: &[Object],
) -> Flow {
    for object in &inside[1..] {
        s.gone(requirement, &format!("its {}", object.label()), object)
            .await?;
    }
    for listing in [
        Listing::namespaces(namespace),
        Listing::tables(s, namespace),
    ] {
        s.lists_nothing(requirement, &listing).await?;
    }
    Ok(())
}
