//! Which transactions there are.

use serde_json::json;

use crate::call::Call;
use crate::calls;
use crate::log::{Deviation, Observation};
use crate::outcome::{Outcome, Refusal};
use crate::scenario::{Flow, scenarios};
use crate::stage::Stage;
use crate::steps::transaction_ids;

scenarios! {
    /// A transaction that a write names is there, and one that no write has named is not.
    "transactions/an-unknown-transaction-is-not-found" => unknown_is_not_found {
        tier: Transactions,
        checks: ["TX-2", "TX-7"],
        needs: ["DescribeTransaction"],
    }
    /// A transaction that is not there cannot be altered, and is not made by that.
    "transactions/an-unknown-transaction-is-not-altered" => unknown_is_not_altered {
        tier: Transactions,
        checks: ["TX-2"],
        needs: ["AlterTransaction", "DescribeTransaction"],
    }
}

/// The name of no transaction.
const GHOST: &str = "00000000-dead-4eef-8000-000000000000";

/// Looks for the transactions that writes name.
async fn named_are_there(s: &Stage) -> Flow {
    let namespace = s.home().await?.child("n");
    s.session().made_namespace(&namespace);
    let table = s.unmade_table("t").await?;
    let writes: [(&str, Call); 3] = [
        ("CreateNamespace", calls::create_namespace(&namespace)),
        ("DeclareTable", calls::declare(&table)),
        ("DeregisterTable", calls::deregister(&table)),
    ];
    let (mut naming, mut silent) = (Vec::new(), Vec::new());
    let mut result = Ok(());
    for (operation, write) in writes {
        let written = s.ask(operation, write).await.set_up()?;
        let Some(transaction) = written.body["transaction_id"].as_str() else {
            silent.push(operation);
            continue;
        };
        naming.push(operation);
        let mut asked = vec![written.exchange.clone()];
        let mut found = false;
        for id in transaction_ids(&table, transaction) {
            let describe = calls::describe_transaction(&id);
            let answer = s.ask("describe the transaction", describe).await;
            answer.answered()?;
            found |= answer.outcome() == Outcome::Ok;
            asked.push(answer.exchange());
        }
        if !found {
            let expected = format!("the transaction that {operation} names can be described");
            let actual = "it cannot, neither by its name alone nor below the table's identifier";
            result = Err(Deviation::new(expected, actual, asked));
        }
    }
    let label = "the transactions that writes name";
    s.judge("TX-7", label, "each can be described", result);
    for (operations, what) in [(naming, "name a transaction"), (silent, "name none")] {
        if !operations.is_empty() {
            s.observe(Observation {
                requirement: "TX-7",
                choice: format!("{}: {what}", operations.join(", ")),
            });
        }
    }
    Ok(())
}

async fn unknown_is_not_found(s: Stage) -> Flow {
    named_are_there(&s).await?;
    let describe = calls::describe_transaction(&ghost(&s).await?);
    let answer = s.ask("describe an unknown transaction", describe).await;
    answer.refused("TX-2", Refusal::NO_TRANSACTION)
}

async fn unknown_is_not_altered(s: Stage) -> Flow {
    let id = ghost(&s).await?;
    let action = json!({ "setPropertyAction": { "key": "a", "value": "1" } });
    let alter = calls::alter_transaction(&id, &[action]);
    let answer = s.ask("alter an unknown transaction", alter).await;
    answer.refused("TX-2", Refusal::NO_TRANSACTION)?;
    let answer = s.ask("describe it", calls::describe_transaction(&id)).await;
    answer.refused("TX-2", Refusal::NO_TRANSACTION)
}

/// An identifier of no transaction, as the server names them: below a table if its own are.
async fn ghost(s: &Stage) -> Flow<Vec<String>> {
    let table = s.table("t").await?;
    let [alone, below] = transaction_ids(&table.id, GHOST);
    Ok(match s.transaction().await? {
        Some(known) if known.len() > 1 => below,
        Some(_) => alone,
        // A server that names none may know them only below a table.
        None => {
            let describe = calls::describe_transaction(&below);
            let described = s.exchange(describe).await;
            match Outcome::of(&described) {
                Outcome::Refused(404, Some(10)) => below,
                _ => alone,
            }
        }
    })
}
