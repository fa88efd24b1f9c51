//! The connection breaks under a commit.

use std::time::Duration;

use super::{MOMENTS, WHOLE, answer_lost, took};
use crate::calls;
use crate::proxy::Fault;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};
use crate::steps::{Change, Interrupted, Look, Watch};

/// How many readers look.
const READERS: usize = 4;

scenarios! {
    /// A commit whose connection breaks, wherever it does, is done whole or not at all.
    "faults/broken-off-commit-is-whole-or-nothing" => broken_off_commit_is_whole_or_nothing {
        tier: Batch,
        checks: ["COM-1"],
        needs: [
            "BatchCommitTables", "CreateTableVersion", "DescribeTableVersion", "ListTableVersions",
        ],
    }
    /// Nothing of a commit that must be refused is ever seen, wherever its connection breaks.
    "faults/broken-off-refused-commit-is-never-seen" => broken_off_refused_commit_is_never_seen {
        tier: Batch,
        checks: ["COM-1", "COM-4"],
        needs: [
            "BatchCommitTables", "CreateTableVersion", "DescribeTableVersion", "ListTableVersions",
        ],
    }
    /// A commit that is sent again, since its answer was lost, is done once.
    "faults/commit-again-after-a-lost-answer" => commit_again_after_a_lost_answer {
        tier: Batch,
        checks: ["COM-1"],
        needs: [
            "BatchCommitTables", "CreateTableVersion", "DescribeTableVersion", "ListTableVersions",
        ],
    }
}

/// What a commit of all four kinds changes.
struct Place {
    trimmed: Table,
    created: Table,
    gone: Table,
    fresh: Vec<String>,
}

impl Place {
    async fn set_up(s: &Stage, name: &str) -> Flow<Self> {
        let place = Self {
            trimmed: s.table(&format!("trimmed-{name}")).await?,
            created: s.table(&format!("created-{name}")).await?,
            gone: s.table(&format!("gone-{name}")).await?,
            fresh: s.unmade_table(&format!("fresh-{name}")).await?,
        };
        s.versions(&place.trimmed, 2).await?;
        Ok(place)
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

async fn broken_off_commit_is_whole_or_nothing(s: Stage) -> Flow {
    let breaks = s.breaks(took_whole(&s).await?, MOMENTS);
    let label = "commits over connections that break";
    let commits = broken_off(&s, label, breaks).await?;
    let held = "each whole or not at all, for every reader, and it stays so";
    commits.end(&["COM-1"], held);
    Ok(())
}

async fn commit_again_after_a_lost_answer(s: Stage) -> Flow {
    let breaks = answer_lost(&s, took_whole(&s).await?);
    let mut commits = broken_off(&s, "commits that are sent again", breaks).await?;
    commits.again("COM-1", |_, _| None).await?;
    commits.end(
        &["COM-1"],
        "done once each, and what is there stays as it is",
    );
    Ok(())
}

/// How long the server takes for a commit.
async fn took_whole(s: &Stage) -> Flow<Duration> {
    let mut whole = Vec::new();
    for number in 0..WHOLE {
        let place = Place::set_up(s, &format!("whole{number}")).await?;
        let commit = place.commit(s).await?;
        whole.push(s.ask("a commit", commit.call()).await.set_up()?.exchange);
    }
    Ok(took(&whole))
}

/// Commits over connections that break, one in each way, that the server has done with.
async fn broken_off(s: &Stage, label: &str, breaks: Vec<Fault>) -> Flow<Interrupted> {
    let mut commits = Interrupted::new(s, label);
    for (number, fault) in breaks.into_iter().enumerate() {
        let place = Place::set_up(s, &number.to_string()).await?;
        commits.send(fault, place.commit(s).await?).await?;
    }
    commits.settle("COM-1").await?;
    Ok(commits)
}

async fn broken_off_refused_commit_is_never_seen(s: Stage) -> Flow {
    let taken = s.table("taken").await?;
    let refused = async |name: &str| {
        let place = Place::set_up(&s, name).await?;
        // The later it stands, the more a server may have done before it sees it.
        let again = calls::commit_declare(&taken.id);
        Ok(place.commit(&s).await?.with(4, again))
    };
    let label = "a commit that declares a table that exists";
    let mut whole = Vec::new();
    for number in 0..WHOLE {
        let commit = refused(&format!("whole{number}")).await?;
        let answer = s.ask(label, commit.call()).await;
        whole.push(answer.exchange());
        answer.not_done_as_ever("COM-4")?;
    }

    let mut all = Vec::new();
    for (number, fault) in s.breaks(took(&whole), MOMENTS).into_iter().enumerate() {
        all.push((fault, refused(&number.to_string()).await?));
    }
    let label = "refused commits over connections that break";
    let mut commits = Interrupted::new(&s, label);
    let watch = Watch::begin(&s, READERS, Look::Describe);
    let mut sent = Ok(());
    for (fault, commit) in all {
        sent = commits.send_watched(&watch, fault, commit).await;
        if sent.is_err() {
            break;
        }
    }
    let settled = commits.settle("COM-1").await;
    let views = watch.end().await;
    sent.and(settled)?;
    commits.nothing("COM-4");
    commits.end(&["COM-1", "COM-4"], "nothing is left of any");
    let label = "readers of refused commits over connections that break";
    views.nothing("COM-4", label, &s)
}
