//! Every action of an alter is applied, or none.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::actions::{properties_are, set, unset};
use crate::calls;
use crate::log::{Deviation, Observation};
use crate::outcome::{Outcome, Refusal};
use crate::race::race;
use crate::scenario::{Flow, scenarios};
use crate::stage::Stage;
use crate::steps::{Rounds, properties};

/// How many clients alter one transaction at once.
const RACERS: usize = 8;
/// How often they do.
const ROUNDS: usize = 10;

scenarios! {
    /// An alter applies every action that it holds, in their order.
    "transactions/alter-applies-every-action" => every_action {
        tier: Transactions,
        checks: ["TX-1"],
        needs: ["AlterTransaction", "DescribeTransaction"],
    }
    /// An alter with an action that fails, in any place, applies none.
    "transactions/a-failing-action-applies-none" => failing_applies_none {
        tier: Transactions,
        checks: ["TX-1"],
        needs: ["AlterTransaction", "DescribeTransaction"],
    }
    /// Whether a status can be set or not, the actions beside it go with it.
    "transactions/a-status-goes-with-the-other-actions" => status_goes_with_the_others {
        tier: Transactions,
        checks: ["TX-1"],
        needs: ["AlterTransaction", "DescribeTransaction"],
    }
    /// Of alters sent at once, each is applied whole: no mixture of two is left or seen.
    "transactions/alters-at-once-do-not-mix" => at_once_do_not_mix {
        tier: Transactions,
        checks: ["TX-1"],
        needs: ["AlterTransaction", "DescribeTransaction"],
    }
}

async fn every_action(s: Stage) -> Flow {
    let id = s.known_transaction().await?;
    let actions = [
        set("a", "1", None),
        set("b", "2", None),
        set("c", "3", None),
        unset("b", None),
        set("a", "4", None),
    ];
    let alter = calls::alter_transaction(&id, &actions);
    let altered = s.ask("alter by five actions", alter).await.ok("TX-1")?;
    let expected = [("a", "4"), ("c", "3")];
    let label = "properties afterwards";
    properties_are(&s, "TX-1", &id, label, &expected, [altered.exchange]).await
}

async fn failing_applies_none(s: Stage) -> Flow {
    let id = s.known_transaction().await?;
    let before = calls::alter_transaction(&id, &[set("a", "1", None), set("b", "1", None)]);
    s.ask("set a and b to 1", before).await.set_up()?;
    for (what, failing) in [
        ("a set in mode Fail", set("b", "2", Some("Fail"))),
        ("an unset in mode Fail", unset("absent", Some("Fail"))),
    ] {
        for (place, index) in [("first", 0), ("in the middle", 1), ("last", 2)] {
            let mut actions = vec![set("new", "1", None), unset("a", None)];
            actions.insert(index, failing.clone());
            let alter = calls::alter_transaction(&id, &actions);
            let label = format!("{what}, {place} of three actions");
            let answer = s.ask(&label, alter).await;
            let exchange = answer.exchange();
            answer.not_done("TX-1", &[Refusal::INVALID, Refusal::CONFLICT])?;
            let label = format!("properties after {what}, {place}");
            let expected = [("a", "1"), ("b", "1")];
            properties_are(&s, "TX-1", &id, &label, &expected, [exchange]).await?;
        }
    }
    Ok(())
}

async fn status_goes_with_the_others(s: Stage) -> Flow {
    for status in ["Queued", "Running", "Succeeded", "Failed", "Canceled"] {
        let id = s.known_transaction().await?;
        let (before, ..) = s.transaction_state("TX-1", &id).await?;
        let actions = [
            set("first", "1", None),
            json!({ "setStatusAction": { "status": status } }),
            set("last", "1", None),
        ];
        let alter = calls::alter_transaction(&id, &actions);
        let answer = s.ask(&format!("set the status {status}"), alter).await;
        answer.answered()?;
        let outcome = answer.outcome();
        s.observe(Observation {
            requirement: "TX-1",
            choice: format!("a {before} transaction set to {status}: {outcome}"),
        });
        let (now, beside, describe) = s.transaction_state("TX-1", &id).await?;
        let (first, last) = (beside.contains_key("first"), beside.contains_key("last"));
        let same = |one: &str, other: &str| plain(one) == plain(other);
        // What has not ended may go on by itself.
        let ended = |status: &str| {
            let ends = ["Succeeded", "Failed", "Canceled"];
            ends.iter().any(|end| same(status, end))
        };
        let done = outcome == Outcome::Ok;
        let refused = matches!(outcome, Outcome::Refused(..));
        let fault = match done {
            _ if first != last => Some("one of the properties beside it is set, the other is not"),
            true if !first => Some("it was answered 200, and the properties beside it are not set"),
            true if ended(status) && !same(&now, status) => {
                Some("it was answered 200, and the status is another")
            }
            false if refused && first => {
                Some("it was refused, and the properties beside it are set")
            }
            false if refused && ended(&before) && !same(&now, &before) => {
                Some("it was refused, and the status has changed")
            }
            _ => None,
        };
        let held = match fault {
            None => Ok(()),
            Some(fault) => Err(Deviation::new(
                "the status and the two properties beside it are set together or not at all",
                fault,
                [answer.exchange(), describe],
            )),
        };
        let label = format!("set the status {status} between two properties");
        s.judge("TX-1", &label, "all set or none, as answered", held);
    }
    Ok(())
}

async fn at_once_do_not_mix(s: Stage) -> Flow {
    let id = s.known_transaction().await?;
    let label = "8 clients set two properties each to their own value, 10 rounds";
    let mut rounds = Rounds::new("TX-1", label).demanding(
        "both properties are one client's, whenever they are read",
        "both properties are those of one client that was not refused, whenever they are read",
    );
    for round in 0..ROUNDS {
        rounds.round();
        let value = |racer: usize| format!("{round}.{racer}");
        let results = race(RACERS, |racer| {
            let actions: Vec<Value> = ["a", "b"]
                .iter()
                .map(|key| set(key, &value(racer), None))
                .collect();
            let (alter, s) = (calls::alter_transaction(&id, &actions), s.clone());
            let describe = calls::describe_transaction(&id);
            async move { (s.exchange(alter).await, s.exchange(describe).await) }
        })
        .await;
        let last = s.exchange(calls::describe_transaction(&id)).await;
        let reads = results.iter().map(|(_, read)| read).chain([&last]);
        for read in reads {
            let Some(body) = read.json().filter(|_| Outcome::of(read) == Outcome::Ok) else {
                continue;
            };
            let properties = properties(&body);
            let (a, b) = (properties.get("a"), properties.get("b"));
            if a != b {
                let at = format!("a is {a:?} and b is {b:?}");
                rounds.fault("the properties are a mixture", &at, vec![read.clone()]);
            }
        }
        let refused: BTreeSet<String> = (0..RACERS)
            .filter(|&racer| matches!(Outcome::of(&results[racer].0), Outcome::Refused(..)))
            .map(value)
            .collect();
        let a = last.json().and_then(|body| properties(&body).remove("a"));
        if a.as_ref().is_some_and(|a| refused.contains(a)) {
            let at = format!("a is {a:?}");
            let what = "the properties are those of a client that was refused";
            rounds.fault(what, &at, vec![last.clone()]);
        }
    }
    rounds.end(&s);
    Ok(())
}

/// A status without the case and the underscores that spellings differ in.
fn plain(status: &str) -> String {
    let letters = status.chars().filter(|letter| *letter != '_');
    letters.flat_map(char::to_lowercase).collect()
}
