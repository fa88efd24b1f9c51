//! Batches that can be taken.

use std::slice;

use futures::{StreamExt, TryStreamExt, stream};

use crate::log::{Deviation, Observation};
use crate::outcome::Outcome;
use crate::requirement::Level;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};
use crate::steps::{Change, Look};

/// How many entries the large batch has.
const MANY: usize = 1000;
/// How many tables it is over, where a batch may have several versions of one table.
const FEW: usize = 20;
/// How many tables are declared at a time.
const DECLARES: usize = 16;

scenarios! {
    /// A batch over tables and namespaces creates every entry, each from its own manifest.
    "atomicity/batch-creates-every-entry" => batch_creates_every_entry {
        tier: Batch,
        checks: ["BAT-1"],
        needs: ["BatchCreateTableVersions", "DescribeTableVersion", "ListTableVersions"],
    }
    /// A batch with several versions of one table creates all of them, or is refused and creates none.
    "atomicity/several-versions-of-one-table" => several_versions_of_one_table {
        tier: Batch,
        checks: ["BAT-1", "BAT-5"],
        needs: ["BatchCreateTableVersions", "DescribeTableVersion", "ListTableVersions"],
    }
    /// An empty batch is refused, or has an empty result.
    "atomicity/empty-batch" => empty_batch {
        tier: Batch,
        checks: ["BAT-11"],
        needs: ["BatchCreateTableVersions"],
    }
    /// A batch of 1,000 entries is taken as a whole, or refused as a whole.
    "atomicity/batch-of-a-thousand" => batch_of_a_thousand {
        tier: Batch,
        checks: ["BAT-12"],
        needs: ["BatchCreateTableVersions", "ListTableVersions"],
    }
    /// A batch that is sent again, alone or with an entry more, changes nothing or is done whole.
    "atomicity/same-batch-again" => same_batch_again {
        tier: Batch,
        checks: ["BAT-1", "BAT-13"],
        needs: ["BatchCreateTableVersions", "DescribeTableVersion", "ListTableVersions"],
    }
}

async fn batch_creates_every_entry(s: Stage) -> Flow {
    let outer = s.namespace("outer").await?;
    let inner = s.namespace("inner").await?;
    let tables = [
        s.table("a").await?,
        s.table_in(&outer, "b").await?,
        s.table_in(&inner, "c").await?,
        s.table("d").await?,
        s.table_in(&outer, "e").await?,
    ];
    for version in 1..=3 {
        let batch = s.batch_of(&tables, version).await?;
        let label = format!("a batch of version {version} of five tables in three namespaces");
        s.done("BAT-1", &label, &batch).await?;
        s.stored_as_sent("BAT-1", &batch).await?;
    }
    Ok(())
}

async fn several_versions_of_one_table(s: Stage) -> Flow {
    for (name, order) in [("counting up", [1, 2, 3]), ("counting down", [3, 2, 1])] {
        let table = s.table(&format!("t-{}", order[0])).await?;
        let other = s.table(&format!("u-{}", order[0])).await?;
        let mut batch = s.batch_of(&[other], 1).await?;
        for version in order {
            let manifest = s.manifest(&table, &format!("manifest {version}")).await?;
            batch = batch.create(&table, version, &manifest);
        }
        let label = format!("a batch of versions 1 to 3 of one table, {name}");
        s.done_or_refused("BAT-5", &label, &batch, Level::Should)
            .await?;
    }
    // Whatever became of those, batches go on.
    let table = s.table("v").await?;
    let batch = s.batch_of(&[table], 1).await?;
    s.done("BAT-1", "a batch of one entry", &batch).await?;
    Ok(())
}

async fn empty_batch(s: Stage) -> Flow {
    let answer = s
        .ask("a batch without entries", Change::batch().call())
        .await;
    let reply = answer.open("BAT-11")?;
    s.has_empty_result("BAT-11", "versions", reply);
    Ok(())
}

async fn batch_of_a_thousand(s: Stage) -> Flow {
    // Few tables are quicker to set up, but a server may refuse several versions of one table.
    let probe = s.table("probe").await?;
    let several = versions_of(&s, slice::from_ref(&probe), 2).await?;
    let tables = match Outcome::of(&*s.exchange(several.call()).await) {
        Outcome::Ok => FEW,
        _ => MANY,
    };
    let declares: Vec<_> = (0..tables)
        .map(|number| declare(s.clone(), format!("t{number:04}")))
        .collect();
    let tables: Vec<Table> = stream::iter(declares)
        .buffered(DECLARES)
        .try_collect()
        .await?;
    let batch = versions_of(&s, &tables, MANY / tables.len()).await?;
    let answer = s.ask("a batch of 1,000 entries", batch.call()).await;
    let (outcome, exchange) = (answer.outcome(), answer.exchange());
    let answered = answer.answered();
    s.as_answered("BAT-12", &batch, &exchange, &[Look::List])
        .await?;
    answered?;
    let taken = match outcome {
        Outcome::Ok | Outcome::Refused(400 | 413, _) => {
            s.observe(Observation {
                requirement: "BAT-12",
                choice: format!("a batch of 1,000 entries: {outcome}"),
            });
            Ok(())
        }
        _ => Err(Deviation::new(
            "a batch of 1,000 entries is taken, or refused with 400 or 413",
            outcome.to_string(),
            [exchange],
        )),
    };
    let label = "a batch of 1,000 entries";
    s.judge("BAT-12", label, "taken, or refused for its size", taken);
    Ok(())
}

/// A batch of versions 1 to `count` of each table.
async fn versions_of(s: &Stage, tables: &[Table], count: usize) -> Flow<Change> {
    let mut batch = Change::batch();
    for table in tables {
        for version in (1..).take(count) {
            let manifest = s.manifest(table, &format!("manifest {version}")).await?;
            batch = batch.create(table, version, &manifest);
        }
    }
    Ok(batch)
}

async fn declare(s: Stage, name: String) -> Flow<Table> {
    s.table(&name).await
}

async fn same_batch_again(s: Stage) -> Flow {
    let tables = [s.table("a").await?, s.table("b").await?];
    let batch = s.batch_of(&tables, 1).await?;
    s.done("BAT-1", "a batch", &batch).await?;
    let before = [s.stored(&tables[0]).await?, s.stored(&tables[1]).await?];

    let again = s.ask("the same batch again", batch.call()).await;
    let exchange = again.exchange();
    let judged = again.open("BAT-13");
    for (table, before) in tables.iter().zip(&before) {
        s.unchanged("BAT-1", table, before, [exchange.clone()])
            .await?;
    }
    judged?;

    // What is new in the second batch comes with the old, or not at all.
    let more = s.table("c").await?;
    let more_manifest = s.manifest(&more, "manifest 1").await?;
    let new = Change::batch().create(&more, 1, &more_manifest);
    let [first, second] = batch.parts() else {
        return Ok(());
    };
    let longer = new.with(0, first.clone()).with(2, second.clone());
    let label = "the same batch again, with a new entry in the middle";
    let answer = s
        .done_or_refused("BAT-13", label, &longer, Level::Must)
        .await;
    for (table, before) in tables.iter().zip(&before) {
        s.unchanged("BAT-1", table, before, []).await?;
    }
    answer.map(|_| ())
}
