//! Replicas: what is written at one URL of a service, looked for at another.
//!
//! A replica may lag: that it does not is a should. Put-if-not-exists holds over all of them.

mod reads;
mod writes;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::call::Call;
use crate::calls;
use crate::exchange::Exchange;
use crate::outcome::Outcome;
use crate::scenario::{Flow, Scenario, Stop};
use crate::stage::{Stage, Table};

pub(super) const SCENARIOS: &[&[Scenario]] = &[reads::SCENARIOS, writes::SCENARIOS];

/// How long a replica may lag behind.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long it is between two looks.
const LOOK: Duration = Duration::from_millis(20);

/// The stage with its requests going to the replica, where the scenario's namespace is known.
async fn replica(s: &Stage) -> Flow<Stage> {
    let there = s
        .replica()
        .ok_or_else(|| Stop::Inconclusive("there is no replica".to_owned()))?;
    let home = s.home().await?;
    let call = Call::new("DescribeNamespace").id(&home.id);
    is_known(&there, "the scenario's namespace", &call).await?;
    Ok(there)
}

/// Waits until a table that was declared elsewhere is known at the replica: a write that comes
/// before that may be refused.
async fn knows(there: &Stage, table: &Table) -> Flow {
    is_known(there, &table.label, &calls::describe_table(&table.id)).await
}

async fn is_known(there: &Stage, what: &str, call: &Call) -> Flow {
    let begun = Instant::now();
    loop {
        let read = there.exchange(call.clone()).await;
        if Outcome::of(&read) == Outcome::Ok {
            return Ok(());
        }
        if is_too_late(begun, &read) {
            return Err(Stop::Inconclusive(format!(
                "{what} is not known at the replica after {} s",
                PATIENCE.as_secs()
            )));
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Whether a read was asked for after patience had ended: how long its answer takes is not what is waited for.
fn is_too_late(begun: Instant, read: &Exchange) -> bool {
    read.started().saturating_duration_since(begun) > PATIENCE
}

/// Whether the replica takes writes, of a table of this name, and the answer that says so.
async fn takes_writes(there: &Stage, name: &str) -> Flow<(bool, Arc<Exchange>)> {
    let id = there.unmade_table(name).await?;
    let exchange = there.exchange(calls::declare(&id)).await;
    let outcome = Outcome::of(&exchange);
    if outcome.is_unknown() || outcome.is_throttled() {
        return Err(Stop::Inconclusive(format!(
            "whether the replica takes writes cannot be told: {outcome}"
        )));
    }
    Ok((outcome == Outcome::Ok, exchange))
}
