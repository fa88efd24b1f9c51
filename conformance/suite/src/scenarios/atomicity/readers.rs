//! Readers that look for half a change while it is made.

use std::slice;

use crate::answer::Answer;
use crate::calls;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Namespace, Stage, Table};
use crate::steps::{Change, Look, Views, Watch};

/// How many readers look.
const READERS: usize = 8;
/// How many batches they look at, each way of looking.
const BATCHES: i64 = 20;
/// How many commits they look at, each way of looking.
const COMMITS: usize = 12;
/// How many tables a batch is over.
const TABLES: usize = 8;

scenarios! {
    /// Once a reader that describes versions has seen one entry of a batch, every later read sees all.
    "atomicity/no-reader-sees-half-a-batch" => no_reader_sees_half_a_batch {
        tier: Batch,
        checks: ["BAT-1", "BAT-7", "ORD-6", "ORD-7"],
        needs: ["BatchCreateTableVersions", "DescribeTableVersion", "ListTableVersions"],
    }
    /// Once a reader that lists versions has seen one entry of a batch, every later read sees all.
    "atomicity/no-listing-shows-half-a-batch" => no_listing_shows_half_a_batch {
        tier: Batch,
        checks: ["BAT-1", "BAT-7", "ORD-6", "ORD-7"],
        needs: ["BatchCreateTableVersions", "DescribeTableVersion", "ListTableVersions"],
    }
    /// No entry of a batch that is refused is ever seen, not even for a moment.
    "atomicity/no-reader-sees-a-refused-batch" => no_reader_sees_a_refused_batch {
        tier: Batch,
        checks: ["BAT-1", "BAT-7", "ORD-6", "ORD-7"],
        needs: ["BatchCreateTableVersions", "DescribeTableVersion", "ListTableVersions"],
    }
    /// Once a reader has seen one effect of a commit, of whatever kind, every later read sees all.
    "atomicity/no-reader-sees-half-a-commit" => no_reader_sees_half_a_commit {
        tier: Batch,
        checks: ["COM-1", "ORD-6", "ORD-7"],
        needs: [
            "BatchCommitTables", "CreateTableVersion", "DescribeTableVersion", "ListTableVersions",
        ],
    }
    /// Nothing of a commit that is refused is ever seen, not even for a moment.
    "atomicity/no-reader-sees-a-refused-commit" => no_reader_sees_a_refused_commit {
        tier: Batch,
        checks: ["COM-4", "ORD-6", "ORD-7"],
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
    let mut batches = Vec::new();
    for version in 1..=BATCHES {
        batches.push(either_way(s, s.batch_of(&tables, version).await?));
    }
    let (views, sent) = watched(s, look, "a batch of 8 tables", &batches, |answer| {
        answer.ok_as_ever("BAT-1").map(drop)
    })
    .await;
    let judged = views.no_half("BAT-7", "readers of batches over 8 tables", s);
    s.judge_history("the history", &["ORD-6", "ORD-7"]).await;
    sent.and(judged)
}

async fn no_reader_sees_a_refused_batch(s: Stage) -> Flow {
    let tables = tables(&s).await?;
    let taken = s.table("taken").await?;
    let first = s.batch_of(slice::from_ref(&taken), 1).await?;
    s.done("BAT-1", "a batch of one entry", &first).await?;
    let mut batches = Vec::new();
    for _ in 0..BATCHES {
        let manifest = s.manifest(&taken, "another manifest").await?;
        let conflict = calls::batch_entry(&taken.id, 1, &manifest);
        let batch = either_way(&s, s.batch_of(&tables, 1).await?);
        // The later it stands, the more a server may have done before it sees it.
        batches.push(batch.with(TABLES, conflict));
    }
    let label = "a batch with a version that exists";
    let refused = |answer: Answer| answer.not_done_as_ever("BAT-7");
    let (described, first) = watched(&s, Look::Describe, label, &batches, refused).await;
    let (listed, second) = watched(&s, Look::List, label, &batches, refused).await;
    let label = "readers of batches over 8 tables that are refused";
    let judged = described.and(listed).nothing("BAT-7", label, &s);
    s.judge_history("the history", &["ORD-6", "ORD-7"]).await;
    first.and(second).and(judged)
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
    let (mut some, mut others) = (Vec::new(), Vec::new());
    for number in 0..COMMITS {
        for (name, commits) in [("d", &mut some), ("l", &mut others)] {
            let round = Round::set_up(&s, &format!("{name}{number}")).await?;
            commits.push(either_way(&s, round.commit(&s).await?));
        }
    }
    let label = "a commit of all four kinds";
    let done = |answer: Answer| answer.ok_as_ever("COM-1").map(drop);
    let (described, first) = watched(&s, Look::Describe, label, &some, done).await;
    let (listed, second) = watched(&s, Look::List, label, &others, done).await;
    let label = "readers of commits of all four kinds";
    let judged = described.and(listed).no_half("COM-1", label, &s);
    s.judge_history("the history", &["ORD-6", "ORD-7"]).await;
    first.and(second).and(judged)
}

async fn no_reader_sees_a_refused_commit(s: Stage) -> Flow {
    let taken = s.table("taken").await?;
    let round = Round::set_up(&s, "0").await?;
    let mut commits = Vec::new();
    for _ in 0..COMMITS {
        let again = calls::commit_declare(&taken.id);
        let commit = either_way(&s, round.commit(&s).await?);
        commits.push(commit.with(4, again));
    }
    let label = "a commit that declares a table that exists";
    let refused = |answer: Answer| answer.not_done_as_ever("COM-4");
    let (described, first) = watched(&s, Look::Describe, label, &commits, refused).await;
    let (listed, second) = watched(&s, Look::List, label, &commits, refused).await;
    let label = "readers of commits of all four kinds that are refused";
    let judged = described.and(listed).nothing("COM-4", label, &s);
    s.judge_history("the history", &["ORD-6", "ORD-7"]).await;
    first.and(second).and(judged)
}

/// The change in its order or in the opposite one.
fn either_way(s: &Stage, change: Change) -> Change {
    match s.random_below(2) {
        0 => change,
        _ => change.reversed(),
    }
}

/// Sends changes one after the other while readers look; answers what these saw, and whether all
/// answers were as they must be.
async fn watched(
    s: &Stage,
    look: Look,
    label: &str,
    changes: &[Change],
    judge: impl Fn(Answer) -> Flow,
) -> (Views, Flow) {
    let watch = Watch::begin(s, READERS, look);
    for change in changes {
        let judged = judge(watch.send(s, label, change).await);
        if judged.is_err() {
            return (watch.end().await, judged);
        }
    }
    (watch.end().await, Ok(()))
}
