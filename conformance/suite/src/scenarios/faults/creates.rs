//! The connection breaks under the create of a version.

use std::time::Duration;

use super::{WHOLE, answer_lost, took};
use crate::exchange::Exchange;
use crate::outcome::Outcome;
use crate::proxy::Fault;
use crate::scenario::{Flow, scenarios};
use crate::stage::Stage;
use crate::steps::{Change, Interrupted};

/// In how many rounds a second client comes in while the server works for one that is gone.
const ROUNDS: u32 = 12;

scenarios! {
    /// A create that is sent again, since its answer was lost, is done once.
    "faults/create-again-after-a-lost-answer" => create_again_after_a_lost_answer {
        tier: Versions,
        checks: ["ORD-7", "VER-1", "VER-2", "VER-5"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
    /// Of a client that is gone and one that comes after it, one has created the version.
    "faults/create-after-a-client-that-is-gone" => create_after_a_client_that_is_gone {
        tier: Versions,
        checks: ["VER-3", "VER-4"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
}

async fn create_again_after_a_lost_answer(s: Stage) -> Flow {
    let took = took_whole(&s).await?;
    let mut creates = Interrupted::new(&s, "creates that are sent again");
    for (number, fault) in answer_lost(&s, took).into_iter().enumerate() {
        let table = s.table(&format!("t{number}")).await?;
        let manifest = s.manifest(&table, "manifest 1").await?;
        let create = Change::single().create(&table, 1, &manifest);
        creates.send(fault, create).await?;
    }
    creates.settle("ORD-7").await?;
    // Whether it is refused or done again is the server's choice; that it is there once is not.
    creates.again("VER-1", |_, _| None).await?;
    creates.others_conflict("VER-2").await?;
    let held = "done once each, other manifests conflict, and the entries stay as they are";
    creates.end(&["ORD-7", "VER-1", "VER-2", "VER-5"], held);
    Ok(())
}

/// How long the server takes for a create.
pub(super) async fn took_whole(s: &Stage) -> Flow<Duration> {
    let table = s.table("whole").await?;
    let mut whole = Vec::new();
    for version in 1..=WHOLE {
        let manifest = s.manifest(&table, "a manifest").await?;
        let created = s.create_version(&table, version, &manifest).await;
        whole.push(created.set_up()?.exchange);
    }
    Ok(took(&whole))
}

async fn create_after_a_client_that_is_gone(s: Stage) -> Flow {
    let took = took_whole(&s).await?;
    let label = "creates after a client that is gone, 12 rounds";
    let mut cut = Interrupted::new(&s, label);
    let mut rounds = Vec::new();
    for round in 0..ROUNDS {
        let table = s.table(&format!("t{round}")).await?;
        let gone = s.manifest(&table, "the first manifest").await?;
        let next = s.manifest(&table, "the second manifest").await?;
        let share = f64::from(round) / f64::from(ROUNDS);
        let moment = Fault::CutAfterRequest(took.mul_f64(share * share));
        let create = Change::single().create(&table, 1, &gone);
        let lost = cut.send(moment, create).await?;
        let second = s.create_version(&table, 1, &next).await;
        let exchanges = [lost, second.exchange()];
        rounds.push((table, [gone, next], exchanges));
    }
    // What the client that is gone has asked for must not come later.
    cut.settle("VER-4").await?;
    for (table, manifests, exchanges) in rounds {
        let stored = s.entry(&table, 1).await?;
        let owners = match &stored {
            Some(entry) => table.owners(entry, &manifests).await,
            None => Vec::new(),
        };
        if let Some((requirement, what)) = wrong(&exchanges[1], stored.is_some(), &owners) {
            let at = format!("the next client: {}", Outcome::of(&exchanges[1]));
            match requirement {
                Some(requirement) => cut.faults().broken(requirement, what, at, exchanges),
                None => cut.faults().doubtful("VER-4", what, at, exchanges),
            }
        }
    }
    let held = "one of the two has created it, and it stays so";
    cut.end(&["VER-3", "VER-4"], held);
    Ok(())
}

/// What is wrong with the answer to a client that created a version after one that is gone: which
/// requirement it breaks, or none where it is only doubtful, and in what way. The second manifest is
/// its own.
fn wrong(
    second: &Exchange,
    stored: bool,
    owners: &[usize],
) -> Option<(Option<&'static str>, &'static str)> {
    let outcome = Outcome::of(second);
    let broken = |requirement, what| Some((Some(requirement), what));
    match outcome {
        _ if outcome.is_unknown() || outcome.is_throttled() => None,
        Outcome::Ok if !stored => broken("VER-4", "a version is not there although its client won"),
        Outcome::Ok if owners.contains(&0) => {
            let what = "the create of a client that is gone has replaced another one";
            broken("VER-4", what)
        }
        Outcome::Refused(409, _) if owners.contains(&1) => {
            let what = "the stored entry is that of a client that was refused";
            broken("VER-3", what)
        }
        Outcome::Refused(409, _) if !stored => {
            Some((None, "a create conflicts with one that is not there"))
        }
        Outcome::Ok | Outcome::Refused(409, _) => None,
        _ => broken("VER-4", "a client that came second was not answered 409"),
    }
}
