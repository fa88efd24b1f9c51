//! Writes on branches.

use serde_json::json;

use crate::call::Call;
use crate::calls::{self, data};
use crate::log::{Deviation, Observation};
use crate::outcome::{Outcome, Refusal};
use crate::rows::Row;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};
use crate::steps::compared;

scenarios! {
    /// What is written on a branch, be it there or not, is not written on main.
    "data/branch-writes-stay-off-main" => branch_writes_stay_off_main {
        tier: Data,
        checks: ["DATA-28"],
        needs: [
            "CreateTable",
            "QueryTable",
            "InsertIntoTable",
            "MergeInsertIntoTable",
            "UpdateTable",
            "DeleteFromTable",
        ],
    }
}

/// Writes that a branch is to take: an insert of row 10, an update of row 1, a delete of row 2.
fn writes(t: &Table, branch: &str) -> [(&'static str, Call); 3] {
    [
        (
            "insert row 10",
            data::insert(t, &Row::all([10])).query("branch", branch),
        ),
        (
            "update row 1",
            data::update(t, &[("name", "'other'")])
                .field("predicate", json!("id = 1"))
                .field("branch", json!(branch)),
        ),
        (
            "delete row 2",
            data::delete(t, "id = 2").field("branch", json!(branch)),
        ),
    ]
}

async fn branch_writes_stay_off_main(s: Stage) -> Flow {
    let rows = Row::all(1..=3);
    let t = s.table_of("t", &rows).await?;
    let merge = data::merge(&t, &Row::all([11]))
        .query("when_not_matched_insert_all", true)
        .query("branch", "ghost");
    let all = writes(&t, "ghost")
        .into_iter()
        .chain([("merge row 11", merge)]);
    for (said, call) in all {
        let label = format!("{said} on a branch that is not there");
        let answer = s.ask(&label, call).await;
        let exchange = answer.exchange();
        answer.not_done("DATA-28", &[Refusal::NO_BRANCH])?;
        s.holds("DATA-28", "unchanged", &t, &rows, [exchange])
            .await?;
    }
    let branch = s
        .ask("create branch b", calls::create_branch(&t, "b"))
        .await;
    branch.answered()?;
    let held = match branch.outcome() {
        Outcome::Ok => on_a_branch(&s, &t, &rows).await?,
        // Whether a table with rows takes branches, other families ask.
        outcome => {
            s.observe(Observation {
                requirement: "DATA-28",
                choice: format!("create a branch of a table with rows: {outcome}"),
            });
            Ok(())
        }
    };
    s.judge("DATA-28", "writes on branch b", "not on main", held);
    Ok(())
}

/// Whether writes on branch b are read there, and not on main.
async fn on_a_branch(s: &Stage, t: &Table, main: &[Row]) -> Flow<Result<(), Deviation>> {
    let mut because = Vec::new();
    for (said, call) in writes(t, "b") {
        because.push(s.ask(said, call).await.ok_as_ever("DATA-28")?.exchange);
        let (frame, exchange) = s.all_rows("DATA-28", t).await?;
        let exchanges = because.iter().cloned().chain([exchange]);
        if let Err(deviation) = compared(&frame, main, exchanges) {
            let expected = format!("after: {said} on b: on main {}", deviation.expected);
            return Ok(Err(Deviation {
                expected,
                ..deviation
            }));
        }
    }
    let query = s.scan(t).await?.field("branch", json!("b"));
    let (frame, exchange) = s.rows("DATA-28", "the rows of branch b", query).await?;
    let written = [Row::new(1).named("other"), Row::new(3), Row::new(10)];
    because.push(exchange);
    Ok(compared(&frame, &written, because))
}
