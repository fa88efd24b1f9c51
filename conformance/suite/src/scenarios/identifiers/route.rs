//! Identifiers in the route and in the body.

use serde_json::{Value, json};

use crate::call::Call;
use crate::calls;
use crate::outcome::Refusal;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Namespace, Stage};
use crate::steps::Object;

scenarios! {
    /// A body that names another object than the route is refused, and neither is touched.
    "identifiers/body-differs-from-route" => body_differs_from_route {
        tier: Basic,
        checks: ["REST-1", "REST-11"],
        needs: [],
    }
    /// The same holds where it is asked whether something exists.
    "identifiers/body-of-exists-differs-from-route" => body_of_exists_differs {
        tier: Tables,
        checks: ["REST-1"],
        needs: ["NamespaceExists", "TableExists"],
    }
    /// The same holds of versions.
    "identifiers/body-of-versions-differs-from-route" => body_of_versions_differs {
        tier: Versions,
        checks: ["REST-1", "REST-11"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "BatchDeleteTableVersions"],
    }
    /// Where the body names no object, the route does.
    "identifiers/route-alone-names-the-object" => route_alone {
        tier: Basic,
        checks: ["REST-2"],
        needs: [],
    }
    /// An identifier in a body is a list of parts, whatever joins those in the route.
    "identifiers/body-is-a-list-of-parts" => body_is_a_list_of_parts {
        tier: Basic,
        checks: ["REST-16"],
        needs: [],
    }
}

/// The call with another identifier in its body.
fn naming(call: Call, id: &[String]) -> Call {
    call.field("id", json!(id))
}

async fn refused(s: &Stage, label: &str, call: Call) -> Flow {
    s.ask(label, call).await.refused("REST-1", Refusal::INVALID)
}

async fn body_differs_from_route(s: Stage) -> Flow {
    let home = s.home().await?;
    let namespace = |name: &str| Object::Namespace(home.child(name));
    let table = |name: &str| Object::Table(home.child(name));
    let (here, there) = (namespace("here"), namespace("there"));
    let (t, u) = (table("t"), table("u"));
    let made = [here, there, t, u];
    for object in &made {
        s.made(object).await?;
    }
    let [here, there, t, u] = &made;
    for (label, call, other) in [
        ("describe a namespace", here.describe(), there.id()),
        ("drop a namespace", here.remove(), there.id()),
        ("describe a table", t.describe(), u.id()),
        ("deregister a table", t.remove(), u.id()),
        ("describe it, naming the root", t.describe(), &[]),
        ("describe it, naming its namespace", t.describe(), &home.id),
    ] {
        refused(&s, label, naming(call, other)).await?;
    }
    s.untouched("REST-11", "all four", &made, []).await?;
    let unmade = [namespace("v"), namespace("w"), table("x"), table("y")];
    for object in &unmade {
        s.will_make(object);
    }
    let [v, w, x, y] = &unmade;
    refused(&s, "create a namespace", naming(v.make(), w.id())).await?;
    refused(&s, "declare a table", naming(x.make(), y.id())).await?;
    for (label, object) in ["a namespace", "the other", "a table", "the other"]
        .into_iter()
        .zip(&unmade)
    {
        s.gone("REST-11", label, object).await?;
    }
    Ok(())
}

async fn body_of_exists_differs(s: Stage) -> Flow {
    let home = s.home().await?;
    let (t, u) = (s.table("t").await?, s.table("u").await?);
    let namespace = s.namespace("n").await?;
    for (label, call, other) in [
        (
            "namespace exists",
            calls::namespace_exists(&namespace.id),
            &home.id,
        ),
        ("table exists", calls::table_exists(&t.id), &u.id),
    ] {
        refused(&s, label, naming(call, other)).await?;
    }
    Ok(())
}

async fn body_of_versions_differs(s: Stage) -> Flow {
    let (t, u) = (s.table("t").await?, s.table("u").await?);
    s.versions(&t, 2).await?;
    s.versions(&u, 2).await?;
    let before = [s.stored(&t).await?, s.stored(&u).await?];
    let manifest = s.manifest(&t, "m3").await?;
    for (label, call) in [
        ("create a version", calls::create_version(&t, 3, &manifest)),
        ("describe a version", calls::describe_version(&t, Some(1))),
        ("delete a version", calls::delete_versions(&t, &[(1, 2)])),
    ] {
        refused(&s, label, naming(call, &u.id)).await?;
    }
    for (table, before) in [(&t, &before[0]), (&u, &before[1])] {
        let held = s.compared(table, before, []).await?;
        let label = format!("the versions of {}", table.label);
        s.judge("REST-11", &label, "as they were", held);
    }
    Ok(())
}

async fn route_alone(s: Stage) -> Flow {
    let home = s.home().await?;
    let namespace = Object::Namespace(home.child("n"));
    let inside = Namespace::at(namespace.id().to_vec());
    let table = Object::Table(inside.child("t"));
    s.will_make(&namespace);
    s.will_make(&table);
    for (label, call) in [
        ("create a namespace", namespace.make()),
        ("describe it", namespace.describe()),
        ("declare a table in it", table.make()),
        ("describe the table", table.describe()),
    ] {
        s.ask(label, call.field("id", None)).await.ok("REST-2")?;
    }
    s.there("REST-2", "the namespace", &namespace).await?;
    s.there("REST-2", "the table", &table).await?;
    // Null is absence; that much is a should.
    let null = table.describe().field("id", Value::Null);
    s.ask("describe the table, naming null", null)
        .await
        .ok_should("REST-2")?;
    let call = table.remove().field("id", None);
    s.ask("deregister the table", call).await.ok("REST-2")?;
    s.gone("REST-2", "the table", &table).await?;
    let call = namespace.remove().field("id", None);
    s.ask("drop the namespace", call).await.ok("REST-2")?;
    s.gone("REST-2", "the namespace", &namespace).await
}

async fn body_is_a_list_of_parts(s: Stage) -> Flow {
    let namespace = s.namespace("n").await?;
    let table = s.table_in(&namespace, "t").await?;
    let joined = |delimiter: &'static str| {
        calls::describe_table(&table.id)
            .id(&[table.id.join(delimiter)])
            .query("delimiter", delimiter)
            .field("id", json!(table.id))
    };
    for delimiter in ["$", "|", "::"] {
        if table.id.iter().any(|part| part.contains(delimiter)) {
            continue;
        }
        s.ask("describe a table, by its parts", joined(delimiter))
            .await
            .ok_as_ever("REST-16")?;
        for parts in [
            vec![table.id.join(delimiter)],
            vec![namespace.id.join(delimiter), "t".to_owned()],
        ] {
            let label = "describe it, some parts joined in the body";
            let call = joined(delimiter).field("id", json!(parts));
            let answer = s.ask(label, call).await;
            answer.not_done_as_ever("REST-16")?;
        }
    }
    s.line("by parts in the body: ok; by joined parts: refused".to_owned());
    Ok(())
}
