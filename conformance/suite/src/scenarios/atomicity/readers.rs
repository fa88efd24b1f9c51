//! Readers that look for half a change while it is made.

use crate::calls;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Namespace, Stage, Table};
use crate::steps::{Change, Look, Views, Watch};

/// How many readers look at each writer's changes.
const READERS: usize = 5;
/// How many changes each writer makes.
const CHANGES: i64 = 15;
/// How many tables a batch is over.
const TABLES: usize = 8;

scenarios! {
    /// Once a reader that describes versions has seen one entry of a batch, every later read sees all.
    "atomicity/no-reader-sees-half-a-batch" => no_reader_sees_half_a_batch {
        tier: Batch,
        checks: ["BAT-1", "BAT-7"],
        needs: ["BatchCreateTableVersions", "DescribeTableVersion", "ListTableVersions"],
    }
    /// Once a reader that lists versions has seen one entry of a batch, every later read sees all.
    "atomicity/no-listing-shows-half-a-batch" => no_listing_shows_half_a_batch {
        tier: Batch,
        checks: ["BAT-1", "BAT-7"],
        needs: ["BatchCreateTableVersions", "DescribeTableVersion", "ListTableVersions"],
    }
    /// No entry of a batch that is refused is ever seen, not even for a moment.
    "atomicity/no-reader-sees-a-refused-batch" => no_reader_sees_a_refused_batch {
        tier: Batch,
        checks: ["BAT-1", "BAT-7"],
        needs: ["BatchCreateTableVersions", "DescribeTableVersion", "ListTableVersions"],
    }
    /// Once a reader has seen one effect of a commit, of whatever kind, every later read sees all.
    "atomicity/no-reader-sees-half-a-commit" => no_reader_sees_half_a_commit {
        tier: Batch,
        checks: ["COM-1"],
        needs: [
            "BatchCommitTables", "CreateTableVersion", "DescribeTableVersion", "ListTableVersions",
        ],
    }
    /// Nothing of a commit that is refused is ever seen, not even for a moment.
    "atomicity/no-reader-sees-a-refused-commit" => no_reader_sees_a_refused_commit {
        tier: Batch,
        checks: ["COM-4"],
        needs: [
            "BatchCommitTables", "CreateTableVersion", "DescribeTableVersion", "ListTableVersions",
        ],
    }
}

async fn tables(s: &Stage) -> Flow<Vec<Table>> {
    let namespaces: [Namespace; 2] = [s.namespace("x").await?, s.namespace("y").await?];
    let mut tables = Vec::new();
    for number in 0..TABLES {
        let namespace = &namespaces[number % namespaces.len()];
        tables.push(s.table_in(namespace, &format!("t{number}")).await?);
    }
    Ok(tables)
}

async fn no_reader_sees_half_a_batch(s: Stage) -> Flow {
    half_batches(&s, Look::Describe).await
}

async fn no_listing_shows_half_a_batch(s: Stage) -> Flow {
    half_batches(&s, Look::List).await
}

async fn half_batches(s: &Stage, look: Look) -> Flow {
    let tables = tables(s).await?;
    let watch = Watch::begin(s, READERS, look);
    for version in 1..=CHANGES {
        let mut batch = s.batch_of(&tables, version).await?;
        if s.random_below(2) == 1 {
            batch = batch.reversed();
        }
        watch.turn_to(&batch);
        let label = format!("a batch of version {version} of {TABLES} tables");
        let answer = s.ask(&label, batch.call()).await;
        answer.ok_as_ever("BAT-1")?;
    }
    let label = format!("{READERS} readers of {CHANGES} batches over {TABLES} tables");
    watch.end().await.no_half("BAT-7", &label, s);
    Ok(())
}

async fn no_reader_sees_a_refused_batch(s: Stage) -> Flow {
    let tables = tables(&s).await?;
    let taken = s.table("taken").await?;
    let first = s.batch_of(std::slice::from_ref(&taken), 1).await?;
    s.done("BAT-1", "a batch of one entry", &first).await?;
    let mut views = Views::default();
    for look in Look::BOTH {
        let watch = Watch::begin(&s, READERS, look);
        for _ in 0..CHANGES {
            let manifest = s.manifest(&taken, "another manifest").await?;
            let conflict = calls::batch_entry(&taken.id, 1, &manifest);
            // The later it stands, the more a server may have done before it sees it.
            let batch = s.batch_of(&tables, 1).await?.with(TABLES, conflict);
            watch.turn_to(&batch);
            let answer = s.ask("a batch with a version that exists", batch.call());
            answer.await.not_done_as_ever("BAT-7")?;
        }
        views = views.and(watch.end().await);
    }
    let label = format!("{READERS} readers of batches over {TABLES} tables that are refused");
    views.nothing("BAT-7", &label, &s);
    Ok(())
}

/// What a commit of all four kinds changes.
struct Round {
    trimmed: Table,
    created: Table,
    gone: Table,
    fresh: Vec<String>,
}

impl Round {
    async fn set_up(s: &Stage, name: &str) -> Flow<Self> {
        let round = Self {
            trimmed: s.table(&format!("trimmed-{name}")).await?,
            created: s.table(&format!("created-{name}")).await?,
            gone: s.table(&format!("gone-{name}")).await?,
            fresh: s.unmade_table(&format!("fresh-{name}")).await?,
        };
        s.versions(&round.trimmed, 2).await?;
        Ok(round)
    }

    async fn commit(&self, s: &Stage) -> Flow<Change> {
        let manifest = s.manifest(&self.created, "manifest 1").await?;
        Ok(Change::commit()
            .declare(&self.fresh)
            .create(&self.created, 1, &manifest)
            .delete(&self.trimmed, 1)
            .deregister(&self.gone))
    }
}

async fn no_reader_sees_half_a_commit(s: Stage) -> Flow {
    let mut views = Views::default();
    for look in Look::BOTH {
        // All is set up before readers begin, who would only be in the way.
        let mut commits = Vec::new();
        for number in 0..CHANGES {
            let name = match look {
                Look::Describe => format!("{number}"),
                Look::List => format!("l{number}"),
            };
            let commit = Round::set_up(&s, &name).await?.commit(&s).await?;
            commits.push(match s.random_below(2) {
                0 => commit,
                _ => commit.reversed(),
            });
        }
        let watch = Watch::begin(&s, READERS, look);
        for commit in &commits {
            watch.turn_to(commit);
            let answer = s.ask("a commit of all four kinds", commit.call()).await;
            answer.ok_as_ever("COM-1")?;
        }
        views = views.and(watch.end().await);
    }
    let label = format!("{READERS} readers of commits of all four kinds");
    views.no_half("COM-1", &label, &s);
    Ok(())
}

async fn no_reader_sees_a_refused_commit(s: Stage) -> Flow {
    let taken = s.table("taken").await?;
    let round = Round::set_up(&s, "0").await?;
    let mut views = Views::default();
    for look in Look::BOTH {
        let watch = Watch::begin(&s, READERS, look);
        for _ in 0..CHANGES {
            let again = calls::commit_declare(&taken.id);
            let mut commit = round.commit(&s).await?;
            if s.random_below(2) == 1 {
                commit = commit.reversed();
            }
            let commit = commit.with(4, again);
            watch.turn_to(&commit);
            let answer = s.ask("a commit that declares a table that exists", commit.call());
            answer.await.not_done_as_ever("COM-4")?;
        }
        views = views.and(watch.end().await);
    }
    let label = format!("{READERS} readers of commits of all four kinds that are refused");
    views.nothing("COM-4", &label, &s);
    Ok(())
}
