//! Identifiers on the wire.

use serde_json::json;

use crate::harness::Client;

/// REST-1, REST-2.
#[tokio::test]
async fn the_identifier_in_the_body_must_be_that_of_the_route() {
    let client = Client::new();
    client
        .namespace("n", "create", json!({"id": ["n"]}))
        .await
        .ok();
    client
        .table("n$t", "declare", json!({"id": ["n", "t"]}))
        .await
        .ok();
    client
        .table("n$t", "exists", json!({"id": null}))
        .await
        .ok();
    client.post_text("/v1/table/n$t/exists", "").await.ok();
    for id in [
        json!(["n"]),
        json!(["n", "u"]),
        json!(["n$t"]),
        json!(["n", "t", ""]),
        json!([]),
    ] {
        for operation in [
            "describe",
            "exists",
            "deregister",
            "rename",
            "version/create",
        ] {
            let body = json!({
                "id": id, "new_table_name": "x", "version": 1, "manifest_path": "m",
            });
            client.table("n$t", operation, body).await.fails(400, 13);
        }
        client
            .namespace("$", "describe", json!({"id": ["n"]}))
            .await
            .fails(400, 13);
    }
    // What has no body in the protocol reads none.
    client
        .table("n$t", "drop", json!({"id": ["n", "u"]}))
        .await
        .ok();
}

/// REST-3, REST-4.
#[tokio::test]
async fn the_delimiter_is_the_callers_choice() {
    let client = Client::new();
    for (delimiter, encoded) in [
        ("$", "%24"),
        (".", "."),
        ("/", "%2F"),
        ("%", "%25"),
        ("|", "%7C"),
        ("::", "::"),
        ("+", "%2B"),
    ] {
        let id = format!("n{encoded}t");
        let query = format!("?delimiter={encoded}");
        client
            .post_text(&format!("/v1/namespace/n/create{query}"), "")
            .await
            .ok();
        client
            .post_text(&format!("/v1/table/{id}/declare{query}"), "")
            .await
            .ok();
        client
            .table("n$t", "exists", json!({"id": ["n", "t"]}))
            .await
            .ok();
        let root = client
            .get(&format!("/v1/namespace/{encoded}/list{query}"))
            .await
            .ok();
        assert_eq!(root["namespaces"], json!(["n"]));
        let all = client.get(&format!("/v1/table{query}")).await.ok();
        assert_eq!(all["tables"], json!([format!("n{delimiter}t")]));
        let body = json!({"behavior": "Cascade"});
        client
            .namespace("n", &format!("drop{query}"), body)
            .await
            .ok();
    }
    client
        .table("t", "exists?delimiter=", json!({}))
        .await
        .fails(400, 13);
}

/// REST-11, REST-14.
#[tokio::test]
async fn names_with_any_characters_are_objects_of_their_own() {
    let client = Client::new();
    let long = "n".repeat(255);
    let names = [
        ("a b", "a%20b"),
        ("a+b", "a+b"),
        ("a%20b", "a%2520b"),
        ("a/b", "a%2Fb"),
        ("a#b", "a%23b"),
        ("a?b", "a%3Fb"),
        ("é", "%C3%A9"),
        ("e\u{301}", "e%CC%81"),
        ("...", "..."),
        ("A", "A"),
        ("a", "a"),
        ("a.b", "a.b"),
        ("\u{0}", "%00"),
        ("a\u{0}b", "a%00b"),
        ("\"", "%22"),
        ("'; --", "'%3B%20--"),
        ("\\", "%5C"),
        ("%", "%25"),
        ("🦀", "%F0%9F%A6%80"),
        (long.as_str(), long.as_str()),
    ];
    for (name, encoded) in names {
        client
            .table(encoded, "declare", json!({"id": [name], "location": name}))
            .await
            .ok();
    }
    for (name, encoded) in names {
        let described = client
            .table(encoded, "describe", json!({"id": [name]}))
            .await
            .ok();
        assert_eq!(described["location"], name);
    }
    let all = client.get("/v1/namespace/$/table/list").await.ok();
    assert_eq!(all["tables"].as_array().unwrap().len(), names.len());
    for (_, encoded) in names {
        client.table(encoded, "drop", json!({})).await.ok();
    }
}

/// REST-11.
#[tokio::test]
async fn a_part_with_the_delimiter_in_it_is_not_two_parts() {
    let client = Client::new();
    client.namespace("a", "create", json!({})).await.ok();
    client
        .table("a$b", "declare", json!({"location": "two"}))
        .await
        .ok();
    client
        .table(
            "a$b",
            "declare?delimiter=.",
            json!({"id": ["a$b"], "location": "one"}),
        )
        .await
        .ok();
    let two = client.table("a$b", "describe", json!({})).await.ok();
    assert_eq!(
        (&two["location"], &two["namespace"]),
        (&json!("two"), &json!(["a"]))
    );
    let one = client
        .table("a$b", "describe?delimiter=.", json!({}))
        .await
        .ok();
    assert_eq!(
        (&one["location"], &one["namespace"]),
        (&json!("one"), &json!([]))
    );
    // With this delimiter only one of the two has an identifier.
    assert_eq!(client.get("/v1/table").await.ok()["tables"], json!(["a$b"]));
    let all = client.get("/v1/table?delimiter=.").await.ok();
    assert_eq!(all["tables"], json!(["a.b", "a$b"]));
}

/// REST-14, PAGE-6: what is refused is refused with 400.
#[tokio::test]
async fn malformed_requests_never_are_the_servers_fault() {
    let client = Client::new();
    client.declare("t").await;
    client.declare("canary").await;
    for id in [
        "a$", "$a", "a$$b", "$$", ".", "..", "a$..", "%2E%2E", "%FF", "%C3",
    ] {
        client.table(id, "declare", json!({})).await.fails(400, 13);
        client.table(id, "drop", json!({})).await.fails(400, 13);
    }
    for query in [
        "limit=0",
        "limit=-1",
        "limit=x",
        "limit=99999999999999999999",
        "limit=",
        "page_token=zz",
        "page_token=22",
        "page_token=2261",
        "page_token=%FF",
        "descending=maybe",
        "limit=1&limit=2",
    ] {
        let path = format!("/v1/table/t/version/list?{query}");
        client.post_text(&path, "").await.fails(400, 13);
    }
    client
        .get("/v1/namespace/$/list?page_token=31")
        .await
        .fails(400, 13);
    client
        .get("/v1/namespace/$/table/list?include_declared=2")
        .await
        .fails(400, 13);
    client.get("/v1/table?page_token=5b5d").await.fails(400, 13);
    let deep = "[".repeat(100_000);
    client
        .post_text("/v1/table/t/exists", format!("{{\"x\":{deep}"))
        .await
        .fails(400, 13);
    client.table("canary", "exists", json!({})).await.ok();
}
