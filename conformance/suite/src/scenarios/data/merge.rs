//! `MergeInsertIntoTable`.

use crate::calls::data;
use crate::log::{Deviation, Observation};
use crate::outcome::{Outcome, Refusal};
use crate::rows::Row;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};

scenarios! {
    /// A merge updates the rows that match and inserts those that do not, where it is asked to.
    "data/merge-does-what-is-asked" => merge_does_what_is_asked {
        tier: Data,
        checks: ["DATA-10"],
        needs: ["CreateTable", "QueryTable", "MergeInsertIntoTable"],
    }
    /// A merge deletes the rows that its stream does not have, where it is asked to.
    "data/merge-deletes-what-the-stream-lacks" => merge_deletes_what_the_stream_lacks {
        tier: Data,
        checks: ["DATA-10"],
        needs: ["CreateTable", "QueryTable", "MergeInsertIntoTable"],
    }
    /// A merge that cannot be carried out changes nothing.
    "data/refused-merge-changes-nothing" => refused_merge_changes_nothing {
        tier: Data,
        checks: ["DATA-10"],
        needs: ["CreateTable", "QueryTable", "MergeInsertIntoTable"],
    }
}

const UPDATE: &str = "when_matched_update_all";
const INSERT: &str = "when_not_matched_insert_all";
const DELETE: &str = "when_not_matched_by_source_delete";
const DELETE_WHERE: &str = "when_not_matched_by_source_delete_filt";

/// How many rows were updated, inserted and deleted.
type Counts = [u64; 3];

async fn merge_does_what_is_asked(s: Stage) -> Flow {
    let t = s.table_of("t", &Row::all(1..=3)).await?;
    let source = |ids: [i64; 2], name: &str| ids.map(|id| Row::new(id).named(name));
    let merge = |rows: &[Row], update: bool, insert: bool| {
        let call = data::merge(&t, rows);
        call.query(UPDATE, update).query(INSERT, insert)
    };

    let both = source([3, 4], "both");
    let call = merge(&both, true, true);
    let mut rows = Row::all(1..=2);
    rows.extend(both);
    merged(&s, "update 3 and insert 4", &t, call, [1, 1, 0], &rows).await?;

    let inserted = source([3, 5], "inserted");
    let call = merge(&inserted, false, true);
    rows.push(inserted[1].clone());
    merged(&s, "insert 5 and leave 3", &t, call, [0, 1, 0], &rows).await?;

    let updated = source([3, 6], "updated");
    let call = merge(&updated, true, false);
    rows[2] = updated[0].clone();
    merged(&s, "update 3 and leave out 6", &t, call, [1, 0, 0], &rows).await?;

    // Without the flags: false by the structure, and true by the operation's description.
    let call = data::merge(&t, &source([3, 7], "flagless"));
    let answer = s.ask("merge without flags", call).await;
    answer.answered()?;
    let choice = match answer.outcome() {
        Outcome::Ok => {
            let after = s.all_rows("DATA-10", &t).await?.0;
            let inserted = after.ids().contains(&7);
            let more = if inserted {
                "inserts"
            } else {
                "inserts nothing"
            };
            format!("a merge without flags {more}")
        }
        outcome => format!("a merge without flags: {outcome}"),
    };
    s.observe(Observation {
        requirement: "DATA-10",
        choice,
    });
    Ok(())
}

async fn merge_deletes_what_the_stream_lacks(s: Stage) -> Flow {
    let t = s.table_of("t", &Row::all(1..=6)).await?;
    let source = Row::all([1, 7]);
    let merge = |rows: &[Row]| {
        data::merge(&t, rows)
            .query(UPDATE, false)
            .query(INSERT, true)
    };
    let call = merge(&source)
        .query(DELETE, true)
        .query(DELETE_WHERE, "id > 4");
    let rows = Row::all([1, 2, 3, 4, 7]);
    let said = "insert 7 and delete 5 and 6, where id > 4";
    merged(&s, said, &t, call, [0, 1, 2], &rows).await?;
    let source = Row::all([1, 8]);
    let call = merge(&source).query(DELETE, true);
    let said = "insert 8 and delete all others but 1";
    merged(&s, said, &t, call, [0, 1, 4], &source).await?;
    Ok(())
}

async fn refused_merge_changes_nothing(s: Stage) -> Flow {
    let rows = Row::all(1..=3);
    let t = s.table_of("t", &rows).await?;
    let source = [Row::new(3).named("x"), Row::new(9)];
    for (on, said) in [
        (Some("colour"), "merge on a column that is not there"),
        (None, "merge on no column"),
    ] {
        let frame = crate::rows::Frame::of(&source);
        let mut call = data::carrying("MergeInsertIntoTable", &t.id, &frame)
            .query(UPDATE, true)
            .query(INSERT, true);
        if let Some(on) = on {
            call = call.query("on", on);
        }
        let answer = s.ask(said, call).await;
        let exchange = answer.exchange();
        answer.not_done("DATA-10", &[Refusal::INVALID, Refusal::NO_COLUMN])?;
        s.holds("DATA-10", "unchanged", &t, &rows, [exchange])
            .await?;
    }
    Ok(())
}

/// A merge that must be carried out, say what it did, and leave these rows.
async fn merged(
    s: &Stage,
    said: &str,
    t: &Table,
    call: crate::call::Call,
    counts: Counts,
    rows: &[Row],
) -> Flow {
    let reply = s.ask(said, call).await.ok("DATA-10")?;
    let fields = ["num_updated_rows", "num_inserted_rows", "num_deleted_rows"];
    for (field, count) in fields.into_iter().zip(counts) {
        let told = reply.body[field].as_u64();
        if let Some(told) = told.filter(|told| *told != count) {
            s.violates(
                "DATA-10",
                Deviation::new(
                    format!("{said}: {field} is {count}"),
                    format!("{field} is {told}"),
                    [reply.exchange.clone()],
                ),
            );
        }
    }
    s.holds("DATA-10", "as merged", t, rows, [reply.exchange])
        .await?;
    Ok(())
}
