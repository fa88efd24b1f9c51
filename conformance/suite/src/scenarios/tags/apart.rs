//! Tags of other tables, and names that look alike.

use std::collections::BTreeSet;

use crate::calls;
use crate::log::{Deviation, Observation};
use crate::outcome::Outcome;
use crate::scenario::{Flow, scenarios};
use crate::stage::Stage;
use crate::steps::ODD_NAMES;

scenarios! {
    /// Tables have tags of their own, whatever the names of tables and tags.
    "tags/tables-have-tags-of-their-own" => tables_apart {
        tier: Tags,
        checks: ["TAG-2", "TAG-3", "TAG-4"],
        needs: [
            "CreateTableTag", "CreateTableVersion", "DeleteTableTag", "GetTableTagVersion",
            "ListTableTags", "UpdateTableTag",
        ],
    }
    /// A tag's name is taken as it is or refused, and never mixed up with one that looks like it.
    "tags/names-that-look-alike-are-told-apart" => names_apart {
        tier: Tags,
        checks: ["TAG-2"],
        needs: ["CreateTableTag", "CreateTableVersion", "GetTableTagVersion", "ListTableTags"],
    }
}

async fn tables_apart(s: Stage) -> Flow {
    let t = s.table("t").await?;
    let u = s.table("u").await?;
    let elsewhere = s.namespace("n").await?;
    let mut n_t = s.table_in(&elsewhere, "t").await?;
    "n$t".clone_into(&mut n_t.label);
    for (table, version) in [(&t, 1), (&u, 2), (&n_t, 3)] {
        s.versions(table, 3).await?;
        let create = calls::create_tag(table, "a", version);
        let label = format!("create tag a of {} on version {version}", table.label);
        s.ask(&label, create).await.ok("TAG-2")?;
    }
    for (table, version) in [(&t, 1), (&u, 2), (&n_t, 3)] {
        s.tag_is("TAG-2", table, "a", version).await?;
    }
    let delete = calls::delete_tag(&t, "a");
    s.ask("delete tag a of t", delete).await.ok("TAG-4")?;
    s.no_tag("TAG-4", &t, "a").await?;
    s.tag_is("TAG-4", &n_t, "a", 3).await?;
    let update = calls::update_tag(&u, "a", 1);
    let label = "update tag a of u to version 1";
    s.ask(label, update).await.ok("TAG-3")?;
    s.tag_is("TAG-3", &n_t, "a", 3).await?;
    Ok(())
}

async fn names_apart(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 3).await?;
    let versions = [1, 2, 3];
    let create = |name: &str, version| calls::create_tag(&table, name, version);
    let version = |index: usize| versions[index % versions.len()];
    let taken = s.create_odd_names("TAG-2", create, version).await?;
    let mut wrong = Vec::new();
    let mut exchanges = Vec::new();
    for (name, version) in &taken {
        let answer = s.ask("get a tag", calls::tag_version(&table, name)).await;
        answer.answered()?;
        let got = answer.exchange();
        let names = got.json().and_then(|body| body["version"].as_i64());
        if names != Some(*version) {
            let outcome = Outcome::of(&got);
            wrong.push(match names {
                Some(other) => format!("{name:?} names version {other} in place of {version}"),
                None => format!("get of {name:?}: {outcome}"),
            });
            exchanges.push(got);
        }
    }
    let listed = s.tags("TAG-2", &table).await?;
    let expected: BTreeSet<&str> = taken.keys().copied().collect();
    if listed.names() != expected {
        wrong.push(format!(
            "the listing names {:?} where {expected:?} were created",
            listed.names()
        ));
        exchanges.push(listed.exchange.clone());
    }
    let held = match wrong.is_empty() {
        true => Ok(()),
        false => Err(Deviation::new(
            "each tag that was created names its version, under the name it was given",
            wrong.join("; "),
            exchanges,
        )),
    };
    let label = format!("{} tags with odd names", ODD_NAMES.len());
    s.judge(
        "TAG-2",
        &label,
        "each refused, or there as it was created",
        held,
    );
    let refused: Vec<&str> = ODD_NAMES
        .into_iter()
        .filter(|name| !taken.contains_key(name))
        .collect();
    s.observe(Observation {
        requirement: "TAG-2",
        choice: match refused.is_empty() {
            true => "tags may have any name".to_owned(),
            false => format!("tags cannot be named {refused:?}"),
        },
    });
    Ok(())
}
