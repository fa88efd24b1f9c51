//! Commits that can be carried out.

use serde_json::Value;

use crate::answer::{Answer, Reply};
use crate::calls;
use crate::log::{Deviation, Observation};
use crate::outcome::Outcome;
use crate::requirement::Level;
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

    let manifest = s.manifest(&table, "manifest 3").await?;
    let create = calls::commit_create(&table.id, 3, &manifest);
    let delete = calls::commit_delete(&table.id, &[(3, 4)]);
    let version = Effect::Created {
        table: table.clone(),
        version: 3,
        manifest,
    };
    let what = "create a version, then delete it";
    undoes(&s, what, [create, delete], version).await?;

    let passing = s.unmade_table("passing").await?;
    let declare = calls::commit_declare(&passing);
    let deregister = calls::commit_deregister(&passing);
    let what = "declare a table, then deregister it";
    undoes(&s, what, [declare, deregister], Effect::Declared(passing)).await?;

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
    let what = "declare a table, then create its version 1";
    let answer = s.ask(what, commit.call()).await;
    let answered = answer.answered();
    s.as_answered("COM-1", &commit, &answer.exchange(), &Look::BOTH)
        .await?;
    answered?;
    sees(&s, what, &answer);

    let twice = s.unmade_table("twice").await?;
    let commit = Change::commit().declare(&twice);
    let commit = commit.with(1, calls::commit_declare(&twice));
    let what = "declare a table, then declare it again";
    let answer = s.ask(what, commit.call()).await;
    let answered = answer.answered();
    s.as_answered("COM-1", &commit, &answer.exchange(), &Look::BOTH)
        .await?;
    answered?;
    let refused = match answer.outcome() {
        Outcome::Ok => Err(Deviation::new(
            "the second declaration of one table in a commit is refused, since it sees the first",
            "200",
            [answer.exchange()],
        )),
        _ => Ok(()),
    };
    s.judge("COM-5", what, "refused", refused);
    Ok(())
}

/// Sends a commit whose second operation undoes what the first one does, so that this is not seen
/// whether the commit is done or refused.
async fn undoes(s: &Stage, what: &str, operations: [Value; 2], undone: Effect) -> Flow {
    let [first, second] = operations;
    let commit = Change::commit().with(0, first).with(1, second);
    let commit = commit.showing(undone);
    let answer = s.ask(what, commit.call()).await;
    let answered = answer.answered();
    let left = s.left_over(&commit, &answer.exchange()).await?;
    answered?;
    match (answer.outcome(), left) {
        (Outcome::Ok, Some(left)) => {
            s.judge("COM-5", what, "undone", Err(left));
        }
        (_, left) => {
            let held = left.map_or(Ok(()), Err);
            s.judge("COM-1", what, "nothing is left", held);
            sees(s, what, &answer);
        }
    }
    Ok(())
}

/// Judges a commit whose second operation builds on the first. A server may refuse that, but not by
/// a 404, which says that the second does not see the first.
fn sees(s: &Stage, what: &str, answer: &Answer) {
    let outcome = answer.outcome();
    let seen = match outcome {
        Outcome::Refused(404, _) | Outcome::Failed(_) => Err(Deviation::new(
            format!("{what}: each operation sees those before it"),
            outcome.to_string(),
            [answer.exchange()],
        )),
        _ => {
            s.observe(Observation {
                requirement: "COM-5",
                choice: format!("a commit: {what}: {outcome}"),
            });
            Ok(())
        }
    };
    let held = "done, or refused for another reason";
    s.judge("COM-5", what, held, seen);
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
    let answer = s
        .done_or_refused("BAT-13", label, &longer, Level::Must)
        .await;
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
