//! Writes that are refused for want of a credential change nothing.

use std::sync::Arc;

use serde_json::json;

use crate::call::{Call, Caller};
use crate::calls;
use crate::exchange::Exchange;
use crate::log::Deviation;
use crate::outcome::Outcome;
use crate::scenario::{Flow, Stop, scenarios};
use crate::stage::Stage;

scenarios! {
    /// Callers who are not known neither make nor remove a namespace or a table.
    "authentication/refused-writes-change-nothing" => writes_change_nothing {
        tier: Basic,
        checks: ["AUTH-1"],
        needs: [],
        given: [Credentials],
    }
    /// Callers who are not known neither create nor delete a version.
    "authentication/refused-versions-are-not-created" => versions_are_not_created {
        tier: Versions,
        checks: ["AUTH-1"],
        needs: ["CreateTableVersion", "DescribeTableVersion", "ListTableVersions"],
        given: [Credentials],
    }
}

/// Those who are not known, as transcripts call them.
const UNKNOWN: [(&str, Caller); 2] = [("nobody", Caller::Nobody), ("a stranger", Caller::Stranger)];

/// An object, the write that makes or removes it, and how to look for it.
struct Trial {
    what: &'static str,
    write: Call,
    look: Call,
    there: bool,
}

async fn writes_change_nothing(s: Stage) -> Flow {
    let home = s.home().await?;
    for (who, caller) in UNKNOWN {
        let prefix = who.replace(' ', "_");
        let name = |name: &str| format!("{prefix}_{name}");
        let describe_namespace = |id: &[String]| Call::new("DescribeNamespace").id(id);
        let trial = |what, write, look, there| Trial {
            what,
            write,
            look,
            there,
        };
        let made = home.child(&name("made"));
        s.session().made_namespace(&made);
        let kept = s.namespace(&name("kept")).await?.id;
        let declared = s.unmade_table(&name("declared")).await?;
        let registered = s.unmade_table(&name("registered")).await?;
        let kept_table = s.table(&name("t")).await?.id;
        let dropped = s.table(&name("dropped")).await?.id;
        let renamed = s.table(&name("renamed")).await?.id;
        let new_name = name("new_name");
        s.unmade_table(&new_name).await?;
        let register = Call::new("RegisterTable").id(&registered);
        let rename = Call::new("RenameTable").id(&renamed);
        let trials = [
            trial(
                "a namespace is made",
                calls::create_namespace(&made),
                describe_namespace(&made),
                false,
            ),
            trial(
                "a namespace is dropped",
                calls::drop_namespace(&kept),
                describe_namespace(&kept),
                true,
            ),
            trial(
                "a table is declared",
                calls::declare(&declared),
                calls::describe_table(&declared),
                false,
            ),
            trial(
                "a table is registered",
                register.json(json!({ "location": new_name })),
                calls::describe_table(&registered),
                false,
            ),
            trial(
                "a table is deregistered",
                calls::deregister(&kept_table),
                calls::describe_table(&kept_table),
                true,
            ),
            trial(
                "a table is dropped",
                Call::new("DropTable").id(&dropped),
                calls::describe_table(&dropped),
                true,
            ),
            trial(
                "a table is renamed",
                rename.json(json!({ "new_table_name": new_name })),
                calls::describe_table(&renamed),
                true,
            ),
        ];
        judge(&s, who, &caller, trials).await?;
    }
    Ok(())
}

/// Sends the writes as a caller who is not known, and looks for what they have done.
async fn judge<const N: usize>(s: &Stage, who: &str, caller: &Caller, trials: [Trial; N]) -> Flow {
    let mut done = Vec::new();
    let mut exchanges: Vec<Arc<Exchange>> = Vec::new();
    for trial in trials {
        let written = s.exchange(trial.write.by(caller.clone())).await;
        let looked = s.exchange(trial.look).await;
        let there = match Outcome::of(&looked) {
            Outcome::Ok => true,
            Outcome::Refused(404, _) => false,
            outcome => return Err(Stop::Inconclusive(format!("{}: {outcome}", trial.what))),
        };
        if there != trial.there {
            done.push(format!(
                "{} (answered {})",
                trial.what,
                Outcome::of(&written)
            ));
            exchanges.extend([written, looked]);
        }
    }
    let held = match done.is_empty() {
        true => Ok(()),
        false => Err(Deviation::new(
            format!("what {who} asks for is not done, whatever the answer"),
            done.join("; "),
            exchanges,
        )),
    };
    let label = format!("{N} writes by {who}");
    s.judge("AUTH-1", &label, "none is done", held);
    Ok(())
}

async fn versions_are_not_created(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 2).await?;
    let before = s.stored(&table).await?;
    for (who, caller) in UNKNOWN {
        let mut exchanges = Vec::new();
        for what in ["create", "batch", "commit", "delete"] {
            let manifest = s.manifest(&table, "a stranger's manifest").await?;
            let write = match what {
                "create" => calls::create_version(&table, 3, &manifest),
                "batch" => calls::batch_create(&[calls::batch_entry(&table.id, 3, &manifest)]),
                "commit" => calls::commit(&[calls::commit_create(&table.id, 3, &manifest)]),
                _ => calls::delete_versions(&table, &[(1, 2)]),
            };
            exchanges.push(s.exchange(write.by(caller.clone())).await);
        }
        s.line(format!("{who} creates and deletes versions"));
        s.unchanged("AUTH-1", &table, &before, exchanges).await?;
    }
    Ok(())
}
