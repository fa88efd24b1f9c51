//! The connection breaks under a batch.

use std::time::Duration;

use super::{MOMENTS, WHOLE, answer_lost, took};
use crate::calls;
use crate::proxy::Fault;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};
use crate::steps::Interrupted;

/// How many tables a batch is over.
const TABLES: usize = 4;

scenarios! {
    /// A batch whose connection breaks, wherever it does, is done whole or not at all.
    "faults/broken-off-batch-is-whole-or-nothing" => broken_off_batch_is_whole_or_nothing {
        tier: Batch,
        checks: ["BAT-9"],
        needs: ["BatchCreateTableVersions", "DescribeTableVersion", "ListTableVersions"],
    }
    /// A batch that must be refused leaves nothing behind, wherever its connection breaks.
    "faults/broken-off-refused-batch-leaves-nothing" => broken_off_refused_batch_leaves_nothing {
        tier: Batch,
        checks: ["BAT-2", "BAT-9"],
        needs: ["BatchCreateTableVersions", "DescribeTableVersion", "ListTableVersions"],
    }
    /// A batch that is sent again, since its answer was lost, is done once.
    "faults/batch-again-after-a-lost-answer" => batch_again_after_a_lost_answer {
        tier: Batch,
        checks: ["BAT-1", "BAT-2", "BAT-9"],
        needs: ["BatchCreateTableVersions", "DescribeTableVersion", "ListTableVersions"],
    }
}

/// Tables of one batch, in two namespaces.
async fn tables(s: &Stage, name: &str) -> Flow<Vec<Table>> {
    let namespaces = [s.home().await?, s.namespace(name).await?];
    let mut tables = Vec::new();
    for number in 0..TABLES {
        let namespace = &namespaces[number % namespaces.len()];
        let name = format!("{name}-{number}");
        tables.push(s.table_in(namespace, &name).await?);
    }
    Ok(tables)
}

async fn broken_off_batch_is_whole_or_nothing(s: Stage) -> Flow {
    let breaks = s.breaks(took_whole(&s).await?, MOMENTS);
    let label = "batches over connections that break";
    let batches = broken_off(&s, label, breaks).await?;
    let held = "each whole or not at all, for every reader, and it stays so";
    batches.end(&["BAT-9"], held);
    Ok(())
}

async fn batch_again_after_a_lost_answer(s: Stage) -> Flow {
    let breaks = answer_lost(&s, took_whole(&s).await?);
    let label = "batches that are sent again";
    let mut batches = broken_off(&s, label, breaks).await?;
    batches.again("BAT-1", |_, _| None).await?;
    batches.others_conflict("BAT-2").await?;
    let held = "done once each, other manifests conflict, and the entries stay as they are";
    batches.end(&["BAT-1", "BAT-2", "BAT-9"], held);
    Ok(())
}

/// How long the server takes for a batch.
async fn took_whole(s: &Stage) -> Flow<Duration> {
    let tables = tables(s, "whole").await?;
    let mut whole = Vec::new();
    for version in 1..=WHOLE {
        let batch = s.batch_of(&tables, version).await?;
        whole.push(s.ask("a batch", batch.call()).await.set_up()?.exchange);
    }
    Ok(took(&whole))
}

/// Batches over connections that break, one in each way, that the server has done with.
async fn broken_off(s: &Stage, label: &str, breaks: Vec<Fault>) -> Flow<Interrupted> {
    let mut batches = Interrupted::new(s, label);
    for (number, fault) in breaks.into_iter().enumerate() {
        let tables = tables(s, &format!("b{number}")).await?;
        batches.send(fault, s.batch_of(&tables, 1).await?).await?;
    }
    batches.settle("BAT-9").await?;
    Ok(batches)
}

async fn broken_off_refused_batch_leaves_nothing(s: Stage) -> Flow {
    let taken = s.table("taken").await?;
    s.versions(&taken, 1).await?;
    let refused = async |name: &str| {
        let tables = tables(&s, name).await?;
        let manifest = s.manifest(&taken, "another manifest").await?;
        let conflict = calls::batch_entry(&taken.id, 1, &manifest);
        // The later it stands, the more a server may have done before it sees it.
        Ok(s.batch_of(&tables, 1).await?.with(TABLES, conflict))
    };
    let label = "a batch with a version that exists";
    let mut whole = Vec::new();
    for number in 0..WHOLE {
        let batch = refused(&format!("whole{number}")).await?;
        let answer = s.ask(label, batch.call()).await;
        whole.push(answer.exchange());
        answer.not_done_as_ever("BAT-2")?;
    }

    let label = "refused batches over connections that break";
    let mut batches = Interrupted::new(&s, label);
    let breaks = s.breaks(took(&whole), MOMENTS);
    for (number, fault) in breaks.into_iter().enumerate() {
        let batch = refused(&format!("b{number}")).await?;
        batches.send(fault, batch).await?;
    }
    batches.settle("BAT-9").await?;
    batches.nothing("BAT-2");
    batches.end(&["BAT-2", "BAT-9"], "nothing is left of any");
    Ok(())
}
