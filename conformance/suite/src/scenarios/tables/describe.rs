//! What describe and exists say of a table.

use serde_json::json;

use crate::calls;
use crate::log::{Deviation, Observation};
use crate::outcome::{Outcome, Refusal};
use crate::scenario::{Flow, scenarios};
use crate::stage::{Namespace, Stage};
use crate::steps::Object;

scenarios! {
    /// TableExists answers as DescribeTable does, without a body.
    "tables/exists-agrees-with-describe" => exists_agrees {
        tier: Tables,
        checks: ["TBL-1", "TBL-4", "TBL-9", "NS-10"],
        needs: ["TableExists"],
    }
    /// DescribeTable says that a table is only declared if that is asked for.
    "tables/declared-only-is-said-on-demand" => declared_only_is_said {
        tier: Basic,
        checks: ["TBL-13"],
        needs: [],
    }
    /// DescribeTable answers the table's URI if that is asked for, and a whole one.
    "tables/uri-is-said-on-demand" => uri_is_said {
        tier: Basic,
        checks: ["TBL-12"],
        needs: [],
    }
    /// A table whose version is asked for and does not exist is not described as it is.
    "tables/missing-version-is-not-described" => missing_version_is_not_described {
        tier: Versions,
        checks: ["TBL-11", "TBL-20"],
        needs: ["CreateTableVersion", "TableExists"],
    }
}

async fn exists_agrees(s: Stage) -> Flow {
    let home = s.home().await?;
    let namespace = s.namespace("n").await?;
    let missing = Namespace::at(home.child("missing"));
    let table = Object::Table(namespace.child("t"));
    s.agrees("TBL-9", "a table, before", &table, false).await?;
    s.made(&table).await?;
    s.agrees("TBL-1", "the table, declared", &table, true)
        .await?;
    for (label, id) in [
        ("one whose name is longer", namespace.child("tt")),
        ("one of that name elsewhere", home.child("t")),
        ("one below a missing namespace", missing.child("t")),
        ("a namespace, asked for as a table", namespace.id.clone()),
    ] {
        s.agrees("TBL-9", label, &Object::Table(id), false).await?;
    }
    s.exists_has_no_body("NS-10", calls::table_exists(table.id()))
        .await?;
    let removed = s.ask("deregister it", calls::deregister(table.id())).await;
    removed.set_up()?;
    s.agrees("TBL-4", "the table, deregistered", &table, false)
        .await
}

async fn declared_only_is_said(s: Stage) -> Flow {
    let table = s.table("t").await?;
    let asked = calls::describe_table(&table.id).query("check_declared", true);
    let reply = s.ask("describe a table", asked).await.set_up()?;
    let said = &reply.body["is_only_declared"];
    let held = match said.as_bool() {
        Some(true) => Ok(()),
        _ => Err(Deviation::new(
            "is_only_declared is true of a table without data",
            format!("is_only_declared is {said}"),
            [reply.exchange.clone()],
        )),
    };
    s.judge("TBL-13", "asked whether it is only declared", "true", held);
    let plain = s.ask("describe it", calls::describe_table(&table.id)).await;
    let plain = plain.set_up()?;
    let held = match &plain.body["is_only_declared"] {
        serde_json::Value::Null => Ok(()),
        said => Err(Deviation::new(
            "is_only_declared is null where nobody asks",
            format!("is_only_declared is {said}"),
            [plain.exchange.clone()],
        )),
    };
    s.judge("TBL-13", "not asked", "null", held);
    Ok(())
}

async fn uri_is_said(s: Stage) -> Flow {
    let table = s.table("t").await?;
    let asked = calls::describe_table(&table.id).query("with_table_uri", true);
    let reply = s.ask("describe a table", asked).await.set_up()?;
    let shown = [reply.exchange.clone()];
    let held = match reply.body["table_uri"].as_str() {
        // That it is left out would be a should: the field is not required.
        None => {
            let expected = "table_uri is answered where it is asked for";
            s.warn("TBL-12", Deviation::new(expected, "it is not", shown));
            Ok(())
        }
        Some(uri) if reqwest::Url::parse(uri).is_ok() => Ok(()),
        Some(_) => Err(Deviation::new(
            "table_uri is a complete URI",
            "it is none: it has no scheme",
            shown,
        )),
    };
    s.judge(
        "TBL-12",
        "the URI that was asked for",
        "a complete one",
        held,
    );
    let plain = s.ask("describe it", calls::describe_table(&table.id)).await;
    let plain = plain.set_up()?;
    let held = match plain.body["table_uri"].is_null() {
        true => Ok(()),
        false => Err(Deviation::new(
            "table_uri is answered only where it is asked for",
            "it is answered unasked",
            [plain.exchange.clone()],
        )),
    };
    s.judge_at(
        "TBL-12",
        crate::requirement::Level::Should,
        "the URI that nobody asked for",
        "none",
        held,
    );
    Ok(())
}

async fn missing_version_is_not_described(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 2).await?;
    let versioned =
        |version: i64| calls::describe_table(&table.id).field("version", json!(version));
    // A server that opens the table finds that the manifests are made up (requirement TBL-8).
    let existing = s.exchange(versioned(1)).await;
    let existing = Outcome::of(&existing);
    let missing = [
        ("describe", "TBL-11", versioned(7)),
        (
            "exists",
            "TBL-20",
            calls::table_exists(&table.id).field("version", json!(7)),
        ),
    ];
    for (label, requirement, call) in missing {
        let label = format!("{label} with a version that does not exist");
        let answer = s.ask(&label, call).await;
        answer.answered()?;
        let held = match answer.outcome() {
            Outcome::Refused(404, Some(11)) => Ok(()),
            _ if existing != Outcome::Ok => {
                s.observe(Observation {
                    requirement,
                    choice: format!("a version of a table without data: {existing}"),
                });
                Ok(())
            }
            outcome => Err(Deviation::new(
                format!("{label}: {}", Refusal::NO_VERSION.expected()),
                outcome.to_string(),
                [answer.exchange()],
            )),
        };
        s.judge(requirement, &label, "not found: version", held);
    }
    Ok(())
}
