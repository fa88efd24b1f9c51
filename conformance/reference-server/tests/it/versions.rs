//! Versions of one table.

use serde_json::{Value, json};

use crate::harness::Client;

async fn table() -> Client {
    let client = Client::new();
    client.declare("t").await;
    client
}

/// VER-1, VER-7, VER-10.
#[tokio::test]
async fn an_entry_comes_back_as_it_was_sent() {
    let client = table().await;
    let body = json!({
        "version": 1, "manifest_path": "x/_versions/1.manifest-a", "manifest_size": 7,
        "e_tag": "e", "metadata": {"k": "v"}, "naming_scheme": "V2", "branch": null,
    });
    let created = client.table("t", "version/create", body).await.ok();
    let entry = created["version"].clone();
    assert!(entry["timestamp_millis"].as_i64().unwrap() > 1_600_000_000_000);
    for (field, value) in [
        ("version", json!(1)),
        ("manifest_path", json!("x/_versions/1.manifest-a")),
        ("manifest_size", json!(7)),
        ("e_tag", json!("e")),
        ("metadata", json!({"k": "v"})),
    ] {
        assert_eq!(entry[field], value);
    }
    let described = client
        .table("t", "version/describe", json!({"version": 1}))
        .await
        .ok();
    assert_eq!(described["version"], entry);
    let listed = client.post_text("/v1/table/t/version/list", "").await.ok();
    assert_eq!(listed, json!({"versions": [entry]}));
}

/// VER-2, VER-3, VER-5, VER-6.
#[tokio::test]
async fn a_version_that_exists_is_never_replaced() {
    let client = table().await;
    let first = client.create_version("t", 5, "a").await.ok()["version"].clone();
    for path in ["b", "a"] {
        let refused = client.create_version("t", 5, path).await;
        assert!(
            refused.text.contains("version 5 of t already exists"),
            "{}",
            refused.text
        );
        refused.fails(409, 14);
    }
    let described = client
        .table("t", "version/describe", json!({"version": 5}))
        .await
        .ok();
    assert_eq!(described["version"], first);
    // Gaps are open: neither before nor after an entry is a version out of reach.
    for version in [1, 4, 99, i64::MAX] {
        client.create_version("t", version, "m").await.ok();
    }
}

/// VER-8, VER-11.
#[tokio::test]
async fn what_is_missing_is_said() {
    let client = table().await;
    client.create_version("absent", 1, "m").await.fails(404, 4);
    client
        .create_version("absent$t", 1, "m")
        .await
        .fails(404, 1);
    client
        .table("t", "version/describe", json!({"version": 1}))
        .await
        .fails(404, 11);
    client
        .table("t", "version/describe", json!({}))
        .await
        .fails(404, 11);
    client
        .post_text("/v1/table/absent/version/list", "")
        .await
        .fails(404, 4);
    client
        .post_text("/v1/table/t/version/list?branch=absent", "")
        .await
        .fails(404, 22);
    for version in [1, 3, 2] {
        client.create_version("t", version, "m").await.ok();
    }
    let latest = client.table("t", "version/describe", json!({})).await.ok();
    assert_eq!(latest["version"]["version"], 3);
}

/// VER-9.
#[tokio::test]
async fn malformed_entries_are_refused_and_create_nothing() {
    let client = table().await;
    for body in [
        json!({}),
        json!({"version": 1}),
        json!({"manifest_path": "m"}),
        json!({"version": null, "manifest_path": "m"}),
        json!({"version": -1, "manifest_path": "m"}),
        json!({"version": "1", "manifest_path": "m"}),
        json!({"version": 1.5, "manifest_path": "m"}),
        json!({"version": 1u64 << 63, "manifest_path": "m"}),
        json!({"version": 1, "manifest_path": ""}),
        json!({"version": 1, "manifest_path": ["m"]}),
        json!({"version": 1, "manifest_path": "m", "manifest_size": -1}),
        json!({"version": 1, "manifest_path": "m", "e_tag": 1}),
        json!({"version": 1, "manifest_path": "m", "metadata": {"k": 1}}),
        json!({"version": 1, "manifest_path": "m", "metadata": []}),
        json!({"version": 1, "manifest_path": "m", "branch": 1}),
        json!({"version": 1, "manifest_path": "m", "context": 1}),
        json!({"version": 1, "manifest_path": "m", "id": "t"}),
        json!([1, "m"]),
        json!("text"),
        Value::Null,
    ] {
        client
            .table("t", "version/create", body)
            .await
            .fails(400, 13);
    }
    client
        .post_text("/v1/table/t/version/create", "{\"version\":1,")
        .await
        .fails(400, 13);
    client
        .post_text("/v1/table/t/version/create", vec![0xff, 0xfe])
        .await
        .fails(400, 13);
    client
        .post_text("/v1/table/t/version/create", "")
        .await
        .fails(400, 13);
    assert!(client.versions("t", "").await.is_empty());
}

/// ORD-1, ORD-2, ORD-3, ORD-4.
#[tokio::test]
async fn lists_are_in_the_order_of_numbers() {
    let client = table().await;
    let mut numbers = vec![0, 1, 9, 10, 99, 100, 1 << 32, (1 << 32) + 1, i64::MAX];
    for version in [100, 9, i64::MAX, 1, 1 << 32, 10, (1 << 32) + 1, 99, 0] {
        client.create_version("t", version, "m").await.ok();
    }
    assert_eq!(client.versions("t", "").await, numbers);
    let path = "/v1/table/t/version/list?limit=2";
    let (ascending, _) = client.pages("POST", path, "versions").await;
    assert_eq!(ascending.len(), numbers.len());
    numbers.reverse();
    assert_eq!(client.versions("t", "descending=true").await, numbers);
    assert_eq!(
        client.versions("t", "descending=true&limit=1").await,
        [i64::MAX]
    );
    let path = "/v1/table/t/version/list?descending=true&limit=2";
    let (descending, pages) = client.pages("POST", path, "versions").await;
    let descending: Vec<_> = descending
        .iter()
        .map(|entry| entry["version"].as_i64())
        .collect();
    assert_eq!(
        descending,
        numbers.iter().copied().map(Some).collect::<Vec<_>>()
    );
    assert_eq!(pages, 5);
}

/// VER-13, VER-14.
#[tokio::test]
async fn deleted_ranges_begin_inclusive_and_end_exclusive() {
    let client = table().await;
    for version in 1..=10 {
        client.create_version("t", version, "m").await.ok();
    }
    let delete = async |ranges: Value| {
        let ranges: Vec<Value> = ranges
            .as_array()
            .unwrap()
            .iter()
            .map(|range| json!({"start_version": range[0], "end_version": range[1]}))
            .collect();
        client
            .table("t", "version/delete", json!({"ranges": ranges}))
            .await
    };
    for (ranges, count) in [
        (json!([]), 0),
        (json!([[3, 3]]), 0),
        (json!([[20, 30]]), 0),
        (json!([[2, 4]]), 2),
        (json!([[2, 6], [3, 7]]), 3),
        (json!([[9, -1]]), 2),
    ] {
        let answer = delete(ranges.clone()).await.ok();
        assert_eq!(answer["deleted_count"], count, "{ranges}");
    }
    assert_eq!(client.versions("t", "").await, [1, 7, 8]);
    // All ranges are looked at before any is gone for good.
    delete(json!([[1, 2], [5, 4]])).await.fails(400, 13);
    delete(json!([[-1, 4]])).await.fails(400, 13);
    delete(json!([[0, -2]])).await.fails(400, 13);
    delete(json!([["0", -1]])).await.fails(400, 13);
    client
        .table("t", "version/delete", json!({}))
        .await
        .fails(400, 13);
    assert_eq!(client.versions("t", "").await, [1, 7, 8]);
    assert_eq!(delete(json!([[0, -1]])).await.ok()["deleted_count"], 3);
    client.create_version("t", 1, "m").await.ok();
}

/// VER-15.
#[tokio::test]
async fn timestamps_do_not_run_backwards() {
    let client = table().await;
    let mut last = 0;
    for version in 1..=50 {
        let created = client.create_version("t", version, "m").await.ok();
        let time = created["version"]["timestamp_millis"].as_i64().unwrap();
        assert!(time >= last);
        last = time;
    }
}
