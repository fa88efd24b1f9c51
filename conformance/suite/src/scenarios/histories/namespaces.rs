//! A namespace that is dropped while tables and namespaces are made in it.
//!
//! Histories do not speak of namespaces, so that this workload is judged by what is there after each
//! round. A server may honestly take a table below a namespace that does not exist (TBL-3 and NS-3
//! only recommend to refuse it): there a table without a namespace may also have come after the drop,
//! and weighs no more than a warning.

use std::sync::Arc;

use crate::call::Call;
use crate::calls;
use crate::exchange::Exchange;
use crate::outcome::Outcome;
use crate::race::race;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Namespace, Stage};
use crate::steps::Faults;

/// How often a namespace is made and dropped.
const ROUNDS: usize = 60;
/// How many clients make something in it.
const MAKERS: usize = 5;
/// How often each tries to make something: a drop that takes time is met in the middle of it.
const ATTEMPTS: usize = 3;
/// How many clients drop it at the same time.
const DROPPERS: usize = 3;

scenarios! {
    /// A namespace that is dropped while something is made in it: never do both succeed.
    "histories/drop-of-a-namespace-races-declares" => drop_races_declares {
        tier: Basic,
        checks: ["NS-5"],
        needs: [],
    }
}

/// Something that a client makes in the namespace.
#[derive(Clone)]
enum Child {
    Table(Vec<String>),
    Namespace(Vec<String>),
}

impl Child {
    /// Three in five are tables.
    fn of(namespace: &Namespace, number: usize, attempt: usize) -> Self {
        match number % 5 {
            1 | 3 => Self::Namespace(namespace.child(&format!("n{number}_{attempt}"))),
            _ => Self::Table(namespace.child(&format!("t{number}_{attempt}"))),
        }
    }

    /// Makes it; the run's clean-up removes it, wherever it is.
    async fn make(&self, s: &Stage) -> Arc<Exchange> {
        match self {
            Self::Table(id) => {
                s.session().made_table(id);
                s.exchange(calls::declare(id)).await
            }
            Self::Namespace(id) => {
                s.session().made_namespace(id);
                s.exchange(calls::create_namespace(id)).await
            }
        }
    }

    async fn describe(&self, s: &Stage) -> Arc<Exchange> {
        match self {
            Self::Table(id) => s.exchange(calls::describe_table(id)).await,
            Self::Namespace(id) => s.exchange(describe_namespace(id)).await,
        }
    }
}

fn describe_namespace(id: &[String]) -> Call {
    Call::new("DescribeNamespace").id(id)
}

async fn drop_races_declares(s: Stage) -> Flow {
    let mut faults = Faults::new(&format!(
        "{DROPPERS} clients drop a namespace in which {MAKERS} others make something, {ROUNDS} rounds"
    ));
    let home = s.home().await?;
    let nowhere = Namespace::at(home.child("nowhere"));
    let mut needs_no_parent = false;
    for number in [0, 1] {
        let made = Child::of(&nowhere, number, 0).make(&s).await;
        needs_no_parent |= Outcome::of(&made) == Outcome::Ok;
    }
    for number in 0..ROUNDS {
        if s.is_over() {
            break;
        }
        let namespace = s.namespace(&format!("r{number}")).await?;
        round(&s, &namespace, needs_no_parent, &mut faults).await;
    }
    let held = "what is made in it is in it afterwards, or it is gone and nothing was made";
    faults.end(&s, &["NS-5"], held);
    Ok(())
}

async fn round(s: &Stage, namespace: &Namespace, needs_no_parent: bool, faults: &mut Faults) {
    let exchanges = race(MAKERS + DROPPERS, |client| {
        let (s, namespace) = (s.clone(), namespace.clone());
        async move {
            if client >= MAKERS {
                let dropped = s.exchange(calls::drop_namespace(&namespace.id)).await;
                return (None, dropped);
            }
            let mut attempt = 0;
            loop {
                let child = Child::of(&namespace, client, attempt);
                let made = child.make(&s).await;
                attempt += 1;
                if Outcome::of(&made) == Outcome::Ok || attempt == ATTEMPTS {
                    return (Some(child), made);
                }
            }
        }
    })
    .await;
    let done = |exchange: &Arc<Exchange>| Outcome::of(exchange) == Outcome::Ok;
    let dropped = exchanges
        .iter()
        .find(|(child, dropped)| child.is_none() && done(dropped));
    let Some((_, dropped)) = dropped else {
        return;
    };
    let found = s.exchange(describe_namespace(&namespace.id)).await;
    if !matches!(Outcome::of(&found), Outcome::Refused(404, _)) {
        // Made anew for what was made in it, or nothing can be told.
        return;
    }
    for (child, made) in exchanges.iter().filter(|(_, made)| done(made)) {
        let Some(child) = child else { continue };
        let looked = child.describe(s).await;
        let what = match Outcome::of(&looked) {
            Outcome::Ok => "a drop succeeded, and left what was made in the namespace without one",
            Outcome::Refused(404, _) => {
                "a drop succeeded, and took along what had been made in the namespace"
            }
            _ => continue,
        };
        let kind = match child {
            Child::Table(_) => "table",
            Child::Namespace(_) => "namespace",
        };
        let at = format!("a {kind} was answered 200, and so was a drop");
        let shown = [
            Arc::clone(made),
            Arc::clone(dropped),
            Arc::clone(&found),
            looked,
        ];
        match needs_no_parent {
            true => faults.doubtful("NS-5", what, at, shown),
            false => faults.broken("NS-5", what, at, shown),
        }
    }
}
