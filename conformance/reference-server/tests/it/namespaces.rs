//! Namespaces.

use serde_json::json;

use crate::harness::Client;

/// NS-1, NS-2.
#[tokio::test]
async fn create_modes_decide_what_becomes_of_an_existing_namespace() {
    let client = Client::new();
    let first = json!({"properties": {"owner": "a"}});
    let created = client.namespace("n", "create", first).await.ok();
    assert_eq!(created["properties"], json!({"owner": "a"}));
    client.declare("n$t").await;

    for mode in ["Create", "create", "CREATE"] {
        client
            .namespace("n", "create", json!({"mode": mode}))
            .await
            .fails(409, 2);
    }
    for mode in ["ExistOk", "exist_ok", "EXIST_OK", "existok"] {
        let body = json!({"mode": mode, "properties": {"owner": "b"}});
        let kept = client.namespace("n", "create", body).await.ok();
        assert_eq!(kept["properties"], json!({"owner": "a"}));
    }
    client.table("n$t", "exists", json!({})).await.ok();
    client
        .namespace("n", "create", json!({"mode": "sometimes"}))
        .await
        .fails(400, 13);

    let body = json!({"mode": "overwrite", "properties": {}});
    client.namespace("n", "create", body).await.ok();
    let described = client.namespace("n", "describe", json!({})).await.ok();
    assert_eq!(described, json!({"properties": {}}));
    client.table("n$t", "exists", json!({})).await.fails(404, 4);
}

/// NS-3, NS-4, LIST-3.
#[tokio::test]
async fn what_is_missing_is_not_found() {
    let client = Client::new();
    client
        .namespace("absent$child", "create", json!({}))
        .await
        .fails(404, 1);
    for operation in ["describe", "exists", "drop"] {
        client
            .namespace("absent", operation, json!({}))
            .await
            .fails(404, 1);
    }
    client.get("/v1/namespace/absent/list").await.fails(404, 1);
    client
        .get("/v1/namespace/absent/table/list")
        .await
        .fails(404, 1);
}

/// NS-5, NS-6, NS-7.
#[tokio::test]
async fn drop_restricts_cascades_and_skips() {
    let client = Client::new();
    for id in ["n", "n$child", "n$child$grandchild", "other"] {
        client
            .namespace(id, "create", json!({"properties": {"id": id}}))
            .await
            .ok();
    }
    client.declare("n$child$grandchild$t").await;
    client
        .create_version("n$child$grandchild$t", 1, "m1")
        .await
        .ok();
    client.declare("other$t").await;

    client.namespace("n", "drop", json!({})).await.fails(409, 3);
    client
        .namespace("other", "drop", json!({"behavior": "restrict"}))
        .await
        .fails(409, 3);
    client
        .table("n$child$grandchild$t", "exists", json!({}))
        .await
        .ok();

    let dropped = client
        .namespace("n", "drop", json!({"behavior": "CASCADE"}))
        .await
        .ok();
    assert_eq!(dropped, json!({"properties": {"id": "n"}}));
    client
        .namespace("n$child", "exists", json!({}))
        .await
        .fails(404, 1);
    client.table("other$t", "exists", json!({})).await.ok();

    let skipped = client.namespace("n", "drop", json!({"mode": "skip"})).await;
    assert_eq!((skipped.status, skipped.text.as_str()), (204, ""));
}

/// REST-4.
#[tokio::test]
async fn the_root_exists_and_stays() {
    let client = Client::new();
    client
        .namespace("$", "exists", json!({"id": []}))
        .await
        .ok();
    client
        .namespace(".", "describe?delimiter=.", json!({}))
        .await
        .ok();
    client
        .namespace("$", "create", json!({}))
        .await
        .fails(409, 2);
    client
        .namespace("$", "create", json!({"mode": "Overwrite"}))
        .await
        .fails(400, 13);
    client
        .namespace("$", "drop", json!({"behavior": "Cascade"}))
        .await
        .fails(400, 13);
    client.table("$", "declare", json!({})).await.fails(400, 13);
}

/// LIST-1: children only, by their names.
#[tokio::test]
async fn a_listing_names_direct_children_in_order() {
    let client = Client::new();
    for id in ["b", "a", "a$y", "a$x", "a$x$deep"] {
        client.namespace(id, "create", json!({})).await.ok();
    }
    let root = client.get("/v1/namespace/$/list").await.ok();
    assert_eq!(root, json!({"namespaces": ["a", "b"]}));
    let inner = client.get("/v1/namespace/a/list?limit=1").await.ok();
    assert_eq!(inner["namespaces"], json!(["x"]));
    assert!(inner["page_token"].is_string());
}

/// NS-7 for the deepest tree there can be, and REST-14 for what is deeper.
#[tokio::test]
async fn a_tree_of_any_allowed_depth_is_dropped_as_one() {
    let client = Client::new();
    let mut id = "n".to_owned();
    for _ in 1..lance_namespace_reference_server::MAX_PARTS {
        client.namespace(&id, "create", json!({})).await.ok();
        id.push_str("$n");
    }
    client.declare(&id).await;
    client.create_version(&id, 1, "m").await.ok();
    client
        .table(&format!("{id}$t"), "declare", json!({}))
        .await
        .fails(400, 13);
    client
        .namespace("n", "drop", json!({"behavior": "Cascade"}))
        .await
        .ok();
    assert_eq!(client.get("/v1/table").await.ok(), json!({"tables": []}));
}
