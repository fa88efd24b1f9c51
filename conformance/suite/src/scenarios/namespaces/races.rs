//! Namespaces that many clients create or drop at once.

use std::sync::Arc;

use crate::calls;
use crate::outcome::Outcome;
use crate::race::race;
use crate::scenario::{Flow, Stop, scenarios};
use crate::stage::{Namespace, Stage};
use crate::steps::{Faults, NameRace, Object};

/// How many namespaces are made anew for each race.
const ROUNDS: usize = 8;

scenarios! {
    /// Of the clients that create one namespace at once one succeeds, and it is there once.
    "namespaces/raced-creates-have-one-winner" => raced_creates {
        tier: Basic,
        checks: ["NS-1"],
        needs: [],
    }
    /// Clients that create namespaces of their own in an empty one at once all succeed.
    "namespaces/first-creates-in-an-empty-one" => first_creates {
        tier: Basic,
        checks: ["REST-15"],
        needs: [],
    }
    /// A namespace is not dropped with a table that is declared in it meanwhile.
    "namespaces/raced-drop-and-declare" => raced_drop_and_declare {
        tier: Basic,
        checks: ["NS-5", "TBL-3"],
        needs: [],
    }
}

async fn raced_creates(s: Stage) -> Flow {
    let home = s.home().await?;
    let mut contest = NameRace::new("NS-1", "8 clients create one namespace at once");
    for round in 0..ROUNDS {
        // Every second race is the first in its parent.
        let id = match round % 2 {
            0 => s.namespace(&format!("parent{round}")).await?.child("n"),
            _ => home.child(&format!("n{round}")),
        };
        contest.round(&s, &Object::Namespace(id)).await?;
    }
    contest.end(&s);
    Ok(())
}

async fn first_creates(s: Stage) -> Flow {
    let mut contest = NameRace::new("REST-15", "8 clients create namespaces in an empty one");
    for round in 0..ROUNDS / 2 {
        let parent = s.namespace(&format!("parent{round}")).await?;
        let names = ["h", "a", "g", "b", "f", "c", "e", "d"];
        let objects = names.map(|name| Object::Namespace(parent.child(name)));
        contest.siblings(&s, &objects).await?;
    }
    contest.end_of_siblings(&s);
    Ok(())
}

async fn raced_drop_and_declare(s: Stage) -> Flow {
    let mut faults = Faults::new("a namespace is dropped while a table is declared in it");
    let home = s.home().await?;
    for round in 0..2 * ROUNDS {
        let namespace = Namespace::at(home.child(&format!("n{round}")));
        let table = Object::Table(namespace.child("t"));
        let namespace = Object::Namespace(namespace.id);
        s.made(&namespace).await?;
        s.will_make(&table);
        let answers = race(2, |racer| {
            let s = s.clone();
            let call = match racer {
                0 => calls::drop_namespace(namespace.id()),
                _ => table.make(),
            };
            async move { s.exchange(call).await }
        })
        .await;
        let [dropped, declared] = [0, 1].map(|racer| Arc::clone(&answers[racer]));
        let both = [&dropped, &declared].map(|exchange| Outcome::of(exchange));
        if both
            .iter()
            .any(|outcome| outcome.is_unknown() || outcome.is_throttled())
        {
            return Err(Stop::Inconclusive(format!("{} and {}", both[0], both[1])));
        }
        let (there, namespace_seen) = s.finds(&namespace).await?;
        let (table_there, table_seen) = s.finds(&table).await?;
        let shown = [dropped, declared, namespace_seen, table_seen];
        let at = format!("drop {}, declare {}", both[0], both[1]);
        match both {
            [Outcome::Ok, _] if there => {
                faults.broken(
                    "NS-5",
                    "the drop was answered 200 and nothing dropped",
                    at,
                    shown,
                );
            }
            [Outcome::Ok, Outcome::Ok] if !table_there => {
                faults.broken(
                    "NS-5",
                    "a table that was declared was dropped with it",
                    at,
                    shown,
                );
            }
            [Outcome::Ok, Outcome::Ok] => faults.doubtful(
                "TBL-3",
                "both are done, and a table is left in no namespace",
                at,
                shown,
            ),
            [Outcome::Refused(..), Outcome::Ok] if !(there && table_there) => {
                faults.broken(
                    "NS-5",
                    "the drop was refused and something dropped",
                    at,
                    shown,
                );
            }
            [Outcome::Ok, Outcome::Refused(..)] if table_there => {
                faults.broken("TBL-3", "a table that was refused is there", at, shown);
            }
            _ => {}
        }
    }
    faults.end(&s, &["NS-5", "TBL-3"], "one of the two is done");
    Ok(())
}
