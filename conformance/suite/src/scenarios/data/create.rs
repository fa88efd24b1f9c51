//! `CreateTable`.

use crate::calls::data;
use crate::log::Deviation;
use crate::outcome::Refusal;
use crate::rows::Row;
use crate::scenario::{Flow, scenarios};
use crate::stage::Stage;

scenarios! {
    /// A created table has the rows of the stream, as soon as the create is answered.
    "data/created-table-has-its-rows" => created_table_has_its_rows {
        tier: Data,
        checks: ["DATA-1", "DATA-5"],
        needs: ["CreateTable", "QueryTable", "CountTableRows"],
    }
    /// A stream without rows makes an empty table, which takes rows.
    "data/empty-stream-makes-an-empty-table" => empty_stream_makes_an_empty_table {
        tier: Data,
        checks: ["DATA-1"],
        needs: ["CreateTable", "QueryTable", "InsertIntoTable"],
    }
    /// A create of a table that exists fails, keeps it or replaces it, as its mode says.
    "data/mode-decides-over-an-existing-table" => mode_decides_over_an_existing_table {
        tier: Data,
        checks: ["DATA-2"],
        needs: ["CreateTable", "QueryTable"],
    }
    /// A declared table takes its first rows and is no longer only declared.
    "data/declared-table-takes-rows" => declared_table_takes_rows {
        tier: Data,
        checks: ["DATA-4"],
        needs: ["CreateTable", "QueryTable", "InsertIntoTable", "MergeInsertIntoTable"],
    }
    /// Tables of one name in two namespaces have each their own rows.
    "data/tables-of-one-name-keep-apart" => tables_of_one_name_keep_apart {
        tier: Data,
        checks: ["REST-11"],
        needs: ["CreateTable", "QueryTable", "InsertIntoTable", "DeleteFromTable"],
    }
}

async fn created_table_has_its_rows(s: Stage) -> Flow {
    let rows = Row::all(1..=20);
    let t = s.no_table("t").await?;
    let created = s.ask("create t", data::create(&t.id, &rows)).await;
    let created = created.ok("DATA-1")?.exchange;
    s.holds("DATA-1", "as created", &t, &rows, [created])
        .await?;
    s.counts("DATA-5", "count the rows of t", data::count(&t), 20, [])
        .await?;
    let exists = s.table_exists(&t.id).await?;
    let held = match exists {
        true => Ok(()),
        false => Err(Deviation::new(
            "a created table exists",
            "TableExists says that it does not",
            [],
        )),
    };
    s.judge("DATA-1", "table t", "exists", held);
    Ok(())
}

async fn empty_stream_makes_an_empty_table(s: Stage) -> Flow {
    let t = s.no_table("t").await?;
    let created = s
        .ask("create t without rows", data::create(&t.id, &[]))
        .await;
    let created = created.ok("DATA-1")?.exchange;
    s.holds("DATA-1", "none", &t, &[], [created]).await?;
    let rows = Row::all(1..=3);
    let inserted = s.ask("insert 3 rows into t", data::insert(&t, &rows)).await;
    let inserted = inserted.ok("DATA-1")?.exchange;
    s.holds("DATA-1", "as inserted", &t, &rows, [inserted])
        .await?;
    Ok(())
}

async fn mode_decides_over_an_existing_table(s: Stage) -> Flow {
    let (first, second) = (Row::all(1..=3), Row::all(10..=14));
    let t = s.table_of("t", &first).await?;
    let again = |mode: Option<&'static str>| {
        let call = data::create(&t.id, &second);
        match mode {
            Some(mode) => call.query("mode", mode),
            None => call,
        }
    };
    for (mode, said) in [
        (None, "create t again"),
        (Some("create"), "create t again, mode create"),
        (Some("Create"), "create t again, mode Create"),
    ] {
        let refused = s.ask(said, again(mode)).await;
        let exchange = refused.exchange();
        refused.refused("DATA-2", Refusal::TABLE_EXISTS)?;
        s.holds("DATA-2", "unchanged", &t, &first, [exchange])
            .await?;
    }
    for (mode, said) in [
        ("exist_ok", "create t again, mode exist_ok"),
        ("ExistOk", "create t again, mode ExistOk"),
        ("EXIST_OK", "create t again, mode EXIST_OK"),
    ] {
        let kept = s.ask(said, again(Some(mode))).await.ok("DATA-2")?.exchange;
        s.holds("DATA-2", "unchanged", &t, &first, [kept]).await?;
    }
    for (mode, said) in [
        ("overwrite", "create t again, mode overwrite"),
        ("Overwrite", "create t again, mode Overwrite"),
    ] {
        let over = s.ask(said, again(Some(mode))).await.ok("DATA-2")?.exchange;
        s.holds("DATA-2", "the new ones", &t, &second, [over])
            .await?;
    }
    Ok(())
}

async fn declared_table_takes_rows(s: Stage) -> Flow {
    let rows = Row::all(1..=3);
    let inserted = s.table("inserted").await?;
    let answer = s
        .ask(
            "insert into a declared table",
            data::insert(&inserted, &rows),
        )
        .await;
    let exchange = answer.ok("DATA-4")?.exchange;
    s.holds("DATA-4", "as inserted", &inserted, &rows, [exchange])
        .await?;
    let merged = s.table("merged").await?;
    let merge = data::merge(&merged, &rows).query("when_not_matched_insert_all", true);
    let answer = s.ask("merge into a declared table", merge).await;
    let exchange = answer.ok("DATA-4")?.exchange;
    s.holds("DATA-4", "as merged", &merged, &rows, [exchange])
        .await?;
    let created = s.table("created").await?;
    let create = data::create(&created.id, &rows);
    let answer = s.ask("create a declared table", create).await;
    if let Some(reply) = answer.open("DATA-4")? {
        let scan = s.scan(&created).await?;
        let (frame, exchange) = s.rows("DATA-4", "the rows of created", scan).await?;
        let held = crate::steps::compared(&frame, &rows, [reply.exchange, exchange]);
        if let Err(deviation) = held {
            s.violates("DATA-4", deviation);
        }
    }
    for table in [&inserted, &merged] {
        let call = crate::calls::describe_table(&table.id).query("check_declared", true);
        let label = format!("describe {}", table.label);
        let reply = s.ask(&label, call).await.ok_as_ever("DATA-4")?;
        let held = match reply.body["is_only_declared"].as_bool() {
            Some(true) => Err(Deviation::new(
                "a table with rows is no longer only declared",
                "is_only_declared is true",
                [reply.exchange],
            )),
            _ => Ok(()),
        };
        s.judge("DATA-4", &label, "not only declared", held);
    }
    Ok(())
}

async fn tables_of_one_name_keep_apart(s: Stage) -> Flow {
    let (one, other) = (s.namespace("one").await?, s.namespace("other").await?);
    let (ours, theirs) = (Row::all(1..=4), Row::all(3..=6));
    let mut t = s.table_of_in(&one, "t", &ours).await?;
    let mut u = s.table_of_in(&other, "t", &theirs).await?;
    "t in one".clone_into(&mut t.label);
    "t in other".clone_into(&mut u.label);
    let insert = data::insert(&t, &Row::all([9]));
    let inserted = s.ask("insert into t in one", insert).await;
    let inserted = inserted.ok("REST-11")?.exchange;
    s.holds("REST-11", "untouched", &u, &theirs, [inserted])
        .await?;
    let deleted = s
        .ask("delete from t in other", data::delete(&u, "id < 5"))
        .await;
    let deleted = deleted.ok("REST-11")?.exchange;
    let ours = Row::all([1, 2, 3, 4, 9]);
    s.holds("REST-11", "untouched", &t, &ours, [deleted])
        .await?;
    s.holds("REST-11", "what is left", &u, &theirs[2..], [])
        .await?;
    Ok(())
}
