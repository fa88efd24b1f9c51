//! Tests a program that calls a namespace, without a server: with the feature `testing`.
//!
//! ```sh
//! cargo run --example testing
//! ```

use lance_namespace_client::models::{
    DescribeTableVersionResponse, ListTablesResponse, TableVersion,
};
use lance_namespace_client::testing::{FakeServer, Reply};
use lance_namespace_client::{Client, Error};

/// What is to be tested: how many tables of a namespace have a version 1.
async fn committed(client: &Client, namespace: &str) -> Result<usize, Error> {
    use futures::TryStreamExt;
    let namespace = client.namespace([namespace]);
    let mut count = 0;
    let mut names = namespace.tables();
    while let Some(name) = names.try_next().await? {
        match namespace.table(name).describe_version(1).await {
            Ok(_) => count += 1,
            Err(error) if error.is_not_found() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(count)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let server = FakeServer::new();
    // Answers in order: two pages.
    server.queue(
        "ListTables",
        [
            Reply::ok(&ListTablesResponse::new(["users"]).with_page_token("next")),
            Reply::ok(&ListTablesResponse::new(["orders", "empty"])),
        ],
    );
    // Answers by what was asked.
    server.on("DescribeTableVersion", |call| match call.path() {
        "/v1/table/prod$empty/version/describe" => Reply::error(404, 11, "no version 1"),
        _ => Reply::ok(&DescribeTableVersionResponse::new(TableVersion::new(
            1, "m",
        ))),
    });
    assert_eq!(committed(&server.client(), "prod").await?, 2);
    assert_eq!(server.calls("ListTables").len(), 2);
    assert_eq!(server.calls("ListTables")[1].query()["page_token"], "next");

    // A server that is out of order: one failure that passes, then one that does not.
    server.queue(
        "ListTables",
        [Reply::status(503), Reply::error(403, 15, "not yours")],
    );
    let error = committed(&server.client(), "prod").await;
    let error = error.err().map(|error| error.to_string());
    println!("{}", error.as_deref().unwrap_or("no error"));
    assert!(error.is_some_and(|error| error.contains("not yours")));
    Ok(())
}
