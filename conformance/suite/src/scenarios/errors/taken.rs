//! Names that are taken, and namespaces that are not empty.

use serde_json::json;

use crate::calls::{self, data};
use crate::outcome::Refusal;
use crate::rows::Row;
use crate::scenario::{Flow, scenarios};
use crate::stage::Stage;
use crate::steps::{Demand, Object, Owed, Scene};

scenarios! {
    /// Whatever makes a namespace or a table that exists is refused, and the old one stays.
    "errors/taken-names-are-conflicts" => taken_names {
        tier: Basic,
        checks: ["ERR-1", "ERR-3"],
        needs: [],
    }
    /// A version, tag or branch that exists is not made again, by any operation.
    "errors/existing-versions-and-refs-are-conflicts" => taken_refs {
        tier: Versions,
        checks: ["ERR-1", "ERR-3"],
        needs: ["CreateTableVersion", "DescribeTableVersion"],
    }
    /// A table with rows, an index and a view that exist are not made again.
    "errors/existing-tables-with-rows-are-conflicts" => taken_rows {
        tier: Data,
        checks: ["ERR-1", "ERR-3"],
        needs: ["CreateTable"],
    }
    /// A namespace that holds a table or a namespace is not dropped.
    "errors/non-empty-namespace-is-not-dropped" => not_empty {
        tier: Basic,
        checks: ["ERR-1", "ERR-3"],
        needs: [],
    }
}

async fn taken_names(s: Stage) -> Flow {
    let home = s.home().await?;
    let n = s.namespace("n").await?;
    let (t, u) = (s.table("t").await?, s.table("u").await?);
    let vacant = match s.has("RegisterTable").await? {
        true => Some(s.vacant("v").await?),
        false => None,
    };
    let mut scene = Scene::of(&s, &[&home, &n], &[&t, &u]).await?;

    let best = [Refusal::NAMESPACE_EXISTS];
    let mut owed = Owed::new("ERR-3", "making a namespace again", &best, Demand::Error);
    owed.ask_all(&s, [calls::create_namespace(&n.id)], &mut scene)
        .await?;
    owed.end(&s);

    let best = [Refusal::TABLE_EXISTS];
    let label = "declaring a table again, and giving its name to others";
    let mut owed = Owed::new("ERR-3", label, &best, Demand::Error);
    owed.ask_all(&s, [calls::declare(&t.id)], &mut scene)
        .await?;
    if let Some(location) = vacant {
        let label = "RegisterTable";
        let answer = s.register(label, &location, calls::register(&t.id, ""));
        owed.take(&s, label, answer.await, &mut scene).await?;
    }
    owed.ask_all(&s, [calls::rename(&u.id, t.name())], &mut scene)
        .await?;
    owed.end(&s);

    let best = [Refusal::TABLE_EXISTS, Refusal::CONFLICT];
    let mut owed = Owed::new("ERR-3", "declaring it in a commit", &best, Demand::Error);
    let commit = calls::commit(&[calls::commit_declare(&t.id)]);
    owed.ask_all(&s, [commit], &mut scene).await?;
    owed.end(&s);
    scene.end(&s, "ERR-1");
    Ok(())
}

async fn taken_refs(s: Stage) -> Flow {
    let t = s.table("t").await?;
    s.versions(&t, 1).await?;
    for (operation, call) in [
        ("CreateTableTag", calls::create_tag(&t, "x", 1)),
        ("CreateTableBranch", calls::create_branch(&t, "x")),
    ] {
        if s.has(operation).await? {
            s.ask(operation, call).await.set_up()?;
        }
    }
    let mut scene = Scene::of(&s, &[], &[&t]).await?;
    let other = s.manifest(&t, "another").await?;
    let version = [
        calls::create_version(&t, 1, &other),
        calls::batch_create(&[calls::batch_entry(&t.id, 1, &other)]),
        calls::commit(&[calls::commit_create(&t.id, 1, &other)]),
    ];
    for (label, best, calls) in [
        ("creating a version again", Refusal::CONFLICT, &version[..]),
        (
            "creating a tag again",
            Refusal::TAG_EXISTS,
            &[calls::create_tag(&t, "x", 1)],
        ),
        (
            "creating a branch again",
            Refusal::BRANCH_EXISTS,
            &[calls::create_branch(&t, "x")],
        ),
    ] {
        let mut owed = Owed::new("ERR-3", label, &[best], Demand::Error);
        owed.ask_all(&s, calls.iter().cloned(), &mut scene).await?;
        owed.end(&s);
    }
    scene.end(&s, "ERR-1");
    Ok(())
}

async fn taken_rows(s: Stage) -> Flow {
    let home = s.home().await?;
    let t = s.table_of("t", &Row::all(1..=3)).await?;
    let view = home.child("v");
    s.will_make(&Object::Table(view.clone()));
    let index = data::scalar_index(&t, "id", "by_id");
    for call in [index.clone(), data::view(&view)] {
        if s.has(call.operation()).await? {
            s.ask(call.operation(), call).await.set_up()?;
        }
    }
    let mut scene = Scene::of(&s, &[&home], &[&t]).await?;
    let best = [Refusal::TABLE_EXISTS];
    let label = "making a table with rows again, and a view";
    let mut owed = Owed::new("ERR-3", label, &best, Demand::Error);
    let calls = [
        data::create(&t.id, &Row::all([9])),
        calls::declare(&t.id),
        data::view(&view),
    ];
    owed.ask_all(&s, calls, &mut scene).await?;
    owed.end(&s);
    // An index is built in the background, and may be refused as late.
    let best = [Refusal::INDEX_EXISTS];
    let mut owed = Owed::new("ERR-3", "making an index again", &best, Demand::Nothing);
    let again = [index.clone(), index.of("CreateTableIndex")];
    owed.ask_all(&s, again, &mut scene).await?;
    owed.end(&s);
    scene.end(&s, "ERR-1");
    Ok(())
}

async fn not_empty(s: Stage) -> Flow {
    let home = s.home().await?;
    let (n, m) = (s.namespace("n").await?, s.namespace("m").await?);
    let t = s.table_in(&n, "t").await?;
    s.namespace_in(&m, "inner").await?;
    let mut scene = Scene::of(&s, &[&home, &n, &m], &[&t]).await?;
    let label = "dropping a namespace that holds a table, or a namespace";
    let mut owed = Owed::new("ERR-3", label, &[Refusal::NOT_EMPTY], Demand::Error);
    for id in [&n.id, &m.id] {
        let restrict = calls::drop_namespace(id).field("behavior", json!("Restrict"));
        owed.ask_all(&s, [calls::drop_namespace(id), restrict], &mut scene)
            .await?;
    }
    owed.end(&s);
    scene.end(&s, "ERR-1");
    Ok(())
}
