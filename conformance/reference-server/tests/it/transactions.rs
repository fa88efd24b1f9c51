//! Transaction records.

use serde_json::{Value, json};

use crate::harness::Client;

async fn transaction() -> (Client, String) {
    let client = Client::new();
    let declared = client.declare("t").await;
    let id = declared["transaction_id"].as_str().unwrap().to_owned();
    (client, format!("/v1/transaction/{id}"))
}

/// Every write whose answer has room for a transaction's id gives one that can be described.
#[tokio::test]
async fn writes_answer_with_transactions_that_succeeded() {
    let client = Client::new();
    let entry = json!({"id": ["t"], "version": 2, "manifest_path": "m"});
    let range = json!({"start_version": 2, "end_version": 3});
    for (path, body) in [
        ("namespace/n/create", json!({})),
        ("table/t/declare", json!({})),
        ("table/r/register", json!({"location": "l"})),
        (
            "table/t/version/create",
            json!({"version": 1, "manifest_path": "m"}),
        ),
        ("table/version/batch-create", json!({"entries": [entry]})),
        ("table/t/version/delete", json!({"ranges": [range]})),
        ("table/t/tags/create", json!({"tag": "a", "version": 1})),
        ("table/t/tags/update", json!({"tag": "a", "version": 1})),
        ("table/t/tags/delete", json!({"tag": "a"})),
        ("table/t/branches/create", json!({"name": "b"})),
        ("table/t/branches/delete", json!({"name": "b"})),
        (
            "table/batch-commit",
            json!({"operations": [{"declare_table": {"id": ["u"]}}]}),
        ),
        ("table/t/rename", json!({"new_table_name": "v"})),
        ("table/v/deregister", json!({})),
    ] {
        let answer = client.post(&format!("/v1/{path}"), body).await.ok();
        let id = answer["transaction_id"]
            .as_str()
            .unwrap_or_else(|| panic!("{path}: {answer}"));
        let path = format!("/v1/transaction/{id}/describe");
        let described = client.post(&path, json!({"id": [id]})).await.ok();
        assert_eq!(described, json!({"status": "Succeeded", "properties": {}}));
    }
}

/// TX-1.
#[tokio::test]
async fn alter_applies_all_actions_or_none() {
    let (client, path) = transaction().await;
    let alter = async |actions: Value| {
        client
            .post(&format!("{path}/alter"), json!({"actions": actions}))
            .await
    };
    let set = |key: &str, value: &str, mode: Value| json!({"setPropertyAction": {"key": key, "value": value, "mode": mode}});
    let unset = |key: &str, mode: Value| json!({"unsetPropertyAction": {"key": key, "mode": mode}});
    let altered = alter(json!([
        set("a", "1", Value::Null),
        set("a", "2", json!("Skip")),
        set("b", "3", json!("fail")),
        set("b", "4", json!("OVERWRITE")),
        set("c", "5", Value::Null),
        unset("c", json!("Fail")),
        unset("c", Value::Null),
        {"setStatusAction": {"status": "succeeded"}},
    ]));
    let expected = json!({"status": "Succeeded", "properties": {"a": "1", "b": "4"}});
    assert_eq!(altered.await.ok(), expected);

    for bad in [
        set("b", "9", json!("Fail")),
        unset("absent", json!("Fail")),
        set("a", "9", json!("never")),
        json!({"setStatusAction": {"status": "Canceled"}}),
        json!({"setStatusAction": {"status": "unheard"}}),
        json!({"setStatusAction": {}}),
        json!({"setPropertyAction": {"key": "a"}}),
        json!({}),
        json!({"setStatusAction": {"status": "Succeeded"}, "unsetPropertyAction": {"key": "a"}}),
    ] {
        for actions in [
            json!([set("x", "1", Value::Null), unset("a", Value::Null), bad]),
            json!([bad, set("x", "1", Value::Null), unset("a", Value::Null)]),
        ] {
            alter(actions).await.fails(400, 13);
            let described = client
                .post(&format!("{path}/describe"), json!({}))
                .await
                .ok();
            assert_eq!(described, expected, "{bad}");
        }
    }
    alter(json!([])).await.fails(400, 13);
}

/// TX-2.
#[tokio::test]
async fn an_unknown_transaction_is_not_found() {
    let client = Client::new();
    client
        .post("/v1/transaction/absent/describe", json!({}))
        .await
        .fails(404, 10);
    let body = json!({"actions": [{"setStatusAction": {"status": "Succeeded"}}]});
    client
        .post("/v1/transaction/absent/alter", body)
        .await
        .fails(404, 10);
}
