//! Credentials in headers and in the body's `identity`.

use serde_json::Value;

use super::refused::{repeats, repeats_none, secrets};
use crate::call::{Call, Caller};
use crate::calls;
use crate::outcome::Refusal;
use crate::scenario::{Flow, Stop, scenarios};
use crate::stage::Stage;

scenarios! {
    /// Where credentials stand in headers and in the body's identity, those in the headers count.
    "authentication/headers-win-over-identity" => headers_win {
        tier: Basic,
        checks: ["AUTH-2", "REST-5"],
        needs: [],
        given: [Identity],
    }
}

async fn headers_win(s: Stage) -> Flow {
    let home = s.home().await?;
    let table = s.table("t").await?;
    let good = identity(&s, &Caller::Known)?;
    let bad = identity(&s, &Caller::Stranger)?;
    let describe_namespace = || Call::new("DescribeNamespace").id(&home.id);
    for (what, call) in [
        ("describe a namespace", describe_namespace()),
        ("describe a table", calls::describe_table(&table.id)),
        (
            "declare a table",
            calls::declare(&s.unmade_table("u").await?),
        ),
    ] {
        let label = format!("{what} with good headers and a bad identity");
        let call = call.field("identity", bad.clone());
        s.ask(&label, call).await.ok("REST-5")?;
    }
    let mut known: Vec<String> = secrets(&s.target().credentials()).collect();
    known.extend(secrets(s.target().bad_credentials()));
    let mut repeating = Vec::new();
    for (what, call) in [
        ("describe a namespace", describe_namespace()),
        ("describe a table", calls::describe_table(&table.id)),
        (
            "declare a table",
            calls::declare(&s.unmade_table("v").await?),
        ),
    ] {
        let label = format!("{what} with bad headers and a good identity");
        let call = call.field("identity", good.clone()).by(Caller::Stranger);
        let answer = s.ask(&label, call).await;
        let exchange = answer.exchange();
        let refusals = [Refusal::UNAUTHENTICATED, Refusal::DENIED];
        answer.refused_best_as("REST-5", &refusals)?;
        if repeats(&exchange, &known) {
            repeating.push(exchange);
        }
    }
    repeats_none(&s, "the answers", repeating);
    let alone = describe_namespace()
        .field("identity", good)
        .by(Caller::Nobody);
    let label = "describe a namespace with a good identity alone";
    s.ask(label, alone).await.open("REST-5")?;
    Ok(())
}

fn identity(s: &Stage, caller: &Caller) -> Flow<Value> {
    let none = || Stop::Inconclusive("there is no credential for an identity".to_owned());
    s.target().identity(caller).ok_or_else(none)
}
