//! Batches: all or nothing.

use serde_json::{Value, json};

use crate::harness::Client;

const CREATE: &str = "/v1/table/version/batch-create";
const COMMIT: &str = "/v1/table/batch-commit";

/// The tables `t0`, `t1`, `t2`, of which only the first is in the root.
const TABLES: [&str; 3] = ["t0", "n$t1", "n$m$t2"];

async fn tables() -> Client {
    let client = Client::new();
    for id in ["n", "n$m"] {
        client.namespace(id, "create", json!({})).await.ok();
    }
    for id in TABLES {
        client.declare(id).await;
    }
    client
}

fn parts(id: &str) -> Vec<&str> {
    id.split('$').collect()
}

fn entry(id: &str, version: i64, path: &str) -> Value {
    json!({"id": parts(id), "version": version, "manifest_path": path})
}

/// BAT-1, ORD-5.
#[tokio::test]
async fn a_batch_over_namespaces_is_created_in_its_order() {
    let client = tables().await;
    let entries: Vec<_> = [(2, 1), (0, 1), (1, 7), (0, 2)]
        .map(|(table, version)| entry(TABLES[table], version, &format!("{table}-{version}")))
        .into();
    let created = client.post(CREATE, json!({"entries": entries})).await.ok();
    let paths: Vec<_> = created["versions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|version| version["manifest_path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["2-1", "0-1", "1-7", "0-2"]);
    assert_eq!(client.versions("t0", "").await, [1, 2]);
    assert_eq!(client.versions("n$t1", "").await, [7]);
}

/// BAT-2, BAT-3, BAT-4: one bad entry, wherever it stands, and nothing is created.
#[tokio::test]
async fn one_bad_entry_at_any_index_refuses_the_batch() {
    let client = tables().await;
    client.create_version("n$t1", 1, "first").await.ok();
    let bad = [
        (entry("n$t1", 1, "other"), 409, 14),
        (entry("t0", 1, "twice"), 409, 14),
        (entry("absent", 1, "m"), 404, 4),
        (entry("absent$t", 1, "m"), 404, 1),
        (
            json!({"id": ["t0"], "version": 9, "manifest_path": "m", "branch": "absent"}),
            404,
            22,
        ),
        (
            json!({"id": ["t0"], "version": -1, "manifest_path": "m"}),
            400,
            13,
        ),
        (json!({"id": ["t0"], "version": 9}), 400, 13),
        (
            json!({"id": [], "version": 9, "manifest_path": "m"}),
            400,
            13,
        ),
        (
            json!({"id": ["t0", ""], "version": 9, "manifest_path": "m"}),
            400,
            13,
        ),
        (json!({"version": 9, "manifest_path": "m"}), 400, 13),
        (json!([["t0"], 9, "m"]), 400, 13),
        (Value::Null, 400, 13),
    ];
    for (bad, status, code) in bad {
        for at in 0..=3 {
            let mut entries: Vec<_> = [1, 2, 3]
                .map(|version| entry("t0", version, &format!("m{version}")))
                .into();
            entries.insert(at, bad.clone());
            client
                .post(CREATE, json!({"entries": entries}))
                .await
                .fails(status, code);
            assert!(client.versions("t0", "").await.is_empty(), "{bad} at {at}");
        }
    }
    let kept = client
        .table("n$t1", "version/describe", json!({}))
        .await
        .ok();
    assert_eq!(kept["version"]["manifest_path"], "first");
}

/// BAT-11.
#[tokio::test]
async fn an_empty_batch_is_refused() {
    let client = tables().await;
    client
        .post(CREATE, json!({"entries": []}))
        .await
        .fails(400, 13);
    client.post(CREATE, json!({})).await.fails(400, 13);
    client.post_text(CREATE, "").await.fails(400, 13);
    client
        .post(COMMIT, json!({"operations": []}))
        .await
        .fails(400, 13);
    client.post(COMMIT, json!({})).await.fails(400, 13);
}

/// BAT-5, BAT-12, BAT-13.
#[tokio::test]
async fn a_batch_of_thousands_is_taken_once() {
    let client = tables().await;
    let entries: Vec<_> = (1..=3000)
        .map(|version| entry("t0", version, "m"))
        .collect();
    let batch = json!({"entries": entries});
    let created = client.post(CREATE, batch.clone()).await.ok();
    assert_eq!(created["versions"].as_array().unwrap().len(), 3000);
    client.post(CREATE, batch).await.fails(409, 14);
}

/// A body over the limit is refused as a whole, with a status of its own.
#[tokio::test]
async fn a_body_that_is_too_large_is_refused() {
    let client = tables().await;
    let path = "m".repeat(lance_namespace_reference_server::MAX_BODY);
    let entries = json!({"entries": [entry("t0", 1, &path)]});
    client.post(CREATE, entries).await.fails(413, 13);
    let path = &path[..path.len() - 1000];
    client
        .post(CREATE, json!({"entries": [entry("t0", 1, path)]}))
        .await
        .ok();
}

/// COM-1, COM-2, COM-5, ORD-5.
#[tokio::test]
async fn a_commit_applies_its_operations_in_order() {
    let client = tables().await;
    client.create_version("n$t1", 1, "m1").await.ok();
    let operations = json!([
        {"declare_table": {"id": ["n", "new"], "properties": {"k": "v"}}},
        {"create_table_version": entry("n$new", 1, "m")},
        {"delete_table_versions":
            {"id": ["n", "t1"], "ranges": [{"start_version": 0, "end_version": -1}]}},
        {"deregister_table": {"id": ["n", "m", "t2"]}, "declare_table": null},
        {"declare_table": {"id": ["n", "m", "t2"], "location": "elsewhere"}},
    ]);
    let committed = client
        .post(COMMIT, json!({"operations": operations}))
        .await
        .ok();
    assert!(committed["transaction_id"].is_string());
    let results = committed["results"].as_array().unwrap();
    let kinds: Vec<Vec<_>> = results
        .iter()
        .map(|result| {
            result
                .as_object()
                .unwrap()
                .keys()
                .map(String::as_str)
                .collect()
        })
        .collect();
    assert_eq!(
        kinds.concat(),
        [
            "declare_table",
            "create_table_version",
            "delete_table_versions",
            "deregister_table",
            "declare_table"
        ]
    );
    assert_eq!(results[0]["declare_table"]["properties"], json!({"k": "v"}));
    assert_eq!(results[1]["create_table_version"]["version"]["version"], 1);
    assert_eq!(results[2]["delete_table_versions"]["deleted_count"], 1);
    assert_eq!(
        results[3]["deregister_table"]["id"],
        json!(["n", "m", "t2"])
    );
    assert_eq!(client.versions("n$new", "").await, [1]);
    assert!(client.versions("n$t1", "").await.is_empty());
    let moved = client.table("n$m$t2", "describe", json!({})).await.ok();
    assert_eq!(moved["location"], "elsewhere");
}

/// COM-1, COM-3, COM-4.
#[tokio::test]
async fn one_failing_operation_at_any_index_refuses_the_commit() {
    let client = tables().await;
    client.create_version("n$t1", 1, "m1").await.ok();
    let good = [
        json!({"declare_table": {"id": ["new"]}}),
        json!({"create_table_version": entry("t0", 1, "m")}),
        json!({"delete_table_versions":
            {"id": ["n", "t1"], "ranges": [{"start_version": 0, "end_version": -1}]}}),
        json!({"deregister_table": {"id": ["n", "m", "t2"]}}),
    ];
    let bad = [
        (json!({"declare_table": {"id": ["t0"]}}), 409, 5),
        (json!({"declare_table": {"id": ["absent", "t"]}}), 404, 1),
        (json!({"declare_table": {}}), 400, 13),
        (
            json!({"create_table_version": entry("absent", 1, "m")}),
            404,
            4,
        ),
        (
            json!({"create_table_version": {"id": ["t0"], "version": 2}}),
            400,
            13,
        ),
        (json!({"deregister_table": {"id": ["absent"]}}), 404, 4),
        (json!({"delete_table_versions": {"id": ["t0"]}}), 400, 13),
        (
            json!({"delete_table_versions":
            {"id": ["t0"], "ranges": [{"start_version": 2, "end_version": 1}]}}),
            400,
            13,
        ),
        (json!({}), 400, 13),
        (json!({"rename_table": {"id": ["t0"]}}), 400, 13),
        (
            json!({"declare_table": {"id": ["x"]}, "deregister_table": {"id": ["t0"]}}),
            400,
            13,
        ),
    ];
    for (bad, status, code) in bad {
        for at in 0..=good.len() {
            let mut operations = good.to_vec();
            operations.insert(at, bad.clone());
            let answer = client.post(COMMIT, json!({"operations": operations})).await;
            answer.fails(status, code);
            client.table("new", "exists", json!({})).await.fails(404, 4);
            client.table("n$m$t2", "exists", json!({})).await.ok();
            assert!(client.versions("t0", "").await.is_empty(), "{bad} at {at}");
            assert_eq!(client.versions("n$t1", "").await, [1], "{bad} at {at}");
        }
    }
}
