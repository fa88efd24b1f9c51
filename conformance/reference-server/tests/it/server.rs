//! The server on a socket and on a file.

use std::error::Error as _;
use std::net::SocketAddr;
use std::path::Path;

use lance_namespace_reference_server::{Config, OpenError, Server, ServerError, Store};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::harness::{Client, TempDir};

const LOCAL: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 0);

fn on_file(path: &Path) -> Config {
    Config {
        db: Some(path.to_owned()),
        ..Config::default()
    }
}

async fn exchange(address: SocketAddr, path: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let length = body.len();
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: h\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn it_answers_on_a_socket_until_it_is_shut_down() {
    let server = Server::bind(LOCAL, Config::default()).await.unwrap();
    let address = server.local_addr();
    assert_eq!(server.url(), format!("http://127.0.0.1:{}", address.port()));
    let answer = exchange(address, "/v1/table/t/declare", "{}").await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.contains("\r\nx-request-id: "), "{answer}");
    Client::of(server.store().clone())
        .table("t", "exists", json!({}))
        .await
        .ok();
    // A connection that is kept open does not hold the shutdown up.
    let _idle = TcpStream::connect(address).await.unwrap();
    server.shutdown().await.unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn one_catalog_is_served_on_two_addresses() {
    let server = Server::bind(LOCAL, Config::default()).await.unwrap();
    let another = server.bind_another(LOCAL).await.unwrap();
    exchange(server.local_addr(), "/v1/table/t/declare", "{}").await;
    let there = exchange(another.local_addr(), "/v1/table/t/exists", "{}").await;
    assert!(there.starts_with("HTTP/1.1 200 OK\r\n"), "{there}");
    server.shutdown().await.unwrap();
    let still = exchange(another.local_addr(), "/v1/table/t/exists", "{}").await;
    assert!(still.starts_with("HTTP/1.1 200 OK\r\n"), "{still}");
    another.shutdown().await.unwrap();
}

/// BAT-10, as far as a process can test itself: what was answered is in the file for whoever
/// opens it next, also when nobody shut the server down.
#[tokio::test]
async fn answered_writes_are_there_after_a_restart() {
    let directory = TempDir::new();
    let file = directory.path("catalog.db");
    let batch = json!({"entries": [
        {"id": ["n", "t"], "version": 1, "manifest_path": "m1", "metadata": {"k": "v"}},
        {"id": ["u"], "version": 1, "manifest_path": "m2"},
    ]});
    let server = Server::bind(LOCAL, on_file(&file)).await.unwrap();
    let client = Client::of(server.store().clone());
    client.namespace("n", "create", json!({})).await.ok();
    client.declare("n$t").await;
    client.declare("u").await;
    let created = client
        .post("/v1/table/version/batch-create", batch)
        .await
        .ok();
    let copy = directory.path("copy.db");
    // The files as they are while the server runs: what a kill would leave.
    for suffix in ["", "-wal"] {
        let name = |file: &Path| format!("{}{suffix}", file.display());
        std::fs::copy(name(&file), name(&copy)).unwrap();
    }
    server.shutdown().await.unwrap();
    drop(client);

    for file in [file, copy] {
        let server = Server::bind(LOCAL, on_file(&file)).await.unwrap();
        let client = Client::of(server.store().clone());
        let described = client
            .table("n$t", "version/describe", json!({}))
            .await
            .ok();
        assert_eq!(described["version"], created["versions"][0]);
        assert_eq!(client.versions("u", "").await, [1]);
        let id = created["transaction_id"].as_str().unwrap();
        client
            .post(&format!("/v1/transaction/{id}/describe"), json!({}))
            .await
            .ok();
    }
}

/// Two servers on one file are two replicas: one order of writes for both.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_servers_on_one_file_agree() {
    let directory = TempDir::new();
    let file = directory.path("catalog.db");
    let clients = [Store::open(&file).unwrap(), Store::open(&file).unwrap()].map(Client::of);
    clients[0].declare("t").await;
    for version in 1..=20 {
        let [a, b] = &clients;
        let (a, b) = tokio::join!(
            a.create_version("t", version, "a"),
            b.create_version("t", version, "b")
        );
        let mut statuses = [a.status, b.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409]);
        assert_eq!(
            clients[0].versions("t", "").await,
            clients[1].versions("t", "").await
        );
    }
}

/// TBL-10: the data goes with the table where the server chose the place, and nowhere else.
#[tokio::test]
async fn drop_removes_what_was_written_where_the_server_said() {
    let directory = TempDir::new();
    let file = directory.path("my catalog.db");
    let client = Client::of(Store::open(&file).unwrap());
    client.namespace("n", "create", json!({})).await.ok();
    let root = directory.path("my catalog.db.data");
    let write = |declared: Value| {
        let location = declared["location"].as_str().unwrap().to_owned();
        let url = format!("file://{}/", root.display()).replace(' ', "%20");
        let path = root.join(location.strip_prefix(&url).unwrap());
        std::fs::create_dir_all(path.join("_versions")).unwrap();
        path
    };
    let dropped = write(client.declare("dropped").await);
    let deregistered = write(client.declare("deregistered").await);
    let inside = write(client.declare("n$inside").await);
    let kept = write(client.declare("kept").await);
    let elsewhere = directory.path("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    client
        .table("given", "declare", json!({"location": elsewhere}))
        .await
        .ok();
    client.declare("unwritten").await;

    for table in ["dropped", "given", "unwritten"] {
        client.table(table, "drop", json!({})).await.ok();
    }
    client
        .table("deregistered", "deregister", json!({}))
        .await
        .ok();
    client
        .namespace("n", "drop", json!({"behavior": "Cascade"}))
        .await
        .ok();
    assert!(!dropped.exists() && !inside.exists());
    assert!(deregistered.exists() && kept.exists() && elsewhere.exists());
}

#[tokio::test]
async fn what_cannot_be_opened_or_bound_is_said() {
    let directory = TempDir::new();
    let missing = directory.path("missing/catalog.db");
    let error = Server::bind(LOCAL, on_file(&missing)).await.unwrap_err();
    assert!(matches!(error, ServerError::Open(OpenError::Sqlite { .. })));
    assert!(error.to_string().contains("missing/catalog.db"), "{error}");
    assert!(error.source().is_some());

    let text = directory.path("text");
    std::fs::write(
        &text,
        "no database, but long enough to be looked at\n".repeat(100),
    )
    .unwrap();
    assert!(matches!(Store::open(&text), Err(OpenError::Sqlite { .. })));

    let other = directory.path("other.db");
    let connection = lance_namespace_reference_server::rusqlite::Connection::open(&other).unwrap();
    connection
        .execute_batch("CREATE TABLE someones (x)")
        .unwrap();
    assert!(matches!(
        Store::open(&other),
        Err(OpenError::Schema { found: 0, .. })
    ));

    let server = Server::bind(LOCAL, Config::default()).await.unwrap();
    let error = Server::bind(server.local_addr(), Config::default())
        .await
        .unwrap_err();
    assert!(matches!(error, ServerError::Listen { .. }));
    assert_eq!(
        error.to_string(),
        format!("cannot listen on {}", server.local_addr())
    );
}
