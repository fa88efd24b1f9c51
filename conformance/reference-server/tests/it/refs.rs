//! Tags and branches.

use serde_json::json;

use crate::harness::Client;

async fn table() -> Client {
    let client = Client::new();
    client.declare("t").await;
    for version in 1..=3 {
        let body = json!({
            "version": version, "manifest_path": format!("m{version}"),
            "manifest_size": version * 10, "metadata": {"v": version.to_string()},
        });
        client.table("t", "version/create", body).await.ok();
    }
    client
}

/// TAG-1.
#[tokio::test]
async fn a_tag_names_a_version_until_it_is_moved_or_deleted() {
    let client = table().await;
    client
        .table("t", "tags/create", json!({"tag": "a", "version": 1}))
        .await
        .ok();
    client
        .table("t", "tags/create", json!({"tag": "a", "version": 2}))
        .await
        .fails(409, 9);
    client
        .table("t", "tags/create", json!({"tag": "b", "version": 9}))
        .await
        .fails(404, 11);
    client
        .table("t", "tags/update", json!({"tag": "a", "version": 9}))
        .await
        .fails(404, 11);
    client
        .table("t", "tags/update", json!({"tag": "b", "version": 1}))
        .await
        .fails(404, 8);
    client
        .table("t", "tags/version", json!({"tag": "b"}))
        .await
        .fails(404, 8);
    client
        .table("t", "tags/delete", json!({"tag": "b"}))
        .await
        .fails(404, 8);
    client
        .table("t", "tags/create", json!({"tag": "", "version": 1}))
        .await
        .fails(400, 13);
    client
        .table("t", "tags/create", json!({"version": 1}))
        .await
        .fails(400, 13);
    let body = json!({"tag": "b", "version": 1, "branch": "absent"});
    client.table("t", "tags/create", body).await.fails(404, 22);
    for operation in ["create", "update", "version", "delete"] {
        let body = json!({"tag": "a", "version": 1});
        client
            .table("absent", &format!("tags/{operation}"), body)
            .await
            .fails(404, 4);
    }
    let found = client
        .table("t", "tags/version", json!({"tag": "a"}))
        .await
        .ok();
    assert_eq!(found, json!({"version": 1}));

    client
        .table("t", "tags/update", json!({"tag": "a", "version": 2}))
        .await
        .ok();
    let listed = client.post_text("/v1/table/t/tags/list", "").await.ok();
    assert_eq!(
        listed,
        json!({"tags": {"a": {"version": 2, "manifestSize": 20}}})
    );
    client
        .table("t", "tags/delete", json!({"tag": "a"}))
        .await
        .ok();
    let listed = client.post_text("/v1/table/t/tags/list", "").await.ok();
    assert_eq!(listed, json!({"tags": {}}));
    assert_eq!(client.versions("t", "").await, [1, 2, 3]);
}

/// A tag never points at nothing.
#[tokio::test]
async fn a_tag_goes_with_its_version_or_branch() {
    let client = table().await;
    client
        .table("t", "branches/create", json!({"name": "dev"}))
        .await
        .ok();
    let body = json!({"tag": "on-dev", "version": 3, "branch": "dev"});
    client.table("t", "tags/create", body).await.ok();
    let found = client
        .table("t", "tags/version", json!({"tag": "on-dev"}))
        .await
        .ok();
    assert_eq!(found, json!({"version": 3, "branch": "dev"}));
    client
        .table("t", "tags/create", json!({"tag": "on-main", "version": 3}))
        .await
        .ok();

    let body = json!({"ranges": [{"start_version": 3, "end_version": 4}]});
    let deleted = client.table("t", "version/delete", body).await.ok();
    assert_eq!(deleted["deleted_count"], 1);
    client
        .table("t", "tags/version", json!({"tag": "on-main"}))
        .await
        .fails(404, 8);
    client
        .table("t", "describe", json!({"tag": "on-dev"}))
        .await
        .ok();
    client
        .table("t", "branches/delete", json!({"name": "dev"}))
        .await
        .ok();
    client
        .table("t", "describe", json!({"tag": "on-dev"}))
        .await
        .fails(404, 8);
}

/// VER-12.
#[tokio::test]
async fn a_branch_begins_with_its_parents_entry_and_counts_on_alone() {
    let client = table().await;
    let body = json!({"name": "dev", "from_version": 2});
    client.table("t", "branches/create", body).await.ok();
    assert_eq!(client.versions("t", "branch=dev").await, [2]);
    let of_main = client
        .table("t", "version/describe", json!({"version": 2}))
        .await
        .ok();
    let body = json!({"branch": "dev"});
    assert_eq!(
        client.table("t", "version/describe", body).await.ok(),
        of_main
    );

    let create = async |version: i64, branch: &str| {
        let body = json!({"version": version, "manifest_path": "d", "branch": branch});
        client.table("t", "version/create", body).await
    };
    create(2, "dev").await.fails(409, 14);
    create(3, "dev").await.ok();
    create(4, "absent").await.fails(404, 22);
    create(3, "main").await.fails(409, 14);
    assert_eq!(client.versions("t", "branch=dev").await, [2, 3]);
    assert_eq!(client.versions("t", "").await, [1, 2, 3]);
    assert_eq!(client.versions("t", "branch=main").await, [1, 2, 3]);

    let body = json!({"branch": "dev", "ranges": [{"start_version": 0, "end_version": -1}]});
    assert_eq!(
        client.table("t", "version/delete", body).await.ok()["deleted_count"],
        2
    );
    assert_eq!(client.versions("t", "").await, [1, 2, 3]);
}

/// BR-1.
#[tokio::test]
async fn branches_are_listed_created_once_and_deleted() {
    let client = table().await;
    client
        .table("t", "branches/create", json!({"name": "dev"}))
        .await
        .ok();
    let body = json!({"name": "sub", "from_branch": "dev"});
    client.table("t", "branches/create", body).await.ok();
    for (body, status, code) in [
        (json!({"name": "dev"}), 409, 23),
        (json!({"name": "main"}), 409, 23),
        (json!({"name": "x", "from_branch": "absent"}), 404, 22),
        (json!({"name": "x", "from_version": 9}), 404, 11),
        (json!({"name": ""}), 400, 13),
        (json!({}), 400, 13),
    ] {
        client
            .table("t", "branches/create", body)
            .await
            .fails(status, code);
    }
    let mut listed = client.post_text("/v1/table/t/branches/list", "").await.ok();
    for name in ["dev", "sub"] {
        let created = listed["branches"][name]
            .as_object_mut()
            .unwrap()
            .remove("createAt");
        assert!(created.unwrap().as_i64().unwrap() > 1_600_000_000);
    }
    let dev = json!({"parentVersion": 3, "manifestSize": 30});
    let sub = json!({"parentBranch": "dev", "parentVersion": 3, "manifestSize": 30});
    assert_eq!(listed, json!({"branches": {"dev": dev, "sub": sub}}));

    client
        .table("t", "branches/delete", json!({"name": "dev"}))
        .await
        .ok();
    client
        .table("t", "branches/delete", json!({"name": "dev"}))
        .await
        .fails(404, 22);
    client
        .table("t", "branches/delete", json!({"name": "main"}))
        .await
        .fails(400, 13);
    assert_eq!(client.versions("t", "branch=sub").await, [3]);
    client.declare("empty").await;
    client
        .table("empty", "branches/create", json!({"name": "dev"}))
        .await
        .fails(404, 11);
}
