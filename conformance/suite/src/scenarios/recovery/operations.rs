//! Single operations, whose acknowledgement is a promise.

use std::sync::Arc;

use crate::calls;
use crate::outcome::Outcome;
use crate::scenario::{Flow, Stop, scenarios};
use crate::stage::{Namespace, Stage, Table};
use crate::steps::{Change, Faults, Survival};

/// How many clients are at work at once.
const CLIENTS: usize = 6;

const HELD: &str = "what was answered 200 is done for good";

scenarios! {
    /// A version whose create was acknowledged is there after a kill, and is still not replaced.
    "recovery/versions-survive-a-kill" => versions_survive_a_kill {
        tier: Versions,
        checks: ["REST-15", "VER-2", "VER-3"],
        needs: ["CreateTableVersion", "DescribeTableVersion"],
        given: [ServerCommand],
    }
    /// A version whose deletion was acknowledged does not come back by a kill of the server.
    "recovery/deletions-survive-a-kill" => deletions_survive_a_kill {
        tier: Versions,
        checks: ["REST-15"],
        needs: ["BatchDeleteTableVersions", "CreateTableVersion", "DescribeTableVersion"],
        given: [ServerCommand],
    }
    /// A table that was declared or deregistered stays so over a kill of the server.
    "recovery/names-survive-a-kill" => names_survive_a_kill {
        tier: Basic,
        checks: ["REST-15"],
        needs: [],
        given: [ServerCommand],
    }
}

/// A client's table, the latest version that it has created, and what comes next.
#[derive(Clone)]
struct Versions {
    table: Table,
    version: i64,
    deletes: bool,
    /// Whether the last change was a create.
    created: bool,
}

impl Versions {
    async fn next(mut self, s: Stage) -> Flow<(Self, Change)> {
        // The latest stays: what comes after the latest is open where it was deleted.
        let change = if self.deletes && self.created && self.version > 1 {
            self.created = false;
            Change::single().delete(&self.table, self.version - 1)
        } else {
            self.created = true;
            self.version += 1;
            let label = format!("m{}", self.version);
            let manifest = s.manifest(&self.table, &label).await?;
            Change::single().create(&self.table, self.version, &manifest)
        };
        Ok((self, change))
    }

    fn after_the_restart((mut hand, there): (Self, bool)) -> Self {
        if hand.created && !there {
            hand.version -= 1;
            hand.created = false;
        }
        hand
    }
}

async fn hands(s: &Stage, deletes: bool) -> Flow<Vec<Versions>> {
    let mut hands = Vec::new();
    for client in 0..CLIENTS {
        hands.push(Versions {
            table: s.table(&format!("t{client}")).await?,
            version: 0,
            deletes,
            created: false,
        });
    }
    Ok(hands)
}

async fn versions_survive_a_kill(s: Stage) -> Flow {
    let mut server = s.start_server().await?;
    let mut hands = hands(&server.stage(), false).await?;
    let label = "creates of several clients, the server killed and started again";
    let mut survival = Survival::new(label, "REST-15", "REST-15");
    let mut again = Faults::new("other manifests for the versions that were the last");
    for _ in 0..s.kills() {
        let round = survival.round(&mut server, &hands, |s, hand: Versions| hand.next(s));
        let round = round.await?.into_iter();
        hands = round.map(Versions::after_the_restart).collect();
        for hand in &hands {
            put_if_not_exists(&server.stage(), hand, &mut again).await?;
        }
    }
    survival.end(&server.stage(), HELD).await?;
    let held = "refused with 409, and the stored entries are what they were";
    again.end(&server.stage(), &["VER-2", "VER-3"], held);
    Ok(())
}

/// The latest version of a table is not replaced, whoever created it.
async fn put_if_not_exists(s: &Stage, hand: &Versions, faults: &mut Faults) -> Flow {
    let (table, version) = (&hand.table, hand.version);
    let Some(before) = s.entry(table, version).await? else {
        // None yet, or lost, which has been judged.
        return Ok(());
    };
    let manifest = s.manifest(table, &format!("another m{version}")).await?;
    let create = s
        .exchange(calls::create_version(table, version, &manifest))
        .await;
    let at = format!(
        "version {version} of {}: {}",
        table.label,
        Outcome::of(&create)
    );
    match Outcome::of(&create) {
        Outcome::Refused(409, _) => {}
        outcome if outcome.is_unknown() || outcome.is_throttled() => {
            return Err(Stop::Inconclusive(at));
        }
        _ => {
            let what = "a version that was there after the restart is created again";
            faults.broken("VER-2", what, &at, [Arc::clone(&create)]);
        }
    }
    let read = s
        .exchange(calls::describe_version(table, Some(version)))
        .await;
    let after = s.entry(table, version).await?;
    let same = after.is_some_and(|after| before.disagreements(&after).is_empty());
    if !same {
        let what = "the stored entry is another one after that";
        faults.broken("VER-3", what, at, [create, read]);
    }
    Ok(())
}

async fn deletions_survive_a_kill(s: Stage) -> Flow {
    let mut server = s.start_server().await?;
    let mut hands = hands(&server.stage(), true).await?;
    let label = "creates and deletes of several clients, the server killed and started again";
    let mut survival = Survival::new(label, "REST-15", "REST-15");
    for _ in 0..s.kills() {
        let round = survival.round(&mut server, &hands, |s, hand: Versions| hand.next(s));
        let round = round.await?.into_iter();
        hands = round.map(Versions::after_the_restart).collect();
    }
    survival.end(&server.stage(), HELD).await
}

/// How many names a client has tried, and those of its tables that it has not deregistered.
#[derive(Clone)]
struct Names {
    home: Namespace,
    client: usize,
    names: usize,
    tables: Vec<Vec<String>>,
}

impl Names {
    /// Two tables are declared, then the first is deregistered, and so on.
    async fn next(mut self, _: Stage) -> Flow<(Self, Change)> {
        let change = if self.tables.len() >= 2 {
            Change::single().deregister_named(&self.tables.remove(0))
        } else {
            self.names += 1;
            let name = format!("t{}-{}", self.client, self.names);
            let id = self.home.child(&name);
            self.tables.push(id.clone());
            Change::single().declare(&id)
        };
        Ok((self, change))
    }
}

async fn names_survive_a_kill(s: Stage) -> Flow {
    let mut server = s.start_server().await?;
    let home = server.stage().home().await?;
    let fresh = |client| Names {
        home: home.clone(),
        client,
        names: 0,
        tables: Vec::new(),
    };
    let mut hands: Vec<Names> = (0..CLIENTS).map(fresh).collect();
    let label = "declares and deregisters of several clients, the server killed and started again";
    let mut survival = Survival::new(label, "REST-15", "REST-15");
    for _ in 0..s.kills() {
        let round = survival.round(&mut server, &hands, |s, hand: Names| hand.next(s));
        // Nobody knows of the last table whether it was declared: it is left alone.
        let back = |(mut hand, _): (Names, bool)| {
            hand.tables.pop();
            hand
        };
        hands = round.await?.into_iter().map(back).collect();
    }
    survival.end(&server.stage(), HELD).await
}
