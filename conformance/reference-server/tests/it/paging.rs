//! Pages of every listing.

use serde_json::{Value, json};

use crate::harness::Client;

const COUNT: usize = 15;

async fn filled() -> Client {
    let client = Client::new();
    client.declare("t").await;
    client.create_version("t", 0, "m").await.ok();
    for item in 0..COUNT {
        let name = format!("i{item:02}");
        client.namespace(&name, "create", json!({})).await.ok();
        client.declare(&format!("i00${name}")).await;
        if item > 0 {
            client.create_version("t", item as i64, "m").await.ok();
        }
        client
            .table("t", "tags/create", json!({"tag": name, "version": 0}))
            .await
            .ok();
        client
            .table("t", "branches/create", json!({"name": name}))
            .await
            .ok();
    }
    client
}

/// PAGE-1, PAGE-2, PAGE-3, PAGE-4.
#[tokio::test]
async fn pages_of_any_size_hold_each_item_once() {
    let client = filled().await;
    for (method, path, field) in [
        ("GET", "/v1/namespace/$/list", "namespaces"),
        ("GET", "/v1/namespace/i00/table/list", "tables"),
        ("POST", "/v1/table/t/version/list", "versions"),
        ("POST", "/v1/table/t/tags/list", "tags"),
        ("POST", "/v1/table/t/branches/list", "branches"),
    ] {
        let (whole, count) = client.pages(method, &format!("{path}?x="), field).await;
        assert_eq!((whole.len(), count), (COUNT, 1), "{path}");
        for limit in [1, 2, 5, COUNT - 1, COUNT, COUNT + 1, usize::MAX >> 1] {
            let path = format!("{path}?limit={limit}");
            let (items, count) = client.pages(method, &path, field).await;
            assert_eq!(items, whole, "{path}");
            assert_eq!(count, COUNT.div_ceil(limit), "{path}");
        }
    }
    let (all, count) = client.pages("GET", "/v1/table?limit=4", "tables").await;
    assert_eq!((all.len(), count), (COUNT + 1, 4));
}

/// PAGE-5.
#[tokio::test]
async fn what_comes_and_goes_between_pages_moves_nothing_else() {
    let client = filled().await;
    let first = client
        .get("/v1/namespace/i00/table/list?limit=5")
        .await
        .ok();
    assert_eq!(first["tables"][4], "i04");
    for id in ["i00$a", "i00$i0", "i00$i045"] {
        client.declare(id).await;
    }
    for id in ["i00$i04", "i00$i01", "i00$i05"] {
        client.table(id, "drop", json!({})).await.ok();
    }
    let token = first["page_token"].as_str().unwrap();
    let path = format!("/v1/namespace/i00/table/list?limit=3&page_token={token}");
    let second = client.get(&path).await.ok();
    assert_eq!(second["tables"], json!(["i045", "i06", "i07"]));
}

/// A page has an end where the request sets none, and says so.
#[tokio::test]
async fn a_listing_without_a_limit_is_cut_with_a_token() {
    let max = lance_namespace_reference_server::MAX_PAGE;
    let client = Client::new();
    client.declare("t").await;
    let entries: Vec<Value> = (0..=max)
        .map(|version| json!({"id": ["t"], "version": version, "manifest_path": "m"}))
        .collect();
    let path = "/v1/table/version/batch-create";
    client.post(path, json!({"entries": entries})).await.ok();
    let (items, pages) = client
        .pages("POST", "/v1/table/t/version/list?x=", "versions")
        .await;
    assert_eq!((items.len(), pages), (max + 1, 2));
}
