//! Races.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{Answer, Client};

const RACERS: usize = 32;
const ROUNDS: i64 = 30;

/// Runs one call for each racer at once and returns the answers in the order of the racers.
async fn race<F>(call: impl Fn(usize) -> F) -> Vec<Answer>
where
    F: Future<Output = Answer> + Send + 'static,
{
    let mut racers = JoinSet::new();
    for racer in 0..RACERS {
        let call = call(racer);
        racers.spawn(async move { (racer, call.await) });
    }
    let mut answers = racers.join_all().await;
    answers.sort_by_key(|(racer, _)| *racer);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

fn winners(answers: &[Answer]) -> Vec<usize> {
    (0..answers.len())
        .filter(|at| answers[*at].status == 200)
        .collect()
}

/// VER-4.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_racer_wins_a_version_and_its_entry_stays() {
    let client = Client::new();
    client.declare("t").await;
    for version in 1..=ROUNDS {
        let answers = race(|racer| {
            let client = client.clone();
            async move {
                client
                    .create_version("t", version, &format!("m{racer}"))
                    .await
            }
        })
        .await;
        let winners = winners(&answers);
        assert_eq!(winners.len(), 1);
        for answer in answers.into_iter().filter(|answer| answer.status != 200) {
            answer.fails(409, 14);
        }
        let stored = client
            .table("t", "version/describe", json!({"version": version}))
            .await
            .ok();
        assert_eq!(
            stored["version"]["manifest_path"],
            format!("m{}", winners[0])
        );
    }
}

/// TBL-7, NS-1.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_racer_wins_a_name() {
    let client = Client::new();
    for round in 0..ROUNDS {
        let answers = race(|racer| {
            let client = client.clone();
            let body = json!({"properties": {"racer": racer.to_string()}});
            async move { client.table(&format!("t{round}"), "declare", body).await }
        })
        .await;
        let winners = winners(&answers);
        assert_eq!(winners.len(), 1);
        let stored = client
            .table(&format!("t{round}"), "describe", json!({}))
            .await
            .ok();
        assert_eq!(stored["properties"]["racer"], winners[0].to_string());
        let answers = race(|_| {
            let client = client.clone();
            async move {
                client
                    .namespace(&format!("n{round}"), "create", json!({}))
                    .await
            }
        })
        .await;
        assert_eq!(
            answers.iter().filter(|answer| answer.status == 200).count(),
            1
        );
    }
}

/// BAT-6, BAT-8: batches that overlap in either order, and single creates, race for versions of
/// two tables.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn overlapping_batches_leave_whole_winners_only() {
    let client = Client::new();
    client.declare("a").await;
    client.declare("b").await;
    for version in 1..=ROUNDS {
        let answers = race(|racer| {
            let client = client.clone();
            async move {
                if racer % 8 == 7 {
                    return client
                        .create_version("a", version, &format!("m{racer}"))
                        .await;
                }
                let mut entries = ["a", "b"].map(|table| {
                    json!({"id": [table], "version": version, "manifest_path": format!("m{racer}")})
                });
                if racer % 2 == 1 {
                    entries.reverse();
                }
                client
                    .post(
                        "/v1/table/version/batch-create",
                        json!({"entries": entries}),
                    )
                    .await
            }
        })
        .await;
        let winners = winners(&answers);
        assert_eq!(winners.len(), 1, "every racer wants version {version} of a");
        let winner = winners[0];
        let body = json!({"version": version});
        let a = client
            .table("a", "version/describe", body.clone())
            .await
            .ok();
        assert_eq!(a["version"]["manifest_path"], format!("m{winner}"));
        let b = client.table("b", "version/describe", body).await;
        if winner % 8 == 7 {
            b.fails(404, 11);
        } else {
            assert_eq!(b.ok()["version"]["manifest_path"], format!("m{winner}"));
        }
    }
}

/// BAT-7, COM-4, ORD-7: a reader that looks at the last entry of a batch first never finds it
/// without the others.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_see_whole_batches() {
    let client = Client::new();
    let tables = ["a", "b", "c"];
    for table in tables {
        client.declare(table).await;
    }
    let done = Arc::new(AtomicBool::new(false));
    let mut readers = JoinSet::new();
    for reader in 0..4 {
        let (client, done) = (client.clone(), Arc::clone(&done));
        readers.spawn(async move {
            let mut rounds = 0;
            while !done.load(Ordering::Relaxed) {
                let mut seen = 0;
                for at in 0..3 {
                    let table = tables[(at + reader) % 3];
                    let latest = client.versions(table, "descending=true&limit=1").await;
                    let latest = latest.first().copied().unwrap_or(0);
                    assert!(
                        latest >= seen,
                        "{table} is at {latest}, seen before: {seen}"
                    );
                    seen = latest;
                }
                rounds += 1;
            }
            rounds
        });
    }
    for version in 1..=200 {
        let entries =
            tables.map(|table| json!({"id": [table], "version": version, "manifest_path": "m"}));
        let answer = if version % 2 == 0 {
            let operations = entries.map(|entry| json!({"create_table_version": entry}));
            client
                .post("/v1/table/batch-commit", json!({"operations": operations}))
                .await
        } else {
            client
                .post(
                    "/v1/table/version/batch-create",
                    json!({"entries": entries}),
                )
                .await
        };
        answer.ok();
        // A batch that is refused at its end is not seen either.
        let bad = json!([
            {"id": ["a"], "version": version + 1000, "manifest_path": "m"},
            {"id": ["b"], "version": 1, "manifest_path": "other"},
        ]);
        let refused = client
            .post("/v1/table/version/batch-create", json!({"entries": bad}))
            .await;
        refused.fails(409, 14);
    }
    done.store(true, Ordering::Relaxed);
    assert!(
        readers
            .join_all()
            .await
            .into_iter()
            .all(|rounds: u32| rounds > 0)
    );
}

/// Churn among siblings is answered with 200, 404 and 409 only.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn churn_is_never_the_servers_fault() {
    let client = Client::new();
    let mut workers = JoinSet::new();
    for worker in 0..RACERS {
        let client = client.clone();
        workers.spawn(async move {
            for round in 0..20 {
                let name = format!("n{}", (worker + round) % 5);
                let table = format!("{name}$t");
                let answers: [Answer; 6] = [
                    client.namespace(&name, "create", json!({})).await,
                    client.table(&table, "declare", json!({})).await,
                    client.create_version(&table, 1, "m").await,
                    client
                        .get(&format!("/v1/namespace/{name}/table/list"))
                        .await,
                    client.get("/v1/table").await,
                    client
                        .namespace(&name, "drop", json!({"behavior": "Cascade"}))
                        .await,
                ];
                for answer in answers {
                    assert!([200, 404, 409].contains(&answer.status), "{}", answer.text);
                }
            }
        });
    }
    workers.join_all().await;
    assert_eq!(
        client.get("/v1/table").await.ok()["tables"],
        Value::Array(Vec::new())
    );
}
