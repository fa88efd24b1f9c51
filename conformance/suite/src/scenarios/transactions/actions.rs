//! What each kind of action does.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::calls;
use crate::exchange::Exchange;
use crate::log::{Deviation, Observation};
use crate::outcome::{Outcome, Refusal};
use crate::requirement::Level;
use crate::scenario::{Flow, scenarios};
use crate::stage::Stage;
use crate::steps::{OWN_KEYS, Properties, properties};

scenarios! {
    /// A property that exists is overwritten, kept or in the way, as the mode says.
    "transactions/set-property-follows-its-mode" => set_property {
        tier: Transactions,
        checks: ["TX-1", "TX-3", "TX-5"],
        needs: ["AlterTransaction", "DescribeTransaction"],
    }
    /// A property is removed; one that does not exist is passed over or in the way, as the mode says.
    "transactions/unset-property-follows-its-mode" => unset_property {
        tier: Transactions,
        checks: ["TX-1", "TX-4", "TX-5"],
        needs: ["AlterTransaction", "DescribeTransaction"],
    }
    /// An alter that holds a malformed action, or none, is refused, and nothing of it is applied.
    "transactions/a-malformed-action-is-invalid" => malformed_is_invalid {
        tier: Transactions,
        checks: ["TX-1", "TX-6"],
        needs: ["AlterTransaction", "DescribeTransaction"],
    }
}

async fn set_property(s: Stage) -> Flow {
    let id = s.known_transaction().await?;
    applied(
        &s,
        "TX-1",
        &id,
        "set a to 1",
        set("a", "1", None),
        &[("a", "1")],
    )
    .await?;
    let overwrite = "set a to 2 in no mode";
    applied(
        &s,
        "TX-3",
        &id,
        overwrite,
        set("a", "2", None),
        &[("a", "2")],
    )
    .await?;
    let skip = set("a", "3", Some("Skip"));
    applied(
        &s,
        "TX-3",
        &id,
        "set a to 3 in mode Skip",
        skip,
        &[("a", "2")],
    )
    .await?;
    let fail = set("a", "4", Some("Fail"));
    failed(
        &s,
        "TX-3",
        &id,
        "set a to 4 in mode Fail",
        fail,
        &[("a", "2")],
    )
    .await?;
    for (value, mode) in [("5", "Overwrite"), ("6", "overwrite"), ("7", "OVERWRITE")] {
        let label = format!("set a to {value} in mode {mode}");
        let action = set("a", value, Some(mode));
        applied(&s, "TX-5", &id, &label, action, &[("a", value)]).await?;
    }
    let new = set("b", "1", Some("Fail"));
    let label = "set b, which is new, to 1 in mode Fail";
    applied(&s, "TX-3", &id, label, new, &[("a", "7"), ("b", "1")]).await?;
    let new = set("c", "1", Some("Skip"));
    let label = "set c, which is new, to 1 in mode Skip";
    let all = [("a", "7"), ("b", "1"), ("c", "1")];
    applied(&s, "TX-3", &id, label, new, &all).await
}

async fn unset_property(s: Stage) -> Flow {
    let id = s.known_transaction().await?;
    let a = set("a", "1", None);
    applied(&s, "TX-1", &id, "set a to 1", a, &[("a", "1")]).await?;
    let c = set("c", "1", None);
    let both = [("a", "1"), ("c", "1")];
    applied(&s, "TX-1", &id, "set c to 1", c, &both).await?;
    let c = unset("c", Some("Skip"));
    applied(&s, "TX-4", &id, "unset c in mode Skip", c, &[("a", "1")]).await?;
    let skip = unset("b", None);
    applied(&s, "TX-4", &id, "unset b in no mode", skip, &[("a", "1")]).await?;
    for mode in ["Skip", "skip", "SKIP"] {
        let label = format!("unset b in mode {mode}");
        let action = unset("b", Some(mode));
        applied(&s, "TX-5", &id, &label, action, &[("a", "1")]).await?;
    }
    let fail = unset("b", Some("Fail"));
    failed(&s, "TX-4", &id, "unset b in mode Fail", fail, &[("a", "1")]).await?;
    let there = unset("a", Some("Fail"));
    applied(&s, "TX-4", &id, "unset a in mode Fail", there, &[]).await
}

async fn malformed_is_invalid(s: Stage) -> Flow {
    let id = s.known_transaction().await?;
    let set_a = set("a", "1", None);
    let mut two_kinds = set("b", "1", None);
    two_kinds["unsetPropertyAction"] = json!({ "key": format!("{OWN_KEYS}c") });
    let malformed = [
        ("an action of no kind", vec![set_a.clone(), json!({})]),
        ("an action of two kinds", vec![set_a.clone(), two_kinds]),
        (
            "an unknown mode",
            vec![set_a.clone(), set("b", "1", Some("Perhaps"))],
        ),
        (
            "an unknown status",
            vec![set_a, json!({ "setStatusAction": { "status": "Perhaps" } })],
        ),
        ("no actions", vec![]),
    ];
    for (what, actions) in malformed {
        let alter = calls::alter_transaction(&id, &actions);
        let answer = s.ask(&format!("alter by {what}"), alter).await;
        let exchange = answer.exchange();
        let refused = answer.outcome() != Outcome::Ok;
        answer.refused_best_as("TX-6", &[Refusal::INVALID])?;
        if refused {
            let label = format!("properties after {what}");
            properties_are(&s, "TX-1", &id, &label, &[], [exchange]).await?;
        } else {
            // It was taken, which is only a warning; what is left of it says nothing of the next.
            let undo = calls::alter_transaction(&id, &[unset("a", None), unset("b", None)]);
            s.ask("undo it", undo).await.set_up()?;
        }
    }
    // What a finished transaction can be set to is the server's choice; that it is answered is not.
    let (status, ..) = s.transaction_state("TX-1", &id).await?;
    let same = json!({ "setStatusAction": { "status": status } });
    let alter = calls::alter_transaction(&id, &[same]);
    let answer = s.ask("set the status that it has", alter).await;
    let outcome = answer.outcome();
    s.observe(Observation {
        requirement: "TX-6",
        choice: format!("a {status} transaction set to {status}: {outcome}"),
    });
    let held = match outcome {
        Outcome::Failed(status) => Err(Deviation::new(
            "done or refused, never a server error",
            format!("server error {status}"),
            [answer.exchange()],
        )),
        _ => Ok(()),
    };
    let label = "set the status that it has";
    s.judge_at("TX-6", Level::Should, label, "done or refused", held);
    Ok(())
}

/// One action must be applied: the answer and describe have these properties.
async fn applied(
    s: &Stage,
    requirement: &'static str,
    id: &[String],
    label: &str,
    action: Value,
    expected: &[(&str, &str)],
) -> Flow {
    let alter = calls::alter_transaction(id, &[action]);
    let altered = s.ask(label, alter).await.ok(requirement)?;
    let answered = properties(&altered.body);
    if !altered.body["properties"].is_null() && answered != map(expected) {
        s.violates(
            requirement,
            Deviation::new(
                format!(
                    "the answer to {label} has the properties {:?}",
                    map(expected)
                ),
                format!("it has {answered:?}"),
                [altered.exchange.clone()],
            ),
        );
    }
    let label = format!("properties after {label}");
    properties_are(s, requirement, id, &label, expected, [altered.exchange]).await
}

/// One action must be refused, and change nothing: the transaction has these properties.
async fn failed(
    s: &Stage,
    requirement: &'static str,
    id: &[String],
    label: &str,
    action: Value,
    expected: &[(&str, &str)],
) -> Flow {
    let alter = calls::alter_transaction(id, &[action]);
    let answer = s.ask(label, alter).await;
    let exchange = answer.exchange();
    answer.refused_best_as(requirement, &[Refusal::INVALID, Refusal::CONFLICT])?;
    let label = format!("properties after {label}");
    properties_are(s, requirement, id, &label, expected, [exchange]).await
}

pub(super) async fn properties_are(
    s: &Stage,
    requirement: &'static str,
    id: &[String],
    label: &str,
    expected: &[(&str, &str)],
    exchanges: impl IntoIterator<Item = Arc<Exchange>>,
) -> Flow {
    let expected = map(expected);
    let (_, now, describe) = s.transaction_state(requirement, id).await?;
    let held = match now == expected {
        true => Ok(()),
        false => Err(Deviation::new(
            format!("the transaction has the properties {expected:?}"),
            format!("it has {now:?}"),
            exchanges.into_iter().chain([describe]),
        )),
    };
    let said: Vec<String> = expected
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    let said = match said.is_empty() {
        true => "none".to_owned(),
        false => said.join(" "),
    };
    s.judge(requirement, label, &said, held);
    Ok(())
}

pub(super) fn set(key: &str, value: &str, mode: Option<&str>) -> Value {
    let mut action = json!({ "key": format!("{OWN_KEYS}{key}"), "value": value });
    if let Some(mode) = mode {
        action["mode"] = json!(mode);
    }
    json!({ "setPropertyAction": action })
}

pub(super) fn unset(key: &str, mode: Option<&str>) -> Value {
    let mut action = json!({ "key": format!("{OWN_KEYS}{key}") });
    if let Some(mode) = mode {
        action["mode"] = json!(mode);
    }
    json!({ "unsetPropertyAction": action })
}

fn map(properties: &[(&str, &str)]) -> Properties {
    properties
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}
