//! Paths that are no operation, and methods that are not an operation's.

use std::sync::Arc;

use http::Method;

use crate::call::Call;
use crate::calls;
use crate::exchange::Exchange;
use crate::log::{Deviation, Observation};
use crate::outcome::Outcome;
use crate::requirement::Level;
use crate::scenario::{Flow, scenarios};
use crate::stage::Stage;
use crate::steps::Scene;

scenarios! {
    /// A path that is no operation is not found, whatever it looks like.
    "errors/unknown-path-is-not-found" => unknown_path {
        tier: Basic,
        checks: ["ERR-8"],
        needs: [],
    }
    /// An operation asked for by another method is not carried out, and the server does not fail.
    "errors/other-methods-do-nothing" => other_methods {
        tier: Basic,
        checks: ["ERR-1", "ERR-8"],
        needs: [],
    }
}

async fn unknown_path(s: Stage) -> Flow {
    let t = s.table("t").await?;
    let home = s.home().await?;
    let of_table = calls::table_exists(&t.id);
    let of_namespace = calls::namespace_exists(&home.id);
    let mut wrong = Vec::new();
    let mut doubtful = Vec::new();
    for (call, path) in [
        (&of_table, "/v1/table/{id}/no_such_operation"),
        (&of_table, "/v1/table/{id}/existsing"),
        (&of_table, "/v1/table/{id}/exists/twice"),
        (&of_table, "/v99/table/{id}/exists"),
        (&of_namespace, "/v1/namespace/{id}/no_such_operation"),
        (&of_namespace, "/v1/namespace/{id}/exists/twice"),
        (&of_namespace, "/v1/no_such_kind/{id}/exists"),
    ] {
        let answer = s.ask(path, call.clone().at_path(path)).await;
        answer.answered()?;
        s.cite("ERR-8");
        let said = (format!("{path}: {}", answer.said()), answer.exchange());
        match answer.outcome() {
            Outcome::Refused(404, _) => {}
            Outcome::Ok | Outcome::Failed(500) => wrong.push(said),
            _ => doubtful.push(said),
        }
    }
    judge(
        &s,
        "paths that are no operation",
        "404",
        "not found",
        [wrong, doubtful],
    );
    Ok(())
}

type Found = Vec<(String, Arc<Exchange>)>;

/// Judges what weighs as much as the requirement, and what is a should.
fn judge(s: &Stage, label: &str, expected: &str, held: &str, [wrong, doubtful]: [Found; 2]) {
    let quiet = wrong.is_empty() && doubtful.is_empty();
    if quiet {
        s.line(format!("{label}: {held}"));
    }
    for (level, found) in [(Level::Must, wrong), (Level::Should, doubtful)] {
        if !found.is_empty() {
            let (words, mut exchanges): (Vec<String>, Vec<_>) = found.into_iter().unzip();
            exchanges.truncate(6);
            let actual = words.join("; ");
            s.line(format!("{label}: {actual}"));
            let expected = format!("{label}: {expected}");
            s.violated("ERR-8", level, Deviation::new(expected, actual, exchanges));
        }
    }
}

async fn other_methods(s: Stage) -> Flow {
    let home = s.home().await?;
    let n = s.namespace("n").await?;
    let t = s.table("t").await?;
    let mut scene = Scene::of(&s, &[&home], &[&t]).await?;
    let calls = [
        calls::describe_table(&t.id),
        calls::table_exists(&t.id),
        calls::list_versions(&t),
        calls::describe_namespace(&n.id),
        calls::create_namespace(&home.child("made")),
        calls::declare(&home.child("made")),
        calls::drop_namespace(&n.id),
        calls::deregister(&t.id),
        calls::drop_table(&t.id),
        Call::new("ListNamespaces").id(&home.id),
        calls::list_tables(&home.id),
    ];
    let conformance = Method::from_bytes(b"CONFORMANCE").unwrap_or(Method::TRACE);
    let methods = [
        Method::GET,
        Method::HEAD,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::OPTIONS,
        conformance,
    ];
    let mut wrong = Vec::new();
    let mut done = Vec::new();
    for call in &calls {
        for method in &methods {
            let astray = call.clone().by_method(method.clone());
            if !astray.is_astray() {
                continue;
            }
            let what = format!("{} by {method}", call.operation());
            let answer = s.ask(&what, astray).await;
            answer.answered()?;
            s.cite("ERR-8");
            scene.after(&s, &answer.exchange()).await?;
            let said = format!("{what}: {}", answer.said());
            match answer.outcome() {
                // Not knowing a method is what 501 is for.
                Outcome::Failed(501) | Outcome::Refused(..) => {}
                Outcome::Failed(_) => wrong.push((said, answer.exchange())),
                _ => done.push(what),
            }
        }
    }
    if !done.is_empty() {
        let requirement = "ERR-8";
        let choice = format!("answered 2xx: {}", done.join(", "));
        s.observe(Observation {
            requirement,
            choice,
        });
    }
    let expected = "done or refused, never a server error";
    let label = "operations by other methods";
    judge(&s, label, expected, "no server error", [wrong, Vec::new()]);
    scene.end(&s, "ERR-1");
    Ok(())
}
