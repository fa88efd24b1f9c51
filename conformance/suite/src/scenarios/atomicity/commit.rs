//! Commits that can be carried out.

use serde_json::Value;

use crate::answer::Reply;
use crate::calls;
use crate::log::{Deviation, Observation};
use crate::outcome::Outcome;
use crate::scenario::{Flow, scenarios};
use crate::stage::{Stage, Table};
use crate::steps::{Change, Effect, Look};

scenarios! {
    /// A commit declares, creates, deletes and deregisters, and says of each what it did.
    "atomicity/commit-applies-all-four-kinds" => commit_applies_all_four_kinds {
        tier: Batch,
        checks: ["COM-1", "COM-2"],
        needs: [
            "BatchCommitTables", "CreateTableVersion", "DescribeTableVersion", "ListTableVersions",
        ],
    }
    /// Operations of a commit see those before them.
    "atomicity/operations-see-those-before-them" => operations_see_those_before_them {
        tier: Batch,
        checks: ["COM-1", "COM-5"],
        needs: [
            "BatchCommitTables", "CreateTableVersion", "DescribeTableVersion", "ListTableVersions",
        ],
    }
    /// A commit that is sent again, alone or with an operation more, changes nothing or is done whole.
    "atomicity/same-commit-again" => same_commit_again {
        tier: Batch,
        checks: ["BAT-13", "COM-1"],
        needs: [
            "BatchCommitTables", "CreateTableVersion", "DescribeTableVersion", "ListTableVersions",
        ],
    }
    /// An empty commit is refused, or has an empty result.
    "atomicity/empty-commit" => empty_commit {
        tier: Batch,
        checks: ["BAT-11"],
        needs: ["BatchCommitTables"],
    }
}

async fn commit_applies_all_four_kinds(s: Stage) -> Flow {
    let other = s.namespace("other").await?;
    for (name, order) in [("there", "declare first"), ("back", "declare last")] {
        let fresh = s.unmade_table(&format!("fresh-{name}")).await?;
        let created = s.table_in(&other, &format!("created-{name}")).await?;
        let trimmed = s.table(&format!("trimmed-{name}")).await?;
        let gone = s.table_in(&other, &format!("gone-{name}")).await?;
        s.versions(&trimmed, 3).await?;
        let before = s.stored(&trimmed).await?;

        let manifest = s.manifest(&created, "manifest 1").await?;
        let mut commit = Change::commit()
            .declare(&fresh)
            .create(&created, 1, &manifest)
            .delete(&trimmed, 1)
            .deregister(&gone);
        if name == "back" {
            commit = commit.reversed();
        }
        let label = format!("a commit of all four kinds, {order}");
        let reply = s.done("COM-1", &label, &commit).await?;
        s.stored_as_sent("COM-1", &commit).await?;
        let kept: Vec<_> = before
            .into_iter()
            .filter(|entry| entry.version != 1)
            .collect();
        s.unchanged("COM-1", &trimmed, &kept, [reply.exchange.clone()])
            .await?;
        let one_each = one_field_each(&commit, &reply);
        s.judge(
            "COM-2",
            "its results",
            "one field each, of each kind once",
            one_each,
        );
    }
    Ok(())
}

/// That they are in the order of the request is another requirement.
fn one_field_each(commit: &Change, reply: &Reply) -> Result<(), Deviation> {
    fn fields(value: &Value) -> Vec<&str> {
        let fields = value.as_object().into_iter().flatten();
        let set = fields.filter(|(_, value)| !value.is_null());
        set.map(|(name, _)| name.as_str()).collect()
    }
    let sorted = |values: &[Value]| {
        let mut kinds: Vec<String> = values
            .iter()
            .map(|value| fields(value).join(" and "))
            .collect();
        kinds.sort();
        kinds
    };
    let results = reply.body["results"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let (sent, answered) = (sorted(commit.parts()), sorted(&results));
    if sent == answered {
        return Ok(());
    }
    Err(Deviation::new(
        format!("results with one field each: {}", sent.join("; ")),
        format!("results with the fields: {}", answered.join("; ")),
        [reply.exchange.clone()],
    ))
}

async fn operations_see_those_before_them(s: Stage) -> Flow {
    let table = s.table("t").await?;
    s.versions(&table, 2).await?;
    let before = s.stored(&table).await?;

    let manifest = s.manifest(&table, "manifest 3").await?;
    let created = Change::commit().create(&table, 3, &manifest);
    let mut commit = Change::commit().delete(&table, 3);
    for part in created.parts() {
        commit = commit.with(0, part.clone());
    }
    let reply = builds_on(&s, "create version 3 of t, then delete it", &commit, &[]).await?;
    let exchange = reply.map(|reply| reply.exchange);
    s.unchanged("COM-1", &table, &before, exchange).await?;

    let passing = s.unmade_table("passing").await?;
    let gone = Effect::Deregistered(passing.clone());
    let commit = Change::commit()
        .with(0, calls::commit_declare(&passing))
        .with(1, calls::commit_deregister(&passing))
        .showing(gone);
    builds_on(&s, "declare a table, then deregister it", &commit, &[404]).await?;

    // Where the manifests of a table go is only known once it is declared: this one is beside
    // another table's, which a server may refuse, but not for want of the table.
    let fresh = s.unmade_table("fresh").await?;
    let manifest = s.manifest(&table, "a manifest beside those of t").await?;
    let declared = Table {
        id: fresh.clone(),
        label: "fresh".to_owned(),
        ..table.clone()
    };
    let commit = Change::commit()
        .declare(&fresh)
        .create(&declared, 1, &manifest);
    builds_on(
        &s,
        "declare a table, then create its version 1",
        &commit,
        &[404],
    )
    .await?;

    let twice = s.unmade_table("twice").await?;
    let commit = Change::commit().declare(&twice);
    let again = commit.parts()[0].clone();
    let commit = commit.with(0, again);
    let answer = s
        .ask(
            "a commit: declare a table, then declare it again",
            commit.call(),
        )
        .await;
    let (outcome, exchange) = (answer.outcome(), answer.exchange());
    let answered = answer.answered();
    s.as_answered("COM-1", &commit, &exchange, &Look::BOTH)
        .await?;
    answered?;
    let refused = match outcome {
        Outcome::Ok => Err(Deviation::new(
            "the second declaration of one table in a commit is refused, since it sees the first",
            "200",
            [exchange],
        )),
        _ => Ok(()),
    };
    s.judge(
        "COM-5",
        "declare a table, then declare it again",
        "refused",
        refused,
    );
    Ok(())
}

/// Sends a commit whose last operation builds on the first. A server may refuse that, but not with
/// a status that says that the last one does not see the first.
async fn builds_on(s: &Stage, what: &str, commit: &Change, unseen: &[u16]) -> Flow<Option<Reply>> {
    let label = format!("a commit: {what}");
    let answer = s.ask(&label, commit.call()).await;
    let (outcome, exchange) = (answer.outcome(), answer.exchange());
    let answered = answer.answered();
    s.as_answered("COM-1", commit, &exchange, &Look::BOTH)
        .await?;
    answered?;
    let seen = match outcome {
        Outcome::Refused(status, _) if unseen.contains(&status) => Err(Deviation::new(
            format!("{what}: each operation sees those before it"),
            format!("refused: {outcome}"),
            [exchange],
        )),
        Outcome::Failed(_) => Err(Deviation::new(
            format!("{what}: done or refused"),
            outcome.to_string(),
            [exchange],
        )),
        _ => {
            s.observe(Observation {
                requirement: "COM-5",
                choice: format!("{what}: {outcome}"),
            });
            Ok(())
        }
    };
    s.judge("COM-5", what, "done, or refused for another reason", seen);
    (outcome == Outcome::Ok)
        .then(|| answer.set_up())
        .transpose()
}

async fn same_commit_again(s: Stage) -> Flow {
    let created = s.table("created").await?;
    let trimmed = s.table("trimmed").await?;
    let fresh = s.unmade_table("fresh").await?;
    s.versions(&trimmed, 2).await?;
    let manifest = s.manifest(&created, "manifest 1").await?;
    let commit = Change::commit()
        .declare(&fresh)
        .create(&created, 1, &manifest)
        .delete(&trimmed, 1);
    s.done("COM-1", "a commit", &commit).await?;
    let before = s.stored(&created).await?;

    let again = s.ask("the same commit again", commit.call()).await;
    let exchange = again.exchange();
    let judged = again.open("BAT-13");
    s.seen_whole("COM-1", &commit, &exchange).await?;
    s.unchanged("COM-1", &created, &before, [exchange]).await?;
    judged?;

    // What is new in the second commit comes with the old, or not at all.
    let other = s.table("other").await?;
    let manifest = s.manifest(&other, "manifest 1").await?;
    let mut longer = Change::commit().create(&other, 1, &manifest);
    for (place, part) in [0, 2].into_iter().zip(commit.parts()) {
        longer = longer.with(place, part.clone());
    }
    let label = "the same commit again, with a new operation in the middle";
    let answer = s.done_or_refused("BAT-13", label, &longer).await;
    s.unchanged("COM-1", &created, &before, []).await?;
    answer.map(drop)
}

async fn empty_commit(s: Stage) -> Flow {
    let answer = s
        .ask("a commit without operations", Change::commit().call())
        .await;
    let reply = answer.open("BAT-11")?;
    s.has_empty_result("BAT-11", "results", reply);
    Ok(())
}
