//! Versions of tables with rows: writes count up, and old ones are restored.

use crate::calls::data;
use crate::log::Deviation;
use crate::outcome::Refusal;
use crate::rows::Row;
use crate::scenario::{Flow, scenarios};
use crate::stage::Stage;
use crate::steps::Listing;

scenarios! {
    /// Each write makes a version with a number above those before.
    "data/each-write-makes-a-version" => each_write_makes_a_version {
        tier: Data,
        checks: ["DATA-14"],
        needs: [
            "CreateTable",
            "InsertIntoTable",
            "UpdateTable",
            "DeleteFromTable",
            "ListTableVersions",
        ],
    }
    /// A restore brings back the rows of a version, and what is written after it adds to them.
    "data/restore-brings-a-version-back" => restore_brings_a_version_back {
        tier: Data,
        checks: ["DATA-15"],
        needs: [
            "CreateTable",
            "QueryTable",
            "InsertIntoTable",
            "DeleteFromTable",
            "RestoreTable",
        ],
    }
}

async fn each_write_makes_a_version(s: Stage) -> Flow {
    let t = s.no_table("t").await?;
    let writes = [
        ("create", data::create(&t.id, &Row::all(0..4))),
        ("insert", data::insert(&t, &Row::all(4..6))),
        ("update", data::update(&t, &[("name", "'new'")])),
        ("delete", data::delete(&t, "id < 2")),
        ("insert again", data::insert(&t, &Row::all(7..8))),
    ];
    let mut before: Option<i64> = None;
    for (said, call) in writes {
        let reply = s.ask(said, call).await.ok("DATA-14")?;
        // Most answers need not name it.
        let Some(version) = reply.body["version"].as_i64() else {
            s.line(format!("version of the {said}: above the one before"));
            continue;
        };
        let held = match before {
            Some(before) if version <= before => Err(Deviation::new(
                format!("a version above {before}"),
                format!("version {version}"),
                [reply.exchange.clone()],
            )),
            _ => Ok(()),
        };
        let label = format!("version of the {said}");
        s.judge("DATA-14", &label, "above the one before", held);
        before = Some(version);
        let listing = Listing::versions(&t).pages(&s, None).await?;
        let held = match listing.items().contains(&version.to_string().as_str()) {
            true => Ok(()),
            false => Err(Deviation::new(
                format!("version {version} is in the table's list of versions"),
                "it is not there".to_owned(),
                [reply.exchange].into_iter().chain(listing.exchanges),
            )),
        };
        s.judge("DATA-14", &label, "listed", held);
    }
    Ok(())
}

async fn restore_brings_a_version_back(s: Stage) -> Flow {
    let old = Row::all(0..4);
    let t = s.no_table("t").await?;
    let created = s.ask("create t", data::create(&t.id, &old)).await;
    let version = s.version_of(&t, &created.set_up()?).await?;
    s.ask("insert 3 rows", data::insert(&t, &Row::all(10..13)))
        .await
        .set_up()?;
    s.ask("delete 2 rows", data::delete(&t, "id < 2"))
        .await
        .set_up()?;
    let call = data::restore(&t, version);
    let restored = s.ask("restore the version of the create", call).await;
    let restored = restored.ok("DATA-15")?.exchange;
    s.holds("DATA-15", "those of the create", &t, &old, [restored])
        .await?;
    let inserted = s
        .ask("insert row 20", data::insert(&t, &Row::all([20])))
        .await;
    let inserted = inserted.ok("DATA-15")?.exchange;
    let rows = Row::all([0, 1, 2, 3, 20]);
    s.holds("DATA-15", "those and the new one", &t, &rows, [inserted])
        .await?;
    let answer = s
        .ask(
            "restore a version that is not there",
            data::restore(&t, 100_000),
        )
        .await;
    let exchange = answer.exchange();
    answer.not_done("DATA-15", &[Refusal::NO_VERSION])?;
    s.holds("DATA-15", "unchanged", &t, &rows, [exchange])
        .await?;
    Ok(())
}
