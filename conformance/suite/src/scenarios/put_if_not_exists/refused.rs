//! Creates that cannot be carried out.

use serde_json::{Value, json};

use crate::call::Call;
use crate::calls;
use crate::log::Deviation;
use crate::outcome::Refusal;
use crate::requirement::Level;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};

scenarios! {
    /// What asks for the versions of a table that does not exist is told so, and no table appears.
    "put-if-not-exists/unknown-table-is-not-found" => unknown_table_is_not_found {
        tier: Versions,
        checks: ["VER-8"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
    /// A table in a namespace that does not exist is not found either.
    "put-if-not-exists/unknown-namespace-is-not-found" => unknown_namespace_is_not_found {
        tier: Versions,
        checks: ["VER-8"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
    /// A table that was deregistered takes no version.
    "put-if-not-exists/deregistered-table-is-not-found" => deregistered_table_is_not_found {
        tier: Versions,
        checks: ["VER-8"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
    }
    /// A create that lacks a field or holds a wrong one is refused, and creates nothing.
    "put-if-not-exists/malformed-create-is-invalid" => malformed_create_is_invalid {
        tier: Versions,
        checks: ["VER-9"],
        needs: ["CreateTableVersion", "ListTableVersions"],
    }
    /// An optional field that is null counts as absent.
    "put-if-not-exists/null-is-absence" => null_is_absence {
        tier: Versions,
        checks: ["VER-9"],
        needs: ["CreateTableVersion", "DescribeTableVersion"],
    }
}

async fn unknown_table_is_not_found(s: Stage) -> Flow {
    let table = s.table("t").await?;
    let ghost = Table {
        id: s.unmade_table("ghost").await?,
        label: "ghost".to_owned(),
        ..table
    };
    not_found(&s, &ghost, Refusal::NO_TABLE).await
}

async fn unknown_namespace_is_not_found(s: Stage) -> Flow {
    let table = s.table("t").await?;
    let mut id = s.unmade_table("nowhere").await?;
    id.push("ghost".to_owned());
    let ghost = Table {
        id,
        label: "nowhere$ghost".to_owned(),
        ..table
    };
    not_found(&s, &ghost, Refusal::NO_TABLE_OR_NAMESPACE).await
}

async fn deregistered_table_is_not_found(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 2).await?;
    let manifest = s.manifest(&table, "the manifest").await?;
    let deregister = Call::new("DeregisterTable").id(&table.id);
    s.ask("deregister t", deregister).await.set_up()?;
    let create = s.create_version(&table, 3, &manifest).await;
    create.refused("VER-8", Refusal::NO_TABLE)?;
    let describe = s.describe_version(&table, Some(1)).await;
    describe.refused("VER-8", Refusal::NO_TABLE)
}

/// Asks for the versions of a table that does not exist.
async fn not_found(s: &Stage, ghost: &Table, refusal: Refusal) -> Flow {
    let manifest = s.manifest(ghost, "the manifest").await?;
    let create = s.create_version(ghost, 1, &manifest).await;
    let exchange = create.exchange();
    create.refused("VER-8", refusal)?;
    let describe = s.describe_version(ghost, Some(1)).await;
    describe.refused("VER-8", refusal)?;
    s.list_versions(ghost).await.refused("VER-8", refusal)?;
    let held = match s.table_exists(&ghost.id).await? {
        false => Ok(()),
        true => Err(Deviation::new(
            "a create of a version makes no table",
            "the table exists now",
            [exchange],
        )),
    };
    s.judge(
        "VER-8",
        &format!("table {}", ghost.label),
        "not there",
        held,
    );
    Ok(())
}

async fn malformed_create_is_invalid(s: Stage) -> Flow {
    let malformed: [(&str, &str, Option<Value>); 12] = [
        ("no version", "version", None),
        ("no manifest path", "manifest_path", None),
        ("version null", "version", Some(Value::Null)),
        ("version -1", "version", Some(json!(-1))),
        ("version 1 as a string", "version", Some(json!("1"))),
        ("version 1.5", "version", Some(json!(1.5))),
        ("manifest path null", "manifest_path", Some(Value::Null)),
        ("a number as manifest path", "manifest_path", Some(json!(7))),
        (
            "a string as manifest size",
            "manifest_size",
            Some(json!("7")),
        ),
        ("a number as e_tag", "e_tag", Some(json!(7))),
        ("a list as metadata", "metadata", Some(json!(["a"]))),
        (
            "a number in the metadata",
            "metadata",
            Some(json!({ "a": 7 })),
        ),
    ];
    let mut created = Vec::new();
    for (index, (what, field, value)) in malformed.into_iter().enumerate() {
        // A table each: what one create does wrong must not show in the next.
        let table = s.table(&format!("t{index}")).await?;
        let manifest = s.manifest(&table, "the manifest").await?;
        let call = calls::create_version(&table, 1, &manifest).field(field, value);
        let answer = s.ask(&format!("create with {what}"), call).await;
        let exchange = answer.exchange();
        answer.refused("VER-9", Refusal::INVALID)?;
        if !s.stored(&table).await?.is_empty() {
            created.push((what, exchange));
        }
    }
    let held = match created.is_empty() {
        true => Ok(()),
        false => {
            let whats: Vec<&str> = created.iter().map(|(what, _)| *what).collect();
            Err(Deviation::new(
                "a malformed create creates nothing",
                format!("a version was created with {}", whats.join(", ")),
                created.into_iter().map(|(_, exchange)| exchange),
            ))
        }
    };
    s.judge("VER-9", "versions afterwards", "none", held);
    Ok(())
}

async fn null_is_absence(s: Stage) -> Flow {
    let table = s.table("t").await?;
    let manifest = s.manifest(&table, "the manifest").await?;
    let mut create = calls::create_version(&table, 1, &manifest);
    for optional in [
        "branch",
        "manifest_size",
        "e_tag",
        "metadata",
        "naming_scheme",
        "identity",
        "context",
    ] {
        create = create.field(optional, Value::Null);
    }
    let label = "create version 1 of t with every optional field null";
    if s.ask(label, create).await.ok_should("VER-9")?.is_none() {
        return Ok(());
    }
    let describe = calls::describe_version(&table, None)
        .field("version", Value::Null)
        .field("branch", Value::Null);
    let label = "describe t with version and branch null";
    let Some(described) = s.ask(label, describe).await.ok_should("VER-9")? else {
        return Ok(());
    };
    let held = match described.entry() {
        Some(entry) if entry.version == 1 => Ok(()),
        _ => Err(Deviation::new(
            "describe answers version 1, the latest",
            format!("describe answers {}", described.body),
            [described.exchange],
        )),
    };
    s.judge_at("VER-9", Level::Should, "described", "version 1", held);
    Ok(())
}
