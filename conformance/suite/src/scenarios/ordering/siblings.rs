//! Reading while siblings are made and removed all the time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::call::Call;
use crate::calls;
use crate::outcome::Outcome;
use crate::race::race;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Namespace, Stage};
use crate::steps::{End, Faults, Listing};

/// How many clients make and remove siblings, and how many read.
const WRITERS: usize = 4;
const READERS: usize = 4;
/// How many tables and namespaces each writer makes and removes.
const TURNS: usize = 8;

scenarios! {
    /// Whatever siblings come and go, what stays is found and listed, without server errors.
    "ordering/siblings-come-and-go" => siblings_come_and_go {
        tier: Basic,
        checks: ["PAGE-5", "ORD-6", "ORD-7"],
        needs: [],
    }
}

/// The tables and namespaces that stay; those that come and go lie before, between and after them.
fn stay(kind: &str) -> Vec<String> {
    ["d", "h", "l", "p", "t"]
        .map(|letter| format!("{letter}_{kind}"))
        .to_vec()
}

async fn siblings_come_and_go(s: Stage) -> Flow {
    let home = s.home().await?;
    for name in stay("table") {
        s.table(&name).await?;
    }
    for name in stay("namespace") {
        s.namespace(&name).await?;
    }
    let faults = Arc::new(Mutex::new(Faults::new(
        "4 clients list and describe while 4 others make and remove siblings",
    )));
    let at_work = Arc::new(AtomicUsize::new(WRITERS));
    let ended: Vec<Flow> = race(WRITERS + READERS, |client| {
        let (s, home) = (s.clone(), home.clone());
        let (faults, at_work) = (Arc::clone(&faults), Arc::clone(&at_work));
        async move {
            if client < WRITERS {
                for turn in 0..TURNS {
                    come_and_go(&s, &home, client, turn, &faults).await;
                }
                at_work.fetch_sub(1, Ordering::SeqCst);
                return Ok(());
            }
            let mut turn = client;
            while at_work.load(Ordering::SeqCst) > 0 {
                read(&s, &home, turn, &faults).await?;
                turn += 1;
            }
            Ok(())
        }
    })
    .await;
    ended.into_iter().collect::<Flow>()?;
    let faults = Arc::into_inner(faults).map(Mutex::into_inner);
    let faults = faults.map(|faults| faults.unwrap_or_else(PoisonError::into_inner));
    if let Some(faults) = faults {
        let held = "what stays is always there, and what comes and goes is there in between";
        faults.end(&s, &["PAGE-5", "ORD-6", "ORD-7"], held);
    }
    s.judge_history("the history", &["ORD-6", "ORD-7"]).await;
    Ok(())
}

/// Makes a table and a namespace and removes them again.
async fn come_and_go(
    s: &Stage,
    home: &Namespace,
    client: usize,
    turn: usize,
    faults: &Mutex<Faults>,
) {
    let letter = ["a", "f", "n", "z"][client % 4];
    let table = home.child(&format!("{letter}{turn}_table"));
    let namespace = home.child(&format!("{letter}{turn}_namespace"));
    s.session().made_table(&table);
    s.session().made_namespace(&namespace);
    let describe = Call::new("DescribeNamespace").id(&namespace);
    let siblings = [
        (
            calls::declare(&table),
            calls::describe_table(&table),
            calls::deregister(&table),
        ),
        (
            calls::create_namespace(&namespace),
            describe,
            calls::drop_namespace(&namespace),
        ),
    ];
    for (make, look, remove) in siblings {
        if done(s, make, faults).await {
            own_read(s, look.clone(), true, faults).await;
            if done(s, remove, faults).await {
                own_read(s, look, false, faults).await;
            }
        }
    }
}

/// Makes or removes a sibling; answers whether that is sure to have happened.
async fn done(s: &Stage, call: Call, faults: &Mutex<Faults>) -> bool {
    let exchange = s.exchange(call).await;
    let outcome = Outcome::of(&exchange);
    let mut faults = faults.lock().unwrap_or_else(PoisonError::into_inner);
    match outcome {
        Outcome::Ok => return true,
        outcome if outcome.is_unknown() => {}
        // Each name is used once and by one client: who is in the way is the server's to say.
        Outcome::Refused(409 | 429, _) => {}
        Outcome::Refused(404, _) => faults.broken(
            "ORD-6",
            "what had been made could not be removed, or its parent was not found",
            outcome.to_string(),
            [exchange],
        ),
        _ => faults.doubtful(
            "ORD-6",
            "making or removing a sibling was answered neither with 200 nor with 409",
            outcome.to_string(),
            [exchange],
        ),
    }
    false
}

/// The client that made or removed something looks for it.
async fn own_read(s: &Stage, look: Call, there: bool, faults: &Mutex<Faults>) {
    let exchange = s.exchange(look).await;
    let outcome = Outcome::of(&exchange);
    let mut faults = faults.lock().unwrap_or_else(PoisonError::into_inner);
    match (outcome, there) {
        (Outcome::Refused(404, _), true) => faults.broken(
            "ORD-7",
            "what had just been made was not found",
            outcome.to_string(),
            [exchange],
        ),
        (Outcome::Ok, false) => faults.broken(
            "ORD-7",
            "what had just been removed was found",
            outcome.to_string(),
            [exchange],
        ),
        (Outcome::Failed(500), _) => faults.doubtful(
            "ORD-7",
            "a read was answered with a server error",
            outcome.to_string(),
            [exchange],
        ),
        _ => {}
    }
}

/// Lists or describes what stays, in one of several ways.
async fn read(s: &Stage, home: &Namespace, turn: usize, faults: &Mutex<Faults>) -> Flow {
    let (listing, items) = match turn % 5 {
        0 | 1 => (Listing::tables(s, home), stay("table")),
        2 | 3 => (Listing::namespaces(home), stay("namespace")),
        _ => {
            own_read(
                s,
                calls::describe_table(&home.child("l_table")),
                true,
                faults,
            )
            .await;
            return Ok(());
        }
    };
    let limit = turn.is_multiple_of(2).then_some(2);
    let walk = listing.pages(s, limit).await?;
    let missing = walk.missing(&items);
    let at = format!("{} {}", walk.pages.len(), listing.label);
    let mut faults = faults.lock().unwrap_or_else(PoisonError::into_inner);
    let shown = walk.exchanges.iter().rev().take(3).rev().cloned();
    match walk.end {
        Some(End::Refused(outcome @ Outcome::Failed(_))) => faults.doubtful(
            "PAGE-5",
            "a listing was answered with a server error",
            format!("{}: {outcome}", listing.label),
            shown,
        ),
        Some(End::Refused(outcome)) if walk.pages.is_empty() => faults.broken(
            "ORD-7",
            "the listing of a namespace that is there was refused",
            format!("{}: {outcome}", listing.label),
            shown,
        ),
        Some(End::Refused(outcome)) => faults.broken(
            "PAGE-5",
            "a page token was refused",
            format!("{}: {outcome}", listing.label),
            shown,
        ),
        Some(End::NoToken) if missing.is_empty() => {}
        Some(End::NoToken) => match (limit, walk.pages.len()) {
            // A list in one answer is a read of one moment.
            (None, 1) => {
                let what = "a list misses what stays";
                faults.broken("ORD-7", what, missing.join(", "), shown);
            }
            // Cut without a token: requirement PAGE-2, which is checked elsewhere.
            (Some(_), 1) => {}
            _ => {
                let what = "pages miss what stays";
                faults.broken(
                    "PAGE-5",
                    what,
                    format!("{at}: {}", missing.join(", ")),
                    shown,
                );
            }
        },
        Some(End::Endless) | None => {}
    }
    Ok(())
}
