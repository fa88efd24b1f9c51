//! Commits that are refused: one operation, wherever it stands, keeps all of them out.

use serde_json::{Value, json};

use crate::calls;
use crate::entry::Entry;
use crate::log::Deviation;
use crate::outcome::{Outcome, Refusal};
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};
use crate::steps::{Change, Effect};

/// The places of a commit of one operation of each kind, and one that fails.
const PLACES: usize = 5;

scenarios! {
    /// A declaration that fails, wherever it stands in a commit, keeps all operations out.
    "atomicity/failing-declare-refuses-the-commit" => failing_declare {
        tier: Batch,
        checks: ["COM-1"],
        needs: [
            "BatchCommitTables", "CreateTableVersion", "DescribeTableVersion", "ListTableVersions",
        ],
    }
    /// A create that fails, wherever it stands in a commit, keeps all operations out.
    "atomicity/failing-create-refuses-the-commit" => failing_create {
        tier: Batch,
        checks: ["COM-1"],
        needs: [
            "BatchCommitTables", "CreateTableVersion", "DescribeTableVersion", "ListTableVersions",
        ],
    }
    /// A deletion that fails, wherever it stands in a commit, keeps all operations out.
    "atomicity/failing-delete-refuses-the-commit" => failing_delete {
        tier: Batch,
        checks: ["COM-1"],
        needs: [
            "BatchCommitTables", "CreateTableVersion", "DescribeTableVersion", "ListTableVersions",
        ],
    }
    /// A deregistration that fails, wherever it stands in a commit, keeps all operations out.
    "atomicity/failing-deregister-refuses-the-commit" => failing_deregister {
        tier: Batch,
        checks: ["COM-1"],
        needs: [
            "BatchCommitTables", "CreateTableVersion", "DescribeTableVersion", "ListTableVersions",
        ],
    }
    /// An operation without a kind or with two, wherever it stands in a commit, keeps all operations out.
    "atomicity/operation-of-no-single-kind" => operation_of_no_single_kind {
        tier: Batch,
        checks: ["COM-1", "COM-3"],
        needs: [
            "BatchCommitTables", "CreateTableVersion", "DescribeTableVersion", "ListTableVersions",
        ],
    }
}

/// What commits would change, and what they must not.
struct Scene {
    fresh: Vec<String>,
    created: Table,
    trimmed: Table,
    gone: Table,
    taken: Table,
    unknown: Vec<String>,
    trimmed_before: Vec<Entry>,
    taken_before: Vec<Entry>,
}

impl Scene {
    async fn set_up(s: &Stage) -> Flow<Self> {
        let other = s.namespace("other").await?;
        let (trimmed, taken) = (s.table("trimmed").await?, s.table("taken").await?);
        s.versions(&trimmed, 3).await?;
        s.versions(&taken, 1).await?;
        Ok(Self {
            fresh: s.unmade_table("fresh").await?,
            created: s.table_in(&other, "created").await?,
            gone: s.table_in(&other, "gone").await?,
            unknown: s.unmade_table("unknown").await?,
            trimmed_before: s.stored(&trimmed).await?,
            taken_before: s.stored(&taken).await?,
            trimmed,
            taken,
        })
    }

    /// A commit of one operation of each kind, all of which can be carried out.
    async fn commit(&self, s: &Stage) -> Flow<Change> {
        let manifest = s.manifest(&self.created, "manifest 1").await?;
        Ok(Change::commit()
            .declare(&self.fresh)
            .create(&self.created, 1, &manifest)
            .delete(&self.trimmed, 1)
            .deregister(&self.gone))
    }

    /// Nothing was changed in passing; and without what kept them out, the operations are done.
    async fn end(self, s: &Stage) -> Flow {
        s.unchanged("COM-1", &self.taken, &self.taken_before, [])
            .await?;
        s.unchanged("COM-1", &self.trimmed, &self.trimmed_before, [])
            .await?;
        let commit = self.commit(s).await?;
        s.done("COM-1", "the commit without it", &commit).await?;
        Ok(())
    }

    /// Sends the commit with this operation at each place.
    async fn fails(&self, s: &Stage, what: &str, operation: Value, best: &[Refusal]) -> Flow {
        for place in 0..PLACES {
            let commit = self.commit(s).await?.with(place, operation.clone());
            let commit = commit.showing(Effect::Declared(self.unknown.clone()));
            let label = format!("a commit that {what} at place {place} of {PLACES}");
            s.not_done("COM-1", &label, &commit, best).await?;
        }
        Ok(())
    }
}

async fn failing_declare(s: Stage) -> Flow {
    let scene = Scene::set_up(&s).await?;
    let operation = calls::commit_declare(&scene.taken.id);
    let what = "declares a table that exists";
    let best = [Refusal::TABLE_EXISTS, Refusal::CONFLICT];
    scene.fails(&s, what, operation, &best).await?;
    scene.end(&s).await
}

async fn failing_create(s: Stage) -> Flow {
    let scene = Scene::set_up(&s).await?;
    let manifest = s.manifest(&scene.taken, "another manifest").await?;
    let operation = calls::commit_create(&scene.taken.id, 1, &manifest);
    let what = "creates a version that exists";
    scene
        .fails(&s, what, operation, &[Refusal::CONFLICT])
        .await?;
    let operation = calls::commit_create(&scene.unknown, 1, &manifest);
    let what = "creates a version of a table that does not exist";
    scene
        .fails(&s, what, operation, &[Refusal::NO_TABLE])
        .await?;
    scene.end(&s).await
}

async fn failing_delete(s: Stage) -> Flow {
    let scene = Scene::set_up(&s).await?;
    let operation = calls::commit_delete(&scene.unknown, &[(1, 2)]);
    let what = "deletes a version of a table that does not exist";
    scene
        .fails(&s, what, operation, &[Refusal::NO_TABLE])
        .await?;
    scene.end(&s).await
}

async fn failing_deregister(s: Stage) -> Flow {
    let scene = Scene::set_up(&s).await?;
    let operation = calls::commit_deregister(&scene.unknown);
    // Only the table of codes says that this fails: a server may find that there is nothing to do.
    let alone = Change::commit().with(0, operation.clone());
    let exchange = s.exchange(alone.call()).await;
    if Outcome::of(&exchange) == Outcome::Ok {
        s.cite("COM-1");
        let expected = "deregistering a table that does not exist: 404 with code 4";
        s.warn("COM-1", Deviation::new(expected, "200", [exchange]));
        return Ok(());
    }
    let what = "deregisters a table that does not exist";
    scene
        .fails(&s, what, operation, &[Refusal::NO_TABLE])
        .await?;
    scene.end(&s).await
}

async fn operation_of_no_single_kind(s: Stage) -> Flow {
    let scene = Scene::set_up(&s).await?;
    let (target, second) = (
        s.table("second").await?,
        s.unmade_table("second-fresh").await?,
    );
    let both = |one: Value, other: Value| {
        let fields = [one, other]
            .into_iter()
            .filter_map(|operation| match operation {
                Value::Object(fields) => Some(fields),
                _ => None,
            });
        Value::Object(fields.flatten().collect())
    };
    let manifest = s.manifest(&target, "manifest 1").await?;
    let created = Effect::Created {
        table: target.clone(),
        version: 1,
        manifest: manifest.clone(),
    };
    let operations = [
        ("without a kind", json!({})),
        (
            "that declares one table and deregisters another",
            both(
                calls::commit_declare(&second),
                calls::commit_deregister(&target.id),
            ),
        ),
        (
            "that creates a version and deletes others",
            both(
                calls::commit_create(&target.id, 1, &manifest),
                calls::commit_delete(&scene.trimmed.id, &[(2, 3)]),
            ),
        ),
    ];
    for (what, operation) in operations {
        for place in 0..PLACES {
            let commit = scene.commit(&s).await?.with(place, operation.clone());
            let commit = commit
                .showing(Effect::Declared(second.clone()))
                .showing(Effect::Deregistered(target.id.clone()))
                .showing(created.clone());
            let label = format!("a commit with an operation {what} at place {place} of {PLACES}");
            s.refused_best_as("COM-3", &label, &commit, &[Refusal::INVALID])
                .await?;
        }
    }
    scene.end(&s).await
}
