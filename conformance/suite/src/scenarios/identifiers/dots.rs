//! Names that a path takes for a directory.

use std::sync::Arc;

use crate::call::Call;
use crate::calls;
use crate::exchange::Exchange;
use crate::log::Observation;
use crate::outcome::Outcome;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Namespace, Stage};
use crate::steps::{Faults, Object};

scenarios! {
    /// Names of dots are refused or names like others, and never the way to another object.
    "identifiers/dot-names-lead-nowhere" => dot_names_lead_nowhere {
        tier: Basic,
        checks: ["REST-11", "REST-14"],
        needs: [],
    }
    /// Dropping a table whose name has dots drops no other.
    "identifiers/dot-names-drop-nothing" => dot_names_drop_nothing {
        tier: Tables,
        checks: ["REST-11"],
        needs: ["DropTable"],
    }
}

/// A table in the scenario's namespace, a namespace beside it, and a table in that.
struct Surroundings {
    inside: Namespace,
    objects: [Object; 3],
}

impl Surroundings {
    async fn made(s: &Stage) -> Flow<Self> {
        let home = s.home().await?;
        let inside = Namespace::at(home.child("x"));
        let objects = [
            Object::Table(home.child("t")),
            Object::Namespace(inside.id.clone()),
            Object::Table(inside.child("t")),
        ];
        for object in &objects {
            s.made(object).await?;
        }
        Ok(Self { inside, objects })
    }

    /// Identifiers that would be another's if names were directories.
    fn astray(&self) -> Vec<Vec<String>> {
        let mut ids = Vec::new();
        for steps in [
            &[".."][..],
            &["."],
            &["..", "t"],
            &[".", "t"],
            &["..", "x"],
            &["..", "x", "t"],
            &["../t"],
            &["./t"],
            &["../x"],
            &["..\\t"],
            &["%2e%2e", "t"],
        ] {
            let mut id = self.inside.id.clone();
            id.extend(steps.iter().map(|step| (*step).to_owned()));
            ids.push(id);
        }
        ids
    }

    async fn check(
        &self,
        s: &Stage,
        faults: &mut Faults,
        at: &str,
        sent: &Arc<Exchange>,
    ) -> Flow<bool> {
        for object in &self.objects {
            let (there, seen) = s.finds(object).await?;
            if !there {
                let what = "another object is gone";
                let at = format!("{at}: {}", object.label());
                faults.broken("REST-11", what, at, [Arc::clone(sent), seen]);
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// A call whose identifier is joined by a slash, if no part of the run's own namespace has one.
fn by_slash(id: &[String], call: &Call) -> Call {
    call.clone()
        .id(&[id.join("/")])
        .query("delimiter", "/")
        .odd()
}

async fn dot_names_lead_nowhere(s: Stage) -> Flow {
    let around = Surroundings::made(&s).await?;
    let mut faults = Faults::new("names of dots");
    let mut taken = 0;
    'ids: for id in around.astray() {
        let at = format!("{:?}", &id[around.inside.id.len()..]);
        let calls = [
            calls::describe_table(&id),
            calls::describe_namespace(&id),
            calls::deregister(&id),
            calls::drop_namespace(&id),
        ];
        for call in calls {
            for call in [call.clone().odd(), by_slash(&id, &call)] {
                let exchange = s.exchange(call).await;
                match Outcome::of(&exchange) {
                    Outcome::Ok => {
                        let what = "something is found or removed that nobody made";
                        faults.broken("REST-11", what, at.as_str(), [Arc::clone(&exchange)]);
                    }
                    Outcome::Failed(500) => {
                        let what = "it is answered with a server error";
                        faults.doubtful("REST-14", what, at.as_str(), [Arc::clone(&exchange)]);
                    }
                    _ => {}
                }
                if !around.check(&s, &mut faults, &at, &exchange).await? {
                    break 'ids;
                }
            }
        }
        // Made, it is an object of its own; its removal removes nothing else.
        let table = Object::Table(id);
        let made = s.try_to_make(&table).await;
        if Outcome::of(&made) == Outcome::Ok {
            taken += 1;
            let removed = s.exchange(table.remove()).await;
            if !around.check(&s, &mut faults, &at, &removed).await? {
                break;
            }
        }
    }
    s.observe(Observation {
        requirement: "REST-14",
        choice: format!("tables of dot names: {taken} are taken"),
    });
    faults.end(&s, &["REST-11", "REST-14"], "lead to no other object");
    Ok(())
}

async fn dot_names_drop_nothing(s: Stage) -> Flow {
    let around = Surroundings::made(&s).await?;
    let mut faults = Faults::new("tables of dot names dropped");
    for id in around.astray() {
        let at = format!("{:?}", &id[around.inside.id.len()..]);
        let call = calls::drop_table(&id);
        for call in [call.clone().odd(), by_slash(&id, &call)] {
            let dropped = s.exchange(call).await;
            if Outcome::of(&dropped) == Outcome::Ok {
                let what = "a table is dropped that nobody made";
                faults.broken("REST-11", what, at.as_str(), [Arc::clone(&dropped)]);
            }
            if !around.check(&s, &mut faults, &at, &dropped).await? {
                faults.end(&s, &["REST-11"], "drop no other table");
                return Ok(());
            }
        }
    }
    faults.end(&s, &["REST-11"], "drop no other table");
    Ok(())
}
