//! Tables.

use serde_json::json;

use crate::harness::Client;

/// TBL-1, TBL-2.
#[tokio::test]
async fn a_declared_table_is_there_at_once_and_cannot_be_declared_again() {
    let client = Client::new();
    let body = json!({"properties": {"k": "v"}, "vend_credentials": true});
    let declared = client.table("t", "declare", body).await.ok();
    assert_eq!(declared["managed_versioning"], true);
    assert_eq!(declared["properties"], json!({"k": "v"}));
    let location = declared["location"].as_str().unwrap();
    assert!(location.starts_with("memory://") && location.ends_with('/'));

    let again = json!({"location": "s3://elsewhere", "properties": {}});
    client.table("t", "declare", again).await.fails(409, 5);

    let path = "describe?check_declared=true&with_table_uri=true";
    let described = client.table("t", path, json!({})).await.ok();
    assert_eq!(
        described,
        json!({
            "table": "t", "namespace": [], "location": location, "table_uri": location,
            "properties": {"k": "v"}, "managed_versioning": true, "is_only_declared": true,
        })
    );
    client.table("t", "exists", json!({})).await.ok();
    assert_eq!(
        client.get("/v1/namespace/$/table/list").await.ok(),
        json!({"tables": ["t"]})
    );
}

/// TBL-3, TBL-9.
#[tokio::test]
async fn a_missing_namespace_and_a_missing_table_are_told_apart() {
    let client = Client::new();
    client
        .table("absent$t", "declare", json!({}))
        .await
        .fails(404, 1);
    client
        .table("absent$t", "register", json!({"location": "l"}))
        .await
        .fails(404, 1);
    for operation in ["describe", "exists", "drop", "deregister"] {
        client
            .table("absent$t", operation, json!({}))
            .await
            .fails(404, 1);
        client.table("t", operation, json!({})).await.fails(404, 4);
    }
    assert_eq!(client.get("/v1/table").await.ok(), json!({"tables": []}));
}

/// TBL-4, TBL-10.
#[tokio::test]
async fn a_table_that_went_is_gone_and_its_name_begins_anew() {
    let client = Client::new();
    for operation in ["drop", "deregister"] {
        let first = client.declare("t").await;
        client.create_version("t", 1, "m1").await.ok();
        let gone = client.table("t", operation, json!({})).await.ok();
        assert_eq!(gone["id"], json!(["t"]));
        assert_eq!(gone["location"], first["location"]);
        client.table("t", "describe", json!({})).await.fails(404, 4);
        client.table("t", "exists", json!({})).await.fails(404, 4);
        assert_eq!(
            client.get("/v1/namespace/$/table/list").await.ok(),
            json!({"tables": []})
        );

        let second = client.declare("t").await;
        assert_ne!(second["location"], first["location"]);
        assert!(client.versions("t", "").await.is_empty());
        client.table("t", "drop", json!({})).await.ok();
    }
}

/// TBL-5.
#[tokio::test]
async fn registering_again_needs_overwrite() {
    let client = Client::new();
    let body = json!({"location": "s3://bucket/t", "properties": {"k": "v"}});
    let registered = client.table("t", "register", body).await.ok();
    assert_eq!(registered["location"], "s3://bucket/t");
    let body = json!({"location": "s3://bucket/u"});
    client.table("t", "register", body).await.fails(409, 5);
    let body = json!({"location": "s3://bucket/u", "mode": "OVERWRITE"});
    client.table("t", "register", body).await.ok();
    let described = client
        .table("t", "describe?check_declared=true", json!({}))
        .await
        .ok();
    assert_eq!(described["location"], "s3://bucket/u");
    assert_eq!(described["properties"], json!({}));
    assert_eq!(described["is_only_declared"], false);
    client
        .table("t", "register", json!({}))
        .await
        .fails(400, 13);
}

/// TBL-6.
#[tokio::test]
async fn rename_moves_the_name_and_all_that_it_names() {
    let client = Client::new();
    client.namespace("n", "create", json!({})).await.ok();
    for id in ["t", "taken"] {
        client.declare(id).await;
    }
    client.create_version("t", 1, "m1").await.ok();
    let before = client.table("t", "describe", json!({})).await.ok();

    let body = json!({"new_table_name": "taken"});
    client.table("t", "rename", body).await.fails(409, 5);
    let body = json!({"new_table_name": "u", "new_namespace_id": ["absent"]});
    client.table("t", "rename", body).await.fails(404, 1);
    client
        .table("t", "rename", json!({"new_table_name": ".."}))
        .await
        .fails(400, 13);
    client
        .table("absent", "rename", json!({"new_table_name": "u"}))
        .await
        .fails(404, 4);
    assert_eq!(client.table("t", "describe", json!({})).await.ok(), before);

    let body = json!({"new_table_name": "u", "new_namespace_id": ["n"]});
    client.table("t", "rename", body).await.ok();
    client.table("t", "exists", json!({})).await.fails(404, 4);
    let after = client.table("n$u", "describe", json!({})).await.ok();
    assert_eq!(after["location"], before["location"]);
    assert_eq!(client.versions("n$u", "").await, [1]);
    client
        .table("n$u", "rename", json!({"new_table_name": "v"}))
        .await
        .ok();
    assert_eq!(client.versions("n$v", "").await, [1]);
}

/// VER-11 for DescribeTable and TableExists: a version, tag or branch that is not there is said.
#[tokio::test]
async fn describe_answers_for_the_state_that_was_asked_for() {
    let client = Client::new();
    client.declare("t").await;
    for version in 1..=3 {
        client
            .create_version("t", version, &format!("m{version}"))
            .await
            .ok();
    }
    client
        .table("t", "tags/create", json!({"tag": "v2", "version": 2}))
        .await
        .ok();
    let body = json!({"name": "dev", "from_version": 1});
    client.table("t", "branches/create", body).await.ok();
    for (body, version) in [
        (json!({}), 3),
        (json!({"version": 1}), 1),
        (json!({"tag": "v2"}), 2),
        (json!({"branch": "dev"}), 1),
        (json!({"branch": "main", "version": 2}), 2),
    ] {
        let described = client.table("t", "describe", body.clone()).await.ok();
        assert_eq!(described["version"], version, "{body}");
    }
    for (body, status, code) in [
        (json!({"version": 9}), 404, 11),
        (json!({"tag": "absent"}), 404, 8),
        (json!({"branch": "absent"}), 404, 22),
        (json!({"branch": "dev", "version": 2}), 404, 11),
        (json!({"tag": "v2", "version": 2}), 400, 13),
        (json!({"version": -1}), 400, 13),
    ] {
        client
            .table("t", "describe", body)
            .await
            .fails(status, code);
    }
    client
        .table("t", "exists", json!({"version": 3}))
        .await
        .ok();
    client
        .table("t", "exists", json!({"version": 9}))
        .await
        .fails(404, 11);
    client
        .table("t", "describe?load_detailed_metadata=true", json!({}))
        .await
        .fails(406, 0);
}

/// LIST-1, LIST-2.
#[tokio::test]
async fn a_table_stops_being_only_declared_with_its_first_version() {
    let client = Client::new();
    client.namespace("n", "create", json!({})).await.ok();
    for id in ["n$declared", "n$written"] {
        client.declare(id).await;
    }
    client
        .table("n$registered", "register", json!({"location": "l"}))
        .await
        .ok();
    client.create_version("n$written", 1, "m1").await.ok();
    let with = client
        .get("/v1/namespace/n/table/list?include_declared=false")
        .await
        .ok();
    assert_eq!(with, json!({"tables": ["registered", "written"]}));
    let all = client.get("/v1/table?include_declared=false").await.ok();
    assert_eq!(all, json!({"tables": ["n$registered", "n$written"]}));
    let all = client.get("/v1/table/?delimiter=.").await.ok();
    assert_eq!(
        all,
        json!({"tables": ["n.declared", "n.registered", "n.written"]})
    );

    let body = json!({"ranges": [{"start_version": 0, "end_version": -1}]});
    client.table("n$written", "version/delete", body).await.ok();
    let described = client
        .table("n$written", "describe?check_declared=true", json!({}))
        .await
        .ok();
    assert_eq!(described["is_only_declared"], false);
}

/// A namespace and a table may share a name: each operation says which it means.
#[tokio::test]
async fn a_namespace_and_a_table_of_one_name_are_two_objects() {
    let client = Client::new();
    client.declare("x").await;
    client.namespace("x", "create", json!({})).await.ok();
    client.declare("x$y").await;
    client.table("x", "drop", json!({})).await.ok();
    client.table("x$y", "exists", json!({})).await.ok();
}
