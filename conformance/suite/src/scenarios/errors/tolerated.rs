//! What is odd about a request and need not be an error: it is done or refused, and the server does
//! not fail.

use serde_json::{Value, json};

use crate::call::Call;
use crate::calls::{self, data};
use crate::log::Deviation;
use crate::outcome::Outcome;
use crate::requirement::Level;
use crate::scenario::{Flow, scenarios};
use crate::scenarios::errors::malformed::Stand;
use crate::stage::Stage;
use crate::steps::Tolerated;

scenarios! {
    /// Fields that no operation knows are passed over, or refused.
    "errors/unknown-fields-are-no-server-error" => unknown_fields {
        tier: Basic,
        checks: ["REST-10"],
        needs: [],
    }
    /// An optional field that is null counts as absent in every operation.
    "errors/null-is-absence" => null_is_absence {
        tier: Basic,
        checks: ["ERR-6"],
        needs: [],
    }
    /// A body that is not there, or not asked for, or of another content type, is no server error.
    "errors/odd-bodies-are-no-server-error" => odd_bodies {
        tier: Basic,
        checks: ["ERR-7"],
        needs: [],
    }
    /// A body that is too long to be read is refused, and the server goes on.
    "errors/huge-body-is-no-server-error" => huge_body {
        tier: Basic,
        checks: ["ERR-7"],
        needs: [],
    }
}

async fn unknown_fields(s: Stage) -> Flow {
    let stand = Stand::on(&s).await?;
    let label = "requests with a field that no operation knows";
    let mut tolerated = Tolerated::new("REST-10", label);
    for plain in stand.calls() {
        if plain.has_fields() {
            let what = plain.operation();
            let field = json!({ "deep": [1, { "deeper": null }] });
            let call = plain.clone().field("conformance_unknown", field);
            tolerated.ask(&s, what, call, plain).await?;
        }
    }
    tolerated.end(&s);
    Ok(())
}

async fn null_is_absence(s: Stage) -> Flow {
    let stand = Stand::on(&s).await?;
    let (t, n, free) = (&stand.t, &stand.n, &stand.free);
    let optional: [(Call, &[&str]); 9] = [
        (calls::create_namespace(free), &["mode", "properties"]),
        (calls::describe_namespace(&n.id), &["id"]),
        (calls::namespace_exists(&n.id), &["id"]),
        (
            calls::declare(&stand.spare),
            &["properties", "vend_credentials"],
        ),
        (
            calls::describe_table(&t.id),
            &["version", "tag", "branch", "vend_credentials"],
        ),
        (calls::table_exists(&t.id), &["version"]),
        (data::count(t), &["version", "branch", "predicate"]),
        (calls::drop_namespace(&n.id), &["mode", "behavior"]),
        (calls::deregister(&stand.spare), &["id"]),
    ];
    let mut refused = Vec::new();
    for (plain, fields) in optional {
        if !s.has_or_is_basic(plain.operation()).await? {
            continue;
        }
        let with = ["identity", "context"].iter().chain(fields);
        let call = with.fold(plain.clone(), |call, field| call.field(field, Value::Null));
        let answer = s.ask(plain.operation(), call).await;
        answer.answered()?;
        s.cite_for("ERR-6", &answer.exchange());
        if answer.outcome() == Outcome::Ok {
            continue;
        }
        // What is refused without them, too, is not refused for them.
        let alone = s.exchange(plain.clone()).await;
        if Outcome::of(&alone) == Outcome::Ok {
            let said = format!("{}: {}", plain.operation(), answer.said());
            refused.push((said, answer.exchange()));
        }
    }
    let held = match refused.is_empty() {
        true => Ok(()),
        false => {
            let (words, exchanges): (Vec<String>, Vec<_>) = refused.into_iter().unzip();
            Err(Deviation::new(
                "an optional field that is null counts as absent",
                words.join("; "),
                exchanges,
            ))
        }
    };
    s.judge_at(
        "ERR-6",
        Level::Should,
        "requests with every optional field null",
        "done",
        held,
    );
    Ok(())
}

async fn odd_bodies(s: Stage) -> Flow {
    let stand = Stand::on(&s).await?;
    let has_fields = |call: &Call| call.has_fields();
    let mut empty = Tolerated::new("ERR-7", "no body where one is declared");
    for plain in stand.calls().into_iter().filter(has_fields) {
        let what = plain.operation();
        // As no client should send it: what refuses it may be middleware.
        let call = plain.clone().bare().odd();
        empty.ask(&s, what, call, plain).await?;
    }
    empty.end(&s);
    let stand = Stand::anew(&s, "again").await?;
    let mut uncalled = Tolerated::new("ERR-7", "a body where none is declared");
    for plain in stand.calls() {
        let what = plain.operation();
        let declared = ["CreateTable", "InsertIntoTable", "MergeInsertIntoTable"];
        if !plain.takes_json() && !declared.contains(&what) {
            let call = plain.clone().json(json!({ "conformance": 1 })).odd();
            uncalled.ask(&s, what, call, plain).await?;
        }
    }
    uncalled.end(&s);
    let stand = Stand::anew(&s, "more").await?;
    let mut typed = Tolerated::new("ERR-7", "a body of another content type");
    let kinds = ["text/plain", "nonsense"];
    for plain in stand.calls().into_iter().filter(has_fields) {
        for kind in kinds {
            let what = format!("{} as {kind}", plain.operation());
            let call = plain.clone().as_type(kind);
            typed.ask(&s, &what, call, plain.clone()).await?;
        }
    }
    typed.end(&s);
    Ok(())
}

/// Longer than what servers read of a JSON body, and short enough to be sent quickly.
const HUGE: usize = 17 << 20;

async fn huge_body(s: Stage) -> Flow {
    let t = s.table("t").await?;
    let padded = |call: &Call| {
        let mut body = br#"{"id": null"#.to_vec();
        body.resize(HUGE, b' ');
        body.push(b'}');
        call.clone().raw("application/json", body)
    };
    let plain = calls::describe_table(&t.id);
    let exchange = s.exchange(padded(&plain)).await;
    let outcome = Outcome::of(&exchange);
    s.cite_for("ERR-7", &exchange);
    // A server may hang up on who sends so much.
    let held = match outcome {
        Outcome::Failed(500 | 501 | 505..) => Err(Deviation::new(
            "a huge body is read or refused with a 4xx, never a server error",
            format!("a body of {} MiB: {outcome}", HUGE >> 20),
            [exchange],
        )),
        _ => Ok(()),
    };
    s.judge_at("ERR-7", Level::Must, "a huge body", "done or refused", held);
    s.ask("describe t afterwards", plain).await.ok("ERR-7")?;
    Ok(())
}
