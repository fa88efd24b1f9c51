//! The connection breaks under an operation on a table.

use super::{MOMENTS, WHOLE, took};
use crate::calls;
use crate::exchange::Exchange;
use crate::outcome::Outcome;
use crate::requirement::Level;
use crate::scenario::{Flow, scenarios};
use crate::stage::Stage;
use crate::steps::{Change, Interrupted};

scenarios! {
    /// A table whose declaration has lost its answer is there or not, for every reader.
    "faults/declare-with-a-lost-answer" => declare_with_a_lost_answer {
        tier: Basic,
        checks: ["TBL-1", "TBL-2"],
        needs: ["TableExists"],
    }
    /// A table whose deregistration has lost its answer is gone or not, for every reader.
    "faults/deregister-with-a-lost-answer" => deregister_with_a_lost_answer {
        tier: Tables,
        checks: ["TBL-4"],
        needs: ["DeregisterTable", "TableExists"],
    }
    /// A version whose deletion has lost its answer is gone or not, and is deleted once.
    "faults/delete-with-a-lost-answer" => delete_with_a_lost_answer {
        tier: Versions,
        checks: ["VER-13"],
        needs: [
            "BatchDeleteTableVersions", "CreateTableVersion", "DescribeTableVersion",
            "ListTableVersions",
        ],
    }
}

async fn declare_with_a_lost_answer(s: Stage) -> Flow {
    let mut whole = Vec::new();
    for number in 0..WHOLE {
        let id = s.unmade_table(&format!("whole{number}")).await?;
        let declared = s.ask("declare a table", calls::declare(&id)).await;
        whole.push(declared.set_up()?.exchange);
    }
    let mut declares = Interrupted::new(&s, "declares over connections that break");
    let breaks = s.breaks(took(&whole), MOMENTS);
    for (number, fault) in breaks.into_iter().enumerate() {
        let id = s.unmade_table(&format!("t{number}")).await?;
        declares.send(fault, Change::single().declare(&id)).await?;
    }
    declares.settle("TBL-1").await?;
    let odd = |there, again: &_| match Outcome::of(again) {
        Outcome::Ok if there => Some((Level::Must, "a table that is there is declared again")),
        _ => None,
    };
    declares.again("TBL-2", odd).await?;
    let held = "each there or not, for every reader, and declared once";
    declares.end(&["TBL-1", "TBL-2"], held);
    Ok(())
}

async fn deregister_with_a_lost_answer(s: Stage) -> Flow {
    let mut whole = Vec::new();
    for number in 0..WHOLE {
        let table = s.table(&format!("whole{number}")).await?;
        let removed = s.ask("deregister a table", calls::deregister(&table.id));
        whole.push(removed.await.set_up()?.exchange);
    }
    let mut removals = Interrupted::new(&s, "deregistrations over connections that break");
    let breaks = s.breaks(took(&whole), MOMENTS);
    for (number, fault) in breaks.into_iter().enumerate() {
        let table = s.table(&format!("t{number}")).await?;
        let change = Change::single().deregister(&table);
        removals.send(fault, change).await?;
    }
    removals.settle("TBL-4").await?;
    removals.again("TBL-4", |_, _| None).await?;
    let held = "each gone or not, for every reader, and gone once it is done again";
    removals.end(&["TBL-4"], held);
    Ok(())
}

async fn delete_with_a_lost_answer(s: Stage) -> Flow {
    let table = s.table("whole").await?;
    s.versions(&table, WHOLE + 1).await?;
    let mut whole = Vec::new();
    for version in 1..=WHOLE {
        let call = calls::delete_versions(&table, &[(version, version + 1)]);
        let deleted = s.ask("delete a version", call).await;
        whole.push(deleted.set_up()?.exchange);
    }
    let mut deletes = Interrupted::new(&s, "deletions over connections that break");
    let breaks = s.breaks(took(&whole), MOMENTS);
    for (number, fault) in breaks.into_iter().enumerate() {
        let table = s.table(&format!("t{number}")).await?;
        s.versions(&table, 2).await?;
        deletes
            .send(fault, Change::single().delete(&table, 1))
            .await?;
    }
    deletes.settle("VER-13").await?;
    let odd = |gone: bool, again: &Exchange| {
        if Outcome::of(again) != Outcome::Ok {
            return None;
        }
        let count = again.json()?["deleted_count"].as_i64()?;
        // A server may take it for the first one, whose answer was lost.
        let what = "a deletion that is sent again counts wrongly";
        (count != i64::from(!gone)).then_some((Level::Should, what))
    };
    deletes.again("VER-13", odd).await?;
    let held = "each gone or not, for every reader, and deleted and counted once";
    deletes.end(&["VER-13"], held);
    Ok(())
}
