//! Batches that are refused: one entry, wherever it stands, keeps all of them out.

use serde_json::{Value, json};

use crate::calls;
use crate::log::Deviation;
use crate::outcome::Refusal;
use crate::requirement::Level;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};
use crate::steps::Effect;

/// The places of a batch.
const PLACES: usize = 5;

scenarios! {
    /// A version that exists, wherever it stands in a batch, keeps all entries out and stays as it is.
    "atomicity/conflict-refuses-the-batch" => conflict_refuses_the_batch {
        tier: Batch,
        checks: ["BAT-1", "BAT-2"],
        needs: ["BatchCreateTableVersions", "DescribeTableVersion", "ListTableVersions"],
    }
    /// A table that does not exist, wherever it stands in a batch, keeps all entries out.
    "atomicity/unknown-table-refuses-the-batch" => unknown_table_refuses_the_batch {
        tier: Batch,
        checks: ["BAT-1", "BAT-3"],
        needs: ["BatchCreateTableVersions", "DescribeTableVersion", "ListTableVersions"],
    }
    /// An invalid entry, wherever it stands in a batch, keeps all entries out.
    "atomicity/invalid-entry-refuses-the-batch" => invalid_entry_refuses_the_batch {
        tier: Batch,
        checks: ["BAT-1", "BAT-3"],
        needs: ["BatchCreateTableVersions", "DescribeTableVersion", "ListTableVersions"],
    }
    /// A batch that creates one version from two manifests is refused as a whole.
    "atomicity/one-version-twice-refuses-the-batch" => one_version_twice_refuses_the_batch {
        tier: Batch,
        checks: ["BAT-1", "BAT-4"],
        needs: ["BatchCreateTableVersions", "DescribeTableVersion", "ListTableVersions"],
    }
    /// A batch with one entry twice creates each version once, or is refused as a whole.
    "atomicity/one-entry-twice" => one_entry_twice {
        tier: Batch,
        checks: ["BAT-4"],
        needs: ["BatchCreateTableVersions", "DescribeTableVersion", "ListTableVersions"],
    }
}

/// Four tables without versions, in two namespaces.
async fn good_tables(s: &Stage) -> Flow<[Table; PLACES - 1]> {
    let other = s.namespace("other").await?;
    Ok([
        s.table("a").await?,
        s.table_in(&other, "b").await?,
        s.table("c").await?,
        s.table_in(&other, "d").await?,
    ])
}

/// What kept the batches out has left no trace either: without it they are taken.
async fn taken_without_it(s: &Stage, tables: &[Table]) -> Flow {
    let batch = s.batch_of(tables, 1).await?;
    s.done("BAT-1", "the batch without it", &batch).await?;
    Ok(())
}

async fn conflict_refuses_the_batch(s: Stage) -> Flow {
    let tables = good_tables(&s).await?;
    let taken = s.table("taken").await?;
    let first = s.batch_of(std::slice::from_ref(&taken), 1).await?;
    s.done("BAT-1", "a batch of one entry", &first).await?;
    let before = s.stored(&taken).await?;
    for place in 0..PLACES {
        let manifest = s.manifest(&taken, "another manifest").await?;
        let conflict = calls::batch_entry(&taken.id, 1, &manifest);
        let batch = s.batch_of(&tables, 1).await?.with(place, conflict);
        let label = format!("a batch with a version that exists at place {place} of {PLACES}");
        let refused = s
            .refused("BAT-2", &label, &batch, Refusal::CONFLICT)
            .await?;
        s.unchanged("BAT-2", &taken, &before, [refused]).await?;
    }
    taken_without_it(&s, &tables).await
}

async fn unknown_table_refuses_the_batch(s: Stage) -> Flow {
    let tables = good_tables(&s).await?;
    let template = s.table("template").await?;
    let in_namespace = s.unmade_table("unknown").await?;
    let home = s.home().await?;
    let without_namespace = [home.child("unknown"), vec!["unknown".to_owned()]].concat();
    let unknown = [
        (
            "a table that does not exist",
            in_namespace,
            Refusal::NO_TABLE,
        ),
        (
            "a table in a namespace that does not exist",
            without_namespace,
            Refusal::NO_TABLE_OR_NAMESPACE,
        ),
    ];
    for (what, id, refusal) in unknown {
        for place in 0..PLACES {
            let manifest = s.manifest(&template, "a manifest").await?;
            let entry = calls::batch_entry(&id, 1, &manifest);
            let batch = s.batch_of(&tables, 1).await?.with(place, entry);
            let batch = batch.showing(Effect::Declared(id.clone()));
            let label = format!("a batch with {what} at place {place} of {PLACES}");
            s.not_done("BAT-3", &label, &batch, &[refusal]).await?;
        }
    }
    taken_without_it(&s, &tables).await
}

async fn invalid_entry_refuses_the_batch(s: Stage) -> Flow {
    let tables = good_tables(&s).await?;
    let table = s.table("t").await?;
    let faults: [(&str, &str, Option<Value>); 4] = [
        ("without a manifest path", "manifest_path", None),
        ("of a negative version", "version", Some(json!(-1))),
        ("without a version", "version", None),
        ("whose version is a text", "version", Some(json!("1"))),
    ];
    for (what, field, value) in faults {
        for place in 0..PLACES {
            let manifest = s.manifest(&table, "a manifest").await?;
            let mut entry = calls::batch_entry(&table.id, 1, &manifest);
            if let Some(fields) = entry.as_object_mut() {
                fields.remove(field);
                fields.extend(value.clone().map(|value| (field.to_owned(), value)));
            }
            let batch = s.batch_of(&tables, 1).await?.with(place, entry);
            let label = format!("a batch with an entry {what} at place {place} of {PLACES}");
            let refused = s
                .not_done("BAT-3", &label, &batch, &[Refusal::INVALID])
                .await?;
            s.unchanged("BAT-3", &table, &[], [refused]).await?;
        }
    }
    taken_without_it(&s, &tables).await
}

async fn one_version_twice_refuses_the_batch(s: Stage) -> Flow {
    let tables = good_tables(&s).await?;
    let twice = s.table("twice").await?;
    for (one, other) in [(0, 1), (0, PLACES), (2, 3), (PLACES - 1, PLACES)] {
        let mut batch = s.batch_of(&tables, 1).await?;
        for (name, place) in [("one", one), ("another", other)] {
            let manifest = s.manifest(&twice, &format!("{name} manifest")).await?;
            batch = batch.with(place, calls::batch_entry(&twice.id, 1, &manifest));
        }
        let label = format!(
            "a batch with two manifests of one version, at places {one} and {other} of {}",
            PLACES + 1
        );
        let refusals = [Refusal::CONFLICT, Refusal::INVALID];
        let refused = s.not_done("BAT-4", &label, &batch, &refusals).await?;
        s.unchanged("BAT-4", &twice, &[], [refused]).await?;
    }
    let [a, b, c, d] = tables;
    taken_without_it(&s, &[a, b, c, d, twice]).await
}

async fn one_entry_twice(s: Stage) -> Flow {
    let [a, b, c, d] = good_tables(&s).await?;
    let twice = s.table("twice").await?;
    let batch = s.batch_of(&[a, b, twice.clone(), c, d], 1).await?;
    let repeated = batch.parts().get(2).cloned().unwrap_or_default();
    let batch = batch.with(PLACES, repeated);
    let label = format!("a batch with one entry at places 2 and {PLACES}");
    let reply = s
        .done_or_refused("BAT-4", &label, &batch, Level::Should)
        .await?;
    let (count, expected) = (s.stored(&twice).await?.len(), usize::from(reply.is_some()));
    let held = match count == expected {
        true => Ok(()),
        false => Err(Deviation::new(
            format!("{expected} versions of {}", twice.label),
            format!("{count} versions of {}", twice.label),
            reply.map(|reply| reply.exchange),
        )),
    };
    s.judge("BAT-4", "the repeated entry", "once, or not at all", held);
    Ok(())
}
