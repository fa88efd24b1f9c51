//! Batches and commits that a kill cuts short.

use crate::scenario::{Flow, scenarios};
use crate::stage::{Namespace, Stage, Table};
use crate::steps::{Change, Survival};

/// How many clients send changes at once.
const CLIENTS: usize = 6;
/// How many tables each of them has.
const TABLES: usize = 4;

const HELD: &str = "each is there whole or not at all, and each that was answered 200 is there";

scenarios! {
    /// A batch that a kill of the server cuts short is there whole or not at all after the restart.
    "recovery/batches-survive-a-kill" => batches_survive_a_kill {
        tier: Batch,
        checks: ["BAT-10"],
        needs: ["BatchCreateTableVersions", "DescribeTableVersion"],
        given: [ServerCommand],
    }
    /// A commit that a kill of the server cuts short is there whole or not at all after the restart.
    "recovery/commits-survive-a-kill" => commits_survive_a_kill {
        tier: Batch,
        checks: ["COM-1", "REST-15"],
        needs: ["BatchCommitTables", "DescribeTableVersion"],
        given: [ServerCommand],
    }
}

/// A client's tables and the version that it created last.
#[derive(Clone)]
struct Batches {
    tables: Vec<Table>,
    version: i64,
}

impl Batches {
    async fn next(mut self, s: Stage) -> Flow<(Self, Change)> {
        self.version += 1;
        let change = s.batch_of(&self.tables, self.version).await?;
        Ok((self, change))
    }
}

async fn batches_survive_a_kill(s: Stage) -> Flow {
    let mut server = s.start_server().await?;
    let s = server.stage();
    let other = s.namespace("other").await?;
    let mut hands = Vec::new();
    for client in 0..CLIENTS {
        let mut tables = Vec::new();
        for number in 0..TABLES {
            let name = format!("t{client}{number}");
            tables.push(match number % 2 {
                0 => s.table(&name).await?,
                _ => s.table_in(&other, &name).await?,
            });
        }
        hands.push(Batches { tables, version: 0 });
    }
    let label = "batches of several clients, the server killed and started again";
    let mut survival = Survival::new(label, "BAT-10", "BAT-10");
    for _ in 0..s.kills() {
        let round = survival.round(&mut server, &hands, |s, hand: Batches| hand.next(s));
        let back = |(mut hand, there): (Batches, bool)| {
            hand.version -= i64::from(!there);
            hand
        };
        hands = round.await?.into_iter().map(back).collect();
    }
    survival.end(&server.stage(), HELD).await
}

/// A client's table, where it declares others, and how many commits it has sent.
#[derive(Clone)]
struct Commits {
    home: Namespace,
    table: Table,
    client: usize,
    commits: i64,
}

impl Commits {
    fn name(&self, commit: i64) -> Vec<String> {
        self.home.child(&format!("c{}-{commit}", self.client))
    }

    /// The next commit puts a version and a table in the place of those of the one before.
    async fn next(mut self, s: Stage) -> Flow<(Self, Change)> {
        self.commits += 1;
        let now = self.commits;
        let manifest = s.manifest(&self.table, &format!("m{now}")).await?;
        let mut change =
            Change::commit()
                .declare(&self.name(now))
                .create(&self.table, now, &manifest);
        if now > 1 {
            change = change
                .delete(&self.table, now - 1)
                .deregister_named(&self.name(now - 1));
        }
        Ok((self, change))
    }
}

async fn commits_survive_a_kill(s: Stage) -> Flow {
    let mut server = s.start_server().await?;
    let s = server.stage();
    let mut hands = Vec::new();
    for client in 0..CLIENTS {
        hands.push(Commits {
            home: s.home().await?,
            table: s.table(&format!("t{client}")).await?,
            client,
            commits: 0,
        });
    }
    let label = "commits of several clients, the server killed and started again";
    let mut survival = Survival::new(label, "COM-1", "REST-15");
    for _ in 0..s.kills() {
        let round = survival.round(&mut server, &hands, |s, hand: Commits| hand.next(s));
        let back = |(mut hand, there): (Commits, bool)| {
            hand.commits -= i64::from(!there);
            hand
        };
        hands = round.await?.into_iter().map(back).collect();
    }
    survival.end(&server.stage(), HELD).await
}
