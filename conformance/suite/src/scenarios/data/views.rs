//! Columns and views that are filled in the background.

use serde_json::json;

use crate::call::Call;
use crate::calls::data;
use crate::log::Deviation;
use crate::outcome::Refusal;
use crate::rows::Row;
use crate::scenario::{Flow, Stop, scenarios};
use crate::stage::Stage;

scenarios! {
    /// The backfill of a computed column is taken as a job; of a column that is not there, it is not.
    "data/backfill-is-a-job" => backfill_is_a_job {
        tier: Data,
        checks: ["DATA-26"],
        needs: [
            "CreateTable",
            "AlterTableAddColumns",
            "AlterTableBackfillColumns",
        ],
    }
    /// A view is created once, and its refresh is taken as a job; of none, it is not.
    "data/view-is-created-once-and-refreshed" => view_is_created_once_and_refreshed {
        tier: Data,
        checks: ["DATA-27"],
        needs: ["CreateMaterializedView", "RefreshMaterializedView"],
    }
}

async fn backfill_is_a_job(s: Stage) -> Flow {
    let t = s.table_of("t", &Row::all(1..=3)).await?;
    let columns = json!({ "new_columns": [{ "name": "twice", "computed": "id * 2" }] });
    s.ask(
        "add a computed column",
        data::on("AlterTableAddColumns", &t, columns),
    )
    .await
    .set_up()?;
    let backfill = |column: &str| {
        let fields = json!({ "column": column });
        data::on("AlterTableBackfillColumns", &t, fields)
    };
    let reply = s
        .ask("backfill it", backfill("twice"))
        .await
        .ok("DATA-26")?;
    job(&s, "DATA-26", &reply);
    let answer = s
        .ask("backfill a column that is not there", backfill("colour"))
        .await;
    answer.not_done("DATA-26", &[Refusal::NO_COLUMN, Refusal::INVALID])
}

async fn view_is_created_once_and_refreshed(s: Stage) -> Flow {
    let id = s.unmade_table("view").await?;
    let created = s.ask("create a view", data::view(&id)).await;
    match created.outcome() {
        // What a view may be made of, the client and the server agree on beyond the protocol.
        crate::outcome::Outcome::Refused(400, _) => {
            return Err(Stop::Inconclusive(
                "set-up failed: the server takes no view whose query is opaque to it".to_owned(),
            ));
        }
        _ => created.ok("DATA-27")?,
    };
    let again = s.ask("create the view again", data::view(&id)).await;
    again.not_done("DATA-27", &[Refusal::TABLE_EXISTS])?;
    let refresh = |id: &[String]| Call::new("RefreshMaterializedView").id(id);
    let reply = s
        .ask("refresh the view", refresh(&id))
        .await
        .ok("DATA-27")?;
    job(&s, "DATA-27", &reply);
    let ghost = s.unmade_table("ghost").await?;
    let answer = s
        .ask("refresh a view that is not there", refresh(&ghost))
        .await;
    answer.not_done("DATA-27", &[Refusal::NO_TABLE])
}

/// Judges that an answer names a job.
fn job(s: &Stage, requirement: &'static str, reply: &crate::answer::Reply) {
    let held = match reply.body["job_id"].as_str() {
        Some(job) if !job.is_empty() => Ok(()),
        _ => Err(Deviation::new(
            "the id of a job",
            format!("job_id is {}", reply.body["job_id"]),
            [reply.exchange.clone()],
        )),
    };
    s.judge(requirement, "the job", "has an id", held);
}
