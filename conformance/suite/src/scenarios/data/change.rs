//! `UpdateTable` and `DeleteFromTable`.

use crate::calls::data;
use crate::log::Deviation;
use crate::outcome::Refusal;
use crate::rows::Row;
use crate::scenario::{Flow, scenarios};
use crate::stage::Stage;
use serde_json::json;

scenarios! {
    /// An update sets the rows that match, and leaves the others as they are.
    "data/update-sets-what-matches" => update_sets_what_matches {
        tier: Data,
        checks: ["DATA-12"],
        needs: ["CreateTable", "QueryTable", "UpdateTable"],
    }
    /// A delete takes the rows that match, and leaves the others as they are.
    "data/delete-takes-what-matches" => delete_takes_what_matches {
        tier: Data,
        checks: ["DATA-13"],
        needs: ["CreateTable", "QueryTable", "DeleteFromTable", "InsertIntoTable"],
    }
}

async fn update_sets_what_matches(s: Stage) -> Flow {
    let mut rows = Row::all(0..6);
    let t = s.table_of("t", &rows).await?;
    let update = |updates: &[(&str, &str)], predicate: Option<&str>| {
        let call = data::update(&t, updates);
        match predicate {
            Some(predicate) => call.field("predicate", json!(predicate)),
            None => call,
        }
    };
    for row in &mut rows[..2] {
        "new".clone_into(&mut row.name);
    }
    let call = update(&[("name", "'new'")], Some("id < 2"));
    updated(&s, "set name where id < 2", &t, call, 2, &rows).await?;
    rows[5].id = 105;
    let call = update(&[("id", "id + 100")], Some("id = 5"));
    updated(&s, "set id to id + 100 where id = 5", &t, call, 1, &rows).await?;
    let call = update(&[("name", "'no one'")], Some("id = 77"));
    updated(&s, "set name where nothing matches", &t, call, 0, &rows).await?;
    for row in &mut rows {
        "all".clone_into(&mut row.name);
    }
    let call = update(&[("name", "'all'")], None);
    updated(&s, "set name", &t, call, 6, &rows).await?;
    let call = update(&[("colour", "'red'")], Some("id < 2"));
    let answer = s.ask("set a column that is not there", call).await;
    let exchange = answer.exchange();
    answer.not_done("DATA-12", &[Refusal::INVALID, Refusal::NO_COLUMN])?;
    s.holds("DATA-12", "unchanged", &t, &rows, [exchange])
        .await?;
    Ok(())
}

async fn updated(
    s: &Stage,
    said: &str,
    t: &crate::stage::Table,
    call: crate::call::Call,
    count: u64,
    rows: &[Row],
) -> Flow {
    let reply = s.ask(said, call).await.ok("DATA-12")?;
    if reply.body["updated_rows"].as_u64() != Some(count) {
        s.violates(
            "DATA-12",
            Deviation::new(
                format!("{said}: updated_rows is {count}"),
                format!("updated_rows is {}", reply.body["updated_rows"]),
                [reply.exchange.clone()],
            ),
        );
    }
    s.holds("DATA-12", "as set", t, rows, [reply.exchange])
        .await?;
    Ok(())
}

async fn delete_takes_what_matches(s: Stage) -> Flow {
    let rows = Row::all(0..8);
    let t = s.table_of("t", &rows).await?;
    for (said, predicate, left) in [
        ("delete where id < 2", "id < 2", &rows[2..]),
        ("delete where nothing matches", "id > 100", &rows[2..]),
        ("delete where id = 7", "id = 7", &rows[2..7]),
        ("delete where true", "true", &[]),
    ] {
        let deleted = s.ask(said, data::delete(&t, predicate)).await;
        let exchange = deleted.ok("DATA-13")?.exchange;
        s.holds("DATA-13", "what is left", &t, left, [exchange])
            .await?;
    }
    let again = Row::all(3..5);
    s.ask("insert 2 rows", data::insert(&t, &again))
        .await
        .set_up()?;
    let answer = s
        .ask(
            "delete by a column that is not there",
            data::delete(&t, "colour = 1"),
        )
        .await;
    let exchange = answer.exchange();
    answer.not_done("DATA-13", &[Refusal::INVALID, Refusal::NO_COLUMN])?;
    s.holds("DATA-13", "unchanged", &t, &again, [exchange])
        .await?;
    Ok(())
}
