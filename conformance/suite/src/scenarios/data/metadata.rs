//! What a server says about a table with rows: statistics, plans and metadata.

use serde_json::{Value, json};

use crate::call::Call;
use crate::calls::{self, data};
use crate::log::Deviation;
use crate::outcome::Refusal;
use crate::rows::Row;
use crate::scenario::{Flow, scenarios};
use crate::stage::Stage;

scenarios! {
    /// The statistics of a table count the rows that it has.
    "data/statistics-count-the-rows" => statistics_count_the_rows {
        tier: Data,
        checks: ["DATA-22"],
        needs: ["CreateTable", "InsertIntoTable", "DeleteFromTable", "GetTableStats"],
    }
    /// The plan of a query is a text, and explaining it changes nothing.
    "data/plans-are-texts" => plans_are_texts {
        tier: Data,
        checks: ["DATA-23"],
        needs: [
            "CreateTable",
            "QueryTable",
            "ExplainTableQueryPlan",
            "AnalyzeTableQueryPlan",
        ],
    }
    /// New schema metadata takes the place of the old.
    "data/schema-metadata-is-replaced" => schema_metadata_is_replaced {
        tier: Data,
        checks: ["DATA-24"],
        needs: ["CreateTable", "QueryTable", "UpdateTableSchemaMetadata"],
    }
    /// New field metadata is merged into the old or replaces it, and null deletes a key.
    "data/field-metadata-is-merged" => field_metadata_is_merged {
        tier: Data,
        checks: ["DATA-25"],
        needs: ["CreateTable", "QueryTable", "UpdateFieldMetadata"],
    }
    /// A detailed description of a table has its version, its schema and its statistics.
    "data/detailed-description-is-whole" => detailed_description_is_whole {
        tier: Data,
        checks: ["TBL-14", "DATA-14"],
        needs: ["CreateTable", "InsertIntoTable", "DescribeTable"],
    }
}

async fn statistics_count_the_rows(s: Stage) -> Flow {
    let t = s.table_of("t", &Row::all(0..10)).await?;
    s.ask("insert 5 rows", data::insert(&t, &Row::all(10..15)))
        .await
        .set_up()?;
    let stats = data::on("GetTableStats", &t, json!({}));
    for (label, count) in [
        ("statistics of 15 rows", 15),
        ("statistics after a delete of 4", 11),
    ] {
        if count == 11 {
            s.ask("delete 4 rows", data::delete(&t, "id < 4"))
                .await
                .set_up()?;
        }
        let reply = s.ask(label, stats.clone()).await.ok_as_ever("DATA-22")?;
        let held = match reply.body["num_rows"].as_u64() {
            Some(rows) if rows == count => Ok(()),
            _ => Err(Deviation::new(
                format!("num_rows is {count}"),
                format!("num_rows is {}", reply.body["num_rows"]),
                [reply.exchange],
            )),
        };
        s.judge("DATA-22", label, "as many", held);
    }
    Ok(())
}

async fn plans_are_texts(s: Stage) -> Flow {
    let rows = Row::all(0..10);
    let t = s.table_of("t", &rows).await?;
    let query = data::nearest(&t, &Row::new(0), 3).field("filter", json!("id < 5"));
    for (said, call) in [
        ("explain the plan", data::explain(query.clone())),
        ("analyze the plan", query.of("AnalyzeTableQueryPlan")),
    ] {
        let reply = s.ask(said, call).await.ok_as_ever("DATA-23")?;
        let held = match reply.body.as_str() {
            Some(text) if !text.trim().is_empty() => Ok(()),
            _ => Err(Deviation::new(
                "a text that is not empty",
                reply.body.to_string(),
                [reply.exchange],
            )),
        };
        s.judge("DATA-23", said, "a text", held);
    }
    s.holds("DATA-23", "unchanged", &t, &rows, []).await?;
    Ok(())
}

async fn schema_metadata_is_replaced(s: Stage) -> Flow {
    let rows = Row::all(1..=3);
    let t = s.table_of("t", &rows).await?;
    for (said, metadata) in [
        ("set a and b", json!({ "a": "1", "b": "2" })),
        ("set b and c", json!({ "b": "3", "c": "4" })),
    ] {
        let call = Call::new("UpdateTableSchemaMetadata")
            .id(&t.id)
            .json(metadata.clone());
        let reply = s.ask(said, call).await.ok_as_ever("DATA-24")?;
        let held = match reply.body == metadata {
            true => Ok(()),
            false => Err(Deviation::new(
                format!("the metadata as it stands now: {metadata}"),
                reply.body.to_string(),
                [reply.exchange],
            )),
        };
        s.judge("DATA-24", said, "those and no others", held);
    }
    s.holds("DATA-24", "unchanged", &t, &rows, []).await?;
    Ok(())
}

async fn field_metadata_is_merged(s: Stage) -> Flow {
    let rows = Row::all(1..=3);
    let t = s.table_of("t", &rows).await?;
    let steps: [(&str, Value, Value); 4] = [
        (
            "set a and b of id",
            json!({ "path": "id", "metadata": { "a": "1", "b": "2" } }),
            json!({ "a": "1", "b": "2" }),
        ),
        (
            "set b and c of id",
            json!({ "path": "id", "metadata": { "b": "3", "c": "4" } }),
            json!({ "a": "1", "b": "3", "c": "4" }),
        ),
        (
            "delete a of id",
            json!({ "path": "id", "metadata": { "a": null } }),
            json!({ "b": "3", "c": "4" }),
        ),
        (
            "replace all of id",
            json!({ "path": "id", "metadata": { "d": "5" }, "replace": true }),
            json!({ "d": "5" }),
        ),
    ];
    for (said, update, expected) in steps {
        let fields = json!({ "updates": [update] });
        let call = data::on("UpdateFieldMetadata", &t, fields);
        let reply = s.ask(said, call).await.ok_as_ever("DATA-25")?;
        // The answer need not repeat the metadata.
        let held = match &reply.body["fields"] {
            Value::Object(fields) if fields.get("id") != Some(&expected) => Err(Deviation::new(
                format!("the metadata of id is {expected}"),
                format!("the fields are {}", reply.body["fields"]),
                [reply.exchange],
            )),
            _ => Ok(()),
        };
        s.judge("DATA-25", said, "as asked", held);
    }
    let fields = json!({ "updates": [{ "path": "colour", "metadata": { "a": "1" } }] });
    let call = data::on("UpdateFieldMetadata", &t, fields);
    let answer = s.ask("set a of a column that is not there", call).await;
    answer.not_done("DATA-25", &[Refusal::NO_COLUMN, Refusal::INVALID])?;
    s.holds("DATA-25", "unchanged", &t, &rows, []).await?;
    Ok(())
}

async fn detailed_description_is_whole(s: Stage) -> Flow {
    let t = s.table_of("t", &Row::all(1..=3)).await?;
    let inserted = s
        .ask("insert row 4", data::insert(&t, &Row::all([4])))
        .await
        .set_up()?;
    let call = calls::describe_table(&t.id).query("load_detailed_metadata", true);
    let reply = s.ask("describe t in detail", call).await.ok("TBL-14")?;
    let missing: Vec<&str> = ["version", "schema", "stats"]
        .into_iter()
        .filter(|field| reply.body[*field].is_null())
        .collect();
    if !missing.is_empty() {
        s.warn(
            "TBL-14",
            Deviation::new(
                "version, schema and stats",
                format!("{} missing", missing.join(" and ")),
                [reply.exchange.clone()],
            ),
        );
    }
    let fields = reply.body["schema"]["fields"].as_array();
    let names: Option<Vec<&str>> = fields.map(|fields| {
        let names = fields.iter();
        names.filter_map(|field| field["name"].as_str()).collect()
    });
    let held = match names {
        Some(names) if names != ["id", "name", "vector"] => Err(Deviation::new(
            "a schema of the fields id, name and vector",
            format!("a schema of {}", names.join(", ")),
            [reply.exchange.clone()],
        )),
        _ => Ok(()),
    };
    s.judge("TBL-14", "schema of t", "that of its rows", held);
    let versions = [&inserted.body, &reply.body].map(|body| body["version"].as_i64());
    let held = match versions {
        [Some(written), Some(described)] if written != described => Err(Deviation::new(
            format!("version {written}, which the insert wrote"),
            format!("version {described}"),
            [inserted.exchange, reply.exchange],
        )),
        _ => Ok(()),
    };
    s.judge("DATA-14", "version of t", "that of the insert", held);
    Ok(())
}
