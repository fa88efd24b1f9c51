//! `QueryTable` with a vector or a text to search for.

use serde_json::json;

use crate::calls::data;
use crate::log::Deviation;
use crate::outcome::Refusal;
use crate::rows::Row;
use crate::scenario::{Flow, scenarios};
use crate::stage::Stage;
use crate::steps::listed;

scenarios! {
    /// A search finds the rows whose vectors are nearest, the nearest one first.
    "data/search-finds-the-nearest" => search_finds_the_nearest {
        tier: Data,
        checks: ["DATA-7"],
        needs: ["CreateTable", "QueryTable", "InsertIntoTable", "DeleteFromTable"],
    }
    /// A search that filters first finds the nearest of the rows that match.
    "data/search-filters-first" => search_filters_first {
        tier: Data,
        checks: ["DATA-7"],
        needs: ["CreateTable", "QueryTable"],
    }
}

async fn search_finds_the_nearest(s: Stage) -> Flow {
    // Not in the order of nearness, so that the first rows are not the answer.
    let mut rows = Row::all((0..40).map(|id| (id * 7 + 20) % 40));
    let t = s.table_of("t", &rows).await?;
    search(&s, &t, "3 nearest to row 0", Row::new(0), &[0, 1, 2]).await?;
    search(&s, &t, "1 nearest to row 25", Row::new(25), &[25]).await?;
    s.ask("insert row 41", data::insert(&t, &Row::all([41])))
        .await
        .set_up()?;
    s.ask("delete row 39", data::delete(&t, "id = 39"))
        .await
        .set_up()?;
    rows.retain(|row| row.id != 39);
    search(&s, &t, "3 nearest to row 41", Row::new(41), &[41, 38, 37]).await?;
    let short = json!({ "single_vector": [1.0, 0.0] });
    let answer = s
        .ask("search with a vector too short", data::query(&t, &short, 3))
        .await;
    answer.not_done("DATA-7", &[Refusal::INVALID])?;
    Ok(())
}

async fn search(
    s: &Stage,
    t: &crate::stage::Table,
    label: &str,
    from: Row,
    expected: &[i64],
) -> Flow {
    let k = u32::try_from(expected.len()).unwrap_or_default();
    let call = data::nearest(t, &from, k);
    let (frame, exchange) = s.rows("DATA-7", label, call).await?;
    let found = frame.ids();
    let mut sorted = found.clone();
    sorted.sort_unstable();
    let mut wanted = expected.to_vec();
    wanted.sort_unstable();
    let deviation = || {
        Deviation::new(
            format!("the rows {}", listed(expected)),
            format!("the rows {}", listed(&found)),
            [exchange.clone()],
        )
    };
    let held = match sorted == wanted {
        true => Ok(()),
        false => Err(deviation()),
    };
    if s.judge("DATA-7", label, "found", held) && found != expected {
        s.warn("DATA-7", deviation());
    }
    Ok(())
}

async fn search_filters_first(s: Stage) -> Flow {
    let t = s.table_of("t", &Row::all(0..30)).await?;
    let call = data::nearest(&t, &Row::new(0), 3)
        .field("filter", json!("id >= 20"))
        .field("prefilter", json!(true));
    let label = "3 nearest to row 0 where id >= 20";
    let (frame, exchange) = s.rows("DATA-7", label, call).await?;
    let mut found = frame.ids();
    found.sort_unstable();
    let held = match found == [20, 21, 22] {
        true => Ok(()),
        false => Err(Deviation::new(
            "the rows 20, 21, 22",
            format!("the rows {}", listed(&found)),
            [exchange],
        )),
    };
    s.judge("DATA-7", label, "found", held);
    Ok(())
}
